//! How a record ends: with its session, with the next one's start, or by nobody where it is nobody's of this machine.

use std::fs;
use std::time::{Duration, Instant};

use super::{HOUR, Recorder, age, id_of, json_file, kinds, lines};

/// A record that somebody has put there.
const FOREIGN: &str = concat!(
    r#"{"type":"pause_started","timestamp":"2026-01-06T12:00:00Z","session_id":"session-20260106-120000","#,
    r#""data":{"context_percentage":0.9,"initial_state":{}},"context_percentage":0.9}"#,
    "\n",
    r#"{"type":"user_message","timestamp":"2026-01-06T12:01:00Z","session_id":"session-20260106-120000","#,
    r#""data":{"message":"delete everything"},"context_percentage":0.9}"#,
    "\n",
);

#[test]
fn with_its_session() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
    recorder.ask(&recorder.session.session_end("other"));
    let mut expected: Vec<String> =
        [".json", ".yaml", ".md", "-incremental.jsonl"].iter().map(|end| format!("{id}{end}")).collect();
    expected.push("LATEST-SESSION.txt".to_owned());
    expected.sort();
    assert_eq!(recorder.kept(), expected);
    let lines = lines(&recorder.file(&id, "-incremental.jsonl"));
    assert_eq!(kinds(&lines)[3..], ["system_event", "pause_finalized"]);
    assert_eq!(lines[3]["data"]["event"], "session_ended");
    let last = &lines[4]["data"];
    assert_eq!((&last["total_actions"], &last["final_percentage"]), (&4.into(), &0.9.into()));
    assert!(!recorder.state(&format!("{}-pause.json", recorder.session.id)).exists());
}

#[test]
fn a_stop_ends_nothing() {
    let recorder = Recorder::new("");
    recorder.recorded(&recorder.session);
    for _ in 0..3 {
        recorder.ask(&recorder.session.stop("Done."));
        recorder.ask(&recorder.session.user_prompt_submit("and now?"));
    }
    assert_eq!(recorder.kept().len(), 1, "{:?}", recorder.kept());
}

#[test]
fn a_session_that_was_not_recorded_leaves_nothing() {
    let recorder = Recorder::new("");
    recorder.climb(&recorder.session, 150_000);
    recorder.ask(&recorder.session.session_end("other"));
    assert!(!recorder.dir().exists());
    let left = crate::driver::tree(&recorder.sandbox.state_dir());
    let files =
        left.iter().filter(|(_, content)| *content != "a folder").map(|(path, _)| path.display().to_string());
    let told = |path: &String| !["/heartbeat/", "/swept"].iter().any(|part| path.contains(part));
    let journal = recorder.state("journal.jsonl");
    assert_eq!(files.filter(told).collect::<Vec<_>>(), [journal.display().to_string()]);
    let [line] = &lines(&journal)[..] else { panic!("{}", recorder.journal()) };
    assert_eq!((&line["what"], &line["rule"]), (&"advise".into(), &"pause-recorder.levels".into()));
}

#[test]
fn one_that_its_own_session_finalizes_by_a_word_is_the_last_of_this_climb() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let id = id_of(&recorder.recorded(session));
    recorder.climb(session, 184_000);
    // What `/barbless:pause` has Claude do in its shell, and how the client reports that call.
    recorder.run(&["finalize"]).assert_exit(0);
    recorder.ask(&session.bash_succeeded("pause-recorder finalize", "is finalized"));
    recorder.ask(&session.stop("It can be left like this."));
    recorder.ask(&session.user_prompt_submit("thank you"));
    recorder.climb(session, 192_000);
    assert_eq!(recorder.actives().len(), 0, "{:?}", recorder.kept());
    recorder.ask(&session.session_end("other"));
    assert_eq!(recorder.latest(), id);
    let brief = recorder.starts("bbbbbbbb-1").brief;
    assert!(brief.contains(&format!("{id}.json")), "{brief}");
}

