//! Prompts: ours are answered and never reach Claude, all others are none of our business.

use shared::hook::Verdict;

use crate::change::Change;
use crate::scene::Scene;

const PLAN: &str = "plan: {}\nusers: {satisfied_by: user}\n";

#[track_caller]
fn reply(scene: &mut Scene, prompt: &str, is_typed: bool) -> String {
    match scene.prompt(prompt, is_typed).verdict {
        Verdict::Reply { text } => text,
        other => panic!("{prompt} is not answered: {other:?}"),
    }
}

#[test]
fn a_prompt_to_claude_passes_and_is_a_sign_of_life() {
    for prompt in
        ["fix the bug", "req please help me", "req satisfy plan\nand go on", "", "request: req status"]
    {
        let answer = Scene::new(PLAN).prompt(prompt, true);
        assert_eq!(answer.verdict, Verdict::Pass, "{prompt:?}");
        assert!(matches!(answer.effects.as_slice(), [Change::Alive(_)]), "{prompt:?}");
    }
}

#[test]
fn a_command_is_answered_and_carried_out() {
    let mut scene = Scene::new(PLAN);
    assert!(reply(&mut scene, "req satisfy plan users", true).contains("plan, users"));
    assert!(scene.is_met("plan") && scene.is_met("users"));
    assert!(reply(&mut scene, "req", true).contains("2 of 2 met"));
    assert!(reply(&mut scene, " req status --summary ", true).contains("2 of 2 met"));
    reply(&mut scene, "req clear plan", true);
    assert!(!scene.is_met("plan") && scene.is_met("users"));
}

#[test]
fn a_prompt_that_nobody_typed_may_do_what_claude_may() {
    let mut scene = Scene::new(PLAN);
    assert!(reply(&mut scene, "req satisfy users", false).contains("refused"));
    reply(&mut scene, "req satisfy plan", false);
    assert!(scene.is_met("plan") && !scene.is_met("users"));
}

#[test]
fn help_is_an_answer_and_a_refusal_changes_nothing() {
    let mut scene = Scene::new(PLAN);
    assert!(reply(&mut scene, "req --help", true).contains("satisfy"));
    assert!(reply(&mut scene, "req satisfy pln", true).contains("did you mean plan?"));
    assert!(scene.world.branch.requirements.is_empty());
}

#[test]
fn what_is_enforced_needs_no_command_to_be_told_apart_from_words() {
    let mut scene = Scene::new(PLAN);
    assert_eq!(scene.prompt("req satisfy plan; rm -rf x", true).verdict, Verdict::Pass);
    assert_eq!(scene.prompt("req satisfy plan > out", true).verdict, Verdict::Pass);
    assert_eq!(scene.prompt("X=1 req satisfy plan", true).verdict, Verdict::Pass);
    assert!(!scene.is_met("plan"));
}
