//! One week of one user under one controller.

use super::controller::Controller;
use super::demand::{Batch, Demand, Shift, Thread, seconds};
use crate::pacing::{Call, Question, Reading, Snapshot, Window};
use crate::state::State;

/// Calls that end within this time of the first of them are one batch, in seconds.
const BATCH_SECS: f64 = 2.0;

/// So many readings are kept.
const SNAPSHOTS_KEPT: usize = 48;

/// The slots of use, in seconds.
const SLOT_SECS: f64 = 600.0;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Week {
    /// The windows that were used up.
    pub(super) full: Vec<Full>,
    /// The most that was used of a window, in percent.
    pub(super) highest_percent: f64,
    /// Working time in which nothing could be done, in seconds.
    pub(super) locked_secs: f64,
    /// All delays together, as far as they lie within working time, in seconds.
    pub(super) delayed_secs: f64,
    /// Tool calls.
    pub(super) calls: u64,
    /// Each answer of the controller, in seconds, in the order they were asked for.
    pub(super) delays: Vec<f64>,
}

/// A window that was used up: a hard limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Full {
    /// Which.
    pub(super) window: Window,
    /// When it began.
    pub(super) began: f64,
    /// When nothing was left.
    pub(super) at: f64,
    /// When it ended.
    pub(super) until: f64,
}

/// What is used, at one moment.
#[derive(Debug, Clone, Copy)]
struct Used {
    at: f64,
    /// When the 5-hour window began, and what is used of it.
    five_hour: Option<(f64, f64)>,
    seven_day: f64,
}

/// Where a thread stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    shift: usize,
    batch: usize,
    /// When its next batch ends; never, if there is none.
    next: f64,
}

struct World<'a> {
    demand: &'a Demand,
    used: Used,
    locked_until: f64,
    places: Vec<Place>,
    /// What was used, for readings that are behind.
    past: Vec<Used>,
    /// Up to here it was read.
    read: usize,
    snapshots: Vec<Snapshot>,
    calls: Vec<Call>,
    busy_slots: Vec<i64>,
    /// For each session when its batch began, and until when that waits.
    sessions: Vec<(f64, f64)>,
    week: Week,
}

/// Runs it.
pub(super) fn run(demand: &Demand, controller: &mut Controller<'_>) -> Week {
    let mut world = World::of(demand);
    let mut elsewhere = demand.elsewhere.iter().peekable();
    while let Some(number) = world.first() {
        let now = world.places[number].next;
        if let Some((at, points)) = elsewhere.next_if(|(at, _)| *at <= now) {
            if *at >= world.locked_until {
                world.used_up(*at, *points);
            }
            continue;
        }
        world.turn(number, now, controller);
    }
    world.week.locked_secs = world.locked_secs();
    world.week
}

impl<'a> World<'a> {
    fn of(demand: &'a Demand) -> Self {
        let began = demand.began;
        let used = Used { at: began, five_hour: None, seven_day: 0.0 };
        let sessions = demand.threads.iter().map(|_| (f64::MIN, f64::MIN)).collect();
        let mut world = Self {
            demand,
            used,
            locked_until: f64::MIN,
            places: Vec::new(),
            past: vec![used],
            read: 0,
            snapshots: Vec::new(),
            calls: Vec::new(),
            busy_slots: Vec::new(),
            sessions,
            week: Week::default(),
        };
        world.places = demand.threads.iter().map(|thread| begin(thread, 0, began)).collect();
        world
    }

    /// The thread whose batch ends first.
    fn first(&self) -> Option<usize> {
        let places = self.places.iter().enumerate();
        let first = places.min_by(|(_, one), (_, other)| one.next.total_cmp(&other.next))?;
        first.1.next.is_finite().then_some(first.0)
    }

    /// A batch ends, and the thread waits, or goes on.
    fn turn(&mut self, number: usize, now: f64, controller: &mut Controller<'_>) {
        let demand = self.demand;
        let (thread, place) = (&demand.threads[number], self.places[number]);
        let (shift, batches) = &thread.work[place.shift];
        if now < self.locked_until {
            self.places[number] = after(thread, *shift, place, self.locked_until);
            return;
        }
        let batch = batches[place.batch];
        self.used_up(now, batch.points);
        self.read_at(now);
        let until = self.pace(thread.session, now, batch, controller);
        self.week.delayed_secs += until.min(shift.to) - now;
        let next = Place { batch: place.batch + 1, ..place };
        self.places[number] = after(thread, *shift, next, until);
    }