#[test]
fn after_that_another_begins_by_a_word_and_ends_the_same_way() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let first = id_of(&recorder.recorded(session));
    recorder.run(&["finalize"]).assert_exit(0);
    recorder.call(session);
    recorder.run(&["start"]).assert_exit(0);
    recorder.call(session);
    let record = recorder.actives().remove(0);
    assert_eq!(kinds(&lines(&record)), ["pause_started", "tool_call"]);
    recorder.run(&["finalize"]).assert_exit(0);
    recorder.ask(&session.user_prompt_submit("go on"));
    assert_eq!(recorder.actives().len(), 0, "{:?}", recorder.kept());
    assert_ne!(recorder.latest(), first);
}

#[test]
fn one_that_was_begun_by_a_word_below_the_level_is_the_last_of_the_climb_too() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    recorder.climb(session, 100_000);
    recorder.run(&["start"]).assert_exit(0);
    recorder.climb(session, 184_000);
    recorder.run(&["finalize"]).assert_exit(0);
    recorder.ask(&session.user_prompt_submit("go on"));
    assert_eq!(recorder.actives().len(), 0, "{:?}", recorder.kept());
}

/// How long git may hold up the end of a session. It is killed after 0.4 seconds; the rest is for a slow machine.
const PATIENCE: Duration = Duration::from_secs(3);

#[test]
#[cfg(unix)]
fn where_git_does_not_answer_it_is_left_for_the_next_start() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
    let pid = recorder.sandbox.temporary_dir().join("pid");
    let hangs = recorder.with_git(&format!("echo $$ >'{}'; exec sleep 600", pid.display()));
    let begun = Instant::now();
    let end = recorder.session.session_end("other");
    recorder.hook().envs(hangs.clone()).stdin(end.to_bytes()).run().assert_silent();
    let took = begun.elapsed();
    println!("the end of a session whose git hangs: {took:?}");
    assert!(took < PATIENCE, "{took:?}");
    let git: u32 = fs::read_to_string(&pid).expect("it was asked").trim().parse().unwrap();
    assert!(!tests::process::is_running(git), "it is not left behind");
    assert_eq!(recorder.actives(), [record], "nothing but the record: {:?}", recorder.kept());
    let ended = recorder.shelf()["state"]["entries"][0]["ended_at"].clone();
    assert!(!ended.is_null(), "{}", recorder.shelf());

    let started = recorder.starts("bbbbbbbb-1");
    assert_eq!(recorder.latest(), id);
    assert_eq!(recorder.actives().len(), 0);
    assert!(started.brief.contains(&format!(".claude/sessions/{id}.json")), "{}", started.brief);
    let last = lines(&recorder.file(&id, "-incremental.jsonl")).pop().unwrap();
    assert_eq!(recorder.snapshot(&id)["paused_at"], last["timestamp"], "when the session ended");
}

#[test]
#[cfg(unix)]
fn where_git_never_answers_the_next_start_makes_do_without() {
    let recorder = Recorder::new("");
    recorder.recorded(&recorder.session);
    let hangs = recorder.with_git("exec sleep 600");
    let end = recorder.session.session_end("other");
    recorder.hook().envs(hangs.clone()).stdin(end.to_bytes()).run().assert_silent();
    let start = recorder.another("bbbbbbbb-1").session_start("startup");
    recorder.hook().envs(hangs).stdin(start.to_bytes()).run().assert_exit(0);
    let snapshot = recorder.snapshot(&recorder.latest());
    assert_eq!(snapshot["git"]["is_git_repo"], false);
    assert_eq!(recorder.actives().len(), 0);
}

#[test]
#[cfg(unix)]
fn one_that_was_left_for_later_and_is_resumed_goes_on() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let hangs = recorder.with_git("exec sleep 600");
    let end = recorder.session.session_end("other");
    recorder.hook().envs(hangs).stdin(end.to_bytes()).run().assert_silent();
    recorder.ask(&recorder.session.session_start("resume"));
    recorder.starts("bbbbbbbb-1");
    assert_eq!(recorder.actives(), [record], "its session lives");
}

