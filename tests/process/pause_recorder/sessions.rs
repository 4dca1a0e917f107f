//! Several sessions in one project, and one session that goes on: each has a record of its own, and continues it.

use super::{Recorder, holds, kinds, lines};

#[test]
fn two_sessions_of_a_project_have_two_records() {
    let recorder = Recorder::new("");
    let sessions = ["aaaaaaaa-1", "bbbbbbbb-1"].map(|id| recorder.another(id));
    let records = sessions.each_ref().map(|session| recorder.recorded(session));
    for (session, record) in sessions.iter().zip(&records) {
        recorder.ask(&session.user_prompt_submit(&format!("said in {}", session.id)));
        let lines = lines(record);
        assert_eq!(lines.last().unwrap()["data"]["message"], format!("said in {}", session.id));
        assert_eq!(lines[0]["data"]["initial_state"]["claude_session_id"], session.id);
    }
    let names = records.each_ref().map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(names, ["ACTIVE-PAUSE-aaaaaaaa.jsonl", "ACTIVE-PAUSE-bbbbbbbb.jsonl"]);
    let ids = records.map(|record| lines(&record)[0]["session_id"].clone());
    assert_ne!(ids[0], ids[1], "also where they began in one second");
    recorder.ask(&sessions[0].session_end("other"));
    assert_eq!(recorder.latest(), ids[0]);
    assert_eq!(recorder.actives().len(), 1);
    recorder.ask(&sessions[1].session_end("other"));
    assert_eq!(recorder.latest(), ids[1]);
    assert_eq!(recorder.actives().len(), 0);
}

#[test]
fn two_sessions_whose_ids_begin_alike_have_two_records() {
    let recorder = Recorder::new("");
    let sessions = ["aaaaaaaa-1", "aaaaaaaa-2"].map(|id| recorder.another(id));
    let records = sessions.each_ref().map(|session| recorder.recorded(session));
    for (session, record) in sessions.iter().zip(&records) {
        recorder.ask(&session.stop("Done."));
        let lines = lines(record);
        assert_eq!(kinds(&lines), ["pause_started", "system_event", "tool_call", "assistant_response"]);
        assert_eq!(lines[0]["data"]["initial_state"]["claude_session_id"], session.id);
    }
    // The one with the short name is over; the other one keeps its own.
    recorder.ask(&sessions[0].session_end("other"));
    recorder.ask(&sessions[1].stop("Done."));
    assert_eq!(lines(&records[1]).len(), 5);
    recorder.ask(&sessions[1].session_end("other"));
    assert_eq!(recorder.actives().len(), 0);
}

#[test]
fn twenty_sessions_that_begin_at_once_have_twenty_records() {
    let recorder = Recorder::new("");
    let sessions: Vec<_> = (0..20)
        .map(|number| recorder.another(&format!("{:08}-x", number / 2 * 1_000 + number % 2)))
        .collect();
    for session in &sessions {
        holds(session, 185_000);
    }
    let calls: Vec<_> = sessions.iter().map(|session| session.bash_succeeded("ls", "ok")).collect();
    recorder.ask_at_once(&calls);
    let ids: std::collections::BTreeSet<String> =
        recorder.actives().iter().map(|path| lines(path)[0]["session_id"].to_string()).collect();
    assert_eq!(ids.len(), 20, "{ids:?}");
}

#[test]
fn one_session_whose_calls_end_at_once_has_one_record() {
    let recorder = Recorder::new("");
    holds(&recorder.session, 185_000);
    recorder.ask_at_once(&vec![recorder.session.bash_succeeded("ls", "ok"); 20]);
    let [record] = &recorder.actives()[..] else { panic!("{:?}", recorder.kept()) };
    let lines = lines(record);
    let calls = kinds(&lines).iter().filter(|kind| **kind == "tool_call").count();
    assert_eq!((calls, lines.len()), (20, 22), "{}\n{lines:?}", recorder.journal());
}

#[test]
fn a_session_that_is_resumed_goes_on_with_its_record() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    // It has ended without a word.
    let started = recorder.starts_as(&recorder.session.session_start("resume"), &[]);
    assert_eq!(started.brief, "");
    recorder.climb(&recorder.session, 181_000);
    let lines = lines(&record);
    assert_eq!(kinds(&lines[3..]), ["system_event", "tool_call"]);
    assert_eq!(lines[3]["data"]["event"], "session_continued");
    assert_eq!(recorder.actives(), [record]);
}

#[test]
fn a_session_that_is_resumed_after_its_snapshot_begins_anew() {
    let recorder = Recorder::new("");
    let first = recorder.paused(&recorder.session);
    recorder.starts_as(&recorder.session.session_start("resume"), &[]);
    let second = recorder.paused(&recorder.session);
    assert_ne!(first, second);
    assert!(recorder.file(&first, ".json").is_file() && recorder.file(&second, ".json").is_file());
}

#[test]
fn each_project_has_its_own_folder() {
    let recorder = Recorder::new("");
    recorder.recorded(&recorder.session);
    let other = recorder.sandbox.root().join("other");
    std::fs::create_dir(&other).unwrap();
    let mut session = recorder.another("cccccccc-1");
    session.cwd.clone_from(&other);
    holds(&session, 185_000);
    let hook = recorder.hook().cwd(&other).env("CLAUDE_PROJECT_DIR", other.display().to_string());
    let told = hook.stdin(session.bash_succeeded("ls", "ok").to_bytes()).run();
    assert!(told.stdout_text().contains("recorded in .claude/sessions"), "{told}");
    assert!(other.join(".claude/sessions/ACTIVE-PAUSE-cccccccc.jsonl").is_file());
    assert_eq!(recorder.actives().len(), 1);
}
