//! Satisfactions as data: which of them count, and whose they are.

mod folder;

use proptest::prelude::*;
use shared::host::Timestamp;

use super::{By, Key, MAX_NAME, Satisfaction, Satisfactions};
use crate::settings::Scope;

const NOW: i64 = 1_795_300_000;

const ONE: &str = "bf41c52e-72c4-4f61-aed6-2ac9c7e341c4";
/// The same first eight characters.
const TWIN: &str = "bf41c52e-0000-4f61-aed6-2ac9c7e341c4";
const OTHER: &str = "0a41c52e-72c4-4f61-aed6-2ac9c7e341c4";

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(NOW + secs)
}

fn made(secs: i64) -> Satisfaction {
    Satisfaction::new(By::Agent, at(secs))
}

fn none() -> Satisfactions {
    Satisfactions::none_of(&branch("main"))
}

fn satisfied(holder: Option<&str>, satisfaction: Satisfaction) -> Satisfactions {
    let mut kept = none();
    kept.set("plan", holder, satisfaction);
    kept
}

#[test]
fn a_satisfaction_counts_for_those_it_was_made_for() {
    use Scope::{Branch, Permanent, Session, SingleUse};
    let own = satisfied(Some(ONE), made(0));
    let everyones = satisfied(None, made(0));
    for (kept, scope, session, expected) in [
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
        assert_eq!(kept.find("plan", scope, session, at(1)).is_some(), expected, "{scope:?} {session}");
        assert!(kept.find("another", scope, session, at(1)).is_none());
    }
}

#[test]
fn a_satisfaction_counts_until_the_second_it_expires_and_hides_nobody_elses() {
    let mut kept = satisfied(Some(ONE), made(0).for_secs(10));
    kept.set("plan", None, made(0).for_secs(20));
    for (secs, expected) in [(-1, Some(10)), (9, Some(10)), (10, Some(20)), (19, Some(20)), (20, None)] {
        let found = kept.find("plan", Scope::Session, ONE, at(secs));
        assert_eq!(found.and_then(|found| found.expires_at), expected.map(|end| NOW + end), "{secs}");
    }
}

#[test]
fn setting_clearing_and_forgetting_touch_the_named_holder_alone() {
    let holders = [Some(ONE), Some(OTHER), None];
    let mut kept = none();
    for (name, holder) in ["plan", "review"].into_iter().flat_map(|name| holders.map(|holder| (name, holder)))
    {
        kept.set(name, holder, made(0));
    }
    let full = kept.clone();
    kept.set("plan", Some(ONE), made(5));
    assert_eq!(kept.requirements["plan"].sessions[ONE], made(5));
    kept.clear(Some("plan"), Some(ONE));
    assert_eq!(kept.requirements["plan"].sessions.keys().collect::<Vec<_>>(), [OTHER]);
    assert!(kept.requirements["plan"].everyone.is_some());
    assert_eq!(kept.requirements["review"], full.requirements["review"]);
    kept.clear(None, None);
    kept.clear(None, Some(OTHER));
    assert_eq!(kept.requirements.keys().collect::<Vec<_>>(), ["review"], "nothing empty stays");

    let mut kept = full;
    kept.set("plan", Some(OTHER), made(1));
    kept.forget_sessions(100, at(101));
    assert_eq!(kept.sessions().into_iter().collect::<Vec<_>>(), [OTHER]);
    assert!(kept.requirements["review"].everyone.is_some());
}

fn branch(name: &str) -> Key {
    Key::Branch(name.to_owned())
}

#[test]
fn a_file_is_called_like_its_branch_and_a_label_leads_back_to_its_key() {
    for (key, slug) in [
        (branch("main"), "main"),
        (branch("feature/auth"), "feature-auth"),
        (branch("../../etc"), "__-__-etc"),
        (branch("permanent"), "permanent"),
        (Key::Permanent, "permanent"),
        (branch("detached-0a1b"), "detached-0a1b"),
        (Key::Detached("0a1b".to_owned()), "detached-0a1b"),
        (Key::NoGit, "no-git"),
    ] {
        assert!(key.file_name().starts_with(&format!("{slug}.")), "{}", key.file_name());
        assert_eq!(Key::of_label(&key.label()), key);
    }
    assert_ne!(branch("permanent").file_name(), Key::Permanent.file_name());
}

proptest! {
    #[test]
    fn a_name_is_one_component_and_nobody_elses(one in any::<String>(), other in "[a-c/.-]{0,4}") {
        let name = branch(&one).file_name();
        prop_assert_eq!(std::path::Path::new(&name).file_name(), Some(std::ffi::OsStr::new(&name)));
        prop_assert!(!name.contains(['/', '\\', '\0', ':']) && name.len() <= MAX_NAME, "{}", name);
        prop_assert_eq!(name == branch(&other).file_name(), one == other);
    }
}
