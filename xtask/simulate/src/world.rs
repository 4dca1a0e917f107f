//! The outcome of a user's weeks under a controller.

use std::collections::BTreeMap;

use pacing::{Call, Reading, Snapshot, Window};

use crate::controller::Controller;
use crate::demand::{Batch, Demand, Shift, Thread, WEEKS, seconds};

/// Calls that end within this time of the first of them are one batch, in seconds.
const BATCH_SECS: f64 = 2.0;

/// Readings that are kept.
const SNAPSHOTS_KEPT: usize = 16;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Week {
    /// Working time in which nothing could be done, in seconds.
    pub(crate) locked_secs: f64,
    /// All delays together, as far as they lie within working time, in seconds.
    pub(crate) delayed_secs: f64,
    /// The most that was used of a window, in percent.
    pub(crate) highest_percent: f64,
    /// Points of 5-hour windows that were used, on all devices.
    pub(crate) work: f64,
}

#[derive(Debug, Clone, Copy)]
struct Used {
    at: f64,
    /// When the 5-hour window began, and its usage.
    five_hour: Option<(f64, f64)>,
    seven_day: f64,
    seven_day_began: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) shift: usize,
    pub(crate) batch: usize,
    /// When its next batch ends; never, if there is none.
    pub(crate) next: f64,
}

/// What a controller that knows the future may look at.
pub(crate) struct Sight<'a> {
    pub(crate) demand: &'a Demand,
    pub(crate) places: &'a [Place],
    /// The usage of both windows in percent, and when they reset.
    pub(crate) used: [(f64, f64); 2],
}

struct World<'a, C> {
    demand: &'a Demand,
    controllers: BTreeMap<u64, C>,
    used: Used,
    locked: (f64, f64),
    places: Vec<Place>,
    /// The usage over time, for readings that are behind.
    past: Vec<Used>,
    /// Up to here it was read.
    read: usize,
    snapshots: Vec<Snapshot>,
    /// For each session when its batch began, and until when that waits.
    sessions: Vec<(f64, f64)>,
    weeks: [Week; WEEKS],
}

/// Runs the weeks. Each machine has a controller of its own.
pub(crate) fn run<C: Controller>(demand: &Demand, controller: impl Fn(u64) -> C) -> [Week; WEEKS] {
    let mut world = World::of(demand, controller);
    let mut elsewhere = demand.elsewhere.iter().peekable();
    while let Some(number) = world.first() {
        let now = world.places[number].next;
        if let Some((at, points)) = elsewhere.next_if(|(at, _)| *at <= now) {
            if *at >= world.locked.1 {
                world.use_up(*at, *points);
                world.week(*at).work += points;
            }
            continue;
        }
        world.turn(number, now);
    }
    world.weeks
}

impl<'a, C: Controller> World<'a, C> {
    fn of(demand: &'a Demand, controller: impl Fn(u64) -> C) -> Self {
        let began = demand.began[0];
        let used = Used { at: began, five_hour: None, seven_day: 0.0, seven_day_began: began };
        let controllers =
            demand.threads.iter().map(|thread| (thread.machine, controller(thread.machine))).collect();
        let places = demand.threads.iter().map(|thread| begin(thread, 0, began)).collect();
        let sessions = demand.threads.iter().map(|_| (f64::MIN, f64::MIN)).collect();
        Self {
            demand,
            controllers,
            used,
            locked: (f64::MIN, f64::MIN),
            places,
            past: vec![used],
            read: 0,
            snapshots: Vec::new(),
            sessions,
            weeks: [Week::default(); WEEKS],
        }
    }

    /// The thread whose batch ends first.
    fn first(&self) -> Option<usize> {
        let places = self.places.iter().enumerate();
        let first = places.min_by(|(_, one), (_, other)| one.next.total_cmp(&other.next))?;
        first.1.next.is_finite().then_some(first.0)
    }

    fn week(&mut self, at: f64) -> &mut Week {
        &mut self.weeks[self.demand.week(at)]
    }

