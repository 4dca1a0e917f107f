//! Two builds, one after the other and back: programs, manifest, settings, and what was remembered.
//!
//! The later build is no other source: it is a copy in which the stamp of `shared::version` says 99.0.0, and one more than
//! the version of this one's state files. So its installer, its `doctor` and every hook of it really speak as that version,
//! and what it remembers is a newer version's, written by a program. What has a version of its own (marks, snapshots, the
//! database, the manifest) it writes as this one does: `newer` raises those by hand.

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

/// This version.
const OWN: &str = env!("CARGO_PKG_VERSION");

/// What the stamp of `shared::version` begins with; behind it stand the version of state files and the build's own.
const MARK: &[u8] = b"\0barbless-stamp\0";

/// So long is the first of these.
const NUMBER: usize = 4;

/// Every program of an archive in a folder, as `change` leaves its bytes.
fn build(sandbox: &Sandbox, name: &str, change: impl Fn(&str, &mut [u8])) -> PathBuf {
    let folder = sandbox.temporary_dir().join(name);
    fs::create_dir(&folder).unwrap();
    for program in programs() {
        let copy = folder.join(&program);
        fs::copy(binaries::path(&program), &copy).unwrap();
        let mut bytes = fs::read(&copy).unwrap();
        change(&program, &mut bytes);
        let mut file = OpenOptions::new().write(true).open(&copy).unwrap();
        file.write_all(&bytes).unwrap();
        // No two builds are of the same bytes: the child that opens connections has no stamp.
        file.write_all(name.as_bytes()).unwrap();
    }
    folder
}

fn this_one(sandbox: &Sandbox) -> PathBuf {
    build(sandbox, "old", |_, _| {})
}

