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

#[test]
fn without_git_the_directory_itself_is_the_root() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::resolve(&environment(scratch.path()), Some(scratch.path()));
    assert_eq!(places.root.as_deref(), Some(scratch.path()));
}

#[test]
fn home_as_project_has_no_project_layer() {
    let scratch = tempfile::tempdir().unwrap();
    fs::create_dir(scratch.path().join(".claude")).unwrap();
    let places = Places::resolve(&environment(scratch.path()), Some(scratch.path()));
    assert_eq!(places.project_claude_dir, None);
}

#[cfg(unix)]
#[test]
fn a_project_whose_folder_links_to_the_users_own_has_no_project_layer() {
    let scratch = tempfile::tempdir().unwrap();
    let (home, project) = (scratch.path().join("home"), scratch.path().join("project"));
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::create_dir(&project).unwrap();
    std::os::unix::fs::symlink(home.join(".claude"), project.join(".claude")).unwrap();
    assert_eq!(Places::resolve(&environment(&home), Some(&project)).project_claude_dir, None);
}

#[test]
fn without_home_there_is_no_state_and_no_global_layer() {
    let places = Places::resolve(&Environment::default(), None);
    assert_eq!(places, Places::default());
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
fn a_state_folder_that_is_not_there_yet_is_accepted() {
    check_state_dir(|scratch| scratch.join("state"), None);
}

#[test]
fn a_state_folder_inside_the_project_is_refused_even_through_a_link() {
    check_state_dir(|scratch| scratch.join("project/state"), Some(StateDirIgnored::InsideProject));
    #[cfg(unix)]
    check_state_dir(
        |scratch| {
            std::os::unix::fs::symlink(scratch.join("project"), scratch.join("link")).unwrap();
            scratch.join("link/state")
        },
        Some(StateDirIgnored::InsideProject),
    );
}

#[test]
fn a_relative_path_or_a_file_is_refused() {
    check_state_dir(|_| "state".into(), Some(StateDirIgnored::NotAFolder));
    check_state_dir(
        |scratch| {
            fs::write(scratch.join("file"), "").unwrap();
            scratch.join("file")
        },
        Some(StateDirIgnored::NotAFolder),
    );
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    check_state_dir(
        |scratch| {
            let dir = scratch.join("state");
            fs::create_dir(&dir).unwrap();
            fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
            dir
        },
        Some(StateDirIgnored::WritableByOthers),
    );
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
