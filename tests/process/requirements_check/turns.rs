//! The end of a turn, which is blocked once per prompt, and calls that run at once.

use super::world::{World, command_in};
use crate::driver::is_block;
use serde_json::json;
use tests::payloads::Payload;

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
fn copies_of_one_stop_block_it_once() {
    let world = World::of_team(TESTS);
    let claude = world.claude();
    claude.edits("a.rs", "");
    let answers = world.ask_at_once(&vec![claude.session.stop("Done."); 8]);
    assert_eq!(answers.iter().flatten().filter(|answer| is_block(answer)).count(), 1, "{answers:?}");
}

#[test]
fn of_two_parallel_calls_one_gets_the_satisfaction() {
    let world = World::of_team(
        "requirements: {review: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: git push}]}}\n",
    );
    let claude = world.claude();
    for _ in 0..5 {
        claude.does("req satisfy review");
        let calls: Vec<_> = (0..6).map(|_| claude.bash("git push")).collect();
        let events: Vec<Payload> = calls.iter().map(|call| claude.event_before(call)).collect();
        let answers = world.ask_at_once(&events);
        let passed: Vec<_> = answers.iter().zip(&calls).filter(|(answer, _)| answer.is_none()).collect();
        assert_eq!(passed.len(), 1, "{answers:?}");
        claude.succeeded(passed[0].1);
    }
}
