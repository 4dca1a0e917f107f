//! Question 19: a prompt that a hook answers in the model's place, in the two ways there are.

use super::stage::{SOON, Stage};
use serde_json::{Value, json};
use tests::messages_api::Script;
use tests::recording::{Behaviour, Reply};
use tests::terminal::{Key, Terminal};

const ANSWER: &str = "line one\nline two";

#[test]
fn a_block_keeps_prompt_and_answer_from_the_model_and_leaves_the_prompt_in_the_input_line() {
    let (stage, mut terminal) = asked(json!({ "decision": "block", "reason": ANSWER }));
    terminal.wait_for("Original prompt: own command");
    assert!(is_in_the_input_line(&terminal.screen(), "own command"), "{}", terminal.screen());

    terminal.press(Key::Ctrl('u'));
    terminal.enter("hello");
    let request = stage.api.wait_for_main_request(0, SOON);
    assert!(request.shows("hello") && !request.shows("own command") && !request.shows("line one"));
}

#[test]
fn a_block_can_leave_the_prompt_out_of_its_message() {
    let suppressed = json!({ "hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": true });
    let (_stage, terminal) =
        asked(json!({ "decision": "block", "reason": ANSWER, "hookSpecificOutput": suppressed }));
    terminal.wait_for("line two");
    assert!(!terminal.screen().contains("Original prompt"), "{}", terminal.screen());
    assert!(is_in_the_input_line(&terminal.screen(), "own command"), "{}", terminal.screen());
}

#[test]
fn a_halt_empties_the_input_line_and_the_model_reads_both_with_the_next_prompt() {
    let (stage, mut terminal) = asked(json!({ "continue": false, "stopReason": ANSWER }));
    terminal.wait_for("Operation stopped by hook: line one");
    assert!(!is_in_the_input_line(&terminal.screen(), "own command"), "{}", terminal.screen());
    assert!(stage.api.main_requests().is_empty());

    terminal.enter("hello");
    let request = stage.api.wait_for_main_request(0, SOON);
    assert!(request.shows("own command") && request.shows("line one"), "{:#?}", request.shown_texts());
}

#[test]
fn in_print_mode_the_answer_is_the_result_and_no_error() {
    let block = json!({ "decision": "block", "reason": ANSWER });
    let suppressed = json!({
        "decision": "block", "reason": ANSWER,
        "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": true },
    });
    let halt = json!({ "continue": false, "stopReason": ANSWER });
    for (answer, result) in [
        (
            block,
            "UserPromptSubmit operation blocked by hook:\nline one\nline two\n\nOriginal prompt: own command",
        ),
        (suppressed, "UserPromptSubmit operation blocked by hook:\nline one\nline two"),
        (halt, "Operation stopped by hook: line one\nline two"),
    ] {
        let stage = answering(answer);
        let run = stage.client().ask("own command");
        run.outcome.assert_exit(0);
        assert_eq!((run.text(), run.is_error(), &run.result()["num_turns"]), (result, false, &json!(0)));
        assert!(stage.api.main_requests().is_empty());
    }
}

/// The first prompt is answered so, the others go on.
fn answering(answer: Value) -> Stage {
    let behaviour = Behaviour::replying([Reply::stdout(answer), Reply::silent()]);
    Stage::new(Script::new().reply("end")).hook("UserPromptSubmit", "answer", behaviour)
}

fn asked(answer: Value) -> (Stage, Terminal) {
    let stage = answering(answer);
    let mut terminal = stage.terminal();
    terminal.enter("own command");
    terminal.wait_for("line two");
    (stage, terminal)
}

/// The line between the two rules.
fn is_in_the_input_line(screen: &str, text: &str) -> bool {
    let lines: Vec<_> = screen.lines().collect();
    lines.windows(2).any(|pair| pair[0].starts_with("──") && pair[1] == format!("❯\u{a0}{text}"))
}
