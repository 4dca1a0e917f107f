//! How long the next request waits: so long that what is left of a window lasts, if every batch of calls costs what the last
//! ones did.

use super::cost::History;
use super::line::Rules;
use super::{Question, Status, Window, WindowPace, seconds};

/// So many points past the line the delay is whole. Readings are whole percents, and one point more or less must not switch
/// between nothing and everything.
const RAMP_POINTS: f64 = 2.0;

/// So many points more at the beginning of a week, and ever fewer towards its end: what was too much on one day can be saved
/// on another. In `simulate` a third less is delayed for nothing, for hardly more limits hit.
const WEEKLY_RAMP_POINTS: f64 = 8.0;

/// A window's average says nothing before so much of it is over, in seconds.
const LEAST_ELAPSED_SECS: f64 = 600.0;

/// The delay a window asks for by itself, in seconds.
pub(super) fn of(pace: &WindowPace, question: &Question<'_>, history: &History<'_>, rules: &Rules) -> f64 {
    let (Status::Over, Some((at, reading))) = (pace.status, pace.reading) else { return 0.0 };
    let line = rules.line(pace.window, reading.resets_at, question.now);
    let used_since = history.used_since(pace.window, seconds(at));
    let (used, target) = (reading.used() + used_since, rules.target());
    let longest = rules.longest_delay.min(line.until_reset);
    let delay = if used >= target {
        longest
    } else {
        let budget = (target - used) / line.left;
        let share = rules
            .worked_share(pace.window, reading.resets_at, question.now, question.busy_slots)
            .unwrap_or(1.0);
        let gap = history.natural_gap();
        // The average is of all sessions together and of worked and idle time alike.
        let by_average = gap * (used / line.elapsed.max(LEAST_ELAPSED_SECS)) / budget;
        // Each is cut before they are mixed: else one that is far off would alone make the delay, until it falls to nothing.
        let cut = |apart: f64| (apart - gap).clamp(0.0, rules.longest_delay);
        let costs = history.costs(pace.window);
        let at_once = share * history.sessions();
        let by_costs =
            costs.iter().map(|cost| cost.weight * cut(at_once * cost.points / budget)).sum::<f64>();
        let unknown = 1.0 - costs.iter().map(|cost| cost.weight).sum::<f64>();
        let delay = by_costs + unknown.max(0.0) * cut(by_average);
        let early = match pace.window {
            Window::FiveHour => 0.0,
            Window::SevenDay => WEEKLY_RAMP_POINTS * line.left / (line.left + line.elapsed),
        };
        let ramp = (pace.over_percent + used_since - rules.threshold) / (RAMP_POINTS + early);
        delay * ramp.clamp(0.0, 1.0)
    };
    let delay = delay.min(longest);
    if delay < rules.shortest_delay { 0.0 } else { delay }
}
