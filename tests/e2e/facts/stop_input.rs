//! Question 11: what a Stop hook is told over several continuations, what the caller of print mode gets of them, and how
//! arguments arrive in exec form.

use super::stage::{Stage, block, once};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tests::messages_api::{Reply, Script};
use tests::payloads;
use tests::recording::{self, Behaviour};
use tests::settings::Hook;

#[test]
fn every_stop_of_a_prompt_has_its_prompt_id_and_all_but_the_first_are_active() {
    let script = Script::new()
        .reply("end one")
        .reply("end two")
        .reply(Reply::bash("true"))
        .reply("end three")
        .reply("end four");
    let replies = [block("again 1"), block("again 2"), block("again 3"), recording::Reply::silent()];
    let stage = Stage::new(script)
        .hook("Stop", "Stop", Behaviour::replying(replies))
        .recording(&["PreToolUse", "UserPromptSubmit"]);

    let run = stage.client().ask_streaming("work");

    assert_eq!(stage.order(), ["UserPromptSubmit", "Stop", "Stop", "PreToolUse", "Stop", "Stop"]);
    let prompt = stage.inputs("UserPromptSubmit", "prompt_id").remove(0);
    assert_eq!(stage.inputs("Stop", "prompt_id"), vec![prompt.clone(); 4]);
    assert_eq!(stage.inputs("Stop", "stop_hook_active"), [false, true, true, true]);
    assert_eq!(
        stage.inputs("Stop", "last_assistant_message"),
        ["end one", "end two", "end three", "end four"]
    );
    let recorded = payloads::recorded("Stop");
    for run in stage.recorder.runs("Stop") {
        let keys: BTreeSet<_> = run.start.payload.as_object().expect("an object").keys().cloned().collect();
        assert_eq!(keys, recorded.keys().into_iter().map(str::to_owned).collect());
    }
    let line =
        stage.transcript_line("the first feedback", |line| line.to_string().contains("feedback:\\nagain 1"));
    assert_eq!((&line["isMeta"], &line["promptId"]), (&json!(true), &prompt));
    assert_the_stream_shows_all(&run.events);
    assert_eq!(run.text(), "end four");
}

/// The closing result is the last answer alone; the stream also has the earlier ones, the feedback and a notice.
fn assert_the_stream_shows_all(events: &[Value]) {
    let texts = |kind: &str| -> Vec<&str> {
        let own = events.iter().filter(|event| event["type"] == kind);
        own.filter_map(|event| event["message"]["content"][0]["text"].as_str()).collect()
    };
    assert_eq!(texts("assistant"), ["end one", "end two", "end three", "end four"]);
    let feedback = ["again 1", "again 2", "again 3"].map(|reason| format!("Stop hook feedback:\n{reason}"));
    assert_eq!(texts("user"), feedback);
    let notices = events.iter().filter(|event| event["key"] == "stop-hook-error");
    assert!(notices.count() > 0, "{events:#?}");
}

#[test]
fn exec_form_replaces_the_project_folder_in_arguments_and_nothing_else() {
    let stage = Stage::new(Script::new().reply("end one").reply("end two"));
    drop(stage.recorder.hook("Stop", once(block("exec reason"))));
    let mut args = stage.recorder.args("Stop");
    args.extend(["${CLAUDE_PROJECT_DIR}/x", "$CLAUDE_PROJECT_DIR", "${OTHER}", "a b"].map(str::to_owned));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let hook = Hook::new(&tests::binaries::record_hook(), &args);
    let stage = stage.registering("Stop", &hook);

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "end two");
    let start = &stage.recorder.starts("Stop")[0];
    let project = format!("{}/x", stage.sandbox.project().display());
    assert_eq!(start.args, [&project, "$CLAUDE_PROJECT_DIR", "${OTHER}", "a b"]);
    assert_eq!(start.terminals, [false; 3]);
    assert!(stage.api.showed(1, "${CLAUDE_PROJECT_DIR}/x $CLAUDE_PROJECT_DIR ${OTHER} a b\": exec reason"));
}
