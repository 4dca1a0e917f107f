//! The plugin without Claude Code: its copy of a hook beside the one that settings start, what its texts tell people and Claude
//! to type (each such line is typed here, and is no wrong usage), and the archive, with programs that are made up.

use installer::catalog::Catalog;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests::binaries;
use tests::payloads::Session;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox, toolchain_env};

use crate::driver::tree;
use crate::installer::User;
use crate::manual::person::Person;

const LINUX: &str = "x86_64-unknown-linux-gnu";

/// A script per program, which says its name.
fn scripts(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.root().join("built");
    fs::create_dir_all(&folder).unwrap();
    let catalog = Catalog::built_in().unwrap();
    let hooks = catalog.hooks.iter().map(|hook| hook.name.as_str());
    for name in hooks.chain(catalog.helpers()).chain(["req"]) {
        for ending in ["", ".exe"] {
            fs::write(folder.join(format!("{name}{ending}")), format!("#!/bin/sh\necho {name}\n")).unwrap();
        }
    }
    folder
}

/// Packs for this platform; the folder that holds all of it.
fn packed(sandbox: &Sandbox, triple: &str, out: &Path) -> PathBuf {
    let words = ["package", "--target", triple, "--prebuilt"].map(str::to_owned);
    let folders = [scripts(sandbox).display().to_string(), "--out".to_owned(), out.display().to_string()];
    let run = Invocation::new(binaries::developer(), sandbox).args(words).args(folders).envs(toolchain_env());
    let outcome = run.run();
    outcome.assert_exit(0);
    let said = outcome.stdout_text();
    let folder = out.join(env!("CARGO_PKG_VERSION"));
    assert!(said.contains("claude plugin install barbless@barbless"), "{said}");
    assert!(said.contains(&format!("marketplace add {}", folder.display())), "{said}");
    folder
}

#[track_caller]
fn run(folder: &Path, program: &str, words: &[&str]) -> String {
    let output = Command::new(program).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program} {words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_archive_is_what_its_checksum_says_and_unpacks_to_programs_that_start() {
    let sandbox = Sandbox::new();
    let folder = packed(&sandbox, LINUX, &sandbox.root().join("dist"));
    let name = format!("barbless-{}-{LINUX}", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&folder, "sha256sum", &["-c", "SHA256SUMS"]), format!("{name}.tar.gz: OK\n"));
    let elsewhere = sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    let archive = folder.join(format!("{name}.tar.gz"));
    run(&elsewhere, "tar", &["-xzf", archive.to_str().unwrap()]);
    let unpacked = elsewhere.join(&name);
    assert_eq!(run(&unpacked, "./req", &[]), "req\n");
    assert_eq!(run(&unpacked, "bin/pace-maker", &[]), "credit-pacer\n");
    assert_eq!(run(&unpacked, "bin/stop-momentum", &[]), "stop-momentum\n");
    let tree = folder.join(&name);
    assert_eq!(run(&elsewhere, "diff", &["-r", unpacked.to_str().unwrap(), tree.to_str().unwrap()]), "");
}

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("plugin")
}

/// Texts that are set as code: in the line, and on lines of their own.
fn code(text: &str) -> Vec<String> {
    let joined = text.replace("\n\n", "\u{0}").replace('\n', " ").replace('\u{0}', "\n\n");
    let mut found: Vec<String> = Vec::new();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("```"));
    found.extend(lines.map(str::to_owned));
    for paragraph in joined.split("\n\n") {
        let code = paragraph.split('`').skip(1).step_by(2);
        found.extend(code.map(|code| code.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    found
}

/// Every line that begins with a command of ours, with the text it stands in.
fn lines_to_type(person: &Person) -> BTreeSet<(String, String)> {
    let texts =
        tree(&plugin()).into_iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "md"));
    let found = texts.flat_map(|(path, text)| {
        let path = path.strip_prefix(plugin()).unwrap().display().to_string();
        code(&text).into_iter().map(move |line| (line, path.clone()))
    });
    let is_ours = |line: &str| line.split_once(' ').is_some_and(|(word, _)| person.knows(word));
    found.filter(|(line, _)| is_ours(line) && !line.ends_with("$ARGUMENTS")).collect()
}

#[test]
fn every_line_that_is_to_be_typed_is_one_that_the_program_knows() {
    let person = Person::new();
    person.sandbox.requirements(Level::Project, "requirements: {commit_plan: {enabled: true}}\n");
    let lines = lines_to_type(&person);
    assert!(lines.len() > 20, "{lines:#?}");
    for (line, path) in &lines {
        // A usage sets in brackets what may be left out.
        let typed = line.split(" [").next().unwrap();
        let outcome = match typed.split(' ').collect::<Vec<_>>()[..] {
            // A verb alone, as a sentence names it, may lack what it needs.
            ["req", verb] if verb != "help" => person.claude_runs(&format!("req help {verb}")),
            _ => person.claude_runs(typed),
        };
        assert!(matches!(outcome.status.code(), Some(0 | 1)), "{path}: {line}: {outcome}");
        // A topic that the manual lacks ends with 1.
        let is_topic = line.starts_with("req docs ") && line != "req docs TOPIC";
        assert!(!is_topic || outcome.status.success(), "{path}: {line}: {outcome}");
    }
}

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
