//! No secret goes to a model, wherever it stands: in the change, in what the user or the model said, in the file's name. Nor
//! does it stay in the state folder.

use serde_json::json;
use tests::transcripts::Transcript;

use super::both;
use crate::driver::denial;
use crate::judged::{CALL, DECLARATION, FILE, Judged, PATIENT, write};
use crate::privacy::secrets::{Secret, secrets};

/// Long enough for everything, so that nothing is kept back by being cut.
const ALL_OF_IT: &str = "max_diff_chars: 200000, max_conversation_chars: 200000, context_messages: 100";

fn asking(own: &str) -> Judged {
    both(
        own,
        &format!("{PATIENT}, {ALL_OF_IT}, max_calls_per_hour: 10000, max_cost_usd_per_day: 1000"),
        secrets().len(),
    )
}

/// A line of code around a secret of whatever form.
fn code(secret: &Secret) -> String {
    format!("def greet():\n    # {}\n    return 1\n", secret.text.replace('\n', "\n    # "))
}

/// What the user and the model said has this secret in it.
fn said(judged: &Judged, user: &str, model: &str) {
    Transcript::of(&judged.session)
        .prompt("Greet them.")
        .message("msg_before")
        .text(&format!("I saw {model} there."))
        .prompt(&format!("Use {user} for it."))
        .message("msg_own")
        .text(&format!("I use {model}.\n\n{DECLARATION}"))
        .call(CALL, "Write", &json!({}))
        .write();
}

#[test]
fn of_a_change_no_secret_goes_out() {
    let judged = asking("checks: { secrets: false }");
    for secret in secrets() {
        said(&judged, "it", "it");
        assert_eq!(judged.ask(&write(&judged.session, FILE, &code(&secret))), None, "{}", secret.text);
    }
    judged.assert_kept_back(&secrets(), 2);
}

#[test]
fn a_secret_that_a_change_brings_is_refused_before_anybody_is_shown_it() {
    let judged = asking("max_blocks: 10");
    let mut refused = Vec::new();
    for (number, secret) in secrets().into_iter().enumerate() {
        said(&judged, "it", "it");
        // In a string, as code has it.
        let content = format!("value = \"{}\"\n", secret.text.replace('"', "'").replace('\n', "\\n"));
        let session = judged.session.clone().with_prompt_id(&format!("prompt-{number}"));
        let answer = judged.ask(&write(&session, FILE, &content).with("tool_use_id", CALL));
        if let Some(reason) = denial(answer.as_ref()) {
            assert!(reason.contains("not clean") && !reason.contains(&secret.random), "{reason}");
            refused.push(secret);
        }
    }
    assert!(refused.len() >= 30, "{} of {} are refused", refused.len(), secrets().len());
    // Stage 1 alone was asked about those, and it is not shown the change.
    let asked: String = judged.api.requests().into_iter().map(|asked| asked.text).collect();
    for secret in refused {
        assert!(
            !asked.contains(&secret.random) && !judged.journal().contains(&secret.random),
            "{}",
            secret.text
        );
    }
}

#[test]
fn of_what_was_said_no_secret_goes_out() {
    let judged = asking("");
    for (number, secret) in secrets().into_iter().enumerate() {
        said(&judged, &secret.text, &secret.text);
        judged.ask(&write(&judged.session, FILE, &format!("def greet():\n    return {number}\n")));
    }
    judged.assert_kept_back(&secrets(), 2);
}

#[test]
fn of_a_declaration_made_in_a_shell_no_secret_goes_out() {
    let judged = asking("stage2_model: other");
    let mut spoken = Vec::new();
    for (number, secret) in secrets().into_iter().enumerate() {
        if secret.text.contains(['\'', '\n']) {
            continue;
        }
        let session = judged.another(number);
        Transcript::of(&session).prompt("Greet them.").call(CALL, "Write", &json!({})).write();
        let line = format!(
            "intent-validator declare --file {FILE} --changes 'greet with {}' --goal 'they are greeted'",
            secret.text
        );
        judged.ask(&session.bash_succeeded(&line, ""));
        judged.ask(&write(&session, FILE, &format!("def greet():\n    return {number}\n")));
        spoken.push(secret);
    }
    // What was declared so is a declaration: the model of stage 2 alone is asked.
    let asked: String = judged.api.requests().into_iter().map(|asked| asked.text).collect();
    assert!(
        spoken.len() >= 30 && asked.matches("POST /v1/messages").count() >= spoken.len(),
        "{}",
        judged.journal()
    );
    for secret in spoken {
        for piece in crate::judged::pieces(&secret.random) {
            assert!(!asked.contains(&piece) && !judged.journal().contains(&piece), "{}", secret.text);
        }
    }
}

/// The letters of a long text are cut somewhere: a secret there is masked before, or the rest of it would look like nothing.
#[test]
fn a_secret_at_the_place_of_a_cut_is_kept_back_whole() {
    let secret = secrets().into_iter().find(|secret| secret.text.starts_with("ghp_")).unwrap();
    let judged = asking("stage2: \"off\"");
    for before in (0..120).step_by(3) {
        let text = format!("{} {} for it", "x ".repeat(before / 2), secret.text);
        let session = judged.another(before);
        // The refusal repeats a quote that the user never wrote, and cuts it.
        let form = format!(
            "FILE: src/greet.py\nCHANGES: greet them all\nGOAL: they are greeted\nTEST: none, the user said: \"{text}\""
        );
        crate::judged::says(&session, "Greet them.", &form);
        let answer = judged.ask(&write(&session, "src/greet.py", &code(&secret)));
        assert!(denial(answer.as_ref()).is_some());
    }
    assert!(judged.api.requests().is_empty());
    judged.assert_kept_back(&[secret], 0);
}
