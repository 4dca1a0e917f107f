//! When a stop must never be blocked, case by case, and what is counted.

use std::time::Duration;

use super::{
    BlockCount, MAX_BLOCKS_TOGETHER, MAX_MARKS, StopFacts, TurnWork, ends_in_a_question, never_blocked, read,
    record_deny, record_followed, record_stop,
};
use crate::host::Timestamp;
use crate::protocol::{Call, Stop};
use crate::tests::store;

struct Case {
    call: Call,
    stop: Stop,
    work: TurnWork,
    blocks: BlockCount,
    started: Timestamp,
}

/// A stop that may be blocked.
fn blockable() -> Case {
    Case {
        call: Call { session_id: Some("s".into()), prompt_id: Some("p".into()), ..Call::default() },
        stop: Stop { last_assistant_message: Some("Done.".into()), ..Stop::default() },
        work: TurnWork::ToolCalls,
        blocks: BlockCount::default(),
        started: Timestamp::from_secs(1000),
    }
}

#[track_caller]
fn check(change: impl FnOnce(&mut Case), expected: Option<&str>) {
    let mut case = blockable();
    change(&mut case);
    let Case { call, stop, work, blocks, started } = &case;
    let facts = StopFacts { call, stop, work: *work, blocks: *blocks, started: *started };
    assert_eq!(never_blocked(&facts), expected);
}

#[test]
fn stop_after_work_may_be_blocked_unless_a_reason_holds() {
    let (question, in_flight) =
        ("the last message ends in a question", "background work or a wake-up is in flight");
    check(|_| (), None);
    check(|case| case.stop.stop_hook_active = true, None);
    check(|case| case.work = TurnWork::Unknown, None);
    check(|case| case.work = TurnWork::NoToolCall, Some("the turn made no tool call"));
    check(|case| case.stop.last_assistant_message = Some("Shall I go on?".into()), Some(question));
    check(|case| case.stop.background_tasks = 1, Some(in_flight));
    check(|case| case.stop.session_crons = vec![String::new()], Some(in_flight));
    check(|case| case.call.session_id = None, Some("no session id"));
    check(|case| case.call.prompt_id = None, None);
    let continued = |case: &mut Case| (case.call.prompt_id, case.stop.stop_hook_active) = (None, true);
    check(continued, Some("a continued stop without a prompt id"));
    check(|case| case.blocks.together = MAX_BLOCKS_TOGETHER - 1, None);
    check(|case| case.blocks.together = MAX_BLOCKS_TOGETHER, Some("blocked often enough for this prompt"));
}

#[test]
fn a_copy_that_began_before_the_block_is_not_blocked_again() {
    let parallel = Some("a parallel copy of this stop is blocked already");
    let after = |started: Timestamp, micros| Some(started.plus(Duration::from_micros(micros)));
    check(|case| case.blocks.own_last = after(case.started, 1), parallel);
    check(|case| case.blocks.own_last = Some(case.started), None);
    check(|case| case.blocks.own_last = Some(Timestamp::from_secs(999)), None);
    check(|case| case.blocks.own_last = after(case.started, 9_999_999), parallel);
    check(|case| case.blocks.own_last = after(case.started, 10_000_000), None);
}

#[test]
fn questions_are_recognized_at_the_end_only() {
    for text in [
        "Done.\n\nWhich one do you want?\n",
        "**Is that right?**",
        "Did you mean `a?`",
        "(or should I wait?)",
        "続けますか？",
        "Should I continue? [y/N]",
        "Shall I go on? 🙂",
        "**Go on?** (yes/no)",
        "Which do you prefer?\n\n1. The first\n2. The second",
        "How?\na) so\nb) or so",
    ] {
        assert!(ends_in_a_question(text), "{text:?}");
    }
    for text in [
        "   ",
        "Done.",
        "Why? Because it failed.",
        "Is it done?\nYes.",
        "I fixed these:\n1. a\n2. b",
        "What was wrong? Several things:\n- one",
        "See e.g. the log.",
        "Wrote src/main.rs (a/b)",
        "Done! 🎉",
    ] {
        assert!(!ends_in_a_question(text), "{text:?}");
    }
}

const T: fn(i64) -> Timestamp = Timestamp::from_secs;

#[test]
fn counts_per_prompt_and_hook() {
    let (_scratch, store) = store();
    record_stop(&store, "s", Some("p"), None, "a", T(1)).unwrap();
    record_stop(&store, "s", Some("p"), None, "b", T(2)).unwrap();
    record_stop(&store, "s", Some("p"), None, "a", T(3)).unwrap();
    let ledger = read(&store, "s");
    assert_eq!(
        ledger.count(Some("p"), "a"),
        BlockCount { own: 2, together: 3, own_last: Some(T(3)), is_followed: false }
    );
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
