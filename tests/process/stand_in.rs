//! The stand-in for the user's `claude`: what it notes and how it answers.

use serde_json::{Value, json};
use tests::process::Invocation;
use tests::sandbox::Sandbox;
use tests::stand_in::{Answer, StandIn};

fn ask(sandbox: &Sandbox, stand_in: &StandIn, stdin: &str) -> Value {
    let asking = Invocation::new(stand_in.program(), sandbox).args(["-p", "--tools", ""]).stdin(stdin);
    let outcome = asking.run();
    outcome.assert_exit(0);
    serde_json::from_str(&outcome.stdout_text()).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

#[test]
fn it_notes_how_it_was_called_and_answers_in_turn() {
    let sandbox = Sandbox::new();
    let verdict = json!({ "verdict": "it's so" });
    let stand_in = StandIn::new(&sandbox, &[Answer::status(529), Answer::verdict(&verdict, 0.01)]);

    let answers = ["one", "two", "three"].map(|stdin| ask(&sandbox, &stand_in, stdin));

    assert_eq!(answers[0]["api_error_status"], 529);
    assert_eq!((&answers[1]["structured_output"], &answers[2]["structured_output"]), (&verdict, &verdict));
    let asked = stand_in.asked();
    let heard: Vec<_> = asked.iter().map(|asked| asked.stdin.as_str()).collect();
    assert_eq!(heard, ["one", "two", "three"]);
    assert_eq!(asked[0].arguments, ["-p", "--tools", ""]);
    assert_eq!(asked[0].folder, sandbox.project().canonicalize().unwrap());
    assert_eq!(asked[0].variables, sandbox.env().into_keys().collect::<Vec<_>>());
}
