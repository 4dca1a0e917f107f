//! When a problem is told: once per session over all processes, again in the next one, never at a session's end, and to
//! the model where nobody watches.

use crate::driver::{documented, notice};
use crate::gate::{Gate, WORDS};
use serde_json::Value;
use tests::payloads::Payload;
use tests::sandbox::Level;

const UNHEARD_OF: &str = "stop-momentum: {enabled: true, max_blocks: 6, unheard_of: 1}\n";

/// Told to the user.
fn told(answer: Option<&Value>) -> bool {
    notice(answer).contains("stop-momentum.unheard_of: no such key")
}

fn headless(gate: &Gate, event: &Payload) -> Option<Value> {
    documented(&gate.hook().env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(event.to_bytes()).run())
}

#[test]
fn a_problem_is_told_once_over_the_many_processes_of_a_session() {
    let gate = Gate::new(UNHEARD_OF);
    let session = &gate.session;
    let events = [
        session.session_start("startup"),
        session.user_prompt_submit("go"),
        session.bash_succeeded("ls", ""),
        session.stop(WORDS),
        session.stop(WORDS),
        session.session_start("compact"),
    ];
    let told: Vec<bool> = events.iter().map(|event| told(gate.ask(event).as_ref())).collect();
    assert_eq!(told, [true, false, false, false, false, false]);
}

#[test]
fn a_problem_is_told_again_in_a_new_session_and_a_new_problem_in_the_same() {
    let gate = Gate::new(UNHEARD_OF);
    assert!(told(gate.stop(WORDS).as_ref()));
    let other = gate.session.clone().with_id("another-session");
    assert!(told(gate.ask(&other.session_start("startup")).as_ref()));
    gate.sandbox.requirements(Level::Project, "stop-momentum: {only_when: never}\n");
    let text = notice(gate.stop(WORDS).as_ref());
    assert!(text.contains("only_when") && !text.contains("unheard_of"), "{text}");
}

#[test]
fn where_nobody_watches_the_model_is_told_at_the_start() {
    let gate = Gate::new(UNHEARD_OF);
    let answer = headless(&gate, &gate.session.session_start("startup")).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    assert!(output["additionalContext"].as_str().unwrap().contains("stop-momentum.unheard_of"), "{answer}");
    assert_eq!(headless(&gate, &gate.session.session_start("resume")), None, "and once");
}
