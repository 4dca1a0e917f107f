//! Faults around a record lose nothing: git that hangs, a full disk, a kill at any moment. Parallel processes lose nothing
//! either: sixteen write into one record while some are killed, twenty calls begin one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::process::Invocation;
use tests::sandbox::Environment;

use super::{Recorder, holds, kinds, lines};
use crate::driver::{context, documented, notice};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// The environment in which `git` writes its process id into this file, and hangs.
fn git_that_hangs(recorder: &Recorder, pid: &Path) -> Environment {
    let folder = recorder.sandbox.root().join("stand-ins");
    let script = format!("echo $$ >'{}'; exec sleep 600", pid.display());
    crate::installer::write_script(&folder.join("git"), &script);
    let path = format!("{}:{}", folder.display(), recorder.sandbox.env()["PATH"]);
    Environment::from([("PATH".to_owned(), path)])
}

/// How long git may hold up the end of a session. It is killed after 0.4 seconds; the rest is for a slow machine.
const PATIENCE: Duration = Duration::from_secs(3);

#[test]
fn slow_git_leaves_the_snapshot_to_the_next_start() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
    let pid = recorder.sandbox.temporary_dir().join("pid");
    let hangs = git_that_hangs(&recorder, &pid);
    let begun = Instant::now();
    let end = recorder.session.session_end("other");
    recorder.hook().envs(hangs.clone()).stdin(end.to_bytes()).run().assert_silent();
    let took = begun.elapsed();
    assert!(took < PATIENCE, "{took:?}");
    let git: u32 = fs::read_to_string(&pid).expect("it was asked").trim().parse().unwrap();
    assert!(!tests::process::is_running(git), "it is not left behind");
    assert_eq!(recorder.actives(), [record], "nothing but the record: {:?}", recorder.kept());
    let last = lines(&recorder.actives()[0]).pop().unwrap();
    assert_eq!(last["data"]["event"], "session_ended");

    // The next start waits longer, and then makes do without.
    let start = recorder.another("bbbbbbbb-1").session_start("startup");
    let started = documented(&recorder.hook().envs(hangs).stdin(start.to_bytes()).run());
    let brief = context(started.as_ref()).unwrap_or_default();
    assert_eq!(
        (recorder.latest(), &recorder.snapshot(&id)["git"]["is_git_repo"]),
        (id.clone(), &false.into())
    );
    assert_eq!(recorder.actives().len(), 0);
    assert!(brief.contains(&format!(".claude/sessions/{id}.json")), "{brief}");
    let last = lines(&recorder.file(&id, "-incremental.jsonl")).pop().unwrap();
    assert_eq!(recorder.snapshot(&id)["paused_at"], last["timestamp"], "when the session ended");
}

/// The hook where a file may have so many bytes at most, as on a disk that is nearly full.
fn with_files_up_to(recorder: &Recorder, kib: usize) -> Invocation {
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\"", kib * 2);
    let program = tests::binaries::path(super::NAME).display().to_string();
    Invocation::new("/bin/sh", &recorder.sandbox)
        .args(["-c".to_owned(), script, program])
        .env("CLAUDE_CODE_ENTRYPOINT", "cli")
        .env("CLAUDE_PROJECT_DIR", recorder.sandbox.project().display().to_string())
}

#[test]
fn on_a_full_disk_the_session_goes_on_and_the_earlier_record_stays() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    while fs::metadata(&record).unwrap().len() < 40_000 {
        let text = fs::read_to_string(&record).unwrap();
        let last = text.lines().last().unwrap();
        fs::write(&record, format!("{text}{}\n", [last; 20].join("\n"))).unwrap();
    }
    let before = fs::read(&record).unwrap();
    let ask = |payload: &tests::payloads::Payload| {
        let hook = with_files_up_to(&recorder, before.len() / 1024);
        documented(&hook.stdin(payload.to_bytes()).run())
    };
    let session = &recorder.session;
    let calls: Vec<Option<Value>> = (0..3).map(|_| ask(&session.bash_succeeded("ls", "ok"))).collect();
    let told: Vec<String> = calls.iter().map(|answer| notice(answer.as_ref())).collect();
    assert!(told[0].contains("cannot be written"), "{told:?}");
    assert_eq!(told[1..], ["", ""], "told once");
    assert!(fs::read(&record).unwrap() == before, "not a byte more or less");
    recorder.call(session);
    recorder.ask(&session.session_end("other"));
    let snapshot = recorder.snapshot(&recorder.latest());
    assert_eq!(snapshot["skipped_lines"], 0, "{snapshot:#}");
}

const KILLS: usize = 60;

