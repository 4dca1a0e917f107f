//! What calls cost and how they follow one another, from the readings and calls of the last hours.
//!
//! The unit is the batch: calls of a session that run side by side and wait together.

use std::collections::{HashMap, HashSet};

use super::clock::seconds;
use super::{Call, Question, Reading, SAME_RESET_SECS, Snapshot, Window};

/// Calls of one session that end within so many seconds of the first of them ran side by side.
const BATCH_SECS: f64 = 2.0;

/// A session that was silent for longer makes no calls now, in seconds.
const ACTIVE_SECS: f64 = 30.0 * 60.0;

/// A longer gap was a pause of the user's, in seconds.
const LONGEST_GAP_SECS: f64 = 10.0 * 60.0;

/// So many gaps tell how fast a session is.
const GAPS: usize = 20;

/// How fast a session is of which nothing is known, in seconds between two batches.
const USUAL_GAP_SECS: f64 = 20.0;

/// Batches and points from which on the cost of a batch is known: few dear ones, or many cheap ones. Readings are whole
/// percents, so a point more or less must not matter much.
const ENOUGH: [(f64, f64); 2] = [(20.0, 10.0), (100.0, 5.0)];

/// Points of the week from which on the cost of a batch is known by them.
const ENOUGH_WEEKLY: f64 = 3.0;

/// Points of the week from which on holding them against those of the five hours tells as much as ever.
const ENOUGH_OF_BOTH: f64 = 6.0;

/// How much what a batch costs of the week is read off the five hours at most; the rest is read off the week itself. So no
/// reading of the five hours takes more than this share off a week's delay.
const MOST_BY_HOURS: f64 = 0.5;

/// What is used moves so long after a call at most, in seconds. Later it was somebody else.
const LAG_SECS: f64 = 10.0 * 60.0;

/// What others use is told from what we do over so long at least, in seconds: of less, whole percents tell nothing.
const SPAN_SECS: f64 = 10.0 * 60.0;

/// Of a longer time between two readings it is not known who was at work, in seconds.
const LONGEST_STEP_SECS: f64 = 30.0 * 60.0;

/// Where batches and time go together, the points are taken for ours: so much speaks against others, in squares of spans.
const DOUBT: f64 = 0.1;

/// A batch costs at least this share of what it seems to, whatever others use.
const LEAST_OWN: f64 = 0.1;

/// Nothing sleeps longer, in seconds.
const LONGEST_SLEEP_SECS: f64 = 3600.0;

/// A window's use beyond this is none, in percent.
const MOST_PERCENT: f64 = 10_000.0;

/// Batches and moves, ready to be asked.
#[derive(Debug)]
pub(super) struct History<'a> {
    snapshots: &'a [Snapshot],
    /// Ascending.
    batches: Vec<Batch>,
    now: f64,
    session: u64,
}

/// Calls that waited together.
#[derive(Debug, Clone, Copy)]
struct Batch {
    at: f64,
    session: u64,
    /// Until when it slept; its beginning if it did not.
    until: f64,
}

/// Points that were used between two readings.
#[derive(Debug, Clone, Copy)]
struct Move {
    from: f64,
    to: f64,
    points: f64,
}

/// What a batch costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// In points.
    pub(super) points: f64,
    /// How well that is known, from 0 to 1.
    pub(super) weight: f64,
    /// From one batch to the next in the time this is known of, in seconds.
    secs: f64,
}

/// Points of both windows that were used in the same time.
#[derive(Debug, Clone, Copy)]
struct Both {
    of_week: f64,
    of_hours: f64,
}

impl Cost {
    /// Nothing is known.
    const UNKNOWN: Self = Self { points: 0.0, weight: 0.0, secs: 0.0 };

    /// In points, without what others used of it.
    pub(super) fn without(&self, points_per_sec: f64) -> f64 {
        (self.points - points_per_sec * self.secs).max(LEAST_OWN * self.points)
    }
}

impl<'a> History<'a> {
    pub(super) fn of(question: &Question<'a>) -> Self {
        let &Question { now, session, snapshots, calls, .. } = question;
        Self { snapshots, batches: batches(calls, now), now, session }
    }

    /// How many sessions make calls now, the asking one included.
    pub(super) fn sessions(&self) -> f64 {
        let lately = self.batches.iter().rev().take_while(|batch| self.now - batch.at <= ACTIVE_SECS);
        let mut active: HashSet<u64> = lately.map(|batch| batch.session).collect();
        active.insert(self.session);
        u32::try_from(active.len()).map_or(f64::MAX, f64::from)
    }

    /// From one batch of the asking session to its next, without its sleep, in seconds.
    pub(super) fn natural_gap(&self) -> f64 {
        let own = self.gaps(|session| session == self.session);
        let gaps = if own.is_empty() { self.gaps(|_| true) } else { own };
        let count = u32::try_from(gaps.len()).map_or(1.0, f64::from);
        if gaps.is_empty() { USUAL_GAP_SECS } else { gaps.iter().sum::<f64>() / count }
    }

