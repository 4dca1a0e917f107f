//! A hook that the user's settings and a plugin start acts once: the plugin's copy leaves the call to the installed hook.

use serde_json::{Value, json};
use std::fs;
use std::time::Duration;
use tests::binaries;
use tests::payloads::Session;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox, toolchain_env};
use tests::small_programs;

const GATE: &str = "requirements-check";

/// A project that requires a plan, and its user.
struct User {
    sandbox: Sandbox,
}

impl User {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
        Self { sandbox }
    }

    fn installer(&self, line: &str) {
        let prebuilt = small_programs::folder().display().to_string();
        let words = line.split(' ').map(|word| if word == "PREBUILT" { &prebuilt } else { word });
        let run = Invocation::new(binaries::installer(), &self.sandbox).args(words).envs(toolchain_env());
        run.deadline(Duration::from_secs(60)).run().assert_exit(0);
    }

    fn install(&self) {
        self.installer(&format!("install --prebuilt PREBUILT --hooks {GATE} --yes"));
    }

    /// The plugin's copy is started for a call that lacks the plan.
    fn plugins(&self) -> Outcome {
        self.copy().args(["--plugin"]).run()
    }

    fn copy(&self) -> Invocation {
        let file = self.sandbox.project().join("new.txt");
        let call =
            Session::new(&self.sandbox).pre_tool_use("Write", json!({ "file_path": file, "content": "x" }));
        Invocation::new(binaries::path(GATE), &self.sandbox)
            .env("CLAUDE_PROJECT_DIR", self.sandbox.project().display().to_string())
            .env("CLAUDE_PLUGIN_ROOT", binaries::folder().display().to_string())
            .stdin(call.to_bytes())
    }
}

#[track_caller]
fn acts(outcome: &Outcome) {
    assert!(outcome.stdout_text().contains("\"deny\""), "{outcome}");
}

#[test]
fn plugins_copy_steps_back_for_the_users_settings_and_acts_when_they_are_gone() {
    let user = User::new();
    acts(&user.plugins());
    user.install();
    let heartbeat = user.sandbox.state_dir().join("heartbeat");
    fs::remove_dir_all(&heartbeat).unwrap();
    let outcome = user.plugins();
    outcome.assert_exit(0);
    assert_eq!(outcome.stdout_text(), "", "{outcome}");
    assert!(!heartbeat.join(GATE).exists(), "that is the other's to leave");
    acts(&user.copy().run());
    user.installer("uninstall --yes");
    acts(&user.plugins());
}

#[test]
fn plugins_copy_acts_beside_a_project_that_registers_the_hook() {
    let user = User::new();
    user.install();
    let path = user.sandbox.settings_path(Level::User);
    let installed: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::remove_file(path).unwrap();
    user.sandbox.settings(Level::Project, &installed);
    acts(&user.plugins());
    user.copy().args(["--plugin", "status"]).run().assert_exit(64);
}