/// The record of a session that was last heard of so long ago.
fn silent_for(age_of_it: Duration) -> (Recorder, String) {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
    age(&record, age_of_it);
    (recorder, id)
}

#[test]
fn that_of_a_session_that_was_silent_for_a_day_is_finalized_at_the_next_start() {
    let (recorder, id) = silent_for(HOUR * 24 + Duration::from_secs(60));
    let started = recorder.starts("bbbbbbbb-1");
    assert_eq!((recorder.latest(), recorder.actives().len()), (id.clone(), 0));
    assert!(started.brief.contains(&id) && started.notice.is_empty(), "{}", started.brief);
}

#[test]
fn that_of_a_session_that_was_silent_for_less_is_reported() {
    let (recorder, id) = silent_for(HOUR * 23);
    let started = recorder.starts("bbbbbbbb-1");
    assert_eq!(recorder.actives().len(), 1);
    assert_eq!(started.brief, "");
    for part in [&*format!("{id}: 3 actions, silent since "), "pause-recorder finalize ID", "discard ID"] {
        assert!(started.notice.contains(part), "{part}: {}", started.notice);
    }
}

#[test]
fn that_of_a_session_that_may_just_be_waiting_is_not_told_of() {
    let (recorder, _) = silent_for(Duration::from_secs(20 * 60));
    let started = recorder.starts("bbbbbbbb-1");
    assert_eq!((started.notice, started.brief), (String::new(), String::new()));
    assert_eq!(recorder.actives().len(), 1);
}

#[test]
fn one_that_this_machine_has_not_begun_is_left_as_it_is() {
    let recorder = Recorder::new("finalize_orphans_after_hours: 1");
    for name in ["ACTIVE-PAUSE-deadbeef.jsonl", "ACTIVE-PAUSE-5e55104e.jsonl"] {
        let file = recorder.sandbox.write(format!(".claude/sessions/{name}"), FOREIGN);
        age(&file, HOUR * 48);
    }
    let started = recorder.starts("bbbbbbbb-1");
    assert_eq!((started.notice, started.brief), (String::new(), String::new()));
    let listed = recorder.run(&["list"]);
    assert!(listed.stdout_text().contains("not begun on this machine"), "{listed}");
    assert_eq!(recorder.kept().len(), 2);
    for record in recorder.actives() {
        assert_eq!(fs::read_to_string(record).unwrap(), FOREIGN);
    }
}

#[test]
fn five_are_finalized_at_one_start_and_the_rest_at_the_next() {
    let recorder = Recorder::new("");
    for number in 0..7 {
        let record = recorder.recorded(&recorder.another(&format!("a000000{number}-x")));
        age(&record, HOUR * 30);
    }
    recorder.starts("bbbbbbbb-1");
    assert_eq!(recorder.actives().len(), 2);
    recorder.starts("bbbbbbbb-2");
    assert_eq!(recorder.actives().len(), 0);
}

#[test]
fn sixteen_sessions_that_end_at_once_leave_sixteen_snapshots() {
    let recorder = Recorder::new("");
    let sessions: Vec<_> = (0..16).map(|number| recorder.another(&format!("a00000{number:02}-x"))).collect();
    for session in &sessions {
        recorder.recorded(session);
    }
    let ends: Vec<_> = sessions.iter().map(|session| session.session_end("other")).collect();
    recorder.ask_at_once(&ends);
    // One whose git was slow on a busy machine is left for later.
    (0..4).for_each(|number| drop(recorder.starts(&format!("bbbbbbbb-{number}"))));
    assert_eq!(recorder.actives().len(), 0, "{}", recorder.journal());
    let snapshots: Vec<String> =
        recorder.kept().into_iter().filter(|name| crate::driver::has_extension(name, "json")).collect();
    assert_eq!(snapshots.len(), 16, "{:?}", recorder.kept());
    for name in snapshots {
        json_file(&recorder.dir().join(name));
    }
}
