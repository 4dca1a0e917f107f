//! No secret goes to a model, wherever it stands: in the change, or in what the user or the model said. Nor does it stay in the
//! state folder.

use serde_json::json;
use tests::transcripts::Transcript;

use super::both;
use crate::judged::{CALL, DECLARATION, FILE, PATIENT, write};
use crate::privacy::secrets::secrets;

/// Long enough for everything, so that nothing is kept back by being cut.
const ALL_OF_IT: &str = "max_diff_chars: 200000, max_conversation_chars: 200000, context_messages: 100";

#[test]
fn no_secret_of_a_change_or_of_what_was_said_goes_out() {
    let judge = format!("{PATIENT}, {ALL_OF_IT}, max_calls_per_hour: 10000, max_cost_usd_per_day: 1000");
    let judged = both("checks: { secrets: false }", &judge, secrets().len());
    for secret in secrets() {
        let text = &secret.text;
        Transcript::of(&judged.session)
            .prompt("Greet them.")
            .message("msg_before")
            .text(&format!("I saw {text} there."))
            .prompt(&format!("Use {text} for it."))
            .message("msg_own")
            .text(&format!("I use {text}.\n\n{DECLARATION}"))
            .call(CALL, "Write", &json!({}))
            .write();
        let comment = text.replace('\n', "\n    # ");
        let code = format!("def greet():\n    # {comment}\n    return 1\n");
        assert_eq!(judged.ask(&write(&judged.session, FILE, &code)), None, "{text}");
    }
    judged.assert_kept_back(&secrets(), 2);
}
