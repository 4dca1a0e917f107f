//! Hooks registered in a project's own settings, as the real client reads them: for those who have them, and those who have not.

use crate::scene::{Scene, touch};
use std::fs;
use std::path::Path;
use tests::binaries;
use tests::messages_api::Script;
use tests::sandbox::Level;
use tests::script;
use tests::settings::Hook;

/// A project whose team has registered the guard in it, and a user who has installed it.
fn team() -> Scene {
    let scene = Scene::new();
    let programs = binaries::folder_for_client().display().to_string();
    let line = format!("install --hooks delegation-guard --scope project --yes --prebuilt {programs}");
    scene.run(Path::new(&binaries::installer()), &line).assert_exit(0);
    assert!(!scene.sandbox.settings_path(Level::User).exists());
    scene.sandbox.requirements(Level::User, "delegation-guard: {headless: true}\n");
    scene
}

fn script() -> Script {
    script![touch("one"), touch("two"), touch("three"), "all at its end"]
}

#[test]
fn a_user_who_has_it_is_guarded_once_also_where_it_is_registered_for_all_projects() {
    let scene = team();
    let hook = Hook::new(&scene.sandbox.home().join(".claude/hooks/delegation-guard"), &[]);
    for scene in [team(), scene.registering("PreToolUse", &hook).registering("PostToolUse", &hook)] {
        let session = scene.ask("do it", script());
        assert_eq!(session.outcomes(), ["denied", "ran", "ran"]);
        assert_eq!(session.last().count("delegation-guard denied this call once"), 1);
        let advice = "(advice at streak 2)";
        assert_eq!(session.last().count(advice), 1);
        assert!(!session.requests()[2].shows(advice), "counted twice, the advice would come a call earlier");
    }
}

#[test]
fn user_without_the_hook_gets_a_notice_and_nothing_breaks() {
    let scene = team();
    fs::remove_dir_all(scene.sandbox.home().join(".claude/hooks")).unwrap();

    let session = scene.ask("do it", script());
    assert_eq!((session.text(), session.last().shows("Barbless")), ("all at its end", false));

    let mut user = scene.user(script());
    user.terminal.wait_for("have not installed (delegation-guard)");
    user.asks("do it", "all at its end");
    assert!(!user.screen().contains("hook error"), "{}", user.screen());
    assert!(!scene.state("journal.jsonl").exists());
}
