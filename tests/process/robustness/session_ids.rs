//! Ids of every shape: they name a session and nothing else. No id becomes a path, none reaches another's state, and the
//! gate works under each.

use crate::driver::{documented, tree};
use crate::gate::{Gate, INSISTS, WORDS, reason, token};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs;
use tests::payloads::{Payload, Session};

/// Ids a well-meaning client would never send.
fn hostile_ids() -> Vec<String> {
    let long = "x".repeat(101);
    let ids = [
        "..",
        "/",
        "~",
        "../../escape",
        "..\\..\\escape",
        "/etc/passwd",
        "nul\0byte",
        "a b",
        "line\nbreak",
        "-rf",
        "$(touch escape)",
        "ünïcödé",
        "CON",
        "C:",
        "OFF",
        "switches",
        "journal",
        "stop-ack-",
        "x.lock",
        "x-blocks.json",
        &long,
    ];
    ids.map(str::to_owned).into()
}

fn events(session: &Session) -> Vec<Payload> {
    vec![
        session.session_start("startup"),
        session.user_prompt_submit("go"),
        session.pre_tool_use("Bash", json!({ "command": "ls" })),
        session.session_end("other"),
    ]
}

#[test]
fn a_hostile_session_id_works_like_any_other_and_stays_inside_the_state_folder() {
    let gate = Gate::new(INSISTS);
    let before = outside(&gate);
    for (round, id) in hostile_ids().into_iter().enumerate() {
        let ask = |payload: Payload| gate.answer(round, &payload.to_bytes());
        // The id alone: where the transcript lies is the client's own business.
        let stop = |message: &str| gate.session.stop(message).with("session_id", id.as_str());
        let first = token(&reason(ask(stop(WORDS)).as_ref()));
        assert_eq!(ask(stop(&format!("Done. {first}"))), None, "{id:?}");
        for event in events(&gate.session) {
            ask(event.with("session_id", id.as_str()));
        }
        let kept: BTreeSet<String> = ["heartbeat", "journal.jsonl", "swept"].map(str::to_owned).into();
        assert_eq!(gate.state_names(), kept, "after the end of {id:?}");
    }
    assert_eq!(outside(&gate), before);
}

#[test]
fn hostile_paths_in_the_input_are_read_by_nobody_and_written_by_nobody() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    let before = outside(&gate);
    let secret = gate.sandbox.home().join(".gitconfig");
    for path in
        ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/", "relative", "\0", &secret.display().to_string()]
    {
        for key in ["transcript_path", "cwd"] {
            let stop = gate.session.stop(WORDS).with(key, path).with("prompt_id", format!("{key} {path}"));
            let answer = documented(&gate.hook().stdin(stop.to_bytes()).run());
            assert!(!answer.is_some_and(|answer| answer.to_string().contains("Sandbox")), "{key} {path}");
        }
    }
    assert_eq!(outside(&gate), before);
}

/// Everything in the sandbox but the state folder.
fn outside(gate: &Gate) -> std::collections::BTreeMap<std::path::PathBuf, String> {
    let mut all = tree(&gate.sandbox.root());
    all.retain(|path, _| !path.starts_with(gate.sandbox.state_dir()) || *path == gate.sandbox.state_dir());
    assert!(fs::exists(gate.sandbox.state_dir()).unwrap());
    all
}
