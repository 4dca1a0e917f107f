//! Copies in a scratch home: idempotent, private, and never over somebody else's file.

use std::fs;
use std::path::Path;

use crate::catalog::{Answer, Catalog, HookEntry};

use super::{copy, remove};
use crate::manifest::Manifest;
use crate::places::{Installation, Scope};
use crate::source::Binaries;

fn installation(folder: &Path) -> Installation {
    Installation::scratch(folder, Scope::User)
}

fn built(folder: &Path, bytes: &str) -> Binaries {
    let path = folder.join("built");
    fs::write(&path, bytes).unwrap();
    [("a-gate".to_owned(), path)].into()
}

/// Copies programs that are no hooks, which have nothing to prove.
fn given(installation: &Installation, binaries: &Binaries) -> anyhow::Result<Vec<String>> {
    copy(installation, binaries, None)
}

#[test]
fn a_second_copy_of_the_same_changes_nothing_and_a_new_build_replaces() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    assert_eq!(given(&installation, &built(scratch.path(), "one")).unwrap(), ["a-gate"]);
    assert_eq!(given(&installation, &built(scratch.path(), "one")).unwrap(), [""; 0]);
    assert_eq!(given(&installation, &built(scratch.path(), "two")).unwrap(), ["a-gate"]);
    assert_eq!(fs::read_to_string(installation.installed("a-gate")).unwrap(), "two");
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
    given(&installation, &built(scratch.path(), "one")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&installation.installed("a-gate")), 0o755);
    assert_eq!(mode(&scratch.path().join(".claude")), 0o700);
    let set = |mode| {
        fs::set_permissions(installation.installed("a-gate"), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o644);
    assert_eq!(given(&installation, &built(scratch.path(), "one")).unwrap(), ["a-gate"]);
    assert_eq!(mode(&installation.installed("a-gate")), 0o755);
}

#[test]
fn a_file_of_somebody_elses_is_never_replaced_but_our_own_bytes_are_adopted() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    fs::create_dir_all(&installation.hooks).unwrap();
    fs::write(installation.installed("a-gate"), "mine").unwrap();
    let error = given(&installation, &built(scratch.path(), "one")).unwrap_err().to_string();
    assert!(error.ends_with("a-gate is not ours and is not replaced: move it away and try again"), "{error}");
    assert_eq!(fs::read_to_string(installation.installed("a-gate")).unwrap(), "mine");

    given(&installation, &built(scratch.path(), "mine")).unwrap();
    assert!(Manifest::read(&installation).unwrap().vouches_for(&installation, "a-gate"));
}

#[test]
fn only_what_still_is_what_was_installed_is_removed() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    given(&installation, &built(scratch.path(), "one")).unwrap();
    let abandoned = installation.hooks.join("a-gate.barbless-new");
    fs::write(&abandoned, "of a killed installation").unwrap();
    fs::write(installation.installed("a-gate"), "patched").unwrap();
    let gate = ["a-gate".to_owned()];
    assert_eq!(remove(&installation, &gate).unwrap(), [""; 0]);
    assert!(!abandoned.exists());
    fs::write(installation.installed("a-gate"), "one").unwrap();
    assert_eq!(remove(&installation, &gate).unwrap(), gate);
    assert!(!installation.installed("a-gate").exists());
    assert!(!installation.hooks.exists(), "an empty manifest goes too");
}

#[test]
fn a_manifest_that_is_not_ours_stops_everything() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    fs::create_dir_all(&installation.hooks).unwrap();
    for text in ["{}", "{\"product\":\"other\",\"files\":{}}", "x"] {
        fs::write(installation.hooks.join("manifest.json"), text).unwrap();
        assert!(given(&installation, &built(scratch.path(), "one")).is_err(), "{text}");
        assert!(!installation.installed("a-gate").exists());
    }
}

