//! `req` where there is no repository, no commit, no branch; in a sub-directory, another repository, a linked work tree.

use super::desk::{Desk, OTHER, TEAM, json_of, no, standing, yes};
use serde_json::Value;
use std::fs;
use tests::sandbox::Level;

/// A user's requirements, for every project, and a folder that is none.
fn without_git() -> (Desk, std::path::PathBuf) {
    let desk = Desk::empty();
    desk.sandbox.requirements(Level::User, TEAM);
    let folder = desk.sandbox.root().join("plain");
    fs::create_dir_all(&folder).unwrap();
    (desk, folder)
}

#[test]
fn without_git_marks_are_kept_for_the_folder_and_count_for_their_session() {
    let (desk, folder) = without_git();
    let status = || json_of(desk.claude(&["status", "--json"]).cwd(&folder));
    assert_eq!((&status()["branch"], &status()["place"]), (&Value::Null, &"this project (no git)".into()));
    yes(desk.claude(&["satisfy", "commit_plan", "adr_reviewed", "license_checked"]).cwd(&folder));
    for name in ["commit_plan", "adr_reviewed", "license_checked", "not_on_main"] {
        assert_eq!(standing(&status(), name), "met", "{name}");
    }
    let others = json_of(desk.claude_of(OTHER, &["status", "--json"]).cwd(&folder));
    for name in ["commit_plan", "adr_reviewed", "license_checked"] {
        assert_eq!(standing(&others, name), "open", "a session's marks are its own: {name}");
    }
    assert_eq!(desk.standing("adr_reviewed"), "open", "another folder");
    assert!(fs::read_dir(&folder).unwrap().next().is_none(), "and nothing is written into it");
    assert!(yes(desk.claude(&["list"]).cwd(&folder)).contains("no git"));
    assert!(yes(desk.claude(&["prune"]).cwd(&folder)).contains("nothing was removed"));
    yes(desk.claude(&["clear", "commit_plan"]).cwd(&folder));
    assert_eq!(standing(&status(), "commit_plan"), "open");
}

#[test]
fn without_git_and_without_a_state_folder_it_says_what_is_missing() {
    let (desk, folder) = without_git();
    desk.sandbox.write_home("../plain/.claude/requirements.yaml", TEAM);
    let satisfy = desk.claude(&["satisfy", "adr_reviewed", "--session", &desk.session.id]).cwd(&folder);
    let said = no(satisfy.unset("HOME").unset("CLAUDE_HOOK_STATE_DIR"));
    assert!(said.contains("set HOME") && said.contains("Nothing was changed"), "{said}");
}

#[test]
fn a_session_that_has_gone_elsewhere_is_asked_for_what_its_project_requires() {
    let desk = Desk::new(TEAM);
    desk.starts(&desk.session);
    let elsewhere = desk.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    desk.sandbox.git(&["-C", elsewhere.to_str().unwrap(), "init", "--quiet", "--initial-branch", "theirs"]);
    let status = json_of(desk.claude(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!((standing(&status, "commit_plan"), &status["branch"]), ("open".to_owned(), &"theirs".into()));
    yes(desk.claude(&["satisfy", "commit_plan"]).cwd(&elsewhere));
    assert_eq!(desk.standing("commit_plan"), "open", "the mark is the other repository's");
    let status = json_of(desk.claude(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!(standing(&status, "commit_plan"), "met");
    let nobody = json_of(desk.script(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!(nobody["requirements"], serde_json::json!([]), "without a session the folder counts");
}
