//! A walk over the generated schema: for every key there is, what a project may not do to it. Nothing here names a key
//! but `enabled`; a new key is walked over because it is in the schema.

use crate::driver::{documented, is_block, notice};
use crate::gate::{Gate, WORDS};
use serde_json::{Value, json};
use shared::switches::{Position, Reach};
use std::fmt::Write as _;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::{Level, Sandbox};

const DEEPER: [Level; 2] = [Level::Project, Level::Local];

/// The section's keys with their schemas.
fn keys() -> Vec<(String, Value)> {
    let schema = Invocation::new(binaries::path("stop-momentum"), &Sandbox::new()).args(["schema"]).run();
    schema.assert_exit(0);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    let keys: Vec<_> = schema["properties"].as_object().unwrap().clone().into_iter().collect();
    assert!(keys.len() >= 4, "the schema has lost its keys: {schema}");
    keys
}

fn is_global_only(schema: &Value) -> bool {
    schema["x-global-only"] == true
}

/// Two legal values of a key that differ; a text may name a file, so both are files with words of their own.
fn two_values(gate: &Gate, key: &str, schema: &Value) -> [Value; 2] {
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let is = |kind: &str| kinds.iter().any(|known| known == kind);
    if let Some(choices) = schema["oneOf"].as_array() {
        return [0, choices.len() - 1].map(|choice| choices[choice]["const"].clone());
    }
    if is("boolean") {
        return [json!(true), json!(false)];
    }
    if is("integer") {
        return [schema["minimum"].clone(), schema["maximum"].clone()];
    }
    assert!(is("string"), "teach this walk to make a value for {key}: {schema}");
    [1, 2].map(|number| {
        let file = gate.sandbox.temporary_dir().join(format!("words-{number}.md"));
        std::fs::write(&file, format!("WORDS {number}")).unwrap();
        json!(file.display().to_string())
    })
}

/// A file with this value of the key; the gate is on unless the key says otherwise.
fn file(key: &str, value: &Value, locked: &[&str]) -> String {
    let mut section = json!({ "enabled": true });
    section[key] = value.clone();
    json!({ "locked": locked, "stop-momentum": section }).to_string()
}

fn only(key: &str, value: &Value) -> String {
    json!({ "stop-momentum": { key: value } }).to_string()
}

/// What can be seen of the settings in force: the answers to a turn's stops, watched and not, tokens and places left out.
fn behaviour(gate: &Gate, round: &str) -> String {
    let mut seen = String::new();
    for entrypoint in ["cli", "sdk-cli"] {
        let stop = gate.session.stop(WORDS).with("prompt_id", format!("{round} {entrypoint}"));
        let stop = stop.without("transcript_path").to_bytes();
        for _ in 0..7 {
            let hook = gate.hook().env("CLAUDE_CODE_ENTRYPOINT", entrypoint).stdin(&stop);
            let answer = documented(&hook.run()).filter(is_block).unwrap_or_default();
            let reason = answer["reason"].as_str().unwrap_or("passes").to_owned();
            let token =
                reason.find("ACK-").map_or(String::new(), |start| reason[start..start + 8].to_owned());
            let words = reason.replace(&token, "TOKEN");
            let words = words.rsplit_once("\n(stop-momentum.").map_or(words.as_str(), |(words, _)| words);
            writeln!(seen, "{entrypoint}: {words}").unwrap();
            if reason == "passes" {
                break;
            }
        }
    }
    seen
}

/// All notices of a session that begins now.
fn told(gate: &Gate, session: &str) -> String {
    notice(gate.ask(&gate.session.clone().with_id(session).session_start("startup")).as_ref())
}

