//! Snapshots are listed, shown, handed over and removed.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use super::{CLAUDES_SHELL, NOW, PROMPT, TERMINAL};
use crate::record::{JSON, MARKDOWN};
use crate::step::Step;
use crate::tests::World;

const FOREIGN: &str = "session-20250101-000000";

#[test]
fn a_list_says_whose_each_is() {
    let world = World::new(NOW);
    let (first, second) = (world.snapshot("two"), world.snapshot("three"));
    world.foreign(FOREIGN);
    fs::write(world.sessions().file(&second, JSON), "{}").unwrap();
    world.yes(PROMPT, "start");
    let text = world.yes(PROMPT, "list");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(lines[0], "session-20261122-120000-3  being recorded, 1 action, of this session");
    assert_eq!(lines[1], format!("{second}  cannot be read, changed since it was written"));
    assert!(!lines[2].contains('%'), "nobody knows how full: {text}");
    assert!(lines[2].starts_with(&format!("{first}  ")) && lines[2].ends_with(" action, unread"), "{text}");
    assert_eq!(lines[3], format!("{FOREIGN}  cannot be read, not written on this machine"));
    let json: Value = serde_json::from_str(&world.yes(PROMPT, "list --json")).unwrap();
    assert_eq!(json["records"][0]["own"], true);
    assert_eq!(json["snapshots"][1]["state"], "unread");
    assert_eq!(json["snapshots"].as_array().unwrap().len(), 3);
}

#[test]
fn show_prints_the_page_or_the_json() {
    let world = World::new(NOW);
    assert!(world.no(TERMINAL, "show").contains("no snapshot"));
    let id = world.snapshot("two");
    let [path, page] = [JSON, MARKDOWN].map(|end| world.sessions().file(&id, end));
    assert_eq!(world.yes(TERMINAL, "show"), fs::read_to_string(page).unwrap().trim_end());
    let json = fs::read_to_string(&path).unwrap();
    assert_eq!(world.yes(TERMINAL, "show 20261122 --json"), json.trim_end());
    fs::write(&path, json + " ").unwrap();
    assert!(world.yes(TERMINAL, "show").starts_with("(changed since it was written)\n\n# Paused"));
    world.foreign(FOREIGN);
    assert!(world.no(TERMINAL, "show 2025").contains("is no snapshot"));
}

#[test]
fn a_snapshot_is_handed_to_claude_and_is_read_then() {
    let world = World::new(NOW);
    assert!(world.no(PROMPT, "resume").contains("no snapshot"));
    let (first, second) = (world.snapshot("two"), world.snapshot("three"));
    let in_shell = world.ask(TERMINAL, "resume");
    assert!(in_shell.for_model.is_none() && in_shell.effects.is_empty());
    assert!(in_shell.text.contains(&format!(".claude/sessions/{second}.json")), "{}", in_shell.text);
    for expected in [&second, &first, &second] {
        let reply = world.ask(PROMPT, "resume");
        let read = reply.for_model.unwrap();
        assert!(read.contains(&format!("/{expected}.json")), "{read}");
        assert!(read.starts_with("The user has typed `pause-recorder resume`: they ask you"), "{read}");
        let told = reply.text;
        assert!(told.contains(&format!("/{expected}.json, to go on from it")), "{told}");
        assert_eq!(reply.effects, [Step::MarkRead { id: expected.clone() }]);
    }
    assert!(world.yes(PROMPT, &format!("resume {first}")).contains(&first));
    assert!(world.yes(PROMPT, "list").lines().all(|line| line.ends_with(", read")));
}

#[test]
fn what_was_not_written_here_as_it_stands_is_not_handed_over() {
    let world = World::new(NOW);
    world.foreign(FOREIGN);
    let why = world.no(PROMPT, &format!("resume {FOREIGN}"));
    assert!(why.contains("not written on this machine") && why.contains(&format!("show {FOREIGN}")), "{why}");
    assert!(world.no(PROMPT, "resume").contains("no snapshot"));
    let id = world.snapshot("two");
    let json = world.sessions().file(&id, JSON);
    let text = fs::read_to_string(&json).unwrap().replace("\"enabled\": true", "\"enabled\": false");
    fs::write(&json, text).unwrap();
    assert!(world.no(PROMPT, "resume 20261122").contains("changed since it was written"));
    assert!(world.no(PROMPT, "resume").contains("no snapshot"));
}

#[test]
fn prune_removes_what_is_older() {
    let mut world = World::new(NOW);
    let old = world.snapshot("two");
    world.foreign(FOREIGN);
    fs::write(world.sessions().dir.join("session-20250101-000001-incremental.jsonl.gz"), "x").unwrap();
    world.now = world.now.plus(Duration::from_secs(89 * 24 * 60 * 60));
    let young = world.snapshot("three");
    let planned = world.yes(CLAUDES_SHELL, "prune --dry-run");
    assert_eq!(planned, format!("would be removed:\n  {FOREIGN}\n  session-20250101-000001"));
    let refused = world.no(CLAUDES_SHELL, "prune");
    assert!(refused.ends_with("type: pause-recorder prune --older-than 90"), "{refused}");
    assert!(world.yes(PROMPT, "prune").starts_with("removed:\n"));
    assert!(world.sessions().snapshot_ids().contains(&old));
    world.now = world.now.plus(Duration::from_secs(2 * 24 * 60 * 60));
    assert_eq!(world.yes(TERMINAL, "prune"), format!("removed:\n  {old}"));
    assert!(world.names().iter().all(|name| name.starts_with(&young) || name == "LATEST-SESSION.txt"));
    assert!(world.registry().of(&world.at("project"), &old).is_none());
    assert_eq!(world.yes(TERMINAL, "prune"), "no snapshot of this project is older than 90 days");
    world.yes(PROMPT, "start");
    assert_eq!(world.yes(TERMINAL, "prune --older-than 0"), format!("removed:\n  {young}"));
}