    /// The last gaps of these sessions, each before a batch; the asking call begins one too.
    fn gaps(&self, is_meant: impl Fn(u64) -> bool) -> Vec<f64> {
        let mut next: HashMap<u64, f64> = HashMap::from([(self.session, self.now)]);
        let mut gaps = Vec::with_capacity(GAPS);
        for batch in self.batches.iter().rev().filter(|batch| is_meant(batch.session)) {
            let is_last = next.get(&batch.session).is_some_and(|next| next - batch.at < BATCH_SECS);
            if let Some(next) = next.insert(batch.session, batch.at)
                && !is_last
            {
                gaps.push((next - batch.until).clamp(0.0, LONGEST_GAP_SECS));
            }
            if gaps.len() == GAPS {
                break;
            }
        }
        gaps
    }

    /// What a batch costs of a window, as told in up to two ways; the weights are together at most 1. Of the week it is so
    /// little that whole percents hardly tell: what it costs of the five hours tells it too, the more the better it is known
    /// how the two go together. They are not made one number, as one that is far off would count for more than its weight.
    pub(super) fn costs(&self, window: Window) -> [Cost; 2] {
        let own = self.own_cost(window);
        match window {
            Window::FiveHour => [own, Cost::UNKNOWN],
            Window::SevenDay => {
                let Both { of_week, of_hours } = self.both();
                let by_hours = (of_week / ENOUGH_OF_BOTH).min(1.0) * MOST_BY_HOURS;
                if of_hours <= 0.0 || by_hours <= 0.0 {
                    return [own, Cost::UNKNOWN];
                }
                let Cost { points, weight, secs } = self.own_cost(Window::FiveHour);
                [
                    Cost { weight: own.weight * (1.0 - by_hours), ..own },
                    Cost { points: points * of_week / of_hours, weight: weight * by_hours, secs },
                ]
            }
        }
    }

    /// What was used lately, divided by the batches of that time: as far back as needed to know it. Of the oldest move only
    /// so much counts as is missing: else a point more or less would decide whether the whole of it does.
    fn own_cost(&self, window: Window) -> Cost {
        let Some(first) = self.batches.first().map(|batch| batch.at) else { return Cost::UNKNOWN };
        let (mut count, mut points, mut secs) = (0.0, 0.0, 0.0);
        for step in self.moves(window).iter().rev().take_while(|step| step.to > first) {
            let (before, upto) = (self.batches_until(step.from), self.batches_until(step.to));
            let last = self.batches[..upto].last();
            if last.is_none_or(|last| step.to - last.at > LAG_SECS) {
                continue;
            }
            let known = (step.to - first) / (step.to - step.from).max(1.0);
            let moved = step.points * known.min(1.0);
            let made = u32::try_from(upto - before).map_or(f64::MAX, f64::from);
            let enough = ENOUGH.map(|(batches, least)| {
                share_missing(batches - count, made).max(share_missing(least - points, moved))
            });
            let share = enough.into_iter().fold(f64::INFINITY, f64::min);
            count += made * share.min(1.0);
            points += moved * share.min(1.0);
            secs += (step.to - step.from) * share.min(1.0);
            if share <= 1.0 {
                break;
            }
        }
        if count <= 0.0 {
            return Cost::UNKNOWN;
        }
        let [_, (many, few_points)] = ENOUGH;
        let weight = match window {
            Window::FiveHour => (points / few_points).max(count / many),
            Window::SevenDay => points / ENOUGH_WEEKLY,
        };
        Cost { points: points / count, weight: weight.min(1.0), secs: secs / count }
    }

    /// What was used of a window since a reading: what the batches after it cost, as far as that is known. Of a week that is
    /// next to nothing.
    pub(super) fn used_since(&self, window: Window, at: f64) -> f64 {
        if window == Window::SevenDay {
            return 0.0;
        }
        let Cost { points, weight, .. } = self.own_cost(window);
        let later = self.batches.len() - self.batches_until(at);
        u32::try_from(later).map_or(0.0, f64::from) * points * weight
    }

    /// What others use of the five hours, in points a second: what went up with time and not with batches.
    pub(super) fn elsewhere(&self) -> f64 {
        let Some(first) = self.batches.first().map(|batch| batch.at) else { return 0.0 };
        let (mut fit, mut span) = (Fit::default(), Span::default());
        let moves = self.moves(Window::FiveHour);
        let known = moves.iter().rev().take_while(|step| step.from > first);
        for step in known.filter(|step| step.to - step.from <= LONGEST_STEP_SECS) {
            let made = self.batches_until(step.to) - self.batches_until(step.from);
            span.batches += u32::try_from(made).map_or(f64::MAX, f64::from);
            span.spans += (step.to - step.from) / SPAN_SECS;
            span.points += step.points;
            if span.spans >= 1.0 {
                fit.add(&std::mem::take(&mut span));
            }
        }
        fit.points_per_span() / SPAN_SECS
    }

    fn batches_until(&self, at: f64) -> usize {
        self.batches.partition_point(|batch| batch.at <= at)
    }

