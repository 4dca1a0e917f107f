//! A hook that settings and a plugin start acts once: the plugin's copy leaves the call to the other, and to
//! nothing that only looks like it.

use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
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
        let prebuilt = small_programs::folder();
        let words = line.split(' ').map(|word| match word {
            "PREBUILT" => prebuilt.display().to_string(),
            "PROJECT" => self.sandbox.project().display().to_string(),
            word => word.to_owned(),
        });
        let run = Invocation::new(binaries::installer(), &self.sandbox).args(words).envs(toolchain_env());
        run.deadline(Duration::from_secs(60)).run().assert_exit(0);
    }

    fn install(&self, scope: &str) {
        self.installer(&format!(
            "install --prebuilt PREBUILT --hooks {GATE} --scope {scope}{} --yes",
            if scope == "user" { "" } else { " --project PROJECT" }
        ));
    }

    fn write(&self) -> Vec<u8> {
        let session = Session::new(&self.sandbox);
        let file = self.sandbox.project().join("new.txt");
        session.pre_tool_use("Write", json!({ "file_path": file, "content": "x" })).to_bytes()
    }

    /// The plugin's copy is started for a call that lacks the plan.
    fn plugins(&self) -> Invocation {
        self.copy().args(["--plugin"])
    }

    fn copy(&self) -> Invocation {
        Invocation::new(binaries::path(GATE), &self.sandbox)
            .env("CLAUDE_PROJECT_DIR", self.sandbox.project().display().to_string())
            .env("CLAUDE_PLUGIN_ROOT", binaries::folder().display().to_string())
            .stdin(self.write())
    }

    fn settings(&self, level: Level) -> Value {
        serde_json::from_slice(&fs::read(self.sandbox.settings_path(level)).unwrap()).unwrap()
    }

    fn heartbeat(&self) -> PathBuf {
        self.sandbox.state_dir().join("heartbeat")
    }
}

#[track_caller]
fn acts(outcome: &Outcome) {
    assert!(outcome.stdout_text().contains("\"deny\""), "{outcome}");
}

#[track_caller]
fn steps_back(outcome: &Outcome) {
    outcome.assert_exit(0);
    assert_eq!(outcome.stdout_text(), "", "{outcome}");
}

#[test]
fn the_plugins_copy_steps_back_for_the_users_installation_and_acts_again_without_it() {
    let user = User::new();
    acts(&user.plugins().run());
    user.install("user");
    fs::remove_dir_all(user.heartbeat()).unwrap();
    steps_back(&user.plugins().run());
    assert!(!user.heartbeat().join(GATE).exists(), "that is the other's to leave");
    acts(&user.copy().run());
    let program = user.sandbox.home().join(".claude/hooks").join(GATE);
    fs::rename(&program, program.with_extension("away")).unwrap();
    acts(&user.plugins().run());
    fs::rename(program.with_extension("away"), &program).unwrap();
    user.installer("uninstall --yes");
    acts(&user.plugins().run());
}

#[test]
fn settings_of_a_project_never_silence_the_plugins_copy() {
    let user = User::new();
    user.install("user");
    let settings = user.settings(Level::User);
    user.installer("uninstall --yes");
    user.installer("install --prebuilt PREBUILT --hooks rate-awareness --yes");
    for level in [Level::Project, Level::Local] {
        user.sandbox.settings(level, &settings);
        acts(&user.plugins().run());
    }
}

#[test]
fn beside_other_words_it_is_no_hook() {
    let user = User::new();
    let outcome = user.copy().args(["--plugin", "status"]).run();
    outcome.assert_exit(64);
}
