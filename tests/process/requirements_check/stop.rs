//! The end of a turn: what the session made due and is not satisfied blocks it once per prompt.

use super::world::{World, command_in};
use crate::driver::is_block;
use serde_json::json;

const TESTS: &str = "requirements: {green: {enabled: true, type: evidence, command: \"true\"}}\n";

#[test]
fn evidence_that_an_edit_made_due_blocks_the_stop_once_per_prompt() {
    let world = World::of_team(TESTS);
    let claude = world.claude();
    claude.edits("a.rs", "");
    let task = json!([{ "id": "b1", "type": "shell", "status": "running", "description": "sleep" }]);
    assert_eq!(claude.ask(&claude.session.stop("All done.").with("background_tasks", task)), None);
    let text = claude.held();
    assert!(text.contains("- green: ") && text.contains(".claude/requirements.yaml:1"), "{text}");
    claude.stops();
    assert_eq!(claude.ask(&claude.session.stop_again("Still done.")), None);
    let claude = claude.at_prompt(2);
    claude.held();
    let claude = claude.at_prompt(3);
    claude.does(&command_in(&text));
    claude.stops();
    claude.edits("a.rs", "more");
    claude.held();
}

#[test]
fn every_way_to_edit_makes_evidence_due_and_looking_does_not() {
    let edits = ["sed -i s/a/b/ a.rs", "cat >> a.rs <<EOF\nx\nEOF", "rm a.rs"];
    let looks = ["grep -rn x . 2>/dev/null", "git status && git diff", "git switch -c other"];
    let world = World::of_team(TESTS);
    world.sandbox.write("a.rs", "a\n");
    let lines = edits.map(|line| (line, true)).into_iter().chain(looks.map(|line| (line, false)));
    for (number, (line, is_due)) in (1..).zip(lines) {
        let claude = world.another(number);
        claude.does(line);
        assert_eq!(claude.stop().is_some(), is_due, "{line}");
    }
}

#[test]
fn copies_of_one_stop_block_it_once() {
    let world = World::of_team(TESTS);
    let claude = world.claude();
    claude.edits("a.rs", "");
    let answers = world.ask_at_once(&vec![claude.session.stop("Done."); 8]);
    assert_eq!(answers.iter().flatten().filter(|answer| is_block(answer)).count(), 1, "{answers:?}");
}
