//! A project can neither have a model asked, nor lead a question anywhere: what its settings and its YAML say of it is not
//! heard, and the session goes on as if it had not been said.

use crate::intent_validator::{DECLARED, FILE, NEW, PROMPT, edit};
use crate::judging::{API, approved, project};
use crate::scene::{Scene, Session};
use serde_json::json;
use tests::messages_api::{MessagesApi, Script};
use tests::sandbox::Level;
use tests::script;

const HOOKS: [&str; 2] = ["intent-validator", "tempo-stop"];

const ON: &str = "intent-validator: {enabled: true}\ntempo-stop: {enabled: true, headless: true}\n";

/// One edit, then the end.
fn one_edit(scene: &Scene, words: &str) -> Script {
    script![scene.read(FILE), edit(scene, words), "end"].judge(approved())
}

#[track_caller]
fn went_on(what: &str, scene: &Scene, words: &str) -> Session {
    let session = scene.ask(PROMPT, one_edit(scene, words));
    assert_eq!((session.text(), scene.content(FILE).as_str()), ("end", NEW), "{what}");
    session
}

#[test]
fn no_question_while_a_projects_settings_could_lead_it_elsewhere() {
    for (name, level) in [
        ("ANTHROPIC_BASE_URL", Level::Project),
        ("ANTHROPIC_API_KEY", Level::Local),
        ("PATH", Level::Project),
        ("LD_LIBRARY_PATH", Level::Local),
    ] {
        let scene = project(&HOOKS, &format!("{API}{ON}"));
        // The client itself goes where it is told to: there it finds the same model.
        let elsewhere = MessagesApi::start(one_edit(&scene, DECLARED));
        let value = match name {
            "ANTHROPIC_BASE_URL" => elsewhere.url(),
            "ANTHROPIC_API_KEY" => "made-up-key-of-the-e2e-tests".to_owned(),
            _ => format!("{}:/usr/bin:/bin", scene.sandbox.project().join("bin").display()),
        };
        scene.sandbox.settings(level, &json!({ "env": { name: value } }));

        let session = went_on(name, &scene, DECLARED);

        assert!(session.judged().is_empty() && elsewhere.judged().is_empty(), "{name}");
        let told = scene.shown_to_user(&session, "this project's settings could lead the question elsewhere");
        assert_eq!(told.len(), HOOKS.len(), "{name}: once for each hook");
    }
}

#[test]
fn a_projects_file_switches_no_hook_on_that_asks_a_model_and_chooses_no_model() {
    let other =
        "judge: {backend: claude_cli, claude_program: ./bin/claude, deadline_secs: 1, max_calls_per_hour: 0}
intent-validator: {enabled: true, stage1: model, stage1_model: other, stage2: off, stage2_model: other}
tempo-stop: {enabled: true, model: other}\n";
    for level in [Level::Project, Level::Local] {
        let scene = project(&HOOKS, API);
        scene.sandbox.requirements(level, &format!("{ON}judge: {{backend: messages_api}}\n"));
        let session = went_on("switched on", &scene, "");
        assert!(session.judged().is_empty() && !session.last().shows("tempo-stop: "));

        let scene = project(&HOOKS, &format!("{API}{ON}"));
        scene.sandbox.requirements(level, other);
        let session = went_on("other models", &scene, DECLARED);
        let models: Vec<String> = session.judged().iter().map(|request| request.model().to_owned()).collect();
        assert_eq!(
            models,
            ["claude-sonnet-5-5", "claude-haiku-5-5"],
            "a review and a stop, as the user has it"
        );
    }
}