#[test]
fn killed_at_any_moment_it_can_be_finalized_again() {
    let recorder = Recorder::new("");
    let mut dice = StdRng::seed_from_u64(3);
    let mut limit = Duration::from_millis(30);
    let mut killed = 0;
    for round in 0..KILLS {
        let session = recorder.another(&format!("{round:08}-x"));
        let record = recorder.recorded(&session);
        let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
        let mut hook = recorder.hook().stdin(session.session_end("other").to_bytes()).start();
        // The moment of the kill is what is tried: nothing is waited for.
        std::thread::sleep(dice.random_range(Duration::ZERO..limit));
        hook.kill();
        let was_killed = !hook.wait().status.success();
        killed += usize::from(was_killed);
        // However fast the machine is just now, about half of the kills come before the end.
        limit = if was_killed { limit * 11 / 10 } else { limit * 10 / 11 }.max(Duration::from_millis(1));
        if record.exists() {
            let outcome = recorder.run_in(&session, &["finalize", &id]);
            outcome.assert_exit(0);
        }
        assert_complete(&recorder, &record, &id, round);
    }
    println!("{killed} of {KILLS} ends were killed");
    assert!(killed > KILLS / 5, "only {killed} of {KILLS} were killed before their end");
    let odd: Vec<String> = recorder.kept().into_iter().filter(|name| name.contains("tmp")).collect();
    assert!(odd.len() <= 4 * KILLS / 10, "{odd:?}");
}

/// Everything is there, once, and of one moment.
#[track_caller]
fn assert_complete(recorder: &Recorder, record: &Path, id: &str, round: usize) {
    assert!(!record.exists(), "{round}");
    let lines = lines(&recorder.file(id, "-incremental.jsonl"));
    let ends: Vec<_> = lines.iter().filter(|line| line["type"] == "pause_finalized").collect();
    assert_eq!(ends.len(), 1, "{round}: {lines:#?}");
    let json = recorder.snapshot(id);
    assert_eq!(json["paused_at"], ends[0]["timestamp"], "{round}");
    let yaml = fs::read_to_string(recorder.file(id, ".yaml")).unwrap();
    assert_eq!(serde_yaml::from_str::<serde_json::Value>(&yaml).unwrap(), json, "{round}");
    assert!(recorder.file(id, ".md").is_file(), "{round}");
}

const COPIES: usize = 16;

const ROUNDS: usize = 12;

#[test]
fn the_lines_of_those_that_end_are_whole_whoever_is_killed() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let mut dice = StdRng::seed_from_u64(16);
    let mut limit = Duration::from_millis(60);
    let (mut killed, mut written) = (0, BTreeSet::new());
    for round in 0..ROUNDS {
        let names: Vec<String> = (0..COPIES).map(|copy| format!("call {round}.{copy}.")).collect();
        let calls = names.iter().map(|name| recorder.session.bash_succeeded(name, &"x".repeat(4_000)));
        let mut copies: Vec<_> = calls.map(|call| recorder.hook().stdin(call.to_bytes()).start()).collect();
        // The moments of the kills are what is tried: nothing is waited for.
        for copy in copies.iter_mut().step_by(2) {
            std::thread::sleep(dice.random_range(Duration::ZERO..limit / 8));
            copy.kill();
        }
        let ended: Vec<bool> = copies.into_iter().map(|copy| copy.wait().status.success()).collect();
        let dead = ended.iter().filter(|ended| !**ended).count();
        killed += dead;
        // About half of those that are meant are killed before their end.
        limit = if dead > COPIES / 4 { limit * 5 / 4 } else { limit * 4 / 5 }.max(Duration::from_millis(1));
        written.extend(names.into_iter().zip(ended).filter(|(_, ended)| *ended).map(|(name, _)| name));
    }
    // How many is the machine's affair, and no promise.
    println!("{killed} of {} were killed before their end", ROUNDS * COPIES);
    recorder.ask(&recorder.session.bash_succeeded("the last call", "ok"));

    // A kill may cut a write where a page of the file ends. The next line begins on its own.
    let text = std::fs::read_to_string(&record).unwrap();
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let torn = text.lines().count() - lines.len();
    assert!(torn <= killed, "{torn} of {killed}");
    let calls: Vec<&str> = lines.iter().filter_map(|line| line["data"]["args"].as_str()).collect();
    for name in &written {
        assert_eq!(calls.iter().filter(|args| args.contains(name)).count(), 1, "{name}");
    }
    assert!(calls.iter().all(|args| args.matches("call ").count() <= 1), "{calls:?}");
    assert!(calls.last().is_some_and(|args| args.contains("the last call")), "{calls:?}");
    assert_eq!(kinds(&lines).iter().filter(|kind| **kind == "pause_started").count(), 1);
    recorder.ask(&recorder.session.session_end("other"));
    assert_eq!(recorder.snapshot(&recorder.latest())["skipped_lines"], torn);
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
