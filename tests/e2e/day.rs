//! A day of work in the real client, scripted: four sessions, forty prompts, six hundred calls, a hundred and twenty edits,
//! twenty-five delegations, ten commits; hooks and status line as the installer leaves them, and a subscription that is used on
//! plan. It counts what our hooks cost the one who works: interruptions, notices, and requests to the model that would not have
//! been made without them. The counts are printed, and stand in README.md.
//!
//! - `scene`: the home, the sessions, and where to look at them afterwards
//! - `account`: what the client is told of credits and contexts
//! - `worker`: the model's part: it follows a plan, and does what a refusal or a held stop asks for
//! - `judges`: the other models
//! - `tally`: what is counted
//! - `twice`: a text that comes twice
//! - `told`: where the counts are told

mod account;
mod judges;
mod scene;
mod tally;
mod told;
mod twice;
mod worker;

use scene::Day;
use tally::{Tally, sum};
use tests::loopback::{LoopbackOnly, only_in_here};
use told::{assert_about, in_readme};

const ALL: [&str; 8] = [
    "credit-pacer",
    "rate-awareness",
    "requirements-check",
    "pause-recorder",
    "delegation-guard",
    "stop-momentum",
    "intent-validator",
    "tempo-stop",
];

/// The day's hours are minutes here, so an hour's questions are a day's.
const EVERYTHING: &str =
    "judge: {backend: messages_api, max_calls_per_hour: 10000, max_cost_usd_per_day: 10000}
delegation-guard: {enabled: true}
stop-momentum: {enabled: true}
intent-validator: {enabled: true}
tempo-stop: {enabled: true}
";

const DECLARATIONS: [&str; 2] =
    ["intent-validator: deny (intent-validator.stage1)", "intent-validator: deny (intent-validator.tdd)"];

/// The names under which they are told.
const DEFAULT_SET: &str = "the default set";
const ALL_EIGHT: &str = "all eight";

/// What came of a day, after what holds for every one.
fn counted(name: &str, nobody_hears: &LoopbackOnly, install: &[&str], global: &str) -> (Day, Tally) {
    let day = Day::of(nobody_hears, install, global);
    let tally = Tally::of(&day);
    assert!(tally.wrong.is_empty(), "{}\n{:#?}", tally.lines(name), tally.wrong);
    let done = (tally.prompts, tally.calls, tally.edits, tally.delegations, tally.commits);
    assert_eq!(done, (40, 600, 120, 25, 10));
    assert!(tally.notices["pause-recorder"] >= 3, "the levels of a context: {tally:?}");
    let record = day.sandbox.project().join(".claude/sessions/LATEST-SESSION.txt");
    assert!(record.is_file(), "no context was filled so far that it was recorded");
    (day, tally)
}

#[test]
fn with_the_default_set_a_day_is_interrupted_at_most_six_times() {
    let this_test = with_the_default_set_a_day_is_interrupted_at_most_six_times;
    let Some(nobody_hears) = only_in_here(this_test) else { return told::tell(DEFAULT_SET) };
    let (_day, tally) = counted(DEFAULT_SET, &nobody_hears, &[], "");
    println!("{}", tally.lines(DEFAULT_SET));
    assert!(sum(&tally.interruptions) <= 6, "{tally:?}");
    assert_eq!(sum(&tally.shown), sum(&tally.interruptions), "the client shows what the journal has");
    assert!(sum(&tally.notices) <= 10, "{tally:?}");
    assert!(sum(&tally.advice) <= 6, "{tally:?}");
    assert_eq!(tally.judged, 0);
    assert_eq!(in_readme("interruptions by what is ticked by default"), sum(&tally.interruptions));
    assert_eq!(in_readme("more requests to the model, and"), tally.extra_requests);
    assert_about("notices to you", sum(&tally.notices));
    told::keep(DEFAULT_SET, &tally.lines(DEFAULT_SET));
}

#[test]
fn with_all_eight_every_interruption_and_extra_request_is_counted() {
    let this_test = with_all_eight_every_interruption_and_extra_request_is_counted;
    let Some(nobody_hears) = only_in_here(this_test) else { return told::tell(ALL_EIGHT) };
    let (_day, tally) = counted(ALL_EIGHT, &nobody_hears, &["--all"], EVERYTHING);
    println!("{}", tally.lines(ALL_EIGHT));
    for (words, of) in [
        ("stops to acknowledge", &["stop-momentum: block (stop-momentum.enabled)"][..]),
        ("first calls to hand over", &["delegation-guard: deny (delegation-guard.first_call)"]),
        ("requirements to meet", &["requirements-check: deny (requirements.commit_plan)"]),
        ("declarations to make", &DECLARATIONS),
        ("reviews that found fault", &["intent-validator: deny (intent-validator.stage2)"]),
        ("stops that came too early", &["tempo-stop: block (tempo-stop.enabled)"]),
    ] {
        let counted = tally.interrupted_by(of);
        assert!(counted > 0, "{of:?}: not on this day");
        assert_about(words, counted);
    }
    assert_about("interruptions with all eight", sum(&tally.interruptions));
    assert_about("more requests, ", tally.extra_requests);
    assert_about("texts to Claude", sum(&tally.advice));
    // On a busy machine what was said is not always written down in time.
    assert_about("questions to a judge", tally.judged + tally.unseen);
    told::keep(ALL_EIGHT, &tally.lines(ALL_EIGHT));
}
