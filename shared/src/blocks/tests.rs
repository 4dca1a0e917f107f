//! When a stop must never be blocked, case by case, and what is counted.

use std::time::Duration;

use super::*;
use crate::tests::store;

const T: fn(i64) -> Timestamp = Timestamp::from_secs;

/// The answer to a stop that may be blocked but for this change. The hook started at 1000 s.
#[track_caller]
fn check(change: impl FnOnce(&mut Call, &mut Stop, &mut TurnWork, &mut BlockCount), expected: Option<&str>) {
    let mut call = Call { session_id: Some("s".into()), prompt_id: Some("p".into()), ..Call::default() };
    let mut stop = Stop { last_assistant_message: Some("Done.".into()), ..Stop::default() };
    let (mut work, mut blocks) = (TurnWork::ToolCalls, BlockCount::default());
    change(&mut call, &mut stop, &mut work, &mut blocks);
    let facts = StopFacts { call: &call, stop: &stop, work, blocks, started: T(1000) };
    assert_eq!(never_blocked(&facts), expected);
}

#[test]
fn stop_after_work_may_be_blocked_unless_a_reason_holds() {
    let (question, in_flight) =
        ("the last message ends in a question", "background work or a wake-up is in flight");
    check(|_, _, _, _| (), None);
    check(|_, stop, _, _| stop.stop_hook_active = true, None);
    check(|_, _, work, _| *work = TurnWork::Unknown, None);
    check(|_, _, work, _| *work = TurnWork::NoToolCall, Some("the turn made no tool call"));
    check(|_, stop, _, _| stop.last_assistant_message = Some("Shall I go on?".into()), Some(question));
    check(|_, stop, _, _| stop.background_tasks = 1, Some(in_flight));
    check(|_, stop, _, _| stop.session_crons = vec![String::new()], Some(in_flight));
    check(|call, _, _, _| call.session_id = None, Some("no session id"));
    check(|call, _, _, _| call.prompt_id = None, None);
    check(
        |call, stop, _, _| (call.prompt_id, stop.stop_hook_active) = (None, true),
        Some("a continued stop without a prompt id"),
    );
    let (often, most) = (Some("blocked often enough for this prompt"), MAX_BLOCKS_TOGETHER);
    check(|_, _, _, blocks| blocks.together = most - 1, None);
    check(|_, _, _, blocks| blocks.together = most, often);
}

#[test]
fn a_copy_that_began_before_the_block_is_not_blocked_again() {
    let parallel = Some("a parallel copy of this stop is blocked already");
    let after = |micros| Some(T(1000).plus(Duration::from_micros(micros)));
    for (last, expected) in [
        (after(1), parallel),
        (after(0), None),
        (Some(T(999)), None),
        (after(9_999_999), parallel),
        (after(10_000_000), None),
    ] {
        check(|_, _, _, blocks| blocks.own_last = last, expected);
    }
}

#[test]
fn questions_are_recognized_at_the_end_only() {
    for (text, expected) in [
        ("Done.\n\nWhich one do you want?\n", true),
        ("**Is that right?**", true),
        ("(or should I wait?)", true),
        ("続けますか？", true),
        ("Should I continue? [y/N]", true),
        ("Shall I go on? 🙂", true),
        ("**Go on?** (yes/no)", true),
        ("Which do you prefer?\n\n1. The first\n2. The second", true),
        ("How?\na) so\nb) or so", true),
        ("   ", false),
        ("Why? Because it failed.", false),
        ("Is it done?\nYes.", false),
        ("I fixed these:\n1. a\n2. b", false),
        ("What was wrong? Several things:\n- one", false),
        ("Wrote src/main.rs (a/b)", false),
        ("Done! 🎉", false),
    ] {
        assert_eq!(ends_in_a_question(text), expected, "{text:?}");
    }
}

#[test]
fn counts_per_prompt_and_hook() {
    let (_scratch, store) = store();
    record_stop(&store, "s", Some("p"), None, "a", T(1)).unwrap();
    record_stop(&store, "s", Some("p"), None, "b", T(2)).unwrap();
    record_stop(&store, "s", Some("p"), None, "a", T(3)).unwrap();
    let ledger = read(&store, "s");
    let expected = BlockCount { own: 2, together: 3, own_last: Some(T(3)), is_followed: false };
    assert_eq!(ledger.count(Some("p"), "a"), expected);
    assert_eq!(ledger.count(Some("p"), "c"), BlockCount { own: 0, together: 3, ..BlockCount::default() });
    assert_eq!(ledger.count(Some("q"), "a"), BlockCount::default());
    record_followed(&store, "s", Some("p"), "a").unwrap();
    record_followed(&store, "s", Some("q"), "b").unwrap();
    let is_followed = |hook| read(&store, "s").count(Some("p"), hook).is_followed;
    assert_eq!(["a", "b", "c"].map(is_followed), [true, false, false]);
}

#[test]
fn another_prompt_or_none_starts_a_new_count() {
    let (_scratch, store) = store();
    record_stop(&store, "s", Some("p"), None, "a", T(1)).unwrap();
    record_stop(&store, "s", Some("q"), None, "a", T(2)).unwrap();
    assert_eq!(read(&store, "s").count(Some("q"), "a").together, 1);
    record_stop(&store, "s", None, None, "a", T(3)).unwrap();
    record_stop(&store, "s", None, None, "a", T(4)).unwrap();
    assert_eq!(read(&store, "s").count(None, "a"), BlockCount::default());
    assert_eq!(read(&store, "s").count(Some("q"), "a"), BlockCount::default());
}

#[test]
fn sees_who_else_blocked_meanwhile() {
    let (_scratch, store) = store();
    record_stop(&store, "s", Some("p"), None, "a", T(10)).unwrap();
    let ledger = read(&store, "s");
    assert!(ledger.is_blocked_since(Some("p"), None, "b", T(10)));
    assert!(!ledger.is_blocked_since(Some("p"), None, "b", T(11)));
    assert!(!ledger.is_blocked_since(Some("p"), Some("Done."), "b", T(10)), "that was another stop");
    assert!(!ledger.is_blocked_since(Some("p"), None, "a", T(10)), "a hook's own block does not count");
    assert!(!ledger.is_blocked_since(Some("q"), None, "b", T(10)));
}

#[test]
fn marks_are_found_and_bounded() {
    let (_scratch, store) = store();
    for number in 0..=MAX_MARKS {
        record_deny(&store, "s", &format!("toolu_{number}")).unwrap();
    }
    let ledger = read(&store, "s");
    assert!(!ledger.is_denied("toolu_0"));
    assert!(ledger.is_denied("toolu_1") && ledger.is_denied(&format!("toolu_{MAX_MARKS}")));
}