#[test]
fn every_global_only_key_is_ignored_and_reported_in_project_and_local() {
    let global_only: Vec<_> = keys().into_iter().filter(|(_, schema)| is_global_only(schema)).collect();
    assert!(!global_only.is_empty(), "no key is global-only: this walk proves nothing");
    for (key, schema) in global_only {
        let gate = Gate::new("stop-momentum: {enabled: true}\n");
        let [value, other] = two_values(&gate, &key, &schema);
        let without = behaviour(&gate, "without");
        for level in DEEPER {
            gate.sandbox.requirements(level, &only(&key, &value));
            assert_eq!(behaviour(&gate, &format!("{level:?}")), without, "{key} counts in {level:?}");
            let text = told(&gate, &format!("session-{level:?}"));
            let path = gate.sandbox.requirements_path(level);
            let shown = path.strip_prefix(gate.sandbox.project()).unwrap().display();
            let problem =
                format!("{shown}:1: stop-momentum.{key}: counts only in your global requirements.yaml");
            assert!(text.contains(&problem), "{text}");
            assert!(!text.contains("words-"), "never the value: {text}");
            std::fs::remove_file(path).unwrap();
        }
        gate.sandbox.requirements(Level::User, &file(&key, &other, &[]));
        assert_ne!(
            behaviour(&gate, "global"),
            without,
            "{key} shows no effect: this walk could not see it count"
        );
    }
}

#[test]
fn every_other_key_counts_in_project_and_local() {
    for (key, schema) in keys().into_iter().filter(|(_, schema)| !is_global_only(schema)) {
        let gate = Gate::unconfigured();
        let [value, other] = two_values(&gate, &key, &schema);
        gate.sandbox.requirements(Level::User, &file(&key, &value, &[]));
        let before = behaviour(&gate, "before");
        for level in DEEPER {
            gate.sandbox.requirements(level, &only(&key, &other));
            assert_ne!(
                behaviour(&gate, &format!("{level:?}")),
                before,
                "{key} does not count in {level:?}, or `behaviour` does not show its effect"
            );
            std::fs::remove_file(gate.sandbox.requirements_path(level)).unwrap();
        }
    }
}

#[test]
fn every_locked_key_holds_against_project_and_local() {
    for (key, schema) in keys() {
        for locked in ["stop-momentum", &format!("stop-momentum.{key}")] {
            let gate = Gate::unconfigured();
            let [value, other] = two_values(&gate, &key, &schema);
            for (value, other) in [(&value, &other), (&other, &value)] {
                gate.sandbox.requirements(Level::User, &file(&key, value, &[locked]));
                let before = behaviour(&gate, &format!("{value} before"));
                for level in DEEPER {
                    gate.sandbox.requirements(level, &only(&key, other));
                    let round = format!("{value} {level:?}");
                    assert_eq!(behaviour(&gate, &round), before, "{key} gives way to {level:?}");
                    let text = told(&gate, &format!("session {round}"));
                    assert!(text.contains(&format!("stop-momentum.{key}: ")), "{key} in {level:?}: {text}");
                    std::fs::remove_file(gate.sandbox.requirements_path(level)).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_lock_on_any_key_holds_the_gate_closed_against_every_way_to_switch_it_off() {
    for (key, schema) in keys() {
        let gate = Gate::unconfigured();
        let [value, _] = two_values(&gate, &key, &schema);
        gate.sandbox.requirements(Level::User, &file(&key, &value, &[&format!("stop-momentum.{key}")]));
        let before = behaviour(&gate, "before");
        for level in DEEPER {
            for yaml in ["stop-momentum: {enabled: false}\n", "enabled: false\n"] {
                gate.sandbox.requirements(level, yaml);
                assert_eq!(behaviour(&gate, &format!("{level:?} {yaml}")), before, "{key}: {level:?} {yaml}");
            }
            std::fs::remove_file(gate.sandbox.requirements_path(level)).unwrap();
        }
        for reach in [Reach::Machine, Reach::Session(&gate.session.id)] {
            turn(&gate, reach, Position::Off);
            assert_eq!(behaviour(&gate, &format!("{reach:?}")), before, "{key}: a switch for {reach:?}");
            turn(&gate, reach, Position::Auto);
        }
    }
}

fn turn(gate: &Gate, reach: Reach<'_>, position: Position) {
    let store = shared::state::Store::open(&gate.sandbox.state_dir()).unwrap();
    shared::switches::turn(&store, "stop-momentum", reach, position, shared::host::Clock::System.now())
        .unwrap();
}
