//! Folders of a call, on real folders.

use std::fs;

use super::{Places, StateDirIgnored};
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
        assert_eq!(
            Places::resolve(&environment(&home), Some(root)).project_claude_dir,
            None,
            "{}",
            root.display()
        );
    }
}

#[track_caller]
fn check_state_dir(
    prepare: impl Fn(&std::path::Path) -> std::path::PathBuf,
    expected: Option<StateDirIgnored>,
) {
    let scratch = tempfile::tempdir().unwrap();
    let project = scratch.path().join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    let wanted = prepare(scratch.path());
    let environment = Environment { state_dir: Some(wanted.clone()), ..environment(scratch.path()) };
    let places = Places::resolve(&environment, Some(&project));
    assert_eq!(places.state_dir_ignored, expected);
    let used = places.state_dir.unwrap();
    assert_eq!(used == wanted, expected.is_none(), "{}", used.display());
}

#[test]
fn state_folder_counts_if_it_lies_outside_the_project_and_can_be_made() {
    check_state_dir(|scratch| scratch.join("state"), None);
    check_state_dir(|scratch| scratch.join("project/state"), Some(StateDirIgnored::InsideProject));
    check_state_dir(|_| "state".into(), Some(StateDirIgnored::Unusable));
    let file = |scratch: &std::path::Path| {
        fs::write(scratch.join("file"), "").unwrap();
        scratch.join("file")
    };
    check_state_dir(file, Some(StateDirIgnored::Unusable));
}

#[cfg(unix)]
#[test]
fn state_folder_behind_a_link_or_open_to_others_does_not_count() {
    use std::os::unix::fs::PermissionsExt;
    let link = |scratch: &std::path::Path| {
        std::os::unix::fs::symlink(scratch.join("project"), scratch.join("link")).unwrap();
        scratch.join("link/state")
    };
    check_state_dir(link, Some(StateDirIgnored::InsideProject));
    let open = |scratch: &std::path::Path| {
        fs::create_dir(scratch.join("state")).unwrap();
        fs::set_permissions(scratch.join("state"), fs::Permissions::from_mode(0o777)).unwrap();
        scratch.join("state")
    };
    check_state_dir(open, Some(StateDirIgnored::WritableByOthers));
}

#[test]
fn a_state_folder_in_the_repository_around_a_nested_one_is_not_used() {
    let scratch = tempfile::tempdir().unwrap();
    let nested = scratch.path().join("project/worktrees/a");
    fs::create_dir_all(scratch.path().join("project/.git")).unwrap();
    fs::create_dir_all(&nested).unwrap();
    fs::write(nested.join(".git"), "gitdir: elsewhere").unwrap();
    let state_dir = Some(scratch.path().join("project/st"));
    let environment = Environment { state_dir, ..environment(scratch.path()) };
    let places = Places::resolve(&environment, Some(&nested));
    assert_eq!(places.state_dir_ignored, Some(StateDirIgnored::InsideProject));
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