    /// How week and five hours went up together.
    fn both(&self) -> Both {
        let weekly = self.moves(Window::SevenDay);
        let (mut of_week, mut of_hours) = (0.0, 0.0);
        let mut weekly = weekly.iter().peekable();
        for short in self.moves(Window::FiveHour) {
            while let Some(long) = weekly.next_if(|long| long.to <= short.to) {
                of_week += if long.from >= short.from { long.points } else { 0.0 };
            }
            of_hours += short.points;
        }
        Both { of_week, of_hours }
    }

    /// How a window's use went up from reading to reading. Nothing is known of the time between two windows; within one it
    /// never goes down, so a lower reading is an older one.
    fn moves(&self, window: Window) -> Vec<Move> {
        let mut moves = Vec::with_capacity(self.snapshots.len());
        let mut last: Option<(f64, Reading)> = None;
        for snapshot in self.snapshots {
            let Some(reading) = snapshot.of(window) else { continue };
            let at = seconds(snapshot.at);
            if let Some((from, before)) = last.filter(|(_, before)| before.is_same_window(&reading)) {
                if at < from {
                    continue;
                }
                moves.push(Move { from, to: at, points: (reading.used() - before.used()).max(0.0) });
                let used_percent = reading.used().max(before.used());
                last = Some((at, Reading { used_percent, ..reading }));
            } else {
                last = Some((at, reading));
            }
        }
        moves
    }
}

/// What happened in some time.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    batches: f64,
    /// How long it was, in spans of the shortest length.
    spans: f64,
    points: f64,
}

/// Least squares: points from batches and time. The sums of the products.
#[derive(Debug, Clone, Copy, Default)]
struct Fit {
    batches_batches: f64,
    batches_spans: f64,
    spans_spans: f64,
    batches_points: f64,
    spans_points: f64,
}

impl Fit {
    fn add(&mut self, &Span { batches, spans, points }: &Span) {
        // The more was used, the more by chance.
        let weight = 1.0 / (1.0 + points);
        self.batches_batches += weight * batches * batches;
        self.batches_spans += weight * batches * spans;
        self.spans_spans += weight * spans * spans;
        self.batches_points += weight * batches * points;
        self.spans_points += weight * spans * points;
    }

    /// What went up with time alone.
    fn points_per_span(&self) -> f64 {
        let spans_spans = self.spans_spans + DOUBT;
        let determinant = self.batches_batches * spans_spans - self.batches_spans.powi(2);
        if determinant <= 0.0 {
            return 0.0;
        }
        let of_batches = self.batches_points * spans_spans - self.spans_points * self.batches_spans;
        let of_time = self.batches_batches * self.spans_points - self.batches_spans * self.batches_points;
        // No batch gives points back.
        let per_span = if of_batches < 0.0 { self.spans_points / spans_spans } else { of_time / determinant };
        per_span.max(0.0)
    }
}

/// What share of so much fills what is missing; more than 1 if it does not.
fn share_missing(missing: f64, of: f64) -> f64 {
    if missing > 0.0 { missing / of } else { 0.0 }
}

/// The calls, gathered into batches. A call that ended during its session's sleep and was not delayed itself joined it.
fn batches(calls: &[Call], now: f64) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::with_capacity(calls.len());
    let mut current: HashMap<u64, usize> = HashMap::new();
    let usable = calls.iter().filter(|call| call.at.is_finite() && call.at <= now);
    for call in usable {
        let slept =
            if call.slept_secs.is_finite() { call.slept_secs.clamp(0.0, LONGEST_SLEEP_SECS) } else { 0.0 };
        let until = call.at + slept;
        let joined = current
            .get(&call.session)
            .and_then(|index| batches.get_mut(*index))
            .filter(|batch| call.at - batch.at < BATCH_SECS || (slept <= 0.0 && call.at < batch.until));
        match joined {
            Some(batch) if slept > 0.0 => batch.until = batch.until.max(until),
            Some(_) => {}
            None => {
                current.insert(call.session, batches.len());
                batches.push(Batch { at: call.at, session: call.session, until });
            }
        }
    }
    if !batches.is_sorted_by(|one, other| one.at <= other.at) {
        batches.sort_by(|one, other| one.at.total_cmp(&other.at));
    }
    batches
}

impl Snapshot {
    /// What it says of a window, if that is a number.
    pub(super) fn of(&self, window: Window) -> Option<Reading> {
        let reading = match window {
            Window::FiveHour => self.five_hour,
            Window::SevenDay => self.seven_day,
        };
        reading.filter(|reading| reading.used_percent.is_finite())
    }
}

impl Reading {
    /// What is used, as it is calculated with.
    pub(super) const fn used(&self) -> f64 {
        self.used_percent.clamp(0.0, MOST_PERCENT)
    }

    /// Both tell of one window: its reset is told with some play.
    pub(super) const fn is_same_window(&self, other: &Self) -> bool {
        self.resets_at.abs_diff(other.resets_at) <= SAME_RESET_SECS
    }
}

#[cfg(test)]
mod tests;
