//! How a record ends: with its session, with the next one's start, or by nobody where it is nobody's of this machine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use tests::sandbox::Environment;

use super::{Recorder, kinds, lines};
use crate::driver::{context, documented};

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

/// The environment in which `git` writes its process id into this file, and hangs.
fn git_that_hangs(recorder: &Recorder, pid: &Path) -> Environment {
    let folder = recorder.sandbox.root().join("stand-ins");
    fs::create_dir_all(&folder).unwrap();
    let git = folder.join("git");
    fs::write(&git, format!("#!/bin/sh\necho $$ >'{}'; exec sleep 600\n", pid.display())).unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), recorder.sandbox.env()["PATH"]);
    Environment::from([("PATH".to_owned(), path)])
}

/// How long git may hold up the end of a session. It is killed after 0.4 seconds; the rest is for a slow machine.
const PATIENCE: Duration = Duration::from_secs(3);

#[test]
fn where_git_does_not_answer_it_is_left_for_the_next_start() {
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
