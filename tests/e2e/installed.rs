//! The whole way of a user: an installation into an empty HOME, then the real client, the doctor, and everything taken away.

use crate::scene::Scene;
use installer::catalog::Catalog;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;
use tests::messages_api::Reply;
use tests::sandbox::{Level, toolchain_env};
use tests::script;

/// `cargo xtask ...` as the user of this scene would type it.
fn xtask(scene: &Scene, arguments: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO"));
    command.arg("xtask").args(arguments).current_dir(root).env_clear().envs(toolchain_env());
    command.env("HOME", scene.sandbox.home());
    command.envs(env::var_os("CARGO_TARGET_DIR").map(|folder| ("CARGO_TARGET_DIR", folder)));
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo xtask {arguments:?}: {errors}");
}

#[test]
fn a_fresh_install_is_read_by_the_client_and_leaves_nothing_behind_when_it_is_taken_away() {
    let scene = Scene::new();
    let foreign = r#"{
    "model": "sonnet",
	"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
}"#;
    let settings = scene.sandbox.settings_path(Level::User);
    fs::write(&settings, foreign).unwrap();

    xtask(&scene, &["install", "--hooks", "stop-momentum"]);
    let installed = fs::read_to_string(&settings).unwrap();
    assert!(
        installed.contains(r#""command": "true""#) && installed.contains("hooks/stop-momentum"),
        "{installed}"
    );
    xtask(&scene, &["install", "--hooks", "stop-momentum"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), installed, "a second time changes nothing");

    scene.sandbox.requirements(Level::Project, "stop-momentum: {headless: true}\n");
    assert_eq!(scene.ask("do it", script![Reply::bash("echo worked"), "One.", "Two."]).text(), "Two.");
    assert_eq!(scene.journal("block").len(), 1);

    xtask(&scene, &["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), foreign);
    assert!(!scene.sandbox.home().join(".claude/hooks/stop-momentum").exists());
}

#[test]
fn hook_that_doctor_finds_in_order_has_really_fired() {
    let scene =
        Scene::installed("hooks install --all --yes").in_project("requirements: {plan: {enabled: true}}\n");

    let mut user = scene.user(script![
        scene.write("new.txt", ""),
        "it asks for a plan",
        "one more",
        "the doctor was here"
    ]);
    user.asks("work", "it asks for a plan");
    user.waits_for_end("one more");
    user.bangs("req doctor", "the doctor was here");

    let shown = user.last().shown_texts();
    let told = shown.iter().find(|text| text.contains("<bash-stdout>")).unwrap();
    assert!(told.contains("nothing is broken."), "{told}");
    for hook in &Catalog::built_in().unwrap().hooks {
        assert!(told.contains(&format!("{} last fired", hook.name)), "{}: {told}", hook.name);
    }
}
