//! `req why` and `req log` after what hooks and the user really did. What a line says is a table in the crate `req`.

use crate::requirements_check::world::{TEAM, World, json_of, yes};
use serde_json::json;

#[test]
fn denial_is_explained_until_it_was_followed_and_nothing_of_its_call_is_printed() {
    let world = World::new(TEAM);
    let claude = world.claude();
    let input = json!({ "file_path": "src/peculiar.rs", "old_string": "peculiar", "new_string": "b" });
    let edit = claude.call("Edit", input);
    claude.refused(&edit);
    for words in [&["why"][..], &["why", "--json"], &["log"], &["log", "--json"]] {
        let text = yes(world.req(words));
        assert!(text.contains("Edit") && !text.contains("peculiar"), "{text}");
    }
    let text = yes(world.req(&["why"]));
    assert!(text.starts_with("requirements-check denied Edit, "), "{text}");
    for part in [", in this session. Its id is ", ".claude/requirements.yaml:2 (project)\n", "\nNext"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    yes(world.req(&["satisfy", "commit_plan", "adr_reviewed", "license_checked"]));
    world.user("satisfy release_notes --session 5e55104e");
    claude.passes(&edit);
    let json = json_of(world.req(&["why", "--json"]));
    assert_eq!(json["outcome"]["how"], "followed", "{json}");
    let text = yes(world.req(&["why"]));
    assert!(text.contains("\nIt asked for:") && !text.contains("\nNext"), "{text}");
    let line = json["outcome"]["id"].as_str().unwrap();
    assert!(yes(world.req(&["why", line])).starts_with("requirements-check was followed, "));
}

#[test]
fn actions_of_hooks_and_user_are_recorded_with_their_project() {
    let world = World::new(TEAM);
    let here = world.sandbox.project().canonicalize().unwrap().display().to_string();
    world.claude().starts("startup");
    for words in [
        "config set rate-awareness.repeat 9 --local",
        "config set rate-awareness.repeat 9 --global",
        "pause 10m",
        "resume",
    ] {
        world.user(words);
    }
    let json = json_of(world.script(&["log", "--json"]));
    let entries = json["entries"].as_array().unwrap().iter();
    let projects: Vec<_> = entries
        .map(|entry| (entry["what"].as_str().unwrap(), entry["project"].as_str().unwrap_or("-")))
        .collect();
    let expected =
        [("tell", here.as_str()), ("config", &here), ("config", "-"), ("pause", "-"), ("resume", "-")];
    assert_eq!(projects, expected);
}
