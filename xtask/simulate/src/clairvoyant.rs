//! A controller that knows the future: the demand to come, the exact usage and the exact cost.
//!
//! It is bound as the others are: a delay is at most the longest one, and it can neither refuse a call nor reach another device.

use pacing::{Call, Forecast, Learned, Rules, Snapshot};

use crate::controller::Controller;
use crate::demand::{Demand, JUDGED};
use crate::world::{self, Sight, Week};

/// The exponents it tries: it keeps the best outcome of each week.
const EXPONENTS: [f64; 4] = [1.0, 1.25, 1.5, 2.0];

/// It looks again after so many seconds.
const LOOK_EVERY: f64 = 30.0;

/// The best week it can make of this demand: the least of locked-out time and lost work together.
pub(crate) fn best(demand: &Demand, rules: &Rules) -> Week {
    let week = |exponent| world::run(demand, JUDGED, |_| Clairvoyant::new(exponent, rules));
    let weeks: Vec<Week> = EXPONENTS.map(week).into();
    let most = weeks.iter().map(|week| week.work).fold(1e-9, f64::max);
    let working = demand.work_secs(demand.began[JUDGED], demand.ends());
    let loss = |week: &Week| week.locked_secs / working + 1.0 - week.work / most;
    weeks.into_iter().min_by(|one, other| loss(one).total_cmp(&loss(other))).unwrap_or_default()
}

struct Clairvoyant<'a> {
    exponent: f64,
    rules: &'a Rules,
    learned: Learned,
    looked: f64,
    stretch: f64,
    seen: Option<(Forecast, [f64; 2], f64)>,
}

impl<'a> Clairvoyant<'a> {
    fn new(exponent: f64, rules: &'a Rules) -> Self {
        Self { exponent, rules, learned: Learned::default(), looked: f64::MIN, stretch: 1.0, seen: None }
    }
}

impl Controller for Clairvoyant<'_> {
    fn see(&mut self, sight: &Sight<'_>) {
        let now = sight.places.iter().map(|place| place.next).fold(f64::INFINITY, f64::min);
        if now - self.looked < LOOK_EVERY {
            return;
        }
        self.looked = now;
        let [(five, five_resets), (seven, seven_resets)] = sight.used;
        let end = five_resets.min(seven_resets);
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (thread, place) in sight.demand.threads.iter().zip(sight.places) {
            for (index, (shift, batches)) in thread.work.iter().enumerate().skip(place.shift) {
                let first = if index == place.shift { place.batch } else { 0 };
                let mut at = if index == place.shift { place.next } else { shift.from };
                for (number, batch) in batches[first.min(batches.len())..].iter().enumerate() {
                    at += if index == place.shift && number == 0 { 0.0 } else { batch.gap_secs };
                    if at >= shift.to || at >= seven_resets {
                        break;
                    }
                    points.push((at, batch.points));
                }
                if shift.from >= seven_resets {
                    break;
                }
            }
        }
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let sum = |from: f64, to: f64, of: &[(f64, f64)]| {
            of.iter().filter(|(at, _)| (from..to).contains(at)).map(|(_, points)| points).sum::<f64>()
        };
        let others =
            [sum(now, end, &sight.demand.elsewhere), sum(now, seven_resets, &sight.demand.elsewhere)];
        let mut forecast = Forecast { now: sum(f64::MIN, end, &points), ..Forecast::default() };
        let mut window_end = end;
        for (at, points) in points.iter().filter(|(at, _)| *at >= end) {
            if *at >= window_end || forecast.later.is_empty() {
                forecast.later.push(0.0);
                window_end = at + 5.0 * 3600.0;
            }
            if let Some(window) = forecast.later.last_mut() {
                *window += points;
            }
        }
        let budgets = [100.0 - five - others[0], (100.0 - seven) / sight.demand.week_per_point - others[1]];
        self.seen = Some((forecast, budgets, now));
        let most = 1.0 + self.rules.longest_delay / self.learned.gap_secs();
        if let Some((forecast, [five, seven], _)) = &self.seen {
            let five_hour = pacing::stretch(forecast, None, five.max(0.0), most);
            let seven_day = pacing::stretch(forecast, Some((five.max(0.0), 100.0)), seven.max(0.0), most);
            self.stretch = five_hour.max(seven_day);
        }
    }

    fn delay_secs(&mut self, _now: f64, _snapshots: &[Snapshot]) -> f64 {
        let delay = self.learned.gap_secs() * (self.stretch.powf(self.exponent) - 1.0);
        if delay < 1.0 { 0.0 } else { delay.min(self.rules.longest_delay) }
    }

    fn called(&mut self, call: Call) {
        self.learned.call(call);
    }
}