    /// A batch ends, and the thread waits, or goes on.
    fn turn(&mut self, number: usize, now: f64) {
        let demand = self.demand;
        let (thread, place) = (&demand.threads[number], self.places[number]);
        let (shift, batches) = &thread.work[place.shift];
        if now < self.locked.1 {
            self.places[number] = after(thread, *shift, place, self.locked.1);
            return;
        }
        let batch = batches[place.batch];
        let next = Place { batch: place.batch + 1, ..place };
        self.use_up(now, batch.points);
        self.read_at(now);
        // A controller that knows the future sees this thread behind its batch.
        self.places[number] = after(thread, *shift, next, now);
        let until = self.pace(thread, now, batch);
        let week = self.week(now);
        week.work += batch.points;
        week.delayed_secs += until.min(shift.to) - now;
        self.places[number] = after(thread, *shift, next, until);
    }

    /// Uses points. The batch that reaches a limit is still done.
    fn use_up(&mut self, now: f64, points: f64) {
        let five_hour = self.used.five_hour.filter(|(began, _)| now < began + seconds(Window::FiveHour));
        let (began, before) = five_hour.unwrap_or((now.floor(), 0.0));
        let week = self.demand.began[self.demand.week(now)];
        let seven_day = if week > self.used.seven_day_began { 0.0 } else { self.used.seven_day };
        let seven_day = seven_day + points * self.demand.week_per_point;
        self.used =
            Used { at: now, five_hour: Some((began, before + points)), seven_day, seven_day_began: week };
        self.past.push(self.used);
        for (window, began, used) in
            [(Window::FiveHour, began, before + points), (Window::SevenDay, week, seven_day)]
        {
            let until = began + seconds(window);
            let judged = self.week(now);
            judged.highest_percent = judged.highest_percent.max(used);
            if used >= 100.0 && until > self.locked.1 {
                let from = now.max(self.locked.1);
                for (week, began) in self.weeks.iter_mut().zip(self.demand.began) {
                    let end = began + seconds(Window::SevenDay);
                    week.locked_secs += self.demand.work_secs(from.max(began), until.min(end));
                }
                self.locked = (from, until);
            }
        }
    }

    /// The reading that Claude Code has: whole percents, behind.
    fn read_at(&mut self, now: f64) {
        let seen = now - self.demand.lag_secs;
        while self.past.get(self.read + 1).is_some_and(|next| next.at <= seen) {
            self.read += 1;
        }
        let used = self.past[self.read];
        if used.seven_day <= 0.0 {
            return;
        }
        let reading = |used: f64, resets_at: f64| {
            Some(Reading {
                used_percent: used.min(100.0).round(),
                resets_at: pacing::whole_seconds(resets_at),
            })
        };
        let five_hour =
            used.five_hour.and_then(|(began, used)| reading(used, began + seconds(Window::FiveHour)));
        let seven_day = reading(used.seven_day, used.seven_day_began + seconds(Window::SevenDay));
        let at = pacing::whole_seconds(if self.demand.lag_is_known { seen } else { now });
        self.snapshots.push(Snapshot { at, five_hour, seven_day });
        let surplus = self.snapshots.len().saturating_sub(SNAPSHOTS_KEPT);
        self.snapshots.drain(..surplus);
    }

    /// Until when it waits: with its batch, or by itself.
    fn pace(&mut self, thread: &Thread, now: f64, batch: Batch) -> f64 {
        let session = usize::try_from(thread.session).unwrap_or(0);
        let (began, until) = self.sessions[session];
        let is_batch = now - began < BATCH_SECS || now < until;
        let (used, demand) = (self.used, self.demand);
        let Some(controller) = self.controllers.get_mut(&thread.machine) else { return now };
        let mut slept_secs = 0.0;
        if !is_batch {
            let (five_began, five_used) = used.five_hour.unwrap_or((now, 0.0));
            let used = [
                (five_used, five_began + seconds(Window::FiveHour)),
                (used.seven_day, used.seven_day_began + seconds(Window::SevenDay)),
            ];
            controller.see(&Sight { demand, places: &self.places, used });
            slept_secs = controller.delay_secs(now, &self.snapshots);
            self.sessions[session] = (now, now + slept_secs);
        }
        for call in 0..batch.calls {
            controller.called(Call {
                at: now,
                session: thread.session,
                slept_secs: if call == 0 { slept_secs } else { 0.0 },
            });
        }
        self.sessions[session].1.max(now)
    }
}

/// The thread's place when it goes on after `now` within a shift: in the next one where nothing fits into that any more.
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
