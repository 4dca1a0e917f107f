//! Satisfactions as data: which of them count, and whose they are.

use shared::host::Timestamp;

use super::{BranchMarks, By, Holder, Key, Mark, is_fresh};
use crate::settings::Scope;

const NOW: i64 = 1_795_300_000;

const ONE: &str = "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4";
/// The same first eight characters.
const TWIN: &str = "bf41c52e-0000-4f61-aed6-2ac9c7e341c4";
const OTHER: &str = "0a41c52e-72c4-4f61-aed6-2ac9c7e341c4";

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(NOW + secs)
}

fn made(secs: i64) -> Mark {
    Mark::new(By::Agent, at(secs))
}

fn none() -> BranchMarks {
    BranchMarks::new(&Key::Branch("main".to_owned()))
}

fn marked(scope: Scope, holder: Holder<'_>, mark: Mark) -> BranchMarks {
    let mut marks = none();
    marks.set("plan", scope, holder, mark);
    marks
}

#[test]
fn a_mark_counts_for_those_it_was_made_for() {
    use Scope::{Branch, Permanent, Session, SingleUse};
    let own = marked(Session, Holder::Session(ONE), made(0));
    let everyones = marked(Session, Holder::Everyone, made(0));
    for (marks, scope, session, expected) in [
        (&own, Session, ONE, true),
        (&own, SingleUse, ONE, true),
        (&own, Session, OTHER, false),
        (&own, Session, TWIN, false),
        (&own, Branch, ONE, false),
        (&own, Permanent, ONE, false),
        (&everyones, Session, OTHER, true),
        (&everyones, SingleUse, OTHER, true),
        (&everyones, Branch, OTHER, true),
        (&everyones, Permanent, OTHER, true),
        (&none(), Session, ONE, false),
    ] {
        assert_eq!(marks.mark("plan", scope, session, at(1)).is_some(), expected, "{scope:?} {session}");
        assert!(marks.mark("another", scope, session, at(1)).is_none());
    }
}

#[test]
fn a_mark_counts_until_the_second_it_expires() {
    let marks = marked(Scope::Session, Holder::Session(ONE), made(0).for_secs(300));
    for (secs, expected) in [(-1, true), (0, true), (299, true), (300, false), (301, false)] {
        let found = marks.mark("plan", Scope::Session, ONE, at(secs));
        assert_eq!(found.is_some(), expected, "{secs}");
    }
    let just_before = Timestamp::from_micros(at(300).micros() - 1);
    assert!(marks.mark("plan", Scope::Session, ONE, just_before).is_some());
}

#[test]
fn an_expired_mark_of_ones_own_does_not_hide_everyones() {
    let mut marks = marked(Scope::Session, Holder::Session(ONE), made(0).for_secs(10));
    marks.set("plan", Scope::Session, Holder::Everyone, made(0).for_secs(20));
    for (secs, expected) in [(9, Some(NOW + 10)), (10, Some(NOW + 20)), (20, None)] {
        let found = marks.mark("plan", Scope::Session, ONE, at(secs));
        assert_eq!(found.and_then(|mark| mark.expires_at), expected, "{secs}");
    }
}

#[test]
fn the_settings_ttl_is_counted_from_the_mark_on() {
    let lasting = made(0);
    let short = made(0).for_secs(10);
    for (mark, ttl, secs, expected) in [
        (&lasting, None, 1_000_000_000, true),
        (&lasting, Some(60), 59, true),
        (&lasting, Some(60), 60, false),
        (&lasting, Some(60), -3600, true),
        (&lasting, Some(u64::MAX), 1_000_000_000, true),
        (&lasting, Some(0), 0, false),
        (&short, Some(60), 9, true),
        (&short, Some(60), 10, false),
        (&short, None, 10, false),
    ] {
        assert_eq!(is_fresh(mark, ttl, at(secs)), expected, "{ttl:?} {secs}");
    }
}

#[test]
fn a_new_mark_replaces_the_holders_earlier_one() {
    let mut marks = marked(Scope::Session, Holder::Session(ONE), made(0));
    marks.set("plan", Scope::Branch, Holder::Session(ONE), made(5));
    let requirement = &marks.requirements["plan"];
    assert_eq!((requirement.scope, requirement.sessions.len()), (Scope::Branch, 1));
    assert_eq!(requirement.sessions[ONE], made(5));
}

#[test]
fn clearing_takes_the_named_holders_marks_and_nobody_elses() {
    let full = || {
        let mut marks = none();
        for name in ["plan", "review"] {
            for holder in [Holder::Session(ONE), Holder::Session(OTHER), Holder::Everyone] {
                marks.set(name, Scope::Session, holder, made(0));
            }
        }
        marks
    };
    let mut marks = full();
    assert!(marks.clear("plan", Holder::Session(ONE)));
    assert!(!marks.clear("plan", Holder::Session(ONE)), "there is none left");
    assert!(!marks.clear("unknown", Holder::Everyone));
    assert_eq!(marks.requirements["plan"].sessions.keys().collect::<Vec<_>>(), [OTHER]);
    assert!(marks.requirements["plan"].everyone.is_some());
    assert_eq!(marks.requirements["review"], full().requirements["review"]);

    assert_eq!(marks.clear_all(Holder::Everyone), 2);
    assert_eq!(marks.sessions().into_iter().collect::<Vec<_>>(), [OTHER, ONE]);
    assert_eq!(marks.clear_all(Holder::Session(OTHER)), 2);
    assert_eq!(marks.requirements.keys().collect::<Vec<_>>(), ["review"], "nothing empty stays");
}

#[test]
fn marks_of_sessions_long_gone_are_dropped_and_everyones_stay() {
    let mut marks = marked(Scope::Session, Holder::Session(ONE), made(0));
    marks.set("plan", Scope::Session, Holder::Session(OTHER), made(1));
    marks.set("plan", Scope::Session, Holder::Everyone, made(-1000));
    marks.forget_sessions(100, at(100));
    assert_eq!(marks.sessions().len(), 2);
    marks.forget_sessions(100, at(101));
    assert_eq!(marks.sessions().into_iter().collect::<Vec<_>>(), [OTHER]);
    assert!(marks.requirements["plan"].everyone.is_some());
}
