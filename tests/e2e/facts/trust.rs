//! Question 16: where it is kept that a folder is trusted, what counts as trusted, and what does not run before.

use super::stage::{SOON, Stage};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::Script;
use tests::recording::Behaviour;
use tests::sandbox::Level;
use tests::settings::Settings;
use tests::terminal::{Key, Terminal};

/// A part of the question.
const QUESTION: &str = "Yes, I trust this folder";

/// The client remembers of these folders that they are trusted, and of no other.
fn trusted(stage: &Stage, folders: &[&Path]) {
    change(stage, |projects| {
        let each = folders
            .iter()
            .map(|folder| (folder.display().to_string(), json!({ "hasTrustDialogAccepted": true })));
        *projects = Value::Object(each.collect());
    });
}

fn change(stage: &Stage, change: impl FnOnce(&mut Value)) {
    let file = stage.sandbox.home().join(".claude.json");
    let mut record: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    change(&mut record["projects"]);
    fs::write(file, record.to_string()).unwrap();
}

/// Starts the client and waits until it asks, or can be typed into.
#[track_caller]
fn start(client: Client<'_>) -> (Terminal, bool) {
    let terminal = client.terminal();
    terminal.wait_until("the question or the input line", SOON, |screen| {
        screen.contains(QUESTION) || (screen.contains(CLIENT_VERSION.trim()) && screen.contains('❯'))
    });
    let asks = terminal.screen().contains(QUESTION);
    (terminal, asks)
}

/// Whether it asks, started in this folder.
#[track_caller]
fn asks(stage: &Stage, folder: &Path, trusted_folders: &[&Path]) -> bool {
    let client = stage.client();
    trusted(stage, trusted_folders);
    start(client.cwd(folder)).1
}

#[test]
fn in_a_repository_its_top_counts_and_nothing_above() {
    let stage = Stage::new(Script::new());
    let (project, root) = (stage.sandbox.project(), stage.sandbox.root());
    let below = project.join("below/here");
    fs::create_dir_all(&below).unwrap();
    let linked = root.join("linked");
    stage.sandbox.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);

    assert!(asks(&stage, &project, &[&root]), "a folder above");
    assert!(!asks(&stage, &below, &[&project]), "the top, from below");
    assert!(asks(&stage, &project, &[&below]), "a folder below");
    assert!(!asks(&stage, &linked, &[&project]), "the work tree it is linked to");
}

#[test]
fn elsewhere_a_folder_above_counts() {
    let stage = Stage::new(Script::new());
    let folder = stage.sandbox.root().join("plain/below");
    fs::create_dir_all(&folder).unwrap();

    assert!(!asks(&stage, &folder, &[folder.parent().unwrap()]));
    assert!(asks(&stage, &folder, &[]));
}

#[test]
fn no_hook_runs_in_a_terminal_before_the_answer_and_the_answer_is_remembered() {
    let stage = Stage::new(Script::new()).recording(&["SessionStart"]);
    let client = stage.client();
    trusted(&stage, &[]);

    let (mut terminal, asks) = start(client);
    assert!(asks);
    assert_eq!(stage.order(), [""; 0]);
    terminal.press_until(Key::Enter, CLIENT_VERSION.trim());
    stage.wait_for_ends("SessionStart", 1);

    change(&stage, |projects| {
        let project = stage.sandbox.project().display().to_string();
        assert_eq!(projects[project]["hasTrustDialogAccepted"], true, "{projects}");
    });
}

#[test]
fn print_mode_does_not_ask_and_runs_the_hooks_of_every_file_it_reads() {
    let stage = Stage::new(Script::new()).recording(&["SessionStart"]);
    let below = stage.sandbox.project().join("below");
    let register = |id: &str| {
        Settings::new().hook("SessionStart", &stage.recorder.hook(id, Behaviour::default())).json()
    };
    for (level, id) in [(Level::Project, "top"), (Level::Local, "top-local")] {
        stage.sandbox.settings(level, &register(id));
    }
    stage.sandbox.write("below/.claude/settings.json", register("below").to_string());
    let ran = |folder: &Path| {
        let client = stage.client();
        trusted(&stage, &[]);
        let before = stage.order().len();
        client.cwd(folder).ask("work").outcome.assert_exit(0);
        let mut ran = stage.order().split_off(before);
        ran.sort();
        ran
    };

    assert_eq!(ran(&stage.sandbox.project()), ["SessionStart", "top", "top-local"]);
    assert_eq!(
        ran(&below),
        ["SessionStart", "below", "top-local"],
        "of the folder it is started in, but for the local file"
    );
}
