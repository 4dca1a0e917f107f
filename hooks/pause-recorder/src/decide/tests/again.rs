//! A record that is not there any more, or could not begin: whether another one begins, and what is said.

use super::{BEGUN, Case, NOW, at, compaction, prompt, reading, record, recorded_at, tool_call};
use crate::command::Reply;
use crate::levels::Level;
use crate::material::Material;
use crate::observe::Active;
use crate::shelf::Fate;
use crate::snapshot::Ending;
use crate::step::{End, Step, Which};

/// It has begun at 90 %, and is gone.
fn gone(percent: u64, fate: Option<Fate>) -> Case {
    let mut case = recorded_at(percent);
    (case.facts.record, case.facts.fate) = (None, fate);
    case
}

#[track_caller]
fn check(fate: Fate, percent: u64, event: shared::protocol::Event, starts: bool) {
    let mut case = gone(percent, Some(fate));
    case.event = event;
    assert_eq!(case.starts(), starts, "{fate:?} {percent} {:?}", case.event);
}

#[test]
fn another_begins_by_what_has_become_of_the_first() {
    for (fate, at_once, at_prompts) in [
        (Fate::Ended, true, true),
        (Fate::Failed, false, true),
        (Fate::Dropped, false, false),
        (Fate::Closed, false, false),
    ] {
        check(fate, 92, tool_call(), at_once);
        check(fate, 92, prompt("go on"), at_prompts);
        check(fate, 96, tool_call(), at_prompts);
        check(fate, 92, compaction("auto"), at_prompts);
        check(fate, 80, tool_call(), false);
        check(fate, 80, compaction("auto"), at_prompts);
    }
    assert!(!gone(92, None).starts());
}

#[test]
fn one_that_was_dropped_or_ended_by_a_word_stays_so_until_the_next_climb() {
    for fate in [Fate::Dropped, Fate::Closed] {
        check_until_the_next_climb(gone(92, Some(fate)));
    }
}

#[track_caller]
fn check_until_the_next_climb(mut case: Case) {
    case.state = case.state_after();
    assert!(case.state.dropped);
    case.facts.fate = None;
    for event in [prompt("go on"), compaction("auto")] {
        case.event = event;
        assert!(!case.starts());
    }
    case.facts.reading = Some(reading(20));
    case.event = tool_call();
    case.state = case.state_after();
    assert_eq!((case.state.dropped, case.state.begun), (false, None));
    case.facts.reading = Some(reading(91));
    assert!(case.starts());
}

#[test]
fn one_that_was_ended_by_a_word_below_the_level_is_no_reason_against_the_one_that_begins_there() {
    let mut case = gone(80, Some(Fate::Closed));
    case.state.told.clear();
    case.event = compaction("auto");
    assert!(case.starts());
    (case.facts.reading, case.event) = (Some(reading(90)), tool_call());
    assert!(case.starts() && !case.state_after().dropped);
}

#[test]
fn when_a_record_began_that_was_begun_by_a_word_is_remembered() {
    let mut case = recorded_at(92);
    case.state.begun = None;
    case.facts.record = Some(Active { record: record(), is_full: false, began: Some(BEGUN) });
    assert_eq!(case.state_after().begun, Some(BEGUN));
}

#[test]
fn another_one_is_said_to_begin() {
    let notice = gone(92, Some(Fate::Ended)).notice();
    assert!(notice.contains("from here on this session is recorded"), "{notice}");
}

#[test]
fn what_cannot_begin_is_not_said_to_and_tried_again_at_the_next_prompt() {
    let mut case = at(90);
    case.facts.hindrance = Some("full".into());
    let outcome = case.outcome();
    let failed =
        |step: &Step| matches!(step, Step::Fail { session: Some(_), why } if why.starts_with("full. So"));
    assert!(!case.starts() && outcome.effects.iter().any(failed), "{:?}", outcome.effects);
    let notice = case.notice();
    assert!(notice.contains("90 % full") && !notice.contains("recorded in"), "{notice}");

    case.state = case.state_after();
    case.facts.hindrance = None;
    assert!(!case.starts());
    case.event = prompt("go on");
    assert!(case.starts() && case.notice().contains("recorded in"));
    assert_eq!(case.state_after().begun, Some(NOW));
}

#[test]
fn what_the_user_does_by_a_word_holds_for_the_climb() {
    let discard = |path: &str| {
        let record = crate::record::Record { path: path.into(), ..record() };
        Step::Discard { record, id: String::new() }
    };
    let own = "/p/.claude/sessions/ACTIVE-PAUSE-s.jsonl";
    let finish = Step::Finish(Box::new(End {
        which: Which::Record(record()),
        ending: Ending::Full,
        material: Material::default(),
        at: NOW,
        left_out: 0,
        commit: false,
        by_own_word: true,
    }));
    for (step, dropped) in [(discard(own), true), (discard("/p/other.jsonl"), false), (finish.clone(), true)]
    {
        let mut case = recorded_at(92);
        case.facts.answered = Some(Reply { effects: vec![step], ..Reply::yes("") });
        assert_eq!(case.state_after().dropped, dropped);
        assert_eq!(case.state_after().begun, Some(BEGUN));
    }
    // A record that was ended below the level is no reason against the one that begins there.
    let mut case = recorded_at(50);
    case.state.told.clear();
    case.facts.answered = Some(Reply { effects: vec![finish], ..Reply::yes("") });
    assert!(!case.state_after().dropped);
}

#[test]
fn a_record_that_was_dropped_below_the_level_begins_there_all_the_same() {
    let mut case = at(60);
    case.state.dropped = true;
    case.event = compaction("auto");
    assert!(!case.starts());
    (case.facts.reading, case.event) = (Some(reading(90)), tool_call());
    assert!(case.starts());
    assert!(case.state_after().told.contains(&Level::AutoPause) && !case.state_after().dropped);
}
