//! Prompts: ours are answered and never reach Claude, all others are none of our business.

use shared::hook::Verdict;

use crate::change::Change;
use crate::scene::Scene;

#[test]
fn a_prompt_to_claude_passes_and_is_a_sign_of_life() {
    let answer = Scene::new("plan: {}\n").prompt("fix the bug", None);
    assert_eq!(answer.verdict, Verdict::Pass);
    assert!(matches!(answer.effects.as_slice(), [Change::Alive(_)]));
}

#[test]
fn a_command_is_answered() {
    let answer = Scene::new("plan: {}\n").prompt("req status", Some("0 of 1 satisfied"));
    assert_eq!(answer.verdict, Verdict::Reply { text: "0 of 1 satisfied".to_owned() });
}
