//! What stays remembered and what does not.

use std::time::Duration;

use proptest::prelude::*;
use shared::hook::Remembered;
use shared::host::Timestamp;

use super::{Agent, MAX_ENTRIES, State, agent_key, bucket_key};
use crate::bucket::{Bucket, Rate};

const RATE: Rate = Rate { capacity: 60.0, refill_per_sec: 1.0 };
const DRAINED: Rate = Rate { capacity: 60.0, refill_per_sec: 0.0 };
const START: Timestamp = Timestamp::from_secs(1_795_300_000);

fn at(secs: u64) -> Timestamp {
    START.plus(Duration::from_secs(secs))
}

/// After one more call of this agent under this skill, for this prompt.
fn called(state: &State, agent: Option<&str>, skill: &str, prompt: u64, now: Timestamp, rate: Rate) -> State {
    let agent = agent_key(agent);
    let key = bucket_key(&agent, skill);
    let bucket = state.bucket(&key).cloned().unwrap_or_else(|| Bucket::full(rate, now)).take(rate, now).0;
    let skill = Some(skill.to_owned());
    state.with((agent, Agent { prompt, skill, last: now, ..Agent::default() }), (key, bucket), |_| rate)
}

#[test]
fn the_file_is_named_after_the_session_and_keeps_the_original_names() {
    assert_eq!(State::file_name("s").as_deref(), Some("s-buckets.json"));
    let state = called(&State::default(), None, "deep-research", 7, at(0), RATE);
    let written = serde_json::to_value(&state).unwrap();
    assert_eq!(written["_buckets"]["main::deep-research"]["tokens"], 59.0);
    assert_eq!(serde_json::from_value::<State>(written).unwrap(), state);
}

#[test]
fn no_two_agents_and_skills_share_a_name() {
    let keys = [
        bucket_key(&agent_key(None), "a"),
        bucket_key(&agent_key(Some("a")), "a"),
        bucket_key(&agent_key(Some("a::b")), "c"),
        bucket_key(&agent_key(Some("a")), "b::c"),
        bucket_key(&agent_key(Some("a:")), "b"),
        bucket_key(&agent_key(Some("a")), ":b"),
        bucket_key(&agent_key(Some("../a")), "a"),
    ];
    for (index, key) in keys.iter().enumerate() {
        assert!(!keys[..index].contains(key), "{key}");
    }
}

#[test]
fn a_bucket_that_is_full_again_and_idle_is_dropped_with_the_next_call_of_anybody() {
    let state = called(&State::default(), Some("a1"), "x", 7, at(0), RATE);
    let state = called(&state, None, "y", 7, at(60), RATE);
    assert!(state.bucket("a1::x").is_some());
    let state = called(&state, None, "y", 7, at(61), RATE);
    assert!(state.bucket("a1::x").is_none() && state.bucket("main::y").is_some());
}

#[test]
fn a_bucket_that_has_something_to_remember_stays() {
    let state = called(&State::default(), Some("a1"), "x", 7, at(0), DRAINED);
    let state = called(&state, None, "y", 7, at(1_000_000), DRAINED);
    assert!(state.bucket("a1::x").is_some());
}

#[test]
fn beyond_sixty_four_the_least_recently_used_goes() {
    let subagents: Vec<String> = (0..70).map(|number| format!("a{number:02}")).collect();
    let state = called(&State::default(), None, "x", 7, at(0), DRAINED);
    let state = subagents.iter().enumerate().fold(state, |state, (number, agent)| {
        called(&state, Some(agent), "x", 7, at(1 + number as u64), DRAINED)
    });
    assert_eq!((state.buckets.len(), state.agents.len()), (MAX_ENTRIES, MAX_ENTRIES));
    assert!(state.bucket("main::x").is_none() && state.bucket("a05::x").is_none());
    assert!(state.bucket("a06::x").is_some() && state.bucket("a69::x").is_some());
    assert!(state.agent("main", 7).is_some(), "subagents ask for the main session's skill");
}

#[test]
fn the_one_that_calls_stays_even_if_the_clock_went_back() {
    let state = (0..64).fold(State::default(), |state, number| {
        called(&state, Some(&format!("a{number}")), "x", 7, at(1000 + number), DRAINED)
    });
    let state = called(&state, Some("late"), "x", 7, at(0), DRAINED);
    assert!(state.bucket("late::x").is_some() && state.agent("late", 7).is_some());
    assert_eq!(state.buckets.len(), MAX_ENTRIES);
}

#[test]
fn an_agent_of_another_prompt_is_forgotten_after_ten_idle_minutes() {
    let state = called(&State::default(), Some("a1"), "x", 7, at(0), RATE);
    let state = called(&state, None, "x", 8, at(600), RATE);
    assert!(state.agent("a1", 7).is_some());
    let state = called(&state, None, "x", 8, at(601), RATE);
    assert!(state.agent("a1", 7).is_none());
    let same = called(&State::default(), Some("a1"), "x", 7, at(0), RATE);
    let same = called(&same, None, "x", 7, at(1_000_000), RATE);
    assert!(same.agent("a1", 7).is_some(), "one of the same prompt is not");
}

#[test]
fn the_skill_is_the_agents_own_else_the_main_sessions_and_always_of_this_prompt() {
    let state = called(&State::default(), None, "research", 7, at(0), RATE);
    assert_eq!(state.skill("main", 7), Some("research"));
    assert_eq!(state.skill("a1", 7), Some("research"));
    assert_eq!(state.skill("main", 8), None);
    let state = called(&state, Some("a1"), "review", 7, at(1), RATE);
    assert_eq!((state.skill("a1", 7), state.skill("a2", 7)), (Some("review"), Some("research")));
    assert_eq!(state.skill("main", 7), Some("research"), "a subagent's skill is its own");
}

proptest! {
    #[test]
    fn buckets_of_agents_in_parallel_do_not_depend_on_the_order_of_their_calls(
        calls in proptest::collection::vec((0..4_u8, 0..3_u8), 1..60), swaps in proptest::collection::vec(any::<usize>(), 0..30)
    ) {
        // At one instant, so that every order is one the machine could have chosen.
        let run = |calls: &[(u8, u8)]| calls.iter().fold(State::default(), |state, (agent, skill)| {
            let rate = Rate { capacity: 3.0, refill_per_sec: 1.0 };
            called(&state, Some(&format!("a{agent}")), &format!("s{skill}"), 7, at(0), rate)
        });
        let mut other = calls.clone();
        for swap in swaps {
            let index = swap % other.len();
            other.swap(0, index);
        }
        prop_assert_eq!(run(&calls).buckets, run(&other).buckets);
    }

    #[test]
    fn what_is_remembered_is_bounded_whatever_is_called(
        calls in proptest::collection::vec((0..200_u8, any::<u8>(), 0..3_u64, any::<i32>()), 1..200)
    ) {
        let mut state = State::default();
        for (agent, skill, prompt, secs) in calls {
            let now = Timestamp::from_secs(1_795_300_000 + i64::from(secs));
            state = called(&state, Some(&format!("a{agent}")), &format!("s{skill}"), prompt, now, DRAINED);
            prop_assert!(state.buckets.len() <= MAX_ENTRIES && state.agents.len() <= MAX_ENTRIES);
        }
    }
}
