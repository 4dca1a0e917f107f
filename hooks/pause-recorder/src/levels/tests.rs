//! The levels: at which percentage each is reached, and when a climb has ended.

use std::collections::BTreeSet;

use shared::config::{self, Bounded, SectionSpec, Sources};
use shared::switches::Position;

use super::{Level, Thresholds};
use crate::occupancy::{Reading, Source};
use crate::settings::Settings;

/// As compiled in.
fn defaults() -> Settings {
    let spec = SectionSpec { name: "pause-recorder", ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

fn percent(tokens: u64) -> f64 {
    let model = String::new();
    Reading { tokens, window: 200_000, model, source: Source::Transcript, new_window: None }.percent()
}

#[test]
fn each_is_reached_at_exactly_its_percentage() {
    use Level::{AutoPause, Caution, Critical, Warning};
    let thresholds = Thresholds::new(&defaults(), None);
    let table: [(u64, &[Level]); 9] = [
        (0, &[]),
        (139_999, &[]),
        (140_000, &[Caution]),
        (169_999, &[Caution]),
        (170_000, &[Caution, Warning]),
        (179_999, &[Caution, Warning]),
        (180_000, &[Caution, Warning, AutoPause]),
        (189_999, &[Caution, Warning, AutoPause]),
        (190_000, &[Caution, Warning, AutoPause, Critical]),
    ];
    for (tokens, expected) in table {
        let expected: BTreeSet<Level> = expected.iter().copied().collect();
        assert_eq!(thresholds.reached(percent(tokens)), expected, "{tokens}");
        assert_eq!(thresholds.highest(&expected), expected.last().copied(), "{tokens}");
    }
}

#[test]
fn the_record_begins_before_the_client_compacts() {
    let table = [
        (None, 3, 90.0),
        (Some(83.5), 3, 80.5),
        (Some(83.5), 0, 83.5),
        (Some(96.7), 3, 90.0),
        (Some(93.0), 3, 90.0),
        (Some(92.9), 3, 89.9),
        (Some(20.0), 50, 1.0),
        (Some(f64::INFINITY), 3, 90.0),
    ];
    for (point, margin, expected) in table {
        let mut settings = defaults();
        settings.compaction_margin_points = Bounded::new(margin).unwrap();
        let at = Thresholds::new(&settings, point).auto_pause;
        assert!((at - expected).abs() < 1e-9, "{point:?} {margin} {at}");
    }
}

#[test]
fn of_several_the_one_that_is_reached_last_is_the_highest() {
    let thresholds = Thresholds::new(&defaults(), Some(83.0));
    let reached = thresholds.reached(85.0);
    assert_eq!(reached, BTreeSet::from([Level::Caution, Level::AutoPause, Level::Warning]));
    assert_eq!(thresholds.highest(&reached), Some(Level::Warning));
    assert_eq!(thresholds.highest(&BTreeSet::new()), None);
}

#[test]
fn a_climb_ends_well_below_the_lowest_and_begins_to_matter_just_below_it() {
    let set = Thresholds::new(&defaults(), None);
    assert!(set.is_over(59.9) && !set.is_over(60.0));
    assert!(!set.is_near(64.9) && set.is_near(65.0));
    let early = Thresholds::new(&defaults(), Some(53.0));
    assert!(early.is_over(39.9) && !early.is_over(40.0));
    assert!(!early.is_near(44.9) && early.is_near(45.0));
}
