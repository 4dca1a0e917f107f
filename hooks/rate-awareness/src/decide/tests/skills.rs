//! Which bucket a call pays from: that of the skill it is made under.

use std::collections::BTreeMap;

use shared::config::Decimal;
use shared::hook::Verdict;

use super::{World, first_line, passes};
use crate::settings::{Mode, SkillLimits};

fn with_skill(name: &str, capacity: Option<f64>, refill: Option<f64>) -> World {
    let mut world = World::with_bucket(1.0, 0.5);
    let limits = SkillLimits {
        capacity: capacity.map(|capacity| Decimal::new(capacity).unwrap()),
        refill_per_sec: refill.map(|refill| Decimal::new(refill).unwrap()),
    };
    world.settings.per_skill = BTreeMap::from([(name.to_owned(), limits)]);
    world
}

#[test]
fn a_skill_call_pays_from_the_bucket_before_it_and_the_calls_after_it_from_the_skills() {
    let mut world = with_skill("deep-research", Some(3.0), None);
    passes(&world.skill("deep-research"));
    for _ in 0..3 {
        passes(&world.call('x'));
    }
    let outcome = world.call('x');
    assert_eq!(
        first_line(&outcome),
        "per_skill.deep-research `deep-research` 4 calls 3 30; The next token is back in 2 s."
    );
    assert!(outcome.notice.unwrap().contains("set rate-awareness.per_skill.deep-research in"));
    // The one after the Skill call pays from the skill's bucket, also if it is another Skill call.
    let outcome = world.skill("other");
    assert!(outcome.notice.is_some(), "the second refused call of this spell");
    passes(&world.call('x'));
    let outcome = world.call('x');
    assert!(first_line(&outcome).starts_with("global_default `other` 2 calls 1 30;"), "{outcome:?}");
    let notice = outcome.notice.unwrap();
    assert!(
        notice.contains("set rate-awareness.per_skill.other in"),
        "an entry that could be made: {notice}"
    );
}

#[test]
fn a_plugins_skill_is_looked_up_by_its_full_name_and_then_by_its_own() {
    for (entry, skill, is_found) in [
        ("tools:research", "tools:research", true),
        ("research", "tools:research", true),
        ("research", "a:b:research", true),
        ("tools", "tools:research", false),
        ("tools:research", "research", false),
    ] {
        let mut world = with_skill(entry, Some(5.0), None);
        world.skill(skill);
        let allowed = (0..6).take_while(|_| world.call('x').notice.is_none()).count();
        assert_eq!(allowed, if is_found { 5 } else { 1 }, "{skill} under an entry for {entry}");
    }
    let mut world = with_skill("research", Some(5.0), None);
    let full = SkillLimits { capacity: Decimal::new(2.0), refill_per_sec: None };
    world.settings.per_skill.insert("tools:research".to_owned(), full);
    world.skill("tools:research");
    let allowed = (0..6).take_while(|_| world.call('x').notice.is_none()).count();
    assert_eq!(allowed, 2, "the full name counts first");
}

#[test]
fn the_bucket_outside_of_any_skill_is_called_ungated_and_can_be_set_too() {
    let mut world = with_skill("ungated", Some(2.0), None);
    passes(&world.call('x'));
    passes(&world.call('x'));
    assert!(first_line(&world.call('x')).starts_with("per_skill.ungated `ungated` 3 calls 2 30;"));
}

#[test]
fn a_skill_holds_for_its_prompt_and_a_subagent_works_under_its_parents() {
    let mut world = with_skill("a", Some(3.0), None);
    world.skill("a");
    world.agent = Some("a1");
    let allowed = (0..6).take_while(|_| world.call('x').notice.is_none()).count();
    assert_eq!(allowed, 3, "the main session's skill, in a bucket of the subagent's own");
    world.skill("b");
    world.agent = None;
    let allowed = (0..6).take_while(|_| world.call('x').notice.is_none()).count();
    assert_eq!(allowed, 3, "a subagent's skill is not its parent's");
    world.prompt = 8;
    assert!(world.call('x').notice.is_some(), "the one token of the default bucket went to the Skill call");
}

#[test]
fn without_a_skill_call_the_folder_names_the_skill() {
    let mut world = with_skill("a", Some(3.0), None);
    world.cwd = "/p/.claude/skills/a/scripts";
    let allowed = (0..6).take_while(|_| world.call('x').notice.is_none()).count();
    assert_eq!(allowed, 3);
    world.skill("b");
    passes(&world.call('x'));
    assert!(first_line(&world.call('x')).contains("`b`"), "what the model named comes first");
}

#[test]
fn a_refused_skill_call_takes_no_effect() {
    let mut world = with_skill("a", Some(100.0), None);
    world.settings.mode = Mode::Deny;
    world.call('x');
    assert!(matches!(world.skill("a").verdict, Verdict::Deny { .. }));
    let Verdict::Deny { rule, .. } = world.call('x').verdict else { panic!("still in the default bucket") };
    assert_eq!(rule, "global_default");
    let mut world = with_skill("a", Some(100.0), None);
    world.call('x');
    assert!(world.skill("a").notice.is_some());
    passes(&world.call('x'));
}
