//! tempo-stop through real processes, with a server on loopback for the model. The rules are tables beside its `decide`; what it
//! has in common with intent-validator is in `judge`.

use serde_json::{Value, json};
use tests::payloads::Payload;
use tests::transcripts::Transcript;

use crate::driver::block_reason;
use crate::judge_api;
use crate::judged::{Judged, Material, PATIENT, REQUEST, approves, worked};
use crate::privacy::secrets::secrets;

const NAME: &str = "tempo-stop";

const PARTS: [&str; 5] = ["requests", "conversation", "last_message", "tool_calls", "state"];

/// The model finds something missing at every stop.
fn strict(own: &str) -> Judged {
    let verdict = json!({ "verdict": "BLOCKED", "feedback": "Nobody is greeted yet." });
    Judged::new(NAME, own, PATIENT, [judge_api::verdict(&verdict)])
}

fn after_work(judged: &Judged) -> Payload {
    worked(&judged.session, REQUEST);
    judged.session.stop("Done.")
}

#[test]
fn a_stop_is_blocked_with_the_models_words_on_all_the_parts_of_the_question() {
    let judged = strict("");
    let reason = block_reason(judged.ask(&after_work(&judged)).as_ref()).unwrap();
    assert!(reason.starts_with("tempo-stop: Nobody is greeted yet.\n"), "{reason}");
    let asked = judged.api.requests().remove(0);
    let material = Material::of(&asked);
    assert_eq!(material.names(), PARTS);
    assert_eq!(material.part("requests"), format!(r#"{{"by":"user","text":"{REQUEST}"}}"#));
    assert!(material.part("tool_calls").contains("Bash make greeting: ok"), "{material:?}");
}

#[test]
fn twenty_stops_of_one_prompt_at_once_are_blocked_no_more_often_than_set() {
    let judged = strict("");
    let answers = judged.ask_at_once(&vec![after_work(&judged); 20]);
    let blocked = answers.iter().filter(|answer| block_reason(answer.as_ref()).is_some()).count();
    assert!((1..=3).contains(&blocked), "{blocked}: {}", judged.journal());
}

#[test]
fn no_secret_goes_out_wherever_it_stands() {
    let limits = "max_calls_per_hour: 10000, max_cost_usd_per_day: 1000, max_conversation_chars: 50000";
    let judged = Judged::new(NAME, "", &format!("{PATIENT}, {limits}"), [approves()]);
    for secret in secrets() {
        let text = &secret.text;
        Transcript::of(&judged.session)
            .prompt(&format!("Please: {text}"))
            .message("msg_1")
            .text(&format!("I saw {text} there."))
            .tool_call("Write", &json!({ "file_path": format!("tools/{text}.py"), "content": text }))
            .tool_call("Bash", &json!({ "command": text, "description": text }))
            .tool_call("Task", &json!({ "description": text, "prompt": text }))
            .write();
        judged.ask(&judged.session.stop(&format!("It is done: {text} is there.")));
    }
    judged.assert_kept_back(&secrets(), 1);
}

#[test]
fn mode_auto_asks_nothing_while_the_user_is_there() {
    let judged = strict("mode: auto, away_secs: 86400");
    assert_eq!(judged.ask(&judged.session.user_prompt_submit(REQUEST)), None);
    assert_eq!(judged.ask(&after_work(&judged)), None, "somebody has just typed");
    assert_eq!(judged.texts("let-go"), ["the user is not away"]);
    // As if the user had typed long ago.
    let file = format!("{}-tempo.json", judged.session.id);
    let mut state = judged.remembered(&file);
    assert!(state["typed_at"].is_i64(), "{state}");
    state["typed_at"] = Value::from(1);
    judged.remembers(&file, &judged.session.id, &state);
    assert!(block_reason(judged.ask(&after_work(&judged)).as_ref()).is_some(), "{}", judged.journal());
    assert_eq!(judged.api.requests().len(), 1);
}

#[test]
fn no_question_while_off_or_headless() {
    let judged = strict("");
    let headless = judged.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli");
    headless.stdin(after_work(&judged).to_bytes()).run().assert_silent();
    judged.ask(&judged.session.user_prompt_submit("tempo-stop off"));
    assert_eq!(judged.ask(&after_work(&judged)), None, "it is switched off by hand");
    assert!(judged.api.requests().is_empty());
}
