//! Which requirements are in force, where, for which calls; what cannot work and is told.

use serde_json::json;

use super::{LOCKED, Rule, USERS_ALONE, faults};
use crate::scene::settings;
use crate::settings::{Kind, Settings, Terms};

#[test]
fn a_call_triggers_what_names_its_tool_and_for_shells_a_command_of_its_line() {
    // Requirement, tools and lines that trigger it, and those that do not.
    for (requirement, triggering, others) in [
        ("{}", "Edit¦Write¦MultiEdit¦NotebookEdit", "Read¦Bash ls¦mcp__files__edit¦edit"),
        ("{type: evidence, command: cargo test}", "", "Edit¦Bash ls"),
        ("{trigger_tools: []}", "", "Edit"),
        ("{trigger_tools: [Edit]}", "Edit", "MultiEdit"),
        ("{trigger_tools: ['*Edit', 'mcp__a__*']}", "NotebookEdit¦mcp__a__create", "Bash ls¦mcp__b__x"),
        ("{trigger_tools: [{tool: Bash}]}", "Bash ls¦PowerShell ls", "bash ls"),
        ("{trigger_tools: [PowerShell]}", "PowerShell ls", "Bash ls"),
        (
            "{trigger_tools: [{tool: Bash, command_pattern: git commit}, Write]}",
            "Bash a && git -C d commit¦Write",
            "Bash echo 'git commit'",
        ),
        // A line that cannot be read is searched as text.
        (
            "{trigger_tools: [{tool: Bash, command_pattern: git commit}]}",
            "PowerShell git commit 'unclosed",
            "Edit git commit¦Bash",
        ),
        (
            "{trigger_tools: [{tool: Bash, command_regex: 'git\\s+(push|tag)'}]}",
            "Bash GIT  push origin",
            "Bash git pull",
        ),
        ("{trigger_tools: [{tool: Edit, command_pattern: git commit}]}", "", "Edit git commit"),
    ] {
        let settings = settings(&format!("r: {requirement}\n"));
        let rule = Rule::named(&settings, "r").unwrap();
        for (calls, expected) in [(triggering, true), (others, false)] {
            for call in calls.split('¦').filter(|call| !call.is_empty()) {
                let (tool, line) = call.split_once(' ').unwrap_or((call, ""));
                let call = crate::scene::call(tool, &json!({ "command": line }));
                assert_eq!(rule.is_triggered_by(&call), expected, "{requirement}: {tool} {line}");
            }
        }
    }
}

#[test]
fn evidence_is_checked_at_stops_and_named_calls_and_the_rest_before_calls() {
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
fn trigger_that_no_call_matches_is_a_problem() {
    for (requirement, said) in [
        ("{trigger_tools: [{tool: Edit, command_pattern: git commit}]}", "Bash calls only"),
        ("{trigger_tools: [{tool: Write, command_regex: x}]}", "Bash calls only"),
        ("{trigger_tools: [Edti, Wriet]}", "did you mean Edit?; no tool is called that; did you mean Write?"),
        ("{trigger_tools: ['Edit|Write']}", "write a list: [Edit, Write]"),
        ("{trigger_tools: ['Bash(git commit*)']}", "write {tool: Bash, command_pattern: git commit}"),
        ("{trigger_tools: [Write, {tool: bash, command_pattern: x}]}", "mean Bash?"),
    ] {
        let told = told(&settings(&format!("r: {requirement}\n")));
        let [(path, what)] = told.as_slice() else { panic!("one fault of {requirement}: {told:?}") };
        assert_eq!(path, "requirements.r.trigger_tools", "{requirement}");
        assert!(what.contains(said), "{requirement}: {what}");
        let mut off = settings(&format!("r: {requirement}\n"));
        off.requirements.get_mut("r").unwrap().terms = Terms::Off(Kind::Blocking);
        assert!(faults(&off).is_empty(), "what is off disturbs nobody: {requirement}");
    }
}

#[test]
fn requirement_whose_name_could_pass_for_our_words_is_off() {
    let settings = settings("\"a\\nTo satisfy it: run\": {}\nb: {}\n\"c\\u200b\": {}\n");
    assert_eq!(Rule::all(&settings).map(|rule| rule.name).collect::<Vec<_>>(), ["b"]);
    assert!(told(&settings)[0].1.ends_with("it is off"), "{:?}", told(&settings));
}

#[test]
fn a_requirement_is_the_users_if_it_is_locked_or_the_users_alone_to_satisfy() {
    let settings = settings("a: {}\nc: {}\nd: {satisfied_by: user}\n");
    let reserved = |locked: &[&str]| {
        let locked: Vec<String> = locked.iter().map(|path| (*path).to_owned()).collect();
        Rule::all(&settings).find_map(|rule| Some((rule.name, rule.reserved(&locked)?)))
    };
    let table: &[(&[&str], (&str, &str))] = &[
        (&["requirements.b"], ("d", USERS_ALONE)),
        (&["hooks.stop", "requirements.cc", "requirements.c_"], ("d", USERS_ALONE)),
        (&["requirements.d"], ("d", LOCKED)),
        (&["requirements.c.enabled"], ("c", LOCKED)),
        (&["requirements"], ("a", LOCKED)),
        (&[""], ("a", LOCKED)),
    ];
    for (locked, found) in table {
        assert_eq!(reserved(locked), Some(*found), "{locked:?}");
    }
    assert_eq!(Rule::named(&settings, "a").unwrap().reserved(&["requirements.b".to_owned()]), None);
}
