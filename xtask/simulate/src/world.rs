//! The outcome of a user's weeks under a controller.

use std::collections::BTreeMap;

use pacing::{Call, Learned, Reading, Readings, Window, seconds, whole_seconds};

use crate::demand::{Batch, Demand, Thread, WEEKS};

/// Calls that end within this time of the first of them are one batch, in seconds.
const BATCH_SECS: f64 = 2.0;

/// Says how long a call waits, in seconds: by its time and what its machine knows. Only one that knows the future looks at more of
/// the world than the readings.
pub(crate) trait Controller: FnMut(f64, &World<'_>, &Learned) -> f64 {}

impl<F: FnMut(f64, &World<'_>, &Learned) -> f64> Controller for F {}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Week {
    /// Working time in which nothing could be done, in seconds.
    pub(crate) locked_secs: f64,
    /// All delays together, as far as they lie within working time, in seconds.
    pub(crate) delayed_secs: f64,
    /// The highest usage of a window, in percent.
    pub(crate) highest_percent: f64,
    /// Points of 5-hour windows that were used, on all devices.
    pub(crate) work: f64,
}

/// When each window began, and its usage.
type Used = [(f64, f64); 2];

/// A thread's place in its work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) shift: usize,
    pub(crate) batch: usize,
    /// The end of the thread's next batch; infinite, if there is none.
    pub(crate) next: f64,
}

pub(crate) struct World<'a> {
    pub(crate) demand: &'a Demand,
    pub(crate) used: Used,
    pub(crate) places: Vec<Place>,
    pub(crate) readings: Readings,
    locked_until: f64,
    /// The usage over time, for readings that are behind.
    past: Vec<(f64, Used)>,
    /// For each session when its batch began, and until when that waits.
    sessions: Vec<(f64, f64)>,
    weeks: [Week; WEEKS],
}

/// Runs the weeks. Each machine has a controller of its own.
pub(crate) fn run<C: Controller>(demand: &Demand, controller: impl Fn() -> C) -> [Week; WEEKS] {
    let began = demand.began[0];
    let used = [(f64::MIN, 0.0), (began, 0.0)];
    let mut world = World {
        demand,
        used,
        places: demand.threads.iter().map(|thread| begin(thread, 0, began)).collect(),
        readings: Readings::default(),
        locked_until: f64::MIN,
        past: vec![(began, used)],
        sessions: vec![(f64::MIN, f64::MIN); demand.threads.len()],
        weeks: [Week::default(); WEEKS],
    };
    let mut machines = BTreeMap::new();
    let mut elsewhere = demand.elsewhere.iter().peekable();
    while let Some((number, now)) = world.first() {
        match elsewhere.next_if(|(at, _)| *at <= now) {
            Some((at, points)) if *at >= world.locked_until => world.use_up(*at, *points),
            Some(_) => {}
            None => {
                let machine = machines.entry(demand.threads[number].machine);
                world.turn(number, now, machine.or_insert_with(|| (Learned::default(), controller())));
            }
        }
    }
    world.weeks
}

