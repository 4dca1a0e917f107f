//! The levels: at which percentage each is reached, and when all begin anew.

use std::collections::BTreeSet;

use shared::config::Bounded;

use super::{Level, Thresholds};
use crate::tests::defaults;

#[test]
fn level_is_reached_at_exactly_its_percentage() {
    use Level::{AutoPause, Caution, Critical, Warning};
    for (point, percent, expected) in [
        (None, 69.999, &[][..]),
        (None, 70.0, &[Caution]),
        (None, 85.0, &[Caution, Warning]),
        (None, 90.0, &[Caution, Warning, AutoPause]),
        (None, 95.0, &[Caution, Warning, AutoPause, Critical]),
        (Some(83.0), 84.0, &[Caution, AutoPause]),
    ] {
        let thresholds = Thresholds::new(&defaults(), point);
        let reached = thresholds.reached(percent);
        assert_eq!(reached, expected.iter().copied().collect::<BTreeSet<_>>(), "{percent}");
    }
}

#[test]
fn record_begins_before_the_client_compacts() {
    for (point, margin, expected) in
        [(Some(83.5), 3, 80.5), (Some(83.5), 0, 83.5), (Some(93.0), 3, 90.0), (Some(20.0), 50, 1.0)]
    {
        let mut settings = defaults();
        settings.compaction_margin_points = Bounded::new(margin).unwrap();
        let at = Thresholds::new(&settings, point).of(Level::AutoPause);
        assert!((at - expected).abs() < 1e-9, "{point:?} {margin} {at}");
    }
}

#[test]
fn levels_begin_anew_ten_points_below_the_lowest_level() {
    let set = Thresholds::new(&defaults(), None);
    assert!(set.is_over(59.9) && !set.is_over(60.0));
}
