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
fn a_command_is_looked_for_in_the_commands_of_a_line() {
    let requirement = "{trigger_tools: [{tool: Bash, command_pattern: git commit}]}";
    for (line, expected) in [
        ("git commit", true),
        ("git commit -m 'first'", true),
        ("git -C sub commit -m x", true),
        ("git -c user.name=x commit", true),
        ("/usr/bin/git commit", true),
        ("env X=1 git commit", true),
        ("cargo test && git commit -m x", true),
        ("git add . ; git commit -m x | cat", true),
        ("sh -c 'git commit -m x'", true),
        ("git\tcommit", true),
        ("git status", false),
        ("git commit-tree x", false),
        ("echo \"git commit\"", false),
        ("echo git commit", false),
        ("git log --grep 'git commit'", false),
        ("cat <<EOF\ngit commit\nEOF", false),
        ("git\ncommit", false),
        ("# git commit", false),
        ("GIT COMMIT", false),
        // A line that cannot be read is searched as text.
        ("git commit -m 'unclosed", true),
        ("echo 'unclosed", false),
        ("", false),
    ] {
        assert_eq!(triggers(requirement, "Bash", &bash(line)), expected, "{line}");
        assert_eq!(triggers(requirement, "PowerShell", &bash(line)), expected, "PowerShell: {line}");
        assert!(!triggers(requirement, "Edit", &bash(line)), "Edit: {line}");
    }
    assert!(!triggers(requirement, "Bash", &json!({})), "a call without a line");
}

#[test]
fn an_expression_is_searched_in_a_commands_text_whatever_its_case() {
    for requirement in [
        "{trigger_tools: [{tool: Bash, command_regex: 'git\\s+(push|commit)'}]}",
        "{trigger_tools: [{tool: Bash, command_pattern: 'git\\s+(push|commit)'}]}",
    ] {
        for (line, expected) in [
            ("git push origin", true),
            ("GIT  Commit", true),
            ("git pull", false),
            ("cat <<EOF\ngit push\nEOF", false),
        ] {
            assert_eq!(triggers(requirement, "Bash", &bash(line)), expected, "{requirement} {line}");
        }
    }
}

