//! Which requirements are in force, where, for which calls; what cannot work and is told.

use serde_json::{Value, json};
use shared::config;

use super::{Rule, faults};
use crate::scene::{call, settings};
use crate::settings::{Kind, Requirement, Settings, Terms};

fn triggers(requirement: &str, tool: &str, input: &Value) -> bool {
    let settings = settings(&format!("r: {requirement}\n"));
    let rule = Rule::named(&settings, "r").unwrap();
    rule.is_triggered_by(&call(tool, input))
}

fn bash(line: &str) -> Value {
    json!({ "command": line })
}

#[test]
fn without_triggers_of_its_own_a_requirement_is_for_edits() {
    for (tool, expected) in [
        ("Edit", true),
        ("Write", true),
        ("MultiEdit", true),
        ("NotebookEdit", true),
        ("Read", false),
        ("Bash", false),
        ("mcp__files__edit", false),
        ("edit", false),
    ] {
        assert_eq!(triggers("{type: blocking}", tool, &json!({})), expected, "{tool}");
        assert!(!triggers("{type: evidence, command: cargo test}", tool, &json!({})), "evidence, {tool}");
    }
    assert!(!triggers("{trigger_tools: []}", "Edit", &json!({})), "an empty list is a list");
}

#[test]
fn a_tool_is_named_or_meant_by_a_glob_and_bash_stands_for_every_shell() {
    for (trigger, tool, expected) in [
        ("Edit", "Edit", true),
        ("Edit", "MultiEdit", false),
        ("*Edit", "NotebookEdit", true),
        ("mcp__*", "mcp__github__create_pull_request", true),
        ("mcp__*", "Bash", false),
        ("mcp__github__*", "mcp__gitlab__x", false),
        ("Bash", "Bash", true),
        ("Bash", "PowerShell", true),
        ("PowerShell", "PowerShell", true),
        ("PowerShell", "Bash", false),
        ("bash", "Bash", false),
        ("{Edit,Write}", "Write", true),
    ] {
        let requirement = format!("{{trigger_tools: ['{trigger}']}}");
        assert_eq!(triggers(&requirement, tool, &bash("ls")), expected, "{trigger} {tool}");
        let requirement = format!("{{trigger_tools: [{{tool: '{trigger}'}}]}}");
        assert_eq!(triggers(&requirement, tool, &bash("ls")), expected, "as a map: {trigger} {tool}");
    }
}

#[test]
fn a_command_or_an_expression_is_looked_for_in_the_commands_of_a_line() {
    for (pattern, line, expected) in [
        ("command_pattern: git commit", "cargo test && git -C sub commit -m x", true),
        ("command_pattern: git commit", "echo \"git commit\"", false),
        // A line that cannot be read is searched as text.
        ("command_pattern: git commit", "git commit -m 'unclosed", true),
        ("command_regex: 'git\\s+(push|commit)'", "GIT  push origin", true),
        ("command_regex: 'git\\s+(push|commit)'", "git pull", false),
    ] {
        let requirement = format!("{{trigger_tools: [{{tool: Bash, {pattern}}}]}}");
        assert_eq!(triggers(&requirement, "Bash", &bash(line)), expected, "{pattern} {line}");
        assert_eq!(triggers(&requirement, "PowerShell", &bash(line)), expected, "PowerShell: {line}");
        assert!(!triggers(&requirement, "Edit", &bash(line)), "Edit: {line}");
        assert!(!triggers(&requirement, "Bash", &json!({})), "a call without a line");
        let of_edits = format!("{{trigger_tools: [{{tool: Edit, {pattern}}}]}}");
        assert!(!triggers(&of_edits, "Edit", &bash(line)), "a pattern looks at lines of shells alone");
    }
}

#[test]
fn evidence_is_asked_for_at_the_end_and_before_the_calls_it_names_everything_else_before_calls() {
    for (requirement, calls, stops) in [
        ("{type: blocking}", true, false),
        ("{type: guard, guard_type: single_session}", true, false),
        ("{type: dynamic, calculator: branch_size, thresholds: {block: 9}}", true, false),
        ("{type: evidence, command: cargo test}", false, true),
        ("{type: evidence, command: cargo test, trigger_tools: []}", false, true),
        ("{type: evidence, command: cargo test, trigger_tools: [Edit]}", true, true),
        ("{type: evidence, command: cargo test, enforce: stop, trigger_tools: [Edit]}", false, true),
        ("{type: evidence, command: cargo test, enforce: tool}", true, false),
        ("{type: evidence, command: cargo test, enforce: both}", true, true),
        ("{type: blocking, enforce: stop}", false, true),
        ("{type: blocking, enforce: both}", true, true),
    ] {
        let settings = settings(&format!("r: {requirement}\n"));
        let rule = Rule::named(&settings, "r").unwrap();
        assert_eq!((rule.is_for_calls(), rule.is_for_stops()), (calls, stops), "{requirement}");
    }
}

/// The faults of one requirement: the key each is about, and what it says.
fn told(settings: &Settings) -> Vec<(String, String)> {
    faults(settings).into_iter().map(|fault| (fault.path.join("."), fault.what)).collect()
}

#[test]
fn a_trigger_that_no_call_sets_off_is_told_with_its_key() {
    for (requirement, key, said) in [
        ("{trigger_tools: [{tool: Edit, command_pattern: git commit}]}", "trigger_tools", "Bash calls only"),
        ("{trigger_tools: [{tool: Write, command_regex: x}]}", "trigger_tools", "Bash calls only"),
        ("{trigger_tools: [Edti]}", "trigger_tools", "did you mean Edit?"),
        ("{trigger_tools: [Write, {tool: bash, command_pattern: x}]}", "trigger_tools", "mean Bash?"),
    ] {
        let told = told(&settings(&format!("r: {requirement}\n")));
        let [(path, what)] = told.as_slice() else { panic!("one fault of {requirement}: {told:?}") };
        assert_eq!(path, &format!("requirements.r.{key}"), "{requirement}");
        assert!(what.contains(said), "{requirement}: {what}");
        let off: Requirement = config::read_typed(requirement).unwrap();
        assert_eq!(off.remarks, [], "what is off disturbs nobody: {requirement}");
    }
}

#[test]
fn a_name_that_cannot_be_typed_and_what_is_off_is_not_in_force() {
    for (name, is_in_force) in [
        ("plan", true),
        ("_plan", true),
        ("2nd plan", true),
        ("-x", false),
        ("--all", false),
        ("a\u{202e}b", false),
    ] {
        let mut found = settings(&format!("{}: {{}}\n", json!(name)));
        assert_eq!(Rule::named(&found, name).is_some(), is_in_force, "{name:?}");
        assert_eq!(faults(&found).is_empty(), is_in_force, "{name:?}");
        found.requirements.get_mut(name).unwrap().terms = Terms::Off(Kind::Blocking);
        assert!(Rule::named(&found, name).is_none() && faults(&found).is_empty(), "off: {name:?}");
    }
}
