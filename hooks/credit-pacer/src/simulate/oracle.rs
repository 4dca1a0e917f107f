//! What somebody who knows the future could have done.

use super::controller::Controller;
use super::demand::Demand;
use super::world::{self, Full, Week};

/// The hard limit could have been avoided by delays alone.
///
/// The all-knowing controller takes over when the window begins, with everything before as it was: for the 7-day window
/// that is the whole run. It is bound as we are: it may delay each batch of calls once, by at most `longest_secs`, while
/// the user is at work; it can neither refuse a call nor reach the other device. A longer delay never lets more be used by
/// any moment, so what it can do at best against this window is the longest delay at each call; if the window fills even
/// so, nobody could have helped. That this leaves the user little work does not count here.
///
/// What is said of a 5-hour window is said of this one: whether delays in an earlier window could have moved its
/// beginning is not asked.
pub(super) fn was_avoidable(demand: &Demand, week: &Week, full: &Full, longest_secs: f64) -> bool {
    let mut held = Controller::Held { before: &week.delays, next: 0, from: full.began, longest_secs };
    let filled = world::run(demand, &mut held).full;
    !filled.iter().any(|other| other.window == full.window && (other.began - full.began).abs() < 1.0)
}

/// Nothing had to be delayed in this week: left alone, no window came to so much.
pub(super) fn was_easy(unpaced: &Week) -> bool {
    unpaced.highest_percent < EASY_PERCENT
}

/// A window that ends under this, in percent, needed no pacing.
const EASY_PERCENT: f64 = 95.0;

#[cfg(test)]
mod tests {
    use super::{was_avoidable, was_easy};
    use crate::pacing::Window;
    use crate::simulate::controller::Controller;
    use crate::simulate::demand::{Batch, Demand, Shift, Thread};
    use crate::simulate::world::run;

    /// One session at work for four hours, with a batch every minute; and another device's use.
    fn demand(points_per_batch: f64, elsewhere: &[(f64, f64)]) -> Demand {
        let shift = Shift { from: 0.0, to: 4.0 * 3600.0 };
        let batch = Batch { gap_secs: 60.0, calls: 1, points: points_per_batch };
        Demand {
            began: 0.0,
            shifts: vec![shift],
            threads: vec![Thread { session: 0, work: vec![(shift, vec![batch; 239])] }],
            elsewhere: elsewhere.to_vec(),
            week_per_point: 0.1,
            lag_secs: 0.0,
            lag_is_known: true,
        }
    }

    #[test]
    fn a_limit_is_avoidable_if_the_longest_delays_keep_the_window_below_it() {
        // With 350 s a batch takes 410 s: 35 of them, and a rest, in four hours.
        for (points, elsewhere, longest_secs, expected) in [
            (1.0, &[][..], 350.0, true),
            (2.7, &[], 350.0, true),
            (3.0, &[], 350.0, false),
            (1.0, &[], 30.0, false),
            (1.0, &[], 60.0, false),
            (1.0, &[], 90.0, true),
            (0.5, &[(600.0, 60.0)], 350.0, true),
            (0.5, &[(600.0, 60.0), (7200.0, 40.0)], 350.0, false),
        ] {
            let demand = demand(points, elsewhere);
            let week = run(&demand, &mut Controller::None);
            let [full] = &week.full[..] else { panic!("{points} {elsewhere:?}: {:?}", week.full) };
            assert_eq!(full.window, Window::FiveHour);
            assert_eq!(
                was_avoidable(&demand, &week, full, longest_secs),
                expected,
                "{points} {longest_secs}"
            );
        }
    }

    #[test]
    fn a_week_is_easy_if_no_window_comes_near_its_end() {
        for (points, expected) in [(0.1, true), (0.39, true), (0.4, false), (1.0, false)] {
            let week = run(&demand(points, &[]), &mut Controller::None);
            assert_eq!(was_easy(&week), expected, "{points}: {}", week.highest_percent);
        }
    }
}