#[test]
fn one_of_several_triggers_is_enough() {
    let requirement =
        "{trigger_tools: [Write, {tool: Bash, command_pattern: git push, command_regex: 'gh pr'}, mcp__*]}";
    for (tool, line, expected) in [
        ("Write", "", true),
        ("Bash", "git push", true),
        ("Bash", "gh pr create", true),
        ("Bash", "git pull", false),
        ("mcp__x", "", true),
        ("Edit", "", false),
    ] {
        assert_eq!(triggers(requirement, tool, &bash(line)), expected, "{tool} {line}");
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

#[test]
fn a_line_is_read_only_where_a_rule_looks_at_it() {
    for (requirement, expected) in [
        ("{type: blocking}", false),
        ("{trigger_tools: [Bash]}", false),
        ("{trigger_tools: [{tool: Bash}]}", false),
        ("{trigger_tools: [{tool: Bash, command_pattern: x}]}", true),
        ("{trigger_tools: [Edit, {tool: Bash, command_regex: x}]}", true),
        ("{type: evidence, command: cargo test}", true),
    ] {
        let settings = settings(&format!("r: {requirement}\n"));
        assert_eq!(Rule::named(&settings, "r").unwrap().reads_lines(), expected, "{requirement}");
    }
}

#[test]
fn a_skill_meets_what_names_it() {
    for (skills, skill, expected) in [
        ("review", "review", true),
        ("[plan, review]", "review", true),
        ("[plan, review]", "plans", false),
        ("[]", "review", false),
    ] {
        let settings = settings(&format!("r: {{satisfied_by_skill: {skills}}}\n"));
        let Terms::Blocking(blocking) = &settings.requirements["r"].terms else { panic!("blocking") };
        assert_eq!(blocking.is_by_skill(skill), expected, "{skills} {skill}");
    }
}

#[test]
fn only_what_is_switched_on_is_in_force() {
    let mut settings = settings(
        "on: {}\n\
         off: {}\n",
    );
    settings.requirements.get_mut("off").unwrap().terms = Terms::Off(Kind::Blocking);
    assert_eq!(Rule::all(&settings).map(|rule| rule.name).collect::<Vec<_>>(), ["on"]);
    for name in ["off", "unknown", ""] {
        assert!(Rule::named(&settings, name).is_none(), "{name}");
    }
}

/// The faults of one requirement: the key each is about, and what it says.
fn told(settings: &Settings) -> Vec<(String, String)> {
    faults(settings).into_iter().map(|fault| (fault.path.join("."), fault.what)).collect()
}

#[test]
fn what_has_no_effect_is_told_with_its_key() {
    for (requirement, key, missing) in [
        (
            "{trigger_tools: [{tool: Edit, command_pattern: git commit}]}",
            "requirements.r.trigger_tools",
            "looks at Bash calls only",
        ),
        (
            "{trigger_tools: [{tool: Write, command_regex: x}]}",
            "requirements.r.trigger_tools",
            "looks at Bash calls only",
        ),
        ("{trigger_tools: [Edti]}", "requirements.r.trigger_tools", "did you mean Edit?"),
        (
            "{trigger_tools: [Write, {tool: bash, command_pattern: x}]}",
            "requirements.r.trigger_tools",
            "did you mean Bash?",
        ),
        (
            "{type: guard, guard_type: single_session, satisfied_by: user}",
            "requirements.r.satisfied_by",
            "blocking",
        ),
    ] {
        let settings = settings(&format!("r: {requirement}\n"));
        let told = self::told(&settings);
        let [(path, what)] = told.as_slice() else { panic!("one fault of {requirement}: {told:?}") };
        assert_eq!(path, key, "{requirement}");
        assert!(what.contains(missing), "{requirement}: {what}");
        let off: Requirement = config::read_typed(requirement).unwrap();
        assert_eq!(off.remarks, [], "what is off disturbs nobody: {requirement}");
    }
}

#[test]
fn what_can_work_is_no_fault() {
    for requirement in [
        "{}",
        "{type: blocking, satisfied_by: user}",
        "{type: dynamic, calculator: branch_size, thresholds: {block: 1}}",
        "{type: guard, guard_type: protected_branch}",
        "{type: evidence, command: cargo test}",
        "{type: evidence, file: docs/*.md}",
        "{trigger_tools: [{tool: Bash, command_pattern: x}, {tool: PowerShell, command_regex: x}, {tool: '*', command_regex: x}]}",
        "{trigger_tools: [{tool: Edit}, 'mcp__*', 'Edti*', mcp__a__b, SomeNewTool]}",
    ] {
        assert_eq!(told(&settings(&format!("r: {requirement}\n"))), [], "{requirement}");
    }
}

#[test]
fn a_pattern_on_another_tool_than_a_shell_triggers_nothing() {
    let requirement = "{trigger_tools: [{tool: Edit, command_pattern: git commit}]}";
    assert!(!triggers(requirement, "Edit", &json!({ "file_path": "a", "command": "git commit" })));
    assert!(!triggers(requirement, "Bash", &bash("git commit")));
}

#[test]
fn a_key_of_another_type_is_told_because_the_type_was_probably_forgotten() {
    for (requirement, key, kind) in [
        ("{command: cargo test}", "requirements.r.command", "evidence"),
        ("{paths: ['src/**']}", "requirements.r.paths", "evidence"),
        ("{thresholds: {block: 4}}", "requirements.r.thresholds", "dynamic"),
        ("{protected_branches: [main]}", "requirements.r.protected_branches", "guard"),
        ("{guard_type: protected_branch}", "requirements.r.guard_type", "guard"),
    ] {
        let told = faults(&settings(&format!("r: {requirement}\n")));
        let told: Vec<_> = told.iter().map(|fault| (fault.path.join("."), fault.what.as_str())).collect();
        assert_eq!(told.len(), 1, "{requirement}: {told:?}");
        assert!(told[0].0 == key && told[0].1.contains(&format!("type: {kind}")), "{told:?}");
    }
    let right = "{type: evidence, command: x, paths: ['src/**'], min_output: x}";
    assert!(faults(&settings(&format!("r: {right}\n"))).is_empty());
}

#[test]
fn a_requirement_that_cannot_work_is_an_error_unless_it_is_off() {
    for (requirement, missing) in [
        ("{type: dynamic, thresholds: {block: 1}}", "calculator"),
        ("{type: dynamic, calculator: branch_size}", "thresholds.block"),
        ("{type: dynamic, calculator: branch_size, thresholds: {warn: 1}}", "thresholds.block"),
        ("{type: guard}", "guard_type"),
        ("{type: evidence}", "`command` or `file`"),
    ] {
        let mut written: Value = config::read_typed(requirement).unwrap();
        assert!(!serde_json::from_value::<Requirement>(written.clone()).unwrap().is_on(), "{requirement}");
        written["enabled"] = true.into();
        let error = serde_json::from_value::<Requirement>(written).unwrap_err().to_string();
        assert!(error.contains(missing), "{requirement}: {error}");
    }
}

#[test]
fn a_name_that_cannot_be_typed_is_off() {
    for (name, is_in_force) in [
        ("plan", true),
        ("_plan", true),
        ("2nd plan", true),
        ("-x", false),
        ("--all", false),
        ("a\u{202e}b", false),
    ] {
        let found = settings(&format!("{}: {{}}\n", json!(name)));
        assert_eq!(Rule::named(&found, name).is_some(), is_in_force, "{name:?}");
        assert_eq!(faults(&found).is_empty(), is_in_force, "{name:?}");
    }
}
