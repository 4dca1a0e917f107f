//! Two builds, one after the other and back: programs, manifest, settings, and what was remembered.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use shared::catalog::Catalog;
use tests::binaries;
use tests::process::{Invocation, Outcome};
use tests::sandbox::{Level, Sandbox};

use super::Day;
use crate::driver::tree;

const SETTINGS: &str = "{ \"model\": \"opus\",\r\n\t\"hooks\": { } }\r\n";

/// A version that is later than any.
const LATER: &str = "99.0.0";

/// Every program of an archive in a folder, each with these bytes behind it, which it runs without.
fn build(sandbox: &Sandbox, name: &str, behind: &[u8]) -> PathBuf {
    let folder = sandbox.temporary_dir().join(name);
    fs::create_dir(&folder).unwrap();
    for program in programs() {
        let copy = folder.join(&program);
        fs::copy(binaries::path(&program), &copy).unwrap();
        OpenOptions::new().append(true).open(&copy).unwrap().write_all(behind).unwrap();
    }
    folder
}

fn programs() -> Vec<String> {
    let hooks = Catalog::built_in().unwrap().hooks.into_iter();
    let names = hooks.flat_map(|hook| [hook.name].into_iter().chain(hook.helpers)).chain(["req".to_owned()]);
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

#[track_caller]
fn run(sandbox: &Sandbox, build: &Path, line: &str) -> Outcome {
    let req = Invocation::new(build.join("req"), sandbox).args(line.split_whitespace());
    req.unset("CLAUDE_HOOK_STATE_DIR").deadline(Duration::from_secs(120)).run()
}

/// Installs that build, whose installer writes this version down, and looks at what came of it.
#[track_caller]
fn install(day: &Day, build: &Path, version: &str) {
    run(&day.sandbox, build, "hooks install --all --yes").assert_exit(0);
    let path = day.programs.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["version"], 1);
    for (program, deployed) in manifest["files"].as_object_mut().unwrap() {
        let bytes = fs::read(day.programs.join(program)).unwrap();
        assert!(bytes == fs::read(build.join(program)).unwrap(), "{program} is of that build");
        assert_eq!(deployed["size"], json!(bytes.len()), "{program}");
        assert_eq!(deployed["version"], env!("CARGO_PKG_VERSION"), "{program}");
        deployed["version"] = version.into();
    }
    assert_eq!(manifest["files"].as_object().unwrap().len(), programs().len(), "{text}");
    fs::write(path, serde_json::to_string_pretty(&manifest).unwrap() + "\n").unwrap();
}

/// What the hooks remember. Installing proves every hook at last, and notes that.
fn remembered(day: &Day) -> BTreeMap<PathBuf, String> {
    let mut remembered = tree(&day.state());
    remembered.retain(|path, _| !path.to_string_lossy().contains("/proved.json"));
    remembered
}

/// The files that came, went or are not as they were.
fn changed(before: &BTreeMap<PathBuf, String>, after: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let is_changed = |path: &&&PathBuf| before.get(**path) != after.get(**path);
    paths.iter().filter(is_changed).map(|path| path.display().to_string()).collect()
}

#[test]
fn a_newer_build_and_the_older_one_again_replace_programs_and_nothing_else() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.settings_path(Level::User), SETTINGS).unwrap();
    let (old, new) = (build(&sandbox, "old", b"old build"), build(&sandbox, "new", b"the newer build"));
    let hooks = sandbox.home().join(".claude/hooks");
    let day = Day::with(sandbox, hooks);
    let own = env!("CARGO_PKG_VERSION");
    install(&day, &old, own);
    day.works(1);
    let settings = || fs::read(day.sandbox.settings_path(Level::User)).unwrap();
    let (registered, known) = (settings(), remembered(&day));
    let says = |build: &Path, line: &str| run(&day.sandbox, build, line).stdout_text();
    let difference = |version: &str| format!("version {version} is installed, this is {own}");

    install(&day, &new, LATER);
    assert_eq!(changed(&known, &remembered(&day)), [""; 0]);
    assert!(settings() == registered);
    for line in ["doctor", "hooks status"] {
        let said = says(&old, line);
        assert!(said.contains(&difference(LATER)), "{line}: {said}");
    }
    assert!(says(&old, "doctor").contains("this req is older than the hooks"));

    install(&day, &old, own);
    assert_eq!(changed(&known, &remembered(&day)), [""; 0]);
    assert!(settings() == registered);
    for line in ["doctor", "hooks status"] {
        let said = says(&old, line);
        assert!(!said.contains("is installed, this is"), "{line}: {said}");
    }
    day.works(2);
    let journal = fs::read_to_string(day.state().join("journal.jsonl")).unwrap();
    assert!(!journal.contains("newer version") && !journal.contains("\"what\":\"error\""), "{journal}");
    run(&day.sandbox, &old, "hooks uninstall --yes").assert_exit(0);
    assert_eq!(fs::read_to_string(day.sandbox.settings_path(Level::User)).unwrap(), SETTINGS);
}

#[test]
fn a_manifest_of_a_newer_version_stops_every_command_that_would_change_it() {
    let sandbox = Sandbox::new();
    let path = sandbox.home().join(".claude/hooks/manifest.json");
    let newer = json!({ "product": "barbless", "version": 2, "files": {}, "more": ["kept"] }).to_string();
    sandbox.write_home(".claude/hooks/manifest.json", &newer);
    let before = tree(&sandbox.home());
    let build = binaries::folder();
    let lines = ["install --all --yes", "enable stop-momentum", "uninstall --purge --yes"];
    for line in lines {
        let outcome = run(&sandbox, &build, &format!("hooks {line}"));
        outcome.assert_exit(1);
        let said = outcome.stderr_text();
        assert!(said.contains("manifest.json was written by a newer version of Barbless"), "{line}: {said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), newer, "{line}");
    }
    let doctor = run(&sandbox, &build, "doctor");
    assert!(doctor.stderr_text().contains("newer version of Barbless"), "{doctor}");
    assert_eq!(tree(&sandbox.home()), before);
}
