//! Question 2: what the model and the user see when several hooks give context at SessionStart and UserPromptSubmit.

use super::stage::{Stage, context, once};
use serde_json::{Value, json};
use tests::messages_api::Script;
use tests::recording::Reply;

#[test]
fn session_start_shows_plain_texts_first_then_all_contexts_under_one_prefix() {
    let stage = session_with_four_voices();

    let run = stage.client().ask("work");

    assert_eq!(run.text(), "end");
    let contexts: Vec<_> =
        stage.in_order_of_finishing(&["A", "B"]).iter().map(|id| format!("context of {id}")).collect();
    let plain: Vec<_> = stage
        .in_order_of_finishing(&["C", "D"])
        .iter()
        .map(|id| format!("SessionStart:startup hook success: plain of {id}\n\n"))
        .collect();
    let expected = format!("{}SessionStart hook additional context: {}", plain.concat(), contexts.join("\n"));
    let texts = stage.api.main_requests()[0].texts();
    let head = texts.iter().find(|shown| shown.text.starts_with("SessionStart")).expect("the contexts");
    assert_eq!(head.role, "system");
    assert!(head.text.starts_with(&expected), "{expected}\nis not the head of\n{}", head.text);
}

#[test]
fn the_terminal_shows_the_system_messages_and_the_model_does_not_see_them() {
    let stage = session_with_four_voices();

    let mut terminal = stage.terminal();
    terminal.wait_for("SessionStart:startup says: message of A\n");
    terminal.wait_for("SessionStart:startup says: message of E\n");
    terminal.enter("work");
    let request = stage.api.wait_for_main_request(0, super::stage::SOON);

    assert!(request.shows("context of A") && request.shows("plain of D"));
    assert!(!request.shows("message of"));
}

#[test]
fn a_prompt_shows_each_context_in_a_paragraph_of_its_own() {
    let stage = Stage::new(Script::new().reply("end"))
        .hook("UserPromptSubmit", "A", once(context("UserPromptSubmit", "context of A").after_ms(600)))
        .hook("UserPromptSubmit", "B", once(context("UserPromptSubmit", "context of B")))
        .hook("UserPromptSubmit", "C", once(Reply::stdout("plain of C").after_ms(300)));

    stage.client().ask("work").outcome.assert_exit(0);

    let text_of = |id: &&str| match *id {
        "C" => "UserPromptSubmit hook success: plain of C".to_owned(),
        id => format!("UserPromptSubmit hook additional context: context of {id}"),
    };
    let finished = stage.in_order_of_finishing(&["A", "B", "C"]);
    let expected: Vec<_> = finished.iter().map(text_of).collect();
    let request = &stage.api.main_requests()[0];
    assert!(request.shows(&expected.join("\n\n")), "{expected:?}: {:#?}", request.shown_texts());
}

/// Two hooks with context and two with plain text; one of each also has a message for the user.
fn session_with_four_voices() -> Stage {
    let with_message = |text: &str, message: &str| {
        let mut reply = context("SessionStart", text);
        reply.stdout["systemMessage"] = Value::from(message);
        reply
    };
    Stage::new(Script::new().reply("end"))
        .hook("SessionStart", "A", once(with_message("context of A", "message of A").after_ms(600)))
        .hook("SessionStart", "B", once(context("SessionStart", "context of B")))
        .hook("SessionStart", "C", once(Reply::stdout("plain of C\n").after_ms(300)))
        .hook("SessionStart", "D", once(Reply::stdout("plain of D").after_ms(100)))
        .hook("SessionStart", "E", once(Reply::stdout(json!({ "systemMessage": "message of E" }))))
}
