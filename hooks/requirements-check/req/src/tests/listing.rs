//! `req list`, `req prune`, `req sessions`.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::operator::Caller;

use super::scene::{OTHER, SESSION, Scene};
use super::{ALL, CLAUDE, USER, no, yes};
use requirements_check::change::Change;
use requirements_check::satisfactions::{Key, Listed};

fn branch(name: &str) -> Key {
    Key::Branch(name.to_owned())
}

fn commit() -> Key {
    Key::Detached("1a2b3c4d5e6f".to_owned())
}

fn marked(keys: impl IntoIterator<Item = Key>) -> Scene {
    let mut scene = Scene::new("plan: {}\n");
    let updated_at = scene.now.micros() / 1_000_000 - 300;
    scene.world.recorded =
        keys.into_iter().map(|key| Listed { key, requirements: 1, sessions: 2, updated_at }).collect();
    scene
}

fn as_json(scene: &mut Scene, words: &str) -> Value {
    serde_json::from_str(&yes(scene, words, CLAUDE)).unwrap()
}

#[test]
fn the_list_has_every_branch_with_its_counts() {
    let mut scene = marked([branch("feature"), branch("gone"), commit(), Key::Permanent]);
    let text = yes(&mut scene, "list", USER);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "feature          1 requirement, 2 sessions, changed 5 min ago",
            "gone             1 requirement, 2 sessions, changed 5 min ago; gone, see req prune",
            "commit 1a2b3c4d  1 requirement, 2 sessions, changed 5 min ago; gone, see req prune",
            "all branches     1 requirement, 2 sessions, changed 5 min ago",
        ]
    );
    assert_eq!(yes(&mut marked([]), "list", CLAUDE), "no satisfactions are kept here");
}

#[test]
fn the_list_as_json_has_the_keys_that_are_documented() {
    let mut scene = marked([branch("gone"), Key::Permanent]);
    let updated_at = scene.world.recorded[0].updated_at;
    let one = |kind: &str, name: Option<&str>, gone: bool| json!({ "kind": kind, "name": name, "requirements": 1, "sessions": 2, "updated_at": updated_at, "gone": gone });
    let expected = [one("branch", Some("gone"), true), one("all_branches", None, false)];
    assert_eq!(as_json(&mut scene, "list --json"), json!({ "version": 1, "marks": expected }));
    assert_eq!(as_json(&mut marked([]), "list --json"), json!({ "version": 1, "marks": [] }));
}

/// What a prune would remove.
fn pruned(scene: &mut Scene, caller: Caller) -> (String, BTreeSet<Key>) {
    let reply = scene.req("prune", caller).unwrap();
    let [Change::Prune(leftovers)] = reply.changes.as_slice() else { panic!("{:?}", reply.changes) };
    (reply.text, leftovers.gone.clone())
}

#[test]
fn what_is_gone_is_removed_and_named_whoever_asks() {
    for caller in ALL {
        let mut scene =
            marked([branch("feature"), branch("main"), branch("gone"), commit(), Key::Permanent, Key::NoGit]);
        let (text, gone) = pruned(&mut scene, caller);
        assert_eq!(gone, [branch("gone"), commit()].into());
        assert_eq!(text, "removed the satisfactions of gone, commit 1a2b3c4d");
    }
}

#[test]
fn where_branches_cannot_be_read_nothing_is_taken_for_gone() {
    let mut scene = marked([branch("feature"), branch("gone")]);
    scene.world.heads = None;
    assert!(no(&mut scene, "prune", USER).contains("no satisfactions were removed"));
    assert!(!yes(&mut scene, "list", USER).contains("req prune"));
    scene.world.here.worktree = None;
    let (_, gone) = pruned(&mut scene, USER);
    assert!(gone.is_empty(), "without git there are no branches");
}

#[test]
fn the_live_sessions_are_listed_with_what_tells_them_apart() {
    let mut scene = Scene::new("plan: {}\n");
    assert_eq!(yes(&mut scene, "sessions", CLAUDE), "no session is live on this project");
    scene.live(OTHER, 40);
    scene.live(SESSION, 0);
    assert_eq!(
        yes(&mut scene, "sessions", CLAUDE),
        "0c4e7a11  on feature, begun 60 s ago, active within the last minute\n\
         5e55104e  on feature, begun 60 s ago, active within the last minute; this one"
    );
    for (ago, words) in
        [(60, "active within the last minute"), (61, "about 1 min ago"), (899, "about 14 min ago")]
    {
        let mut scene = Scene::new("plan: {}\n");
        scene.live(OTHER, ago);
        let text = yes(&mut scene, "sessions", CLAUDE);
        assert!(text.ends_with(words), "{text}");
    }
    scene.live("5e55104e-another", 0);
    let text = yes(&mut scene, "sessions", USER);
    assert!(text.contains(SESSION) && text.contains("5e55104e-another"), "as much as it takes: {text}");
}

#[test]
fn the_sessions_as_json_have_the_keys_that_are_documented() {
    let mut scene = Scene::new("plan: {}\n");
    scene.live(SESSION, 0);
    let now = scene.now.micros() / 1_000_000;
    let one = json!({
        "session": SESSION, "branch": "feature", "entrypoint": "cli", "started_at": now - 60, "seen_at": now, "own": true,
    });
    assert_eq!(as_json(&mut scene, "sessions --json"), json!({ "version": 1, "sessions": [one] }));
}