    /// Uses points. What fills a window is still done.
    fn used_up(&mut self, now: f64, points: f64) {
        let five_hour = self.used.five_hour.filter(|(began, _)| now < began + seconds(Window::FiveHour));
        let (began, before) = five_hour.unwrap_or((now.floor(), 0.0));
        let week = self.used.seven_day + points * self.demand.week_per_point;
        self.used = Used { at: now, five_hour: Some((began, before + points)), seven_day: week };
        self.past.push(self.used);
        for (window, began, used) in
            [(Window::FiveHour, began, before + points), (Window::SevenDay, self.demand.began, week)]
        {
            self.week.highest_percent = self.week.highest_percent.max(used);
            if used >= 100.0 {
                let until = began + seconds(window);
                self.week.full.push(Full { window, began, at: now, until });
                self.locked_until = self.locked_until.max(until);
            }
        }
    }

    /// What the client tells: whole percents, behind.
    fn read_at(&mut self, now: f64) {
        let seen = now - self.demand.lag_secs;
        while self.past.get(self.read + 1).is_some_and(|next| next.at <= seen) {
            self.read += 1;
        }
        let used = self.past[self.read];
        let reading = |used: f64, resets_at: f64| Reading {
            used_percent: used.min(100.0).round(),
            resets_at: whole(resets_at),
        };
        let snapshot = Snapshot {
            at: whole(if self.demand.lag_is_known { seen } else { now }),
            five_hour: used.five_hour.map(|(began, used)| reading(used, began + seconds(Window::FiveHour))),
            seven_day: (used.seven_day > 0.0).then(|| reading(used.seven_day, self.demand.ends())),
        };
        if snapshot.seven_day.is_none() {
            return;
        }
        // Of those that say the same, the first and the last are kept.
        let is_same =
            |other: &Snapshot| (other.five_hour, other.seven_day) == (snapshot.five_hour, snapshot.seven_day);
        if let [.., before, last] = &mut self.snapshots[..]
            && is_same(before)
            && is_same(last)
        {
            *last = snapshot;
        } else {
            self.snapshots.push(snapshot);
        }
    }

    /// Until when it waits: with its batch, or by itself.
    fn pace(&mut self, session: u64, now: f64, batch: Batch, controller: &mut Controller<'_>) -> f64 {
        let Some((began, until)) = self.sessions.get_mut(usize::try_from(session).unwrap_or(0)) else {
            return now;
        };
        let is_batch = now - *began < BATCH_SECS || now < *until;
        let mut slept_secs = 0.0;
        if !is_batch {
            let question = Question {
                now,
                session,
                snapshots: last(&self.snapshots, SNAPSHOTS_KEPT),
                calls: last(&self.calls, State::MAX_CALLS),
                busy_slots: &self.busy_slots,
            };
            slept_secs = controller.delay_secs(&question);
            (*began, *until) = (now, now + slept_secs);
            self.week.delays.push(slept_secs);
        }
        let until = until.max(now);
        let calls = (0..batch.calls).map(|call| Call {
            at: now,
            session,
            slept_secs: if call == 0 { slept_secs } else { 0.0 },
        });
        self.calls.extend(calls);
        self.week.calls += u64::from(batch.calls);
        let slot = whole(now / SLOT_SECS);
        if self.busy_slots.last() != Some(&slot) {
            self.busy_slots.push(slot);
        }
        until
    }

    /// Working time after a limit was hit, until its reset; what two limits lock counts once.
    fn locked_secs(&self) -> f64 {
        let mut counted = f64::MIN;
        let mut secs = 0.0;
        for full in &self.week.full {
            secs += self.demand.work_secs(full.at.max(counted), full.until);
            counted = counted.max(full.until);
        }
        secs
    }
}

/// The thread's place when it goes on after `now` within a shift: where nothing fits into that any more, in the next one.
fn after(thread: &Thread, shift: Shift, place: Place, now: f64) -> Place {
    let batches = thread.work.get(place.shift).map_or(&[][..], |(_, batches)| batches);
    match batches.get(place.batch) {
        Some(batch) if now + batch.gap_secs < shift.to => Place { next: now + batch.gap_secs, ..place },
        _ => begin(thread, place.shift + 1, now),
    }
}

/// The thread's place at the beginning of a shift, or of the first one after it in which something fits.
fn begin(thread: &Thread, shift: usize, now: f64) -> Place {
    let rest = thread.work.iter().enumerate().skip(shift);
    let mut fitting = rest.filter_map(|(shift, (span, batches))| {
        let next = span.from.max(now) + batches.first()?.gap_secs;
        (next < span.to).then_some(Place { shift, batch: 0, next })
    });
    fitting.next().unwrap_or(Place { shift: thread.work.len(), batch: 0, next: f64::INFINITY })
}

fn last<T>(all: &[T], count: usize) -> &[T] {
    &all[all.len().saturating_sub(count)..]
}

#[expect(clippy::cast_possible_truncation, reason = "times of this century")]
fn whole(number: f64) -> i64 {
    number.floor() as i64
}
