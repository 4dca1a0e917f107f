//! A hook that the user's settings and a plugin start acts once: the plugin's copy leaves the call to the installed hook.

use crate::installer::User;
use serde_json::{Value, json};
use std::fs;
use tests::binaries;
use tests::payloads::Session;
use tests::process::{Invocation, Outcome};
use tests::sandbox::Level;

const GATE: &str = "requirements-check";

/// A user with a project that requires a plan.
struct Planner(User);

impl Planner {
    fn new() -> Self {
        let user = User::new();
        user.sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
        Self(user)
    }

    fn install(&self) {
        self.0.types(&format!("install --prebuilt PREBUILT --hooks {GATE} --yes"));
    }

    /// The plugin's copy is started for a call that lacks the plan.
    fn plugins(&self) -> Outcome {
        self.copy().args(["--plugin"]).run()
    }

    fn copy(&self) -> Invocation {
        let file = self.0.sandbox.project().join("new.txt");
        let call =
            Session::new(&self.0.sandbox).pre_tool_use("Write", json!({ "file_path": file, "content": "x" }));
        Invocation::new(binaries::path(GATE), &self.0.sandbox)
            .env("CLAUDE_PROJECT_DIR", self.0.sandbox.project().display().to_string())
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
    let user = Planner::new();
    acts(&user.plugins());
    user.install();
    let heartbeat = user.0.sandbox.state_dir().join("heartbeat");
    fs::remove_dir_all(&heartbeat).unwrap();
    let outcome = user.plugins();
    outcome.assert_exit(0);
    assert_eq!(outcome.stdout_text(), "", "{outcome}");
    assert!(!heartbeat.join(GATE).exists(), "that is the other's to leave");
    acts(&user.copy().run());
    user.0.types("uninstall --yes");
    acts(&user.plugins());
}

#[test]
fn plugins_copy_acts_beside_a_project_that_registers_the_hook() {
    let user = Planner::new();
    user.install();
    let path = user.0.sandbox.settings_path(Level::User);
    let installed: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    fs::remove_file(path).unwrap();
    user.0.sandbox.settings(Level::Project, &installed);
    acts(&user.plugins());
    user.copy().args(["--plugin", "status"]).run().assert_exit(64);
}
