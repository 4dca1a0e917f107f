//! The harness tested by itself: what it promises to every other test. No hook of ours is run here.

use std::env;
use std::path::Path;
use std::time::Duration;
use tests::binaries;
use tests::process::Invocation;
use tests::recording::{Behaviour, Recorder};
use tests::sandbox::Sandbox;

#[test]
fn a_process_of_the_sandbox_sees_nothing_of_the_real_home() {
    let sandbox = Sandbox::new();
    let recorder = Recorder::new(&sandbox);
    let hook = Invocation::new(binaries::path("record-hook"), &sandbox);
    hook.args(recorder.args("home", Behaviour::default())).stdin("{}").run().assert_silent();

    let start = recorder.runs("home").remove(0);
    let expected: Vec<_> = sandbox.env().into_keys().filter(|name| !start.env_names.contains(name)).collect();
    assert_eq!((expected, start.env_names.len()), (Vec::<String>::new(), sandbox.env().len()));
    assert_eq!(start.env["HOME"], sandbox.home().display().to_string());
    let (real, scratch) = (env::home_dir().unwrap(), sandbox.home().parent().unwrap().to_owned());
    for folder in sandbox.env().values().flat_map(|value| value.split(':')).map(Path::new) {
        assert!(!folder.starts_with(&real) || folder.starts_with(&scratch), "{}", folder.display());
    }
}

#[test]
fn a_process_that_hangs_is_ended_at_its_deadline_with_its_children() {
    let sandbox = Sandbox::new();
    let script = "sleep 100 & echo $!; wait";
    let hang = Invocation::new("/bin/sh", &sandbox).args(["-c", script]).deadline(Duration::from_millis(100));
    let outcome = hang.run();
    assert!(outcome.killed, "{outcome}");
    assert!(outcome.wall < Duration::from_secs(10), "{outcome}");
    assert!(!outcome.stdout.is_empty(), "what was printed before the end counts: {outcome}");
}
