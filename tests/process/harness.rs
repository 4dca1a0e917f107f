//! The harness tested by itself: what it promises to every other test. No hook of ours is run here.

use serde_json::json;
use std::env;
use std::path::Path;
use std::time::Duration;
use tests::binaries;
use tests::payloads::{self, Session};
use tests::process::Invocation;
use tests::recording::{Behaviour, Recorder};
use tests::sandbox::Sandbox;

#[test]
fn built_payloads_have_exactly_the_keys_of_the_recordings() {
    let session = Session::new(&Sandbox::new());
    let input = || json!({ "command": "ls" });
    let built = [
        (session.pre_tool_use("Bash", input()), "PreToolUse-Bash"),
        (
            session.pre_tool_use("Bash", input()).in_subagent("a1", "general-purpose"),
            "PreToolUse-Bash-in-subagent",
        ),
        (session.bash_succeeded("ls", "a"), "PostToolUse-Bash"),
        (
            session.bash_succeeded("ls", "a").in_subagent("a1", "general-purpose"),
            "PostToolUse-Bash-in-subagent",
        ),
        (session.post_tool_use_failure("Bash", input(), "Exit code 1"), "PostToolUseFailure-Bash"),
        (session.user_prompt_submit("go"), "UserPromptSubmit"),
        (session.session_start("startup"), "SessionStart"),
        (session.session_start("compact"), "SessionStart-compact"),
        (session.stop("end"), "Stop"),
        (session.stop_again("end"), "Stop-stop_hook_active"),
        (session.subagent_start("a1"), "SubagentStart"),
        (session.subagent_stop("a1", "end"), "SubagentStop"),
        (session.session_end("other"), "SessionEnd"),
        (session.status_line(), "statusLine-rate_limits"),
    ];
    for (payload, recording) in built {
        assert_eq!(payload.keys(), payloads::recorded(recording).keys(), "{recording}");
        assert_eq!(payload.get("session_id"), &session.id, "{recording}");
    }
}

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
