//! Folders of a call, on real folders.

use std::fs;

use super::{Places, UNUSABLE};
use crate::host::Environment;

fn environment(home: &std::path::Path) -> Environment {
    Environment { home: Some(home.to_path_buf()), ..Environment::default() }
}

#[test]
fn the_root_is_the_git_top_level_from_any_folder_below() {
    let scratch = tempfile::tempdir().unwrap();
    let project = scratch.path().join("project");
    fs::create_dir_all(project.join("a/b")).unwrap();
    fs::write(project.join(".git"), "gitdir: elsewhere").unwrap();
    let from_below = Places::resolve(&environment(scratch.path()), Some(&project.join("a/b")));
    assert_eq!(from_below.root.as_deref(), Some(project.as_path()));
}

#[cfg(unix)]
#[test]
fn home_and_a_project_whose_folder_links_to_the_users_own_have_no_project_layer() {
    let scratch = tempfile::tempdir().unwrap();
    let (home, project) = (scratch.path().join("home"), scratch.path().join("project"));
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::create_dir(&project).unwrap();
    std::os::unix::fs::symlink(home.join(".claude"), project.join(".claude")).unwrap();
    for root in [&project, &home] {
        assert_eq!(Places::resolve(&environment(&home), Some(root)).project_claude_dir, None);
    }
}

#[cfg(unix)]
#[test]
fn a_state_folder_counts_only_outside_every_work_tree_around_and_private_to_its_user() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = tempfile::tempdir().unwrap();
    let at = |path: &str| scratch.path().join(path);
    fs::create_dir_all(at("project/.git")).unwrap();
    fs::create_dir_all(at("project/worktrees/a")).unwrap();
    fs::write(at("project/worktrees/a/.git"), "gitdir: elsewhere").unwrap();
    fs::write(at("file"), "").unwrap();
    fs::create_dir(at("unwritable")).unwrap();
    fs::write(at("unwritable/heartbeat"), "").unwrap();
    symlink(at("project"), at("link")).unwrap();
    fs::create_dir(at("led-away")).unwrap();
    symlink(at("project"), at("led-away/heartbeat")).unwrap();
    fs::create_dir(at("open")).unwrap();
    fs::set_permissions(at("open"), fs::Permissions::from_mode(0o777)).unwrap();
    for start in ["project", "project/worktrees/a"] {
        for (wanted, expected) in [
            (at("state"), None),
            (at("project/state"), Some("it lies inside the project")),
            (at("project/worktrees/b"), Some("it lies inside the project")),
            (at("link/state"), Some("it lies inside the project")),
            ("state".into(), Some(UNUSABLE)),
            (at("file"), Some(UNUSABLE)),
            (at("unwritable"), Some(UNUSABLE)),
            (at("led-away"), Some(UNUSABLE)),
            (at("open"), Some("others may write to it")),
        ] {
            let environment = Environment { state_dir: Some(wanted.clone()), ..environment(scratch.path()) };
            let places = Places::resolve(&environment, Some(&at(start)));
            assert_eq!(places.state_dir_ignored, expected, "{}", wanted.display());
            assert_eq!(places.state_dir.unwrap() == wanted, expected.is_none(), "{}", wanted.display());
        }
    }
}

#[test]
fn a_folder_of_fifty_thousand_parts_costs_no_more_than_its_length() {
    let deep = std::path::PathBuf::from("/a".repeat(50_000));
    let scratch = tempfile::tempdir().unwrap();
    let environment = Environment { state_dir: Some(deep.clone()), ..environment(scratch.path()) };
    let began = std::time::Instant::now();
    let _ = Places::resolve(&environment, Some(&deep));
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
}
