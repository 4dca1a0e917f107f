//! No secret goes to a model, wherever it stands: in the change, in what the user or the model said, in the file's name. Nor
//! does it stay in the state folder.

use serde_json::json;
use tests::transcripts::Transcript;

use super::both;
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
