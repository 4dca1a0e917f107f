//! Question 16: where it is kept that a folder is trusted, what counts as trusted, and what does not run before.

use super::stage::{SOON, Stage};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::Script;
use tests::recording::Behaviour;
use tests::sandbox::{Level, Sandbox};
use tests::settings::Settings;
use tests::terminal::{Key, Terminal};

/// A part of the question.
const QUESTION: &str = "Yes, I trust this folder";

/// The client remembers of these folders that they are trusted, and of no other.
pub(crate) fn trusted(sandbox: &Sandbox, folders: &[&Path]) {
    change(sandbox, |projects| {
        let trusted = json!({ "hasTrustDialogAccepted": true });
        let each = folders.iter().map(|folder| (folder.display().to_string(), trusted.clone()));
        *projects = Value::Object(each.collect());
    });
}

fn change(sandbox: &Sandbox, change: impl FnOnce(&mut Value)) {
    let file = sandbox.home().join(".claude.json");
    let text = fs::read_to_string(&file).unwrap_or_else(|_| "{}".to_owned());
    let mut record: Value = serde_json::from_str(&text).unwrap();
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

/// Where the client is started, the one folder that is trusted, and whether it asks.
pub(crate) struct Situation {
    pub(crate) what: &'static str,
    pub(crate) started_in: PathBuf,
    pub(crate) trusted: PathBuf,
    pub(crate) asks: bool,
}

/// What counts, in a repository and elsewhere. The folders are made.
pub(crate) fn situations(sandbox: &Sandbox) -> Vec<Situation> {
    let (project, root) = (sandbox.project(), sandbox.root());
    let [below, linked, plain] = [project.join("below/here"), root.join("linked"), root.join("plain/below")];
    for folder in [&below, &plain] {
        fs::create_dir_all(folder).unwrap();
    }
    sandbox.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    let of = |what, started_in: &Path, trusted: &Path, asks| Situation {
        what,
        started_in: started_in.to_owned(),
        trusted: trusted.to_owned(),
        asks,
    };
    vec![
        of("a repository, the folder above it is trusted", &project, &root, true),
        of("below the top of a repository that is trusted", &below, &project, false),
        of("a repository, a folder in it is trusted", &project, &below, true),
        of("a work tree linked to a trusted one", &linked, &project, false),
        of("no repository, the folder above is trusted", &plain, plain.parent().unwrap(), false),
        of("no repository, another folder is trusted", &plain, &project, true),
    ]
}

#[test]
fn in_a_repository_its_top_counts_and_elsewhere_every_folder_above() {
    let stage = Stage::new(Script::new());
    for situation in situations(&stage.sandbox) {
        let client = stage.client();
        trusted(&stage.sandbox, &[&situation.trusted]);
        let (_, asks) = start(client.cwd(&situation.started_in));
        assert_eq!(asks, situation.asks, "{}", situation.what);
    }
}

#[test]
fn no_hook_runs_in_a_terminal_before_the_answer_and_the_answer_is_remembered() {
    let stage = Stage::new(Script::new()).recording(&["SessionStart"]);
    let client = stage.client();
    trusted(&stage.sandbox, &[]);

    let (mut terminal, asks) = start(client);
    assert!(asks);
    assert_eq!(stage.order(), [""; 0]);
    terminal.press_until(Key::Down, "❯ Yes, I trust");
    terminal.press_until(Key::Enter, CLIENT_VERSION.trim());
    stage.wait_for_ends("SessionStart", 1);

    change(&stage.sandbox, |projects| {
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
        trusted(&stage.sandbox, &[]);
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
