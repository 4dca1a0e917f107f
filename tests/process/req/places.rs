//! `req` where there is no repository, and in another one than the session.

use super::desk::{Desk, OTHER, TEAM, json_of, no, standing, yes};
use serde_json::{Value, json};
use std::fs;
use tests::sandbox::Level;

#[test]
fn without_git_satisfactions_are_kept_for_the_folder_and_count_for_their_session() {
    let desk = Desk::empty();
    desk.sandbox.requirements(Level::User, TEAM);
    let folder = desk.sandbox.root().join("plain");
    fs::create_dir_all(&folder).unwrap();
    let status = || json_of(desk.claude(&["status", "--json"]).cwd(&folder));
    assert_eq!((&status()["branch"], &status()["place"]), (&Value::Null, &"this project (no git)".into()));
    yes(desk.claude(&["satisfy", "commit_plan", "adr_reviewed", "license_checked"]).cwd(&folder));
    let others = json_of(desk.claude_of(OTHER, &["status", "--json"]).cwd(&folder));
    for name in ["commit_plan", "adr_reviewed", "license_checked"] {
        assert_eq!(standing(&status(), name), "met", "{name}");
        assert_eq!(standing(&others, name), "open", "a session's satisfactions are its own: {name}");
    }
    assert_eq!(desk.standing("adr_reviewed"), "open", "another folder");
    assert!(fs::read_dir(&folder).unwrap().next().is_none(), "and nothing is written into it");
    assert!(yes(desk.claude(&["list"]).cwd(&folder)).contains("no git"));
    assert!(yes(desk.claude(&["prune"]).cwd(&folder)).contains("nothing was removed"));
    yes(desk.claude(&["clear", "commit_plan"]).cwd(&folder));
    assert_eq!(standing(&status(), "commit_plan"), "open");
    desk.sandbox.write_home("../plain/.claude/requirements.yaml", TEAM);
    let satisfy = desk.claude(&["satisfy", "adr_reviewed", "--session", &desk.session.id]).cwd(&folder);
    let said = no(satisfy.unset("HOME").unset("CLAUDE_HOOK_STATE_DIR"));
    assert!(said.contains("set HOME") && said.contains("Nothing was changed"), "{said}");
}

#[test]
fn session_that_has_gone_elsewhere_is_asked_for_what_its_project_requires() {
    let desk = Desk::new(TEAM);
    desk.starts(&desk.session);
    let elsewhere = desk.sandbox.root().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    desk.sandbox.git(&["-C", elsewhere.to_str().unwrap(), "init", "--quiet", "--initial-branch", "theirs"]);
    let status = || json_of(desk.claude(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!(
        (standing(&status(), "commit_plan"), &status()["branch"]),
        ("open".to_owned(), &"theirs".into())
    );
    yes(desk.claude(&["satisfy", "commit_plan"]).cwd(&elsewhere));
    assert_eq!(desk.standing("commit_plan"), "open", "the satisfaction is the other repository's");
    assert_eq!(standing(&status(), "commit_plan"), "met");
    let nobody = json_of(desk.script(&["status", "--json"]).cwd(&elsewhere));
    assert_eq!(nobody["requirements"], json!([]), "without a session the folder counts");
}
