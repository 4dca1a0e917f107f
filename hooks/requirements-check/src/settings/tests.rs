//! What holds where a file has a mistake: the wrong key is left out, and what lies below it counts.

use shared::config::Sources;
use shared::hook::configure;
use shared::switches::SectionSwitches;

use super::{Kind, Requirement, Scope, Settings};
use crate::RequirementsCheck;
use crate::rule::Rule;

/// The settings that a user's file and a project's file come to, and what is reported, each with its line.
fn read(users: &str, projects: &str) -> (Settings, Vec<String>) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    let file = |name: &str, text: &str| {
        let file = root.join(name);
        std::fs::write(&file, text).unwrap();
        Some(file)
    };
    let sources = Sources {
        global: file("global.yaml", users),
        project: file("project.yaml", projects),
        root: Some(root.clone()),
        ..Sources::default()
    };
    let section = configure::<RequirementsCheck>(&sources, SectionSwitches::default()).unwrap();
    let problems = section.problems.iter().map(ToString::to_string).collect();
    (section.settings, problems)
}

const USERS: &str = "locked: [requirements.adr.enabled]\nrequirements:\n  adr: {enabled: true}\n";

#[test]
fn a_wrong_key_of_a_project_leaves_the_users_requirement_as_it_is() {
    for wrong in [
        "{trigger_tools: 5}",
        "{trigger_tools: [{tool: Bash, command_regex: '(\\w{300}){300}'}]}",
        "{scope: galaxy}",
        "{type: guard}",
        "{type: guardian}",
        "{type: dynamic, calculator: branch_size}",
        "{enforce: never}",
        "{type: evidence}",
        "{command: cargo test}",
        "{calculator: branch_size}",
        "{guard_type: single_session}",
        "5",
    ] {
        let (settings, problems) = read(USERS, &format!("requirements:\n  adr: {wrong}\n"));
        let rule = Rule::named(&settings, "adr").unwrap_or_else(|| panic!("{wrong}: {problems:?}"));
        assert_eq!((rule.kind(), rule.set.scope), (Kind::Blocking, Scope::Session), "{wrong}");
        assert!(rule.set.triggers.is_none(), "{wrong}");
        assert_eq!(problems.len(), 1, "{wrong}: {problems:?}");
        assert!(problems[0].contains("project.yaml:2"), "{wrong}: {problems:?}");
    }
}

#[test]
fn a_wrong_word_for_who_satisfies_it_leaves_that_to_the_user() {
    let is_the_users =
        |settings: &Settings| settings.requirements.get("adr").is_some_and(Requirement::is_the_users);
    for wrong in ["usr", "User", "5"] {
        let users = format!("requirements:\n  adr: {{enabled: true, satisfied_by: {wrong}}}\n");
        let (settings, problems) = read(&users, "");
        assert!(is_the_users(&settings) && problems.len() == 1, "{wrong}: {problems:?}");
    }
}

#[test]
fn a_requirement_that_no_level_completes_is_off_and_reported() {
    let (settings, problems) = read("", "requirements:\n  size:\n    enabled: true\n    type: dynamic\n");
    assert!(Rule::named(&settings, "size").is_none());
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("project.yaml:2") && problems[0].contains("it is off"), "{problems:?}");
    let completed =
        "requirements:\n  size: {calculator: branch_size, thresholds: {block: 5}, type: dynamic}\n";
    let (settings, problems) = read(completed, "requirements:\n  size: {enabled: true}\n");
    assert!(Rule::named(&settings, "size").is_some(), "{problems:?}");
}
