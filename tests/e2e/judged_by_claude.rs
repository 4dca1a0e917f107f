//! The user's own `claude -p` as the judge of a session of the same client: nothing of the user's runs in it, and Escape ends it.

use crate::intent_validator::{DECLARED, FILE, NEW, OLD, PROMPT, claude_of, edit};
use crate::judging::{CLI, approved, project};
use crate::scene::{Scene, names, wait_until};
use installer::catalog::Catalog;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tests::client::executable;
use tests::messages_api::{Answer, Reply, Route};
use tests::script;
use tests::terminal::Key;

/// From the key to the end of the judge; seen: a tenth of a second.
const UNTIL_GONE: Duration = Duration::from_secs(2);

const EVENTS: [&str; 6] =
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

fn global() -> String {
    format!("{CLI}intent-validator: {{enabled: true}}\n")
}

/// The processes of this sandbox that were started as judges, or by one.
fn judges(scene: &Scene) -> Vec<String> {
    let home = format!("HOME={}", scene.sandbox.home().display());
    let mut processes = names(Path::new("/proc"));
    processes.retain(|process| {
        let variables = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let variables = String::from_utf8_lossy(&variables);
        let has = |is_meant: &dyn Fn(&str) -> bool| variables.split('\0').any(is_meant);
        has(&|variable| variable == home) && has(&|variable| variable.starts_with("BARBLESS_NONCE="))
    });
    processes
}

/// A client that is told neither to leave hooks alone nor to start safely, as one would do that heeds none of it, or whose
/// hooks are managed; with these further commands before it starts.
fn heedless(scene: &Scene, first: &str) {
    let script = format!(
        r#"#!/bin/sh
unset CLAUDE_CODE_SAFE_MODE
{first}
for word in "$@"; do
  shift
  if [ -n "$drop" ]; then drop=; continue; fi
  case $word in --settings | --setting-sources) drop=1; continue ;; esac
  set -- "$@" "$word"
done
exec '{}' "$@"
"#,
        executable().display()
    );
    fs::remove_file(claude_of(scene)).unwrap();
    fs::write(claude_of(scene), script).unwrap();
    fs::set_permissions(claude_of(scene), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What ran in the judge of one edit, with all hooks of ours and recording ones registered for the user: the events on which
/// the others did, and whether ours said something to the model, or have a heartbeat that only the judge can have given them.
fn ran(prepare: impl FnOnce(&Scene)) -> (Vec<String>, bool) {
    let catalog = Catalog::built_in().unwrap();
    let all: Vec<&str> = catalog.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let scene = project(&all, &global()).recording(&EVENTS);
    prepare(&scene);
    // Before its own stop nothing in the session itself runs this one.
    let beat = scene.state("heartbeat/stop-momentum");
    let has_beaten = Arc::new(OnceLock::new());
    let note = Arc::clone(&has_beaten);
    let last = Answer::made_by(move |_| {
        note.set(beat.exists()).unwrap();
        Reply::text("end")
    });

    let session =
        scene.ask(PROMPT, script![scene.read(FILE), edit(&scene, DECLARED), last].judge(approved()));

    assert_eq!((scene.content(FILE).as_str(), scene.journal_texts("judge").len()), (NEW, 1));
    assert_eq!(names(&scene.state("nonce")), [""; 0]);
    let own = session.run.session_id();
    let of_judge = scene.recorder.all_runs().into_iter().filter(|run| run.payload["session_id"] != own);
    let is_shown = session.judged().iter().any(|request| request.shows("intent-validator: "));
    let lines = crate::scene::json_lines(&scene.state("journal.jsonl"));
    let sessions: BTreeSet<_> = lines.iter().filter_map(|line: &Value| line["session"].as_str()).collect();
    assert!(sessions.contains(own), "{sessions:?}");
    let ours = *has_beaten.get().expect("the session's last request") || is_shown || sessions.len() > 1;
    (of_judge.map(|run| run.id).collect(), ours)
}

#[test]
fn no_hook_runs_in_it_though_all_are_registered_and_where_others_do_ours_are_silent() {
    assert_eq!(ran(|_| {}), (Vec::new(), false));
    let events = EVENTS.map(str::to_owned).to_vec();
    assert_eq!(ran(|scene| heedless(scene, "")), (events.clone(), false), "the nonce is enough");
    // Without it they would not be: so it is the nonce that silences them.
    assert_eq!(ran(|scene| heedless(scene, "unset BARBLESS_NONCE")), (events, true));
}

#[test]
fn escape_ends_a_running_question_and_leaves_nothing() {
    let scene = project(&["intent-validator"], &global());
    let script = script![scene.read(FILE), edit(&scene, DECLARED), "end"];
    let mut user = scene.user(script.judge(Reply::hanging()));
    user.enters(PROMPT);
    user.wait_for(&Route::Judge, 0);
    assert_ne!(judges(&scene), [""; 0]);

    user.terminal.press(Key::Escape);
    let pressed = Instant::now();
    wait_until("the end of the judge", || judges(&scene).is_empty());
    assert!(pressed.elapsed() < UNTIL_GONE, "{:?}", pressed.elapsed());

    user.terminal.wait_for("Rejected update to src/app.py");
    assert_eq!(scene.content(FILE), OLD);
    assert_eq!(names(&scene.state("nonce")), [""; 0]);
}
