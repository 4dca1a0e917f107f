//! The whole way of a user: `cargo xtask install` into an empty HOME, then the real client, then everything taken away.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tests::client::Client;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::{Level, Sandbox, toolchain_env};

/// `cargo xtask ...` as the user of this sandbox would type it.
fn xtask(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .arg("xtask")
        .args(arguments)
        .current_dir(root)
        .env_clear()
        .envs(toolchain_env())
        .env("HOME", sandbox.home())
        .envs(env::var_os("CARGO_TARGET_DIR").map(|folder| ("CARGO_TARGET_DIR", folder)))
        .output()
        .unwrap();
    let told =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "cargo xtask {arguments:?}: {told}");
    output
}

#[test]
fn a_fresh_install_is_read_by_the_client_and_leaves_nothing_behind_when_it_is_taken_away() {
    let sandbox = Sandbox::new();
    let foreign = r#"{
    "model": "sonnet",
	"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
}"#;
    let settings = sandbox.settings_path(Level::User);
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, foreign).unwrap();

    let said = String::from_utf8(xtask(&sandbox, &["install", "--hooks", "stop-momentum"]).stdout).unwrap();
    assert!(said.contains("stop-momentum"), "{said}");
    let installed = fs::read_to_string(&settings).unwrap();
    assert!(
        installed.contains(r#""command": "true""#) && installed.contains("hooks/stop-momentum"),
        "{installed}"
    );
    xtask(&sandbox, &["install", "--hooks", "stop-momentum"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), installed, "a second time changes nothing");

    let opt_in = "stop-momentum: {headless: true}\n";
    sandbox.requirements(Level::Project, opt_in);
    let api = MessagesApi::start(Script::new().reply(Reply::bash("echo worked")).reply("One.").reply("Two."));
    let run = Client::new(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("do it");
    assert_eq!(run.text(), "Two.", "the stop was blocked once: {:?}", run.outcome.stderr_text());
    let journal = sandbox.home().join(".claude/hook-state/journal.jsonl");
    assert!(fs::read_to_string(journal).unwrap().contains(r#""what":"block""#));

    xtask(&sandbox, &["uninstall", "--yes"]);
    assert_eq!(fs::read_to_string(&settings).unwrap(), foreign);
    assert!(!sandbox.home().join(".claude/hooks/stop-momentum").exists());
}