fn the_later_one(sandbox: &Sandbox) -> PathBuf {
    build(sandbox, "new", |program, bytes| {
        let ends: Vec<usize> = bytes
            .windows(MARK.len())
            .enumerate()
            .filter_map(|(at, piece)| (piece == MARK).then_some(at + MARK.len()))
            .collect();
        let [number] = ends[..] else {
            assert_eq!((program, ends.len()), ("courier", 0), "a stamp in each program");
            return;
        };
        bytes[number..number + NUMBER].copy_from_slice(b"2   ");
        let version = &mut bytes[number + NUMBER..][..LATER.len() + 4];
        assert!(version.starts_with(OWN.as_bytes()), "{program}");
        version.fill(b' ');
        version[..LATER.len()].copy_from_slice(LATER.as_bytes());
    })
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

/// Installs that build and looks at what came of it.
#[track_caller]
fn install(day: &Day, build: &Path, version: &str) {
    run(&day.sandbox, build, "hooks install --all --yes").assert_exit(0);
    let text = fs::read_to_string(day.programs.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["version"], 1);
    let files = manifest["files"].as_object().unwrap();
    assert_eq!(files.len(), programs().len(), "{text}");
    for (program, deployed) in files {
        let bytes = fs::read(day.programs.join(program)).unwrap();
        assert!(bytes == fs::read(build.join(program)).unwrap(), "{program} is of that build");
        assert_eq!(deployed["size"], json!(bytes.len()), "{program}");
        assert_eq!(deployed["version"], version, "{program}");
    }
    let said = day.runs("stop-momentum", "version").stdout_text();
    assert_eq!(said, format!("stop-momentum {version}\n"));
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

/// The files with an envelope of that version, but for what a write leaves as `.tmp`.
fn of_version(remembered: &BTreeMap<PathBuf, String>, version: u32) -> BTreeMap<PathBuf, String> {
    let start = format!("{{\"version\":{version},\"session\":");
    let is_spare = |path: &PathBuf| path.extension().is_some_and(|end| end == "tmp");
    let is_it = |(path, text): &(&PathBuf, &String)| {
        text.starts_with(&start) && text.contains("\"state\":") && !is_spare(path)
    };
    remembered.iter().filter(is_it).map(|(path, text)| (path.clone(), text.clone())).collect()
}

/// A home with both builds beside it, which knows none yet.
fn with_both() -> (Day, PathBuf, PathBuf) {
    let sandbox = Sandbox::new();
    fs::write(sandbox.settings_path(Level::User), SETTINGS).unwrap();
    let (old, new) = (this_one(&sandbox), the_later_one(&sandbox));
    let hooks = sandbox.home().join(".claude/hooks");
    (Day::with(sandbox, hooks), old, new)
}

fn journal(day: &Day) -> String {
    fs::read_to_string(day.state().join("journal.jsonl")).unwrap()
}

/// Nothing went wrong, and nothing was set aside.
#[track_caller]
fn assert_all_is_well(day: &Day, journal: &str) {
    assert!(!journal.contains("newer version") && !journal.contains("\"what\":\"error\""), "{journal}");
    let aside: Vec<PathBuf> = tree(&day.state())
        .into_keys()
        .filter(|path| path.extension().is_some_and(|end| end == "corrupt"))
        .collect();
    assert!(aside.is_empty(), "{aside:?}");
}

/// Installing another build changes programs and nothing else.
#[track_caller]
fn changes_to(day: &Day, build: &Path, version: &str) {
    let settings = || fs::read(day.sandbox.settings_path(Level::User)).unwrap();
    let (registered, known) = (settings(), remembered(day));
    install(day, build, version);
    assert_eq!(changed(&known, &remembered(day)), [""; 0]);
    assert!(settings() == registered);
}

#[test]
fn a_newer_build_takes_over_what_the_older_one_remembered() {
    let (day, old, new) = with_both();
    install(&day, &old, OWN);
    day.works(1);
    day.tells(&day.session.user_prompt_submit("tempo-stop off"), "2-1-329");
    let is_off = || day.runs("tempo-stop", "status").stdout_text().contains("off, set by its switch");
    assert!(is_off(), "{}", day.runs("tempo-stop", "status"));
    let before = of_version(&remembered(&day), 1);
    assert!(before.len() >= 15, "{:?}", before.keys());

    changes_to(&day, &new, LATER);
    let said = |line: &str| run(&day.sandbox, &old, line).stdout_text();
    for line in ["doctor", "hooks status"] {
        let said = said(line);
        let difference = format!("version {LATER} is installed, this is {OWN}");
        assert!(said.contains(&difference), "{line}: {said}");
    }
    assert!(said("doctor").contains("this req is older than the hooks"));
    assert!(is_off());

    day.works(2);
    assert_all_is_well(&day, &journal(&day));
    let after = remembered(&day);
    let raised = of_version(&after, 2);
    let lost: Vec<&PathBuf> = before
        .iter()
        .filter(|(path, text)| !raised.contains_key(*path) && after.get(*path) != Some(*text))
        .map(|(path, _)| path)
        .collect();
    assert!(lost.is_empty(), "written by the newer build, or as they were: {lost:#?}");
    assert!(raised.len() >= 10, "{:?}", raised.keys());
    run(&day.sandbox, &new, "hooks uninstall --yes").assert_exit(0);
    assert_eq!(fs::read_to_string(day.sandbox.settings_path(Level::User)).unwrap(), SETTINGS);
}

#[test]
fn an_older_build_leaves_what_the_newer_one_remembered_as_it_was() {
    let (day, old, new) = with_both();
    install(&day, &new, LATER);
    day.works(1);
    assert_all_is_well(&day, &journal(&day));
    let newers = of_version(&remembered(&day), 2);
    assert!(newers.len() >= 15, "{:?}", newers.keys());
    assert_eq!(of_version(&remembered(&day), 1), BTreeMap::new());

    changes_to(&day, &old, OWN);
    day.works(2);
    let after = remembered(&day);
    let touched: Vec<&PathBuf> =
        newers.iter().filter(|(path, text)| after.get(*path) != Some(*text)).map(|(path, _)| path).collect();
    assert!(touched.is_empty(), "{touched:#?}");
    let before = journal(&day);
    assert!(before.contains("newer version of Barbless"), "{before}");

    changes_to(&day, &new, LATER);
    day.works(3);
    assert_all_is_well(&day, &journal(&day)[before.len()..]);
    let after = of_version(&remembered(&day), 2);
    let lost: Vec<&PathBuf> = newers.keys().filter(|path| !after.contains_key(*path)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
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
