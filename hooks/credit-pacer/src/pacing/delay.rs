//! How long the next request waits: so long that what is left of a window lasts, if every batch of calls costs what the last
//! ones did and others go on using what they do.

use super::cost::{Cost, History};
use super::line::{Line, Rules, likely_share};
use super::{Question, Status, Window, WindowPace, seconds};

/// So many points past the line the delay is whole. Readings are whole percents, and one point more or less must not switch
/// between nothing and everything.
const RAMP_POINTS: f64 = 2.0;

/// So many points more at the beginning of a week, and ever fewer towards its end: what was too much on one day can be saved
/// on another. In `simulate` a third less is delayed for nothing, for hardly more limits hit.
const WEEKLY_RAMP_POINTS: f64 = 8.0;

/// The last part of the five hours, in which nothing can be saved later: the delay is whole ever closer to the line.
const LATE_SHARE: f64 = 0.25;

/// So many points more are kept back at its very end, for what readings that are behind do not show yet; at most half of
/// what is left.
const LATE_POINTS: f64 = 5.0;

/// Less than this is nothing, in points.
const LEAST_POINTS: f64 = 0.01;

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
        let late = late(pace.window, &line);
        let kept_back = (LATE_POINTS * late).min((target - used) / 2.0);
        let budget = (target - used - kept_back) / line.left;
        let gap = history.natural_gap();
        // The average is of all sessions together and of worked and idle time alike.
        let by_average = gap * (used / line.elapsed.max(LEAST_ELAPSED_SECS)) / budget;
        // Each is cut before they are mixed: else one that is far off would alone make the delay, until it falls to nothing.
        let cut = |apart: f64| (apart - gap).clamp(0.0, rules.longest_delay);
        let costs = history.costs(pace.window);
        let (share, elsewhere) = beside(pace.window, reading.resets_at, question, history, rules);
        let ours = budget / share - elsewhere;
        let apart = |cost: &Cost| history.sessions() * cost.without(elsewhere) / ours;
        let cut_by = |cost: &Cost| if ours > 0.0 { cut(apart(cost)) } else { rules.longest_delay };
        let by_costs = costs.iter().map(|cost| cost.weight * cut_by(cost)).sum::<f64>();
        let unknown = 1.0 - costs.iter().map(|cost| cost.weight).sum::<f64>();
        let delay = by_costs + unknown.max(0.0) * cut(by_average);
        let ramp_points = match pace.window {
            Window::FiveHour => (RAMP_POINTS * (1.0 - late)).max(LEAST_POINTS),
            Window::SevenDay => RAMP_POINTS + WEEKLY_RAMP_POINTS * line.share_left(),
        };
        let ramp = (pace.over_percent + used_since - rules.threshold) / ramp_points;
        delay * ramp.clamp(0.0, 1.0)
    };
    let delay = delay.min(longest);
    if delay < rules.shortest_delay { 0.0 } else { delay }
}

/// How far the last part of the five hours is over, from 0 to 1. A week has none: its readings are as old, but it is slow.
fn late(window: Window, line: &Line) -> f64 {
    match window {
        Window::FiveHour => (1.0 - line.share_left() / LATE_SHARE).max(0.0),
        Window::SevenDay => 0.0,
    }
}

/// The share of the time left in which there will be calls, and the points a second that others use. What others use of a
/// week is left out: it is too little to be read, and in `simulate` more was delayed for nothing than limits avoided.
fn beside(
    window: Window,
    resets_at: i64,
    question: &Question<'_>,
    history: &History<'_>,
    rules: &Rules,
) -> (f64, f64) {
    let &Question { now, busy_slots, .. } = question;
    match window {
        Window::FiveHour => (likely_share(resets_at, now, busy_slots).unwrap_or(1.0), history.elsewhere()),
        Window::SevenDay => (rules.worked_share(window, resets_at, now, busy_slots).unwrap_or(1.0), 0.0),
    }
}
