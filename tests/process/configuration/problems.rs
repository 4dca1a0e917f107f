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
fn a_problem_is_told_beside_a_block_and_also_when_the_stop_passes() {
    let gate = Gate::new(UNHEARD_OF);
    let answer = gate.stop("Shall I go on?");
    assert!(told(answer.as_ref()) && answer.unwrap()["decision"].is_null());
    let gate = Gate::new(UNHEARD_OF);
    let answer = gate.stop(WORDS);
    assert!(told(answer.as_ref()) && answer.unwrap()["decision"] == "block");
}

#[test]
fn nothing_is_told_at_the_end_of_a_session() {
    let gate = Gate::new(UNHEARD_OF);
    assert_eq!(gate.ask(&gate.session.session_end("other")), None);
    assert!(told(gate.stop(WORDS).as_ref()), "nor did it count as told");
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

#[test]
fn a_disabled_hook_tells_of_its_section_all_the_same() {
    let gate = Gate::new("stop-momentum: {enabled: false, unheard_of: 1}\n");
    let answer = gate.stop(WORDS);
    assert!(told(answer.as_ref()) && answer.unwrap()["decision"].is_null());
}

#[test]
fn a_project_that_asks_for_a_newer_version_is_told_once_and_works() {
    let gate = Gate::new("stop-momentum: {enabled: true, max_blocks: 6}\n");
    gate.sandbox.requirements(Level::Project, "version: \"1.0\"\nrequires: \">=99.1\"\n");
    let answer = gate.stop(WORDS);
    let text = notice(answer.as_ref());
    assert!(text.contains(":2: requires: the project asks for Barbless >=99.1"), "{text}");
    assert_eq!(answer.unwrap()["decision"], "block");
    assert_eq!(notice(gate.stop(WORDS).as_ref()), "");
}

#[test]
fn a_file_from_the_future_and_wrong_top_level_values_are_told_with_their_lines() {
    let gate =
        Gate::new("version: \"9.0\"\nenabled: perhaps\nlocked: everything\nstop-momentum: {enabled: true}\n");
    let answer = gate.stop(WORDS);
    let text = notice(answer.as_ref());
    for part in [
        "yaml:1: version: expected \"1.0\"",
        "yaml:2: enabled: expected true or false",
        "yaml:3: locked: expected a list of key paths",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert_eq!(answer.unwrap()["decision"], "block");
}

#[test]
fn a_problem_with_control_characters_in_its_key_is_shown_without_them() {
    let gate = Gate::new("stop-momentum: {enabled: true, \"\\e[31mred\\a\\n\": 1}\n");
    let text = notice(gate.stop(WORDS).as_ref());
    assert!(text.contains("stop-momentum.[31mred: no such key"), "{text:?}");
    assert!(!text.contains(|char: char| char.is_control() && char != '\n'), "{text:?}");
}

#[test]
fn a_lock_on_a_key_that_does_not_exist_is_told() {
    let gate = Gate::new("locked: [stop-momentum.max_blokcs]\nstop-momentum: {enabled: true}\n");
    let text = notice(gate.stop(WORDS).as_ref());
    assert!(
        text.contains("yaml:1: locked") && text.contains("did you mean stop-momentum.max_blocks?"),
        "{text}"
    );
}

#[test]
fn a_key_that_stands_twice_is_told() {
    for yaml in [
        "stop-momentum: {enabled: true}\nstop-momentum: {max_blocks: 2}\n",
        "stop-momentum:\n  enabled: true\n  enabled: false\n",
    ] {
        let gate = Gate::new(yaml);
        assert!(notice(gate.stop(WORDS).as_ref()).contains("~/.claude/requirements.yaml:"), "{yaml}");
    }
}

#[test]
fn a_version_without_quotes_is_as_good() {
    for version in ["\"1.0\"", "1.0", "1"] {
        let gate = Gate::new(&format!("version: {version}\nstop-momentum: {{enabled: true}}\n"));
        assert_eq!(notice(gate.stop(WORDS).as_ref()), "", "{version}");
    }
}
