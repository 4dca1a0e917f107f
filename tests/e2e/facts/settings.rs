//! Questions 10, 14 and 17: what a settings file can set for hooks, silence, and switch off.

use crate::scene::Scene;
use serde_json::{Map, Value, json};
use std::fs;
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Reply};
use tests::recording::Behaviour;
use tests::sandbox::Level;
use tests::script;

/// Of these a project can set none.
const KEPT_FROM_PROJECTS: &str = "CLAUDECODE CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_REMOTE \
    CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_SESSION_ID CLAUDE_CONFIG_DIR CLAUDE_PID CLAUDE_PROJECT_DIR HOME TMPDIR \
    XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME";

/// Of these it can set every one.
const OPEN_TO_PROJECTS: &str =
    "AI_AGENT ANY_UNKNOWN_NAME CLAUDE_HOOK_STATE_DIR GIT_DIR GIT_WORK_TREE LD_LIBRARY_PATH PATH SHELL";

/// Of these not even the user's own settings can.
const KEPT_FROM_THE_USER: &str = "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_REMOTE CLAUDE_PROJECT_DIR";

const OPEN_TO_THE_USER: &str = "CLAUDE_HOOK_STATE_DIR HOME TMPDIR XDG_STATE_HOME";

const EVENTS: [&str; 4] = ["PreToolUse", "SessionStart", "Stop", "UserPromptSubmit"];

/// What every variable is set to: a folder without anything, and where programs are, for `PATH`.
const VALUE: &str = "/nonexistent:/usr/bin:/bin";

/// Sets all variables in the settings of a level and looks at what the hooks see.
#[test]
fn a_project_can_set_path_and_the_state_folder_but_not_home_or_the_entrypoint() {
    for (level, kept, open, in_terminal) in [
        (Level::Project, KEPT_FROM_PROJECTS, OPEN_TO_PROJECTS, false),
        (Level::Project, KEPT_FROM_PROJECTS, OPEN_TO_PROJECTS, true),
        (Level::Local, KEPT_FROM_PROJECTS, OPEN_TO_PROJECTS, false),
        (Level::User, KEPT_FROM_THE_USER, OPEN_TO_THE_USER, false),
    ] {
        let names: Vec<&str> = kept.split(' ').chain(open.split(' ')).collect();
        let noting =
            |scene: Scene, event: &&str| scene.hook(event, event, Behaviour::default().noting(&names));
        let mut scene = EVENTS.iter().fold(Scene::new(), noting);
        let set: Map<String, Value> = names.iter().map(|&name| (name.to_owned(), VALUE.into())).collect();
        match level {
            Level::User => scene = scene.setting("env", set.into()),
            _ => drop(scene.sandbox.settings(level, &json!({ "env": set }))),
        }
        if in_terminal {
            let mut user = scene.user(script![Reply::bash("true"), "the end"]);
            user.asks("work", "the end");
            scene.recorder.wait_for_ends("Stop", 1);
        } else {
            scene.ask("work", script![Reply::bash("true"), "end"]);
        }
        for event in EVENTS {
            let env = &scene.recorder.runs(event)[0].env;
            let changed = |name: &&str| env.get(*name).is_some_and(|value| value == VALUE);
            assert_eq!(kept.split(' ').find(changed), None, "{event}: {level:?} changed this");
            assert!(open.split(' ').all(|name| changed(&name)), "{event}: {level:?}: {env:#?}");
            assert_eq!(env["CLAUDE_PROJECT_DIR"], scene.sandbox.project().display().to_string());
            assert!(level == Level::User || env["HOME"] == scene.sandbox.home().display().to_string());
        }
    }
}

/// A good hook on PreToolUse, and these settings changed by `edit`. Returns whether the good one ran.
fn runs_with(edit: impl FnOnce(&mut Value)) -> bool {
    let scene = Scene::new().recording(&["PreToolUse"]);
    let api = MessagesApi::start(script![Reply::bash("true"), "end"]);
    let client = scene.client(&api);
    let path = scene.sandbox.settings_path(Level::User);
    let mut settings: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    edit(&mut settings);
    scene.sandbox.settings(Level::User, &settings);
    client.ask("work").outcome.assert_exit(0);
    !scene.recorder.all_runs().is_empty()
}

/// Each kind is told by the installer (`client_settings::faults`).
#[test]
fn a_malformed_entry_silences_every_hook_of_its_event_and_a_wrong_setting_the_whole_file() {
    let of = |entry: Value| json!({ "hooks": [entry] });
    let malformed = [
        of(json!({ "type": "comand", "command": "true" })),
        of(json!({ "command": "true" })),
        of(json!({ "type": "command" })),
        of(json!({ "type": "command", "command": "true", "timeout": "5" })),
        of(json!({ "type": "command", "command": "true", "args": "x" })),
        of(json!("true")),
        json!({ "matcher": "Bash" }),
        json!({ "matcher": 1, "hooks": [] }),
        json!({ "type": "command", "command": "true" }),
    ];
    let harmless = [
        json!({ "hooks": [] }),
        of(json!({ "type": "command", "command": "true", "unknown": 1 })),
        json!({ "hooks": [], "unknown": 1 }),
    ];
    let beside = |group: &Value| {
        runs_with(|settings| settings["hooks"]["PreToolUse"].as_array_mut().unwrap().insert(0, group.clone()))
    };
    for group in &malformed {
        assert!(!beside(group), "{group}");
    }
    for group in &harmless {
        assert!(beside(group), "{group}");
    }
    assert!(runs_with(|settings| settings["hooks"]["Stop"] = json!(malformed)), "another event");
    assert!(runs_with(|settings| settings["hooks"]["Stop"] = json!({})), "another event that is no list");
    assert!(runs_with(|settings| settings["hooks"]["NoSuchEvent"] = json!(harmless)), "an unknown event");
    assert!(!runs_with(|settings| settings["model"] = json!(1)), "another setting of the wrong type");
}

#[test]
fn the_strongest_file_that_says_anything_decides_whether_hooks_run() {
    let (on, off) = (Some(true), Some(false));
    for (said, runs) in [
        ([on, None, None], false),
        ([None, on, None], false),
        ([on, off, None], true),
        ([off, on, off], true),
        ([off, off, on], false),
    ] {
        let mut scene = Scene::new().recording(&["SessionStart"]);
        for (level, flag) in [Level::User, Level::Project, Level::Local].into_iter().zip(said) {
            let Some(flag) = flag else { continue };
            match level {
                Level::User => scene = scene.setting("disableAllHooks", flag.into()),
                _ => drop(scene.sandbox.settings(level, &json!({ "disableAllHooks": flag }))),
            }
        }
        scene.ask("work", script![]);
        assert_eq!(!scene.order().is_empty(), runs, "{said:?}");
    }
}

#[test]
fn hooks_get_the_version_in_a_variable_of_their_own() {
    let scene = Scene::new().hook("SessionStart", "start", Behaviour::default().noting(&["AI_AGENT"]));
    scene.ask("work", script![]);
    let version = CLIENT_VERSION.trim().replace('.', "-");
    assert_eq!(scene.recorder.runs("start")[0].env["AI_AGENT"], format!("claude-code_{version}_harness"));
}
