//! The optimum: a controller that knows the demand to come, the exact usage and the exact cost of each call.
//!
//! It keeps the promises that a user can check: nothing waits while the reading stands at or under the safe line of a
//! window, a delay is at most the longest one, and no call is refused. It cannot reach another device either.

use pacing::{Forecast, Learned, Rules, Window, seconds};

use crate::demand::{Demand, WEEKS};
use crate::world::{self, Controller, Place, Week, World, after, length};

/// How hard it delays. The optimum of a week is the best of these.
const EXPONENTS: [f64; 6] = [1.0, 1.25, 1.5, 1.75, 2.0, 3.0];

/// It looks again after this many seconds.
const LOOK_EVERY: f64 = 30.0;

/// The best outcomes of each week: the least lost work and locked-out time, each as a share of the week's, and the least lost work alone.
pub(crate) fn best(demand: &Demand, rules: &Rules, unpaced: &[Week; WEEKS]) -> [[Week; WEEKS]; 2] {
    let runs = EXPONENTS.map(|exponent| world::run(demand, || controller(exponent, rules)));
    let best = |lockout_counts: f64, week: usize| {
        let began = demand.began[week];
        let working = demand.work_secs(began, began + length(Window::SevenDay)).max(1.0);
        let loss =
            |run: &Week| lockout_counts * run.locked_secs / working - run.work / unpaced[week].work.max(1e-9);
        let outcomes = runs.iter().map(|run| run[week]);
        outcomes.min_by(|one, other| loss(one).total_cmp(&loss(other))).unwrap_or_default()
    };
    [1.0, 0.0].map(|lockout_counts| std::array::from_fn(|week| best(lockout_counts, week)))
}

fn controller(exponent: f64, rules: &Rules) -> impl Controller {
    let (mut looked, mut stretches) = (f64::MIN, [1.0; 2]);
    move |now: f64, world: &World<'_>, learned: &Learned| {
        let next = world.places.iter().map(|place| place.next).fold(f64::INFINITY, f64::min);
        if next - looked >= LOOK_EVERY {
            (looked, stretches) = (next, look(world, next, 1.0 + rules.longest_delay / learned.gap_secs()));
        }
        let over = Window::ALL.into_iter().zip(&world.readings).filter_map(|(window, reading)| {
            let reading = reading.filter(|reading| seconds(reading.resets_at) > now)?;
            let line = rules.line(window, reading.resets_at, now);
            (reading.used_percent > line.safe_percent).then_some(stretches[window as usize])
        });
        let delay = learned.gap_secs() * (over.fold(1.0, f64::max).powf(exponent) - 1.0);
        if delay < rules.shortest_delay { 0.0 } else { delay.min(rules.longest_delay) }
    }
}

/// How much each window stretches gaps.
fn look(world: &World<'_>, now: f64, most: f64) -> [f64; 2] {
    let [(five_began, five), (seven_began, seven)] = world.used;
    let seven_resets = seven_began + length(Window::SevenDay);
    let end = seven_resets.min(five_began + length(Window::FiveHour));
    let forecast = to_come(world, end, seven_resets);
    let elsewhere = |to: f64| {
        let uses = world.demand.elsewhere.iter().filter(|(at, _)| (now..to).contains(at));
        uses.map(|(_, points)| points).sum::<f64>()
    };
    let five = (100.0 - five - elsewhere(end)).max(0.0);
    let seven = (100.0 - seven) / world.demand.week_per_point - elsewhere(seven_resets);
    [(None, five), (Some((five, 100.0)), seven.max(0.0))]
        .map(|(caps, fitting)| pacing::stretch(&forecast, caps, fitting, most))
}

/// The usage of the machines' threads without delay: the points until `end`, where the current 5-hour window ends, and those of each
/// later one, which a call begins, until `until`.
fn to_come(world: &World<'_>, end: f64, until: f64) -> Forecast {
    let mut points = Vec::new();
    for (thread, place) in world.demand.threads.iter().zip(&world.places) {
        let mut place = *place;
        while place.next < until {
            points.push((place.next, thread.work[place.shift].1[place.batch].points));
            place = after(thread, Place { batch: place.batch + 1, ..place }, place.next);
        }
    }
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut forecast, mut window_end) = (Forecast::default(), end);
    for (at, points) in points {
        if at >= window_end {
            forecast.later.push(0.0);
            window_end = at + length(Window::FiveHour);
        }
        *forecast.later.last_mut().unwrap_or(&mut forecast.now) += points;
    }
    forecast
}
