//! The simulator itself: the same seed the same week, and an oracle that is right on cases made by hand.

use std::process::ExitCode;

use super::controller::Controller;
use super::demand::Demand;
use super::profile::{PROFILES, named};
use super::table::Who;
use super::{settings, wanted, weeks, world};
use crate::pacing::Rules;

#[test]
fn wrong_usage_is_told_and_is_64() {
    for (words, why) in [
        (&["--seeds"][..], "--seeds takes a number"),
        (&["--seeds", "0"], "--seeds takes a number"),
        (&["--seeds", "-3"], "--seeds takes a number"),
        (&["--profile", "nobody"], "--profile takes one of heavy, sprint, night-owl, office, weekend, light"),
        (&["--fast"], "simulate does not know --fast"),
    ] {
        let told = wanted(words).map(|wanted| wanted.seeds).unwrap_err();
        assert!(told.contains(why), "{words:?}: {told}");
        assert_eq!(super::run(words), ExitCode::from(64), "{words:?}");
    }
}

#[test]
fn what_is_asked_for_is_read() {
    let all = wanted(&[]).unwrap();
    assert_eq!((all.seeds, all.profile.is_none(), all.json), (200, true, false));
    let one = wanted(&["--profile", "light", "--json", "--seeds", "3"]).unwrap();
    assert_eq!((one.seeds, one.profile.map(|profile| profile.name), one.json), (3, Some("light"), true));
}

#[test]
fn the_same_seed_is_the_same_week() {
    for profile in &PROFILES {
        let rules = Rules::of(&settings(profile).unwrap());
        let week = |seed| world::run(&Demand::of(profile, seed), &mut Controller::Pacer(&rules));
        assert_eq!(week(1), week(1), "{}", profile.name);
        assert_ne!(week(1).calls, week(2).calls, "{}", profile.name);
    }
}

#[test]
fn somebody_who_never_comes_near_a_limit_is_never_delayed() {
    let [_, pacer, _] = weeks(named("light").unwrap(), 12).unwrap();
    assert_eq!((pacer.runs, pacer.easy_runs, pacer.easy_runs_delayed), (12, 12, 0));
    assert_eq!(pacer.hard_limits, 0);
}

#[test]
fn somebody_who_works_far_too_much_meets_fewer_limits_with_pacing_than_without() {
    let [nobody, pacer, _] = weeks(named("heavy").unwrap(), 3).unwrap();
    assert_eq!((nobody.who, pacer.who), (Who::Nobody, Who::Pacer));
    assert!(nobody.runs_with_hard_limit == 3 && nobody.avoidable > 0, "{nobody:?}");
    assert!(pacer.hard_limits < nobody.hard_limits, "{pacer:?} {nobody:?}");
}

#[test]
fn profiles_are_what_they_are_said_to_be() {
    for (name, least, most) in [("heavy", 100.0, 130.0), ("office", 60.0, 130.0), ("light", 20.0, 95.0)] {
        for seed in 0..3 {
            let week = world::run(&Demand::of(named(name).unwrap(), seed), &mut Controller::None);
            assert!((least..most).contains(&week.highest_percent), "{name} {seed}: {}", week.highest_percent);
        }
    }
}
