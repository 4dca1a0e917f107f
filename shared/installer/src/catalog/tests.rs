//! Rules that config/hooks.yaml must keep. The behaviour of a hook at its events has its tests beside the hook.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use shared::config::{section_by_schema, section_defaults};
use shared::own_commands::{own_commands, section_names};
use shared::protocol::{self, Event};

use super::{Answer, Catalog};

/// The client's events whose matcher it looks at, and those where it does not.
#[rustfmt::skip]
const MATCHED: [&str; 10] = [
    "SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart", "SubagentStop", "PreCompact",
    "PostCompact", "StopFailure",
];
const UNMATCHED: [&str; 2] = ["Stop", "UserPromptSubmit"];

impl Catalog {
    /// For the rest of the tests.
    pub(crate) fn leaked(self) -> &'static Self {
        Box::leak(Box::new(self))
    }
}

fn catalog() -> &'static Catalog {
    Catalog::built_in().expect("config/hooks.yaml fits its types")
}

#[test]
fn every_folder_of_hooks_is_in_the_table_and_the_other_way_round() {
    let folders = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks")).unwrap();
    let folders: BTreeSet<String> = folders
        .map(|entry| entry.unwrap().path())
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .map(|folder| folder.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let named: BTreeSet<String> = catalog().hooks.iter().cloned().map(|hook| hook.name).collect();
    assert_eq!(named, folders, "config/hooks.yaml and the folders of hooks/ must name the same hooks");
}

#[test]
fn the_names_read_without_a_parser_are_those_of_the_table() {
    let table: BTreeSet<String> = catalog()
        .hooks
        .iter()
        .cloned()
        .flat_map(|hook| hook.commands.into_iter().chain([hook.name]))
        .collect();
    assert_eq!(own_commands().map(str::to_owned).collect::<BTreeSet<_>>(), table);
}

#[test]
fn events_are_known_and_have_a_matcher_only_where_the_client_looks_at_it() {
    for hook in &catalog().hooks {
        for entry in &hook.events {
            let (name, event) = (&hook.name, entry.event.as_str());
            let has_matcher = MATCHED.contains(&event);
            assert!(has_matcher || UNMATCHED.contains(&event), "{name}: unknown event {event}");
            assert!(entry.matcher.is_none() || has_matcher, "{name}: {event} has no matcher");
            assert!((1..=600).contains(&entry.timeout_secs), "{name}: {event}: timeout");
        }
    }
}

#[test]
fn the_default_is_the_one_that_is_compiled_in() {
    for hook in &catalog().hooks {
        let defaults: Value = serde_json::from_str(section_defaults(&hook.name)).unwrap();
        assert_eq!(defaults[&hook.name]["enabled"], Value::Bool(hook.enabled), "{}", hook.name);
    }
}

#[test]
fn a_proof_is_an_event_the_hook_is_registered_on_in_the_clients_format() {
    for hook in &catalog().hooks {
        let event = hook.proof.event_name();
        assert!(hook.events.iter().any(|entry| entry.event == event), "{}: proof on {event:?}", hook.name);
        let input = protocol::parse(&serde_json::to_vec(&hook.proof.event).unwrap()).unwrap();
        assert!(!matches!(input.event, Event::Other(_)), "{}: {event}", hook.name);
        assert!(input.call.session_id.is_some(), "{}: a proof needs a session", hook.name);
        if hook.costs_money {
            assert_ne!(hook.proof.answer, Answer::Silence, "{}: silence proves nothing", hook.name);
        }
    }
}

#[test]
fn every_hook_has_its_section_in_the_schema() {
    for name in section_names() {
        assert_eq!(section_by_schema(name).unwrap().0.name, name);
    }
}
