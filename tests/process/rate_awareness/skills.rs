//! Whose bucket pays: the agent's, under the skill it was told to use, or the one whose folder it stands in.

use super::{Calls, only_capacity};
use crate::driver::notice;
use serde_json::json;
use tests::sandbox::Level;

/// One call for everybody, five under `deep-research`.
fn with_entry() -> Calls {
    Calls::new(&format!("{}  per_skill: {{deep-research: {{capacity: 5}}}}\n", only_capacity(1)))
}

#[test]
fn a_skill_has_a_bucket_of_its_own_which_the_call_that_starts_it_does_not_pay_from() {
    let calls = with_entry();
    assert_eq!(calls.skill("deep-research"), None);
    assert_eq!(calls.silent_calls(), 5);
    let text = notice(calls.call("x").as_ref());
    assert!(
        text.starts_with(
            "rate-awareness.per_skill.deep-research: the bucket `deep-research` is empty: 7 calls"
        ),
        "{text}"
    );
    assert!(text.contains("allowed are 5 at once and 0 a minute"), "{text}");
    let other = calls.session.clone().with_prompt_id("9c0fe5a1-0000-4000-8000-000000000002");
    let text = notice(calls.ask(&other.pre_tool_use("Bash", json!({ "command": "x" }))).as_ref());
    assert!(text.contains("the bucket `ungated` is empty: 2 calls"), "a skill holds for its prompt: {text}");
}

#[test]
fn the_recorded_skill_call_is_understood_and_a_plugins_skill_found_by_its_own_name() {
    let calls = Calls::new(&format!("{}  per_skill: {{demo-skill: {{capacity: 3}}}}\n", only_capacity(1)));
    assert_eq!(calls.ask(&calls.session.replay("PreToolUse-Skill")), None);
    assert_eq!(calls.silent_calls(), 3);
    let calls = with_entry();
    assert_eq!(calls.skill("tools:deep-research"), None);
    assert_eq!(calls.silent_calls(), 5);
}

#[test]
fn subagents_have_buckets_of_their_own_under_the_skill_that_started_them() {
    let calls = with_entry();
    assert_eq!(calls.skill("deep-research"), None);
    let in_subagent =
        |agent: &str, text: &str| calls.ask(&calls.bash(text).in_subagent(agent, "general-purpose"));
    for round in 0..5 {
        for agent in ["a1", "a2"] {
            assert_eq!(in_subagent(agent, &round.to_string()), None, "{agent} {round}");
        }
    }
    let text = notice(in_subagent("a1", "x").as_ref());
    assert!(text.contains("the bucket `deep-research` of this subagent is empty: 6 calls"), "{text}");
    assert_eq!(calls.silent_calls(), 5, "the main session has spent nothing of it");
}

#[test]
fn two_subagents_at_once_pay_from_two_buckets() {
    let calls = Calls::new(&only_capacity(20));
    let payloads: Vec<_> = (0..40)
        .map(|number| {
            calls.bash(&number.to_string()).in_subagent(["a1", "a2"][number % 2], "general-purpose")
        })
        .collect();
    let answers = calls.ask_at_once(&payloads);
    assert!(answers.iter().all(Option::is_none), "{answers:?}");
    // On a loaded machine a copy may not get the lock in its second: then it passes and says so.
    if !calls.journal().contains("held by another process") {
        for agent in ["a1", "a2"] {
            assert_eq!(calls.bucket(&format!("{agent}::ungated"))["tokens"], 0.0);
        }
    }
}

#[test]
fn the_folder_names_the_skill_where_no_call_did() {
    let calls = with_entry();
    let inside = calls.sandbox.project().join(".claude/skills/deep-research/scripts");
    let there = |text: &str| calls.ask(&calls.bash(text).with("cwd", inside.to_str().unwrap()));
    assert_eq!((0..6).take_while(|number| there(&number.to_string()).is_none()).count(), 5);
    assert!(!inside.exists(), "paths are looked at, not the disk");
}

#[test]
fn entries_of_deeper_files_are_merged_key_by_key() {
    let calls = Calls::new(&format!(
        "{}  per_skill: {{a: {{capacity: 2, refill_per_sec: 0}}, b: {{capacity: 4}}}}\n",
        only_capacity(1)
    ));
    calls
        .sandbox
        .requirements(Level::Project, "rate-awareness: {per_skill: {a: {capacity: 3}, c: {capacity: 5}}}\n");
    calls.sandbox.requirements(Level::Local, "rate-awareness: {per_skill: {c: {capacity: 6}}}\n");
    for (skill, capacity) in [("a", 3), ("b", 4), ("c", 6), ("d", 1)] {
        let session = calls.session.clone().with_id(&format!("session-{skill}"));
        let ask = |tool: &str, input| calls.ask(&session.pre_tool_use(tool, input));
        assert_eq!(ask("Skill", json!({ "skill": skill })), None);
        let silent = (0..9).take_while(|number| ask("Bash", json!({ "command": number })).is_none()).count();
        assert_eq!(silent, capacity, "{skill}");
    }
}