#[test]
fn a_manifest_of_a_newer_version_is_not_changed_and_one_without_a_version_is_ours() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    fs::create_dir_all(&installation.hooks).unwrap();
    let path = installation.hooks.join("manifest.json");
    for newer in [
        r#"{"product":"barbless","version":2,"files":{},"more":{"a":1}}"#,
        r#"{"product":"barbless","version":2,"files":[]}"#,
    ] {
        fs::write(&path, newer).unwrap();
        let said = given(&installation, &built(scratch.path(), "one")).unwrap_err();
        assert!(said.to_string().contains("newer version of Barbless"), "{said}");
        assert!(remove(&installation, &["a-gate".to_owned()]).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), newer);
        assert!(!installation.installed("a-gate").exists());
    }
    fs::write(&path, r#"{"product":"barbless","files":{}}"#).unwrap();
    given(&installation, &built(scratch.path(), "one")).unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains(r#""version": 1,"#));
}

/// One hook.
fn catalog() -> Catalog {
    let hook = Catalog::built_in().unwrap().hooks[0].clone();
    Catalog {
        hooks: vec![HookEntry { name: "a-gate".to_owned(), commands: vec!["a-gate".to_owned()], ..hook }],
    }
}

#[test]
fn only_the_user_installs_programs_that_the_manifest_does_not_know() {
    let scratch = tempfile::tempdir().unwrap();
    let installation = installation(scratch.path());
    let known = |bytes: &str| {
        copy(&installation, &built(scratch.path(), bytes), Some("req hooks install --from DIR"))
    };
    let refused = |bytes: &str| {
        let error = known(bytes).unwrap_err().to_string();
        assert!(error.contains("is not what is installed here"), "{error}");
        assert!(error.ends_with("type: req hooks install --from DIR"), "{error}");
    };
    refused("one");
    assert!(!installation.hooks.exists(), "nor at a first time");
    given(&installation, &built(scratch.path(), "one")).unwrap();
    refused("two");
    assert_eq!(fs::read_to_string(installation.installed("a-gate")).unwrap(), "one");
    assert_eq!(known("one").unwrap(), [""; 0]);
    fs::remove_file(installation.installed("a-gate")).unwrap();
    assert_eq!(known("one").unwrap(), ["a-gate"], "what is gone comes back");
}

#[cfg(unix)]
#[test]
fn a_hook_is_replaced_only_by_one_that_does_what_it_promises() {
    let scratch = tempfile::tempdir().unwrap();
    let mut catalog = catalog();
    let proof = &mut catalog.hooks[0].proof;
    proof.event = [("hook_event_name".to_owned(), "Stop".into())].into_iter().collect();
    proof.answer = Answer::Block;
    let installation = Installation { catalog: catalog.leaked(), ..installation(scratch.path()) };
    let gate = |line: &str| {
        let script = format!("#!/bin/sh\ncat >/dev/null; {line}\n");
        copy(&installation, &built(scratch.path(), &script), None)
    };
    let refused = |line: &str| {
        let error = format!("{:#}", gate(line).unwrap_err());
        assert!(error.contains("nothing was copied: answered Stop with silence"), "{error}");
    };
    refused("exit 0");
    assert!(!installation.hooks.exists(), "nothing is left of it");
    let blocks = r#"echo '{"decision":"block","reason":"r"}'"#;
    assert_eq!(gate(blocks).unwrap(), ["a-gate"]);
    let files = || {
        let files = fs::read_dir(&installation.hooks).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.map(|path| (fs::read(&path).unwrap(), path)).collect();
        files.sort();
        files
    };
    let before = files();
    refused("true");
    assert_eq!(files(), before, "the old one, and what is known of it");
}

#[cfg(unix)]
#[test]
fn command_is_linked_kept_and_never_put_over_somebody_elses() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().unwrap();
    let (hooks, bin) = (scratch.path().join("hooks"), scratch.path().join("bin"));
    let (path, target) = (bin.join("a-gate"), hooks.join("a-gate"));
    let place = |path: &Path, target: &Path| super::place(path, target, &hooks).unwrap();
    assert_eq!(place(&path, &target), Some(true));
    assert_eq!(place(&path, &target), Some(false));
    assert_eq!(place(&path, &hooks.join("another")), Some(true), "ours may change");
    fs::write(bin.join("file"), "mine").unwrap();
    symlink("/bin/sh", bin.join("link")).unwrap();
    for theirs in ["file", "link"] {
        let before = fs::read(bin.join(theirs)).unwrap();
        assert_eq!(place(&bin.join(theirs), &target), None);
        assert_eq!(fs::read(bin.join(theirs)).unwrap(), before);
    }
}
