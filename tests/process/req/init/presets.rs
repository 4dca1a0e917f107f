//! The presets: each file fits the schema, is read without a problem, and its gates fire.

use super::super::desk::{Desk, yes};
use super::text;
use crate::driver::notice;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tests::sandbox::Level;

const PRESETS: [&str; 5] = ["relaxed", "strict", "minimal", "advanced", "inherit"];

fn fits_the_schema(text: &str) -> bool {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config");
    let schema = fs::read_to_string(config.join("requirements.schema.json")).unwrap();
    let value: Value = serde_yaml::from_str(text).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap().is_valid(&value)
}

/// The project is one in Rust, after the preset.
fn with(preset: &str) -> Desk {
    let desk = Desk::empty();
    desk.sandbox.write("Cargo.toml", "");
    desk.sandbox.write("src/lib.rs", "");
    desk.sandbox.commit("code");
    yes(desk.script(&["init", "--project", "--preset", preset]));
    desk
}

/// Why an edit of the project's code is refused; empty if it is not.
fn refusal_of_an_edit(desk: &Desk) -> String {
    let file = desk.sandbox.project().join("src/lib.rs").display().to_string();
    let edit = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    reason(desk.ask(&desk.session.pre_tool_use("Edit", edit)))
}

fn refusal_of(desk: &Desk, line: &str) -> String {
    reason(desk.ask(&desk.session.pre_tool_use("Bash", json!({ "command": line }))))
}

fn reason(answer: Option<Value>) -> String {
    let answer = answer.unwrap_or_default();
    answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn in_every_kind_of_project_each_file_fits_the_schema_and_the_hook_finds_nothing_wrong() {
    let script = r#"{"scripts": {"test": "jest"}}"#;
    for files in [
        &[][..],
        &[("Cargo.toml", ""), ("src/lib.rs", ""), ("package.json", script)],
        &[("pyproject.toml", "[tool.pytest]"), ("docs/a", "")],
        &[("Makefile", "test:\n\tx\n")],
    ] {
        for preset in PRESETS {
            let levels =
                [("--project", Level::Project), ("--local", Level::Local), ("--global", Level::User)];
            for (flag, level) in levels {
                let desk = Desk::empty();
                for (name, content) in files {
                    desk.sandbox.write(name, content);
                }
                if preset == "inherit" && level != Level::Project {
                    continue;
                }
                yes(desk.script(&["init", flag, "--preset", preset]));
                let text = text(&desk, level);
                assert!(fits_the_schema(&text), "{preset} {flag} {files:?}\n{text}");
                let said = notice(desk.ask(&desk.session.session_start("startup")).as_ref());
                assert_eq!(said, "", "{preset} {flag} {files:?}");
            }
        }
    }
}

#[test]
fn relaxed_asks_for_a_plan_before_the_first_edit_and_for_nothing_else() {
    let desk = with("relaxed");
    let refusal = refusal_of_an_edit(&desk);
    assert!(refusal.contains("commit_plan") && refusal.contains("req satisfy commit_plan"), "{refusal}");
    yes(desk.claude(&["satisfy", "commit_plan"]));
    assert_eq!(refusal_of_an_edit(&desk), "");
    assert_eq!(refusal_of(&desk, "git commit -m x"), "");
}

#[test]
fn strict_keeps_main_clean_and_commits_tested() {
    let desk = with("strict");
    yes(desk.claude(&["satisfy", "commit_plan"]));
    let refusal = refusal_of_an_edit(&desk);
    assert!(refusal.contains("protected_branch"), "{refusal}");
    desk.sandbox.git(&["switch", "--quiet", "--create", "topic"]);
    yes(desk.claude(&["satisfy", "commit_plan"]));
    assert_eq!(refusal_of_an_edit(&desk), "");
    let refusal = refusal_of(&desk, "git commit -m x");
    assert!(refusal.contains("tests_green") && refusal.contains("cargo test"), "{refusal}");
    desk.ran("cargo test");
    assert_eq!(refusal_of(&desk, "git commit -m x"), "");
    desk.sandbox.write("src/lib.rs", "// changed");
    assert!(refusal_of(&desk, "git commit -m x").contains("tests_green"), "the files have changed");
}

#[test]
fn minimal_requires_nothing() {
    let desk = with("minimal");
    assert_eq!(
        (refusal_of_an_edit(&desk), refusal_of(&desk, "git commit -m x")),
        (String::new(), String::new())
    );
}

#[test]
fn of_what_stands_in_minimal_as_a_comment_everything_works_once_the_signs_are_taken_away() {
    let desk = with("minimal");
    let text = text(&desk, Level::Project);
    let (head, examples) = text.split_once("\n# requirements:").unwrap();
    let taken: Vec<&str> = examples.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
    let taken = taken.join("\n").replace("\n#\n", "\n\n");
    desk.sandbox.requirements(Level::Project, &format!("{head}\nrequirements:{taken}\n"));
    assert_eq!(notice(desk.ask(&desk.session.session_start("startup")).as_ref()), "");
    let refusal = refusal_of_an_edit(&desk);
    assert!(refusal.contains("commit_plan") && refusal.contains("protected_branch"), "{refusal}");
    assert!(refusal_of(&desk, "git commit -m x").contains("cargo test"));
}

#[test]
fn advanced_has_a_gate_of_every_type() {
    let desk = with("advanced");
    let refusal = refusal_of_an_edit(&desk);
    assert!(refusal.contains("commit_plan") && refusal.contains("protected_branch"), "{refusal}");
    desk.sandbox.git(&["switch", "--quiet", "--create", "topic"]);
    yes(desk.claude(&["satisfy", "commit_plan"]));
    assert_eq!(refusal_of_an_edit(&desk), "");
    let refusal = refusal_of(&desk, "git commit -m x");
    for name in ["adr_reviewed", "tests_green", "pre_commit_review"] {
        assert!(refusal.contains(name), "{name} in {refusal}");
    }
    desk.sandbox.write("src/large.rs", "x\n".repeat(500));
    desk.ran("./generate");
    let refusal = refusal_of_an_edit(&desk);
    assert!(refusal.contains("branch_size"), "{refusal}");
}

#[test]
fn inherit_requires_what_the_global_file_does() {
    let desk = Desk::empty();
    desk.sandbox.requirements(Level::User, "requirements: {house_rule: {enabled: true}}\n");
    let said = yes(desk.script(&["init", "--yes"]));
    assert!(said.contains("what your own global file does: house_rule"), "{said}");
    assert!(text(&desk, Level::Project).contains("\ninherit: true\n"));
    assert!(refusal_of_an_edit(&desk).contains("house_rule"));
}

#[test]
fn what_the_file_says_of_its_commands_can_be_typed() {
    let desk = with("advanced");
    let told = text(&desk, Level::Project);
    for line in [
        "req satisfy commit_plan",
        "req satisfy adr_reviewed",
        "req satisfy pre_commit_review",
        "req docs requirements",
        "req enable github_ticket",
    ] {
        assert!(told.contains(line), "{line}");
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let outcome = desk.claude(&words).run();
        assert_eq!(outcome.status.code(), Some(0), "{line}: {outcome}");
    }
    for line in [
        "waive protected_branch --for 30m --note \"why\"",
        "approve branch_size --for 1h",
        "waive single_session --for 1h --note \"why\"",
    ] {
        assert!(told.contains(&format!("req {line}")), "{line}");
        let typed = desk.user(line);
        assert_eq!(typed.status, 0, "{line}: {}", typed.screen);
    }
}