impl World<'_> {
    /// The thread whose batch ends first, and when.
    fn first(&self) -> Option<(usize, f64)> {
        let ends = self.places.iter().map(|place| place.next).enumerate();
        ends.min_by(|(_, one), (_, other)| one.total_cmp(other)).filter(|(_, next)| next.is_finite())
    }

    /// A batch ends, and the thread waits, or goes on.
    fn turn(&mut self, number: usize, now: f64, machine: &mut (Learned, impl Controller)) {
        let (thread, place) = (&self.demand.threads[number], self.places[number]);
        if now < self.locked_until {
            self.places[number] = after(thread, place, self.locked_until);
            return;
        }
        let (shift, batches) = &thread.work[place.shift];
        let batch = batches[place.batch];
        self.use_up(now, batch.points);
        self.read_at(now);
        // A controller that knows the future sees this thread behind its batch.
        let done = Place { batch: place.batch + 1, ..place };
        self.places[number] = after(thread, done, now);
        let until = self.pace(thread, now, batch, machine);
        self.weeks[self.demand.week(now)].delayed_secs += until.min(shift.end) - now;
        self.places[number] = after(thread, done, until);
    }

    /// Uses points. The batch that reaches a limit is still done.
    fn use_up(&mut self, now: f64, points: f64) {
        let week = self.demand.week(now);
        let week_began = self.demand.began[week];
        let [five_hour, seven_day] = self.used;
        let is_over = now >= five_hour.0 + length(Window::FiveHour);
        let five_hour = if is_over { (now.floor(), 0.0) } else { five_hour };
        let seven_day = if week_began > seven_day.0 { (week_began, 0.0) } else { seven_day };
        let week_points = points * self.demand.week_per_point;
        self.used = [(five_hour.0, five_hour.1 + points), (seven_day.0, seven_day.1 + week_points)];
        self.past.push((now, self.used));
        self.weeks[week].work += points;
        for (window, (began, used)) in Window::ALL.into_iter().zip(self.used) {
            let highest = &mut self.weeks[week].highest_percent;
            *highest = highest.max(used);
            if used >= 100.0 {
                self.lock(now, began + length(window));
            }
        }
    }

    /// Counts the working time that is lost until a reset.
    fn lock(&mut self, now: f64, until: f64) {
        let from = now.max(self.locked_until);
        for (week, began) in self.weeks.iter_mut().zip(self.demand.began) {
            let end = until.min(began + length(Window::SevenDay));
            week.locked_secs += self.demand.work_secs(from.max(began), end);
        }
        self.locked_until = self.locked_until.max(until);
    }

    /// Takes the reading that Claude Code has: whole percents, behind.
    fn read_at(&mut self, now: f64) {
        let seen = now - self.demand.lag_secs;
        let read = self.past.partition_point(|(at, _)| *at <= seen).saturating_sub(1);
        let (_, used) = self.past[read];
        if used[1].1 <= 0.0 {
            return;
        }
        let at = whole_seconds(if self.demand.lag_is_known { seen } else { now });
        self.readings = Window::ALL.map(|window| {
            let (began, used) = used[window as usize];
            Some(Reading::new(at, used.min(100.0).round(), whole_seconds(began + length(window))))
        });
    }

    /// Until when the thread waits: with its batch, or by itself.
    fn pace<C: Controller>(
        &mut self,
        thread: &Thread,
        now: f64,
        batch: Batch,
        machine: &mut (Learned, C),
    ) -> f64 {
        let (learned, controller) = machine;
        let session = usize::try_from(thread.session).unwrap_or(0);
        let (began, until) = self.sessions[session];
        let mut slept_secs = 0.0;
        if now - began >= BATCH_SECS && now >= until {
            learned.read(&self.readings);
            slept_secs = controller(now, self, learned);
            self.sessions[session] = (now, now + slept_secs);
        }
        for call in 0..batch.calls {
            let slept_secs = if call == 0 { slept_secs } else { 0.0 };
            learned.call(Call { at: now, session: thread.session, slept_secs });
        }
        self.sessions[session].1.max(now)
    }
}

pub(crate) const fn length(window: Window) -> f64 {
    seconds(window.length_secs())
}

/// The thread's place when it goes on after `now`: in the next shift where nothing fits into this one any more.
pub(crate) fn after(thread: &Thread, place: Place, now: f64) -> Place {
    let (shift, batches) = &thread.work[place.shift];
    match batches.get(place.batch) {
        Some(batch) if now + batch.gap_secs < shift.end => Place { next: now + batch.gap_secs, ..place },
        _ => begin(thread, place.shift + 1, now),
    }
}

/// The thread's place at the beginning of a shift, or of the first one after it in which something fits.
fn begin(thread: &Thread, shift: usize, now: f64) -> Place {
    let rest = thread.work.iter().enumerate().skip(shift);
    let mut fitting = rest.filter_map(|(shift, (span, batches))| {
        let next = span.start.max(now) + batches.first()?.gap_secs;
        (next < span.end).then_some(Place { shift, batch: 0, next })
    });
    fitting.next().unwrap_or(Place { shift: thread.work.len(), batch: 0, next: f64::INFINITY })
}
