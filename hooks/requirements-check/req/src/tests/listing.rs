//! `req list`, `req prune`, `req sessions`.

use serde_json::json;

use super::{ALL, CLAUDE, OTHER, SESSION, Scene, USER};
use requirements_check::satisfactions::{By, Key, Satisfaction, Satisfactions};

/// Two sessions have satisfied a requirement on a branch that is there, on a deleted one, on a commit, and everywhere.
fn recorded() -> Scene {
    let mut scene = Scene::new("plan: {}\n");
    let mut kept = Satisfactions::default();
    kept.updated_at = scene.now.secs() - 300;
    for session in [SESSION, OTHER] {
        kept.set("plan", Some(session), Satisfaction::new(By::Agent, scene.now));
    }
    let branches = ["feature", "gone"].map(|name| Key::Branch(name.to_owned()));
    let others = [Key::Detached("1a2b3c4d5e6f".to_owned()), Key::Permanent];
    scene.known.recorded = branches.into_iter().chain(others).map(|key| (key, kept.clone())).collect();
    scene
}

#[test]
fn list_has_every_branch_with_its_counts() {
    let mut scene = recorded();
    let text = "feature          1 requirement, 2 sessions, changed 5 min ago\n\
                gone             1 requirement, 2 sessions, changed 5 min ago; gone, see req prune\n\
                commit 1a2b3c4d  1 requirement, 2 sessions, changed 5 min ago\n\
                all branches     1 requirement, 2 sessions, changed 5 min ago";
    assert_eq!(scene.yes("list", USER), text);
    let list = scene.json("list --json");
    assert_eq!((&list["version"], &list["marks"][1]["gone"]), (&json!(1), &json!(true)));
    assert_eq!(Scene::new("{}\n").yes("list", CLAUDE), "no satisfactions are kept here");
}

#[test]
fn prune_removes_only_what_is_known_to_be_gone() {
    let mut scene = recorded();
    for caller in ALL {
        assert_eq!(scene.yes("prune", caller), "removed the satisfactions of gone");
    }
    scene.known.heads = None;
    assert!(scene.no("prune", USER).contains("no satisfactions were removed"));
    assert!(!scene.yes("list", USER).contains("req prune"));
    scene.world.worktree = None;
    assert!(scene.yes("prune", USER).contains("nothing was removed"), "without git there are no branches");
}

#[test]
fn sessions_lists_each_and_marks_the_callers_own() {
    let mut scene = Scene::new("plan: {}\n");
    assert_eq!(scene.yes("sessions", CLAUDE), "no session is live on this project");
    scene.live(OTHER, 899);
    scene.live(SESSION, 59);
    let text = "0c4e7a11  on feature, begun 60 s ago, seen 14 min ago\n\
                5e55104e  on feature, begun 60 s ago, active now; this one";
    assert_eq!(scene.yes("sessions", CLAUDE), text);
    let own = &scene.json("sessions --json")["sessions"][1];
    let now = scene.now.secs();
    assert_eq!((&own["started_at"], &own["seen_at"]), (&json!(now - 60), &json!(now - 59)));
    scene.session = None;
    scene.live("5e55104e-another", 0);
    let text = scene.yes("sessions", USER);
    assert!(text.contains(SESSION) && text.contains("5e55104e-another"), "as much as it takes: {text}");
    assert!(!text.contains("this one"), "{text}");
}
