//! A hook that settings and a plugin start acts once: the plugin's copy leaves the call to the other, in every scope, and
//! to nothing that only looks like it.

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
fn in_each_scope_the_plugins_copy_steps_back_and_acts_again_when_the_other_is_gone() {
    for scope in ["user", "local", "project"] {
        let user = User::new();
        acts(&user.plugins().run());
        user.install(scope);
        fs::remove_dir_all(user.heartbeat()).unwrap();
        steps_back(&user.plugins().run());
        assert!(!user.heartbeat().join(GATE).exists(), "{scope}: that is the other's to leave");
        acts(&user.copy().run());
        let place = if scope == "user" { "" } else { " --project PROJECT" };
        user.installer(&format!("uninstall --scope {scope}{place} --yes"));
        acts(&user.plugins().run());
    }
}

#[test]
fn of_a_project_it_steps_back_where_the_client_reads_those_settings() {
    let user = User::new();
    let below = user.sandbox.project().join("below");
    fs::create_dir_all(&below).unwrap();
    let started_below = || {
        let run = user.plugins().cwd(&below).env("CLAUDE_PROJECT_DIR", below.display().to_string());
        run.run()
    };
    user.install("project");
    acts(&started_below());
    user.install("local");
    steps_back(&started_below());
}

#[test]
fn what_is_not_surely_started_and_heard_is_not_left_to() {
    type Change = fn(&mut Value);
    let rows: [(&str, Change); 6] = [
        ("on no such event", |settings| {
            drop(settings["hooks"].as_object_mut().unwrap().remove("PreToolUse"));
        }),
        ("not waited for", |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true)),
        ("for another tool", |settings| settings["hooks"]["PreToolUse"][0]["matcher"] = json!("Bash")),
        ("ended at once", |settings| settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(0.01)),
        ("a file the client cannot read", |settings| settings["env"] = json!("x")),
        ("another program", |settings| {
            settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] =
                json!("/elsewhere/hooks/requirements-check");
        }),
    ];
    for (what, change) in rows {
        let user = User::new();
        user.install("user");
        steps_back(&user.plugins().run());
        let mut settings = user.settings(Level::User);
        change(&mut settings);
        user.sandbox.settings(Level::User, &settings);
        let outcome = user.plugins().run();
        assert!(outcome.stdout_text().contains("\"deny\""), "{what}: {outcome}");
    }
    let user = User::new();
    user.install("user");
    fs::remove_file(user.sandbox.home().join(".claude/hooks").join(GATE)).unwrap();
    acts(&user.plugins().run());
}

#[test]
fn a_project_cannot_write_a_line_for_which_it_steps_back() {
    let user = User::new();
    user.install("user");
    let settings = user.settings(Level::User);
    user.installer("uninstall --yes");
    user.installer("install --prebuilt PREBUILT --hooks rate-awareness --yes");
    for line in [": barbless requirements-check; exit 0", ": barbless requirements-check"] {
        let entry = json!({ "type": "command", "command": line });
        let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [entry] }] } });
        user.sandbox.settings(Level::Project, &hooks);
        acts(&user.plugins().run());
    }
    // That is no line of ours either, whatever it names; in the user's own file for the project it is.
    user.sandbox.settings(Level::Project, &settings);
    acts(&user.plugins().run());
    user.sandbox.settings(Level::Local, &settings);
    steps_back(&user.plugins().run());
}

#[test]
fn beside_other_words_it_is_no_hook() {
    let user = User::new();
    let outcome = user.copy().args(["--plugin", "status"]).run();
    outcome.assert_exit(64);
}
