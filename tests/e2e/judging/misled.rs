//! A project can neither have a model asked, nor lead a question anywhere: what its settings and its YAML say of it is not
//! heard, and the session goes on as if it had not been said.

use super::{Asked, approved, ask};
use crate::intent_validator::{DECLARED, NEW, PROMPT, Turn, code, outcomes, script};
use crate::requirements_check::content;
use serde_json::json;
use tests::messages_api::{MessagesApi, Script};
use tests::sandbox::{Level, Sandbox};

const HOOKS: [&str; 2] = ["intent-validator", "tempo-stop"];

const ON: &str = "intent-validator: {enabled: true}\ntempo-stop: {enabled: true, headless: true}\n";

/// Both hooks, and the global file.
fn project(global: &str) -> Sandbox {
    code(super::sandbox(&HOOKS, "", global))
}

/// One edit, then the end.
fn one_edit(sandbox: &Sandbox, words: &'static str) -> Script {
    script(sandbox, &[Turn::Says(words)]).judge(approved())
}

#[track_caller]
fn assert_went_on(what: &str, sandbox: &Sandbox, asked: &Asked) {
    assert_eq!(asked.run.text(), "end", "{what}");
    assert_eq!(content(sandbox, crate::intent_validator::FILE), NEW, "{what}");
}

/// A variable, and what a project sets it to, from the world and another API.
type Variable<'a> = (&'a str, &'a dyn Fn(&Sandbox, &MessagesApi) -> String);

#[test]
fn where_a_projects_settings_could_lead_a_question_elsewhere_none_is_asked() {
    let bait = |sandbox: &Sandbox| format!("{}:/usr/bin:/bin", sandbox.project().join("bin").display());
    let variables: [Variable<'_>; 4] = [
        ("ANTHROPIC_BASE_URL", &|_, elsewhere| elsewhere.url()),
        ("ANTHROPIC_API_KEY", &|_, _| "made-up-key-of-the-e2e-tests".to_owned()),
        ("PATH", &|sandbox, _| bait(sandbox)),
        ("LD_LIBRARY_PATH", &|sandbox, _| bait(sandbox)),
    ];
    for (index, (name, value)) in variables.into_iter().enumerate() {
        let level = if index % 2 == 0 { Level::Project } else { Level::Local };
        let sandbox = project(ON);
        // The client itself goes where it is told to: there it finds the same model.
        let elsewhere = MessagesApi::start(one_edit(&sandbox, DECLARED));
        let value = value(&sandbox, &elsewhere);
        sandbox.settings(level, &json!({ "env": { name: value } }));

        let asked = ask(&sandbox, PROMPT, one_edit(&sandbox, DECLARED));

        assert_went_on(name, &sandbox, &asked);
        assert!(asked.judged().is_empty() && elsewhere.judge_requests().is_empty(), "{name}");
        let told = "this project's settings could lead the question elsewhere";
        assert_eq!(asked.told(&sandbox, told), HOOKS.len(), "{name}: once for each hook");
    }
}

#[test]
fn a_projects_file_switches_no_hook_on_that_asks_a_model() {
    for level in [Level::Project, Level::Local] {
        let sandbox = project("");
        sandbox.requirements(level, &format!("{ON}judge: {{backend: messages_api}}\n"));
        let asked = ask(&sandbox, PROMPT, one_edit(&sandbox, ""));
        assert_went_on("switched on", &sandbox, &asked);
        assert_eq!(outcomes(&asked), ["ran"], "an undeclared edit is not refused");
        assert!(asked.judged().is_empty());
        assert!(!asked.last().shows("tempo-stop: ") && !asked.last().shows("intent-validator: "));
    }
}

#[test]
fn a_projects_file_chooses_no_model_and_no_way_to_one() {
    let other =
        "judge: {backend: claude_cli, claude_program: ./bin/claude, deadline_secs: 1, max_calls_per_hour: 0}
intent-validator: {enabled: true, stage1: model, stage1_model: other, stage2: off, stage2_model: other}
tempo-stop: {enabled: true, model: other}\n";
    for level in [Level::Project, Level::Local] {
        let sandbox = project(ON);
        sandbox.requirements(level, other);
        let asked = ask(&sandbox, PROMPT, one_edit(&sandbox, DECLARED));
        assert_went_on("other models", &sandbox, &asked);
        let models: Vec<String> = asked.judged().iter().map(|request| request.model().to_owned()).collect();
        assert_eq!(
            models,
            ["claude-sonnet-5-5", "claude-haiku-5-5"],
            "a review and a stop, as the user has it"
        );
    }
}
