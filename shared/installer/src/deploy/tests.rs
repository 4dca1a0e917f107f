//! Copies in a scratch home: idempotent, private, and never over somebody else's file.

use std::fs;
use std::path::Path;

use shared::catalog::{Catalog, HookEntry};

use super::{copy, everything, remove};
use crate::manifest::Manifest;
use crate::places::{Installation, Scope, executable};
use crate::source::{Binaries, Source};
use crate::voice::Voice;

fn installation(folder: &Path) -> Installation {
    Installation {
        voice: Voice::Xtask,
        home: folder.to_owned(),
        hooks: folder.join(".claude/hooks"),
        bin: folder.join(".local/bin"),
        scope: Scope::User,
        project: None,
        settings: folder.join(".claude/settings.json"),
        requirements: folder.join(".claude/requirements.yaml"),
        state: folder.join(".claude/hook-state"),
    }
}

fn built(folder: &Path, bytes: &str) -> Binaries {
    let path = folder.join("built");
    fs::write(&path, bytes).unwrap();
    [("a-gate".to_owned(), path)].into()
}

#[test]
fn a_second_copy_of_the_same_changes_nothing_and_a_new_build_replaces() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    assert_eq!(copy(&installation, &built(scratch.path(), "one")).unwrap(), ["a-gate"]);
    assert_eq!(copy(&installation, &built(scratch.path(), "one")).unwrap(), [""; 0]);
    assert_eq!(copy(&installation, &built(scratch.path(), "two")).unwrap(), ["a-gate"]);
    assert_eq!(fs::read_to_string(installation.deployed("a-gate")).unwrap(), "two");
    assert!(Manifest::read(&installation).unwrap().vouches_for(&installation, "a-gate"));
    let left: Vec<_> =
        fs::read_dir(&installation.hooks).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[cfg(unix)]
#[test]
fn programs_are_executable_and_new_folders_private() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    copy(&installation, &built(scratch.path(), "one")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&installation.deployed("a-gate")), 0o755);
    assert_eq!(mode(&scratch.path().join(".claude")), 0o700);
    fs::set_permissions(installation.deployed("a-gate"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(copy(&installation, &built(scratch.path(), "one")).unwrap(), ["a-gate"]);
    assert_eq!(mode(&installation.deployed("a-gate")), 0o755);
}

#[test]
fn a_file_of_somebody_elses_is_never_replaced_but_our_own_bytes_are_adopted() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    fs::create_dir_all(&installation.hooks).unwrap();
    fs::write(installation.deployed("a-gate"), "mine").unwrap();
    let error = copy(&installation, &built(scratch.path(), "one")).unwrap_err().to_string();
    assert!(error.ends_with("a-gate is not ours and is not replaced: move it away and try again"), "{error}");
    assert_eq!(fs::read_to_string(installation.deployed("a-gate")).unwrap(), "mine");

    copy(&installation, &built(scratch.path(), "mine")).unwrap();
    assert!(Manifest::read(&installation).unwrap().vouches_for(&installation, "a-gate"));
}

#[test]
fn only_what_still_is_what_was_deployed_is_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    copy(&installation, &built(scratch.path(), "one")).unwrap();
    fs::write(installation.deployed("a-gate"), "patched").unwrap();
    assert!(!remove(&installation, "a-gate").unwrap());
    fs::write(installation.deployed("a-gate"), "one").unwrap();
    assert!(remove(&installation, "a-gate").unwrap());
    assert!(!installation.deployed("a-gate").exists());
    assert_eq!(fs::read_dir(&installation.hooks).unwrap().count(), 0, "an empty manifest goes too");
}

#[test]
fn a_manifest_that_is_not_ours_stops_everything() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    fs::create_dir_all(&installation.hooks).unwrap();
    for text in ["{}", "{\"product\":\"other\",\"files\":{}}", "x"] {
        fs::write(installation.hooks.join("manifest.json"), text).unwrap();
        assert!(copy(&installation, &built(scratch.path(), "one")).is_err(), "{text}");
        assert!(!installation.deployed("a-gate").exists());
    }
}

/// One hook.
fn catalog() -> Catalog {
    let hook = Catalog::built_in().unwrap().hooks.remove(0);
    Catalog {
        hooks: vec![HookEntry { name: "a-gate".to_owned(), commands: vec!["a-gate".to_owned()], ..hook }],
    }
}

#[test]
fn in_the_folder_they_are_deployed_in_new_files_become_ours_and_nothing_is_copied() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    fs::create_dir_all(&installation.hooks).unwrap();
    fs::write(installation.deployed("a-gate"), "one").unwrap();
    // However the folder is spelt.
    let source = Source::Folder(installation.hooks.join("../hooks"));
    let vouches = || Manifest::read(&installation).unwrap().vouches_for(&installation, "a-gate");
    everything(&installation, &catalog(), &source).unwrap();
    assert!(vouches());
    assert!(installation.bin.join(executable("a-gate")).exists(), "its command is linked");
    assert!(
        !everything(&installation, &catalog(), &source).unwrap().changed,
        "a second time there is nothing to do"
    );

    fs::write(installation.deployed("a-gate"), "patched").unwrap();
    everything(&installation, &catalog(), &source).unwrap();
    assert!(!vouches(), "what was changed since is not taken for ours");
    assert_eq!(fs::read_to_string(installation.deployed("a-gate")).unwrap(), "patched");
}

#[test]
fn a_hook_that_is_not_there_gets_no_command() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    let done = everything(&installation, &catalog(), &Source::Folder(scratch.path().to_owned())).unwrap();
    assert!(done.binaries.is_empty() && !done.changed);
    assert!(installation.bin.join(executable("a-gate")).symlink_metadata().is_err());
}
