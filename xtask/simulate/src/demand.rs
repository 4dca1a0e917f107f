//! A user's work of three weeks without any delay. It is drawn before anything runs: every controller meets the same.

use std::f64::consts::TAU;
use std::ops::Range;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::profile::Profile;

/// Monday 2026-01-05 00:00 UTC, in seconds since the epoch.
const A_MONDAY: f64 = 1_767_571_200.0;
pub(crate) const HOUR: f64 = 3600.0;
pub(crate) const DAY: f64 = 24.0 * HOUR;

/// Another device uses this share of all that is used, where there is one.
const ELSEWHERE: f64 = 0.3;

pub(crate) const WEEKS: usize = 3;

pub(crate) struct Demand {
    /// When each 7-day window begins, in seconds since the epoch.
    pub(crate) began: [f64; WEEKS],
    /// When the user is at work, ascending.
    pub(crate) shifts: Vec<Shift>,
    /// Whatever works one thing after the other: a session's main thread, or a subagent of it.
    pub(crate) threads: Vec<Thread>,
    /// The usage of another device, without delay: when, and how many points of a 5-hour window.
    pub(crate) elsewhere: Vec<(f64, f64)>,
    /// Points of the 7-day window for one of the 5-hour window.
    pub(crate) week_per_point: f64,
    /// How far readings are behind, in seconds.
    pub(crate) lag_secs: f64,
    /// A reading says how old it is.
    pub(crate) lag_is_known: bool,
}

/// When the user, or a thread, is at work.
pub(crate) type Shift = Range<f64>;

pub(crate) struct Thread {
    pub(crate) session: u64,
    /// 0 is the session's main thread.
    agent: u64,
    pub(crate) machine: u64,
    /// For each shift what there is to do; what is not done at its end is never done.
    pub(crate) work: Vec<(Shift, Vec<Batch>)>,
}

/// A request to the model and the tool calls it asks for, which run side by side.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    /// From the end of what was before it to the end of its calls, in seconds, without delay.
    pub(crate) gap_secs: f64,
    pub(crate) calls: usize,
    pub(crate) points: f64,
}

impl Demand {
    pub(crate) fn of(profile: &Profile, seed: u64) -> Self {
        let name = profile.name.bytes().fold(0, |name, byte| (name << 8) ^ u64::from(byte));
        let mut random = StdRng::seed_from_u64(name.wrapping_add(seed));
        let first = A_MONDAY + f64::from(random.random_range(0..7 * 24_u8)) * HOUR;
        let began = [first, first + 7.0 * DAY, first + 14.0 * DAY];
        let week_per_point = random.random_range(0.10..0.16);
        let has_elsewhere = random.random_bool(profile.elsewhere);
        let threads = (0..profile.sessions).flat_map(|session| {
            let machine = session % profile.machines;
            (0..=profile.subagents).map(move |agent| Thread { session, agent, machine, work: Vec::new() })
        });
        let mut demand = Self {
            began,
            shifts: Vec::new(),
            threads: threads.collect(),
            elsewhere: Vec::new(),
            week_per_point,
            lag_secs: random.random_range(0.0..600.0),
            lag_is_known: random.random_bool(0.5),
        };
        for began in began {
            demand.add_week(profile, began, has_elsewhere, &mut random);
        }
        demand
    }

    fn add_week(&mut self, profile: &Profile, began: f64, has_elsewhere: bool, random: &mut StdRng) {
        let shifts = shifts(profile, began, random);
        let week = self.threads.iter().map(|thread| thread.week(profile, &shifts, random));
        let mut week: Vec<_> = week.collect();
        let points = profile.week_percent.0 * skewed(random, profile.week_percent.1) / self.week_per_point;
        let own = if has_elsewhere { points * (1.0 - ELSEWHERE) } else { points };
        let batches = week.iter_mut().flatten().flat_map(|(_, batches)| batches);
        share_out(own, batches.map(|batch| &mut batch.points).collect());
        if has_elsewhere {
            self.elsewhere.extend(elsewhere(&shifts, points * ELSEWHERE, random));
        }
        self.shifts.extend(shifts);
        self.threads.iter_mut().zip(week).for_each(|(thread, week)| thread.work.extend(week));
    }

    /// The number of the week that a moment belongs to.
    pub(crate) fn week(&self, at: f64) -> usize {
        self.began.iter().rposition(|began| *began <= at).unwrap_or(0)
    }

    /// For how long the user was at work between these moments, in seconds.
    pub(crate) fn work_secs(&self, from: f64, to: f64) -> f64 {
        self.shifts.iter().map(|shift| (shift.end.min(to) - shift.start.max(from)).max(0.0)).sum()
    }
}

/// When the user works, with some minutes' difference from day to day.
fn shifts(profile: &Profile, began: f64, random: &mut StdRng) -> Vec<Shift> {
    let burst = profile.burst_days.map(|days| {
        let first = random.random_range(0..=5 - days);
        first..first + days
    });
    let mut shifts = Vec::new();
    // The Monday on or before it; the night of the day before may reach into it.
    let monday = A_MONDAY + ((began - A_MONDAY) / (7.0 * DAY)).floor() * 7.0 * DAY;
    for day in -1..15 {
        let weekday = usize::try_from(day % 7).unwrap_or(6);
        let late = random.random_range(-0.5..0.5);
        if !profile.days[weekday] {
            continue;
        }
        let is_short = burst.as_ref().is_some_and(|burst| !burst.contains(&(day % 7)));
        for (from, to) in profile.hours {
            let length = if is_short { (to - from) / 6.0 } else { to - from };
            let from = monday + f64::from(day) * DAY + (from + late) * HOUR;
            let shift = from.max(began)..(from + length * HOUR).min(began + 7.0 * DAY);
            if !shift.is_empty() {
                shifts.push(shift);
            }
        }
    }
    shifts
}

impl Thread {
    /// The work of some shifts. The first session's main thread is there all the time, another one for a part of each shift.
    fn week(&self, profile: &Profile, shifts: &[Shift], random: &mut StdRng) -> Vec<(Shift, Vec<Batch>)> {
        let mut work = Vec::new();
        for shift in shifts {
            let length = shift.end - shift.start;
            let (begins, lasts) = match (self.session, self.agent) {
                (0, 0) => (0.0, 1.0),
                // Some hours of each subagent.
                (_, 1..) => (random.random_range(0.0..0.6), 0.4),
                (_, 0) => (random.random_range(0.0..0.4), 0.6),
            };
            let from = shift.start + begins * length;
            let span = from..(from + lasts * length).min(shift.end);
            work.push((span.clone(), batches(profile, &span, random)));
        }
        work
    }
}

/// The calls that fill a span of work without delay.
fn batches(profile: &Profile, span: &Shift, random: &mut StdRng) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut now = span.start;
    // The cost of a request grows with the length of the conversation.
    let mut weight = skewed(random, 0.5);
    loop {
        let mut gap_secs = 2.0 + (profile.gap_secs - 2.0) * skewed(random, 0.7);
        if random.random_bool(1.0 / profile.prompt.0) {
            let is_long = random.random_bool(0.05);
            gap_secs += exponential(random, profile.prompt.1) * if is_long { 8.0 } else { 1.0 };
            weight = skewed(random, 0.5);
        }
        now += gap_secs;
        if now >= span.end {
            return batches;
        }
        let calls = 1 + (0..5).take_while(|_| random.random_bool(0.25)).count();
        batches.push(Batch { gap_secs, calls, points: weight * skewed(random, 0.8) });
    }
}

/// The usage of another device, all of it together so much: at the same times of day, in pieces of some minutes.
fn elsewhere(shifts: &[Shift], points: f64, random: &mut StdRng) -> Vec<(f64, f64)> {
    let mut uses = Vec::new();
    for shift in shifts {
        let mut now = shift.start + exponential(random, 300.0);
        while now < shift.end {
            uses.push((now, skewed(random, 0.8)));
            now += exponential(random, 300.0);
        }
    }
    share_out(points, uses.iter_mut().map(|(_, points)| points).collect());
    uses
}

/// Scales the parts, so that their sum is this.
fn share_out(points: f64, parts: Vec<&mut f64>) {
    let drawn: f64 = parts.iter().map(|part| **part).sum();
    for part in parts {
        *part *= points / drawn;
    }
}

/// A waiting time for what happens once in `mean`.
fn exponential(random: &mut StdRng, mean: f64) -> f64 {
    -mean * (1.0 - random.random::<f64>()).ln()
}

/// A positive number, 1 in the mean, mostly less and now and then much more.
fn skewed(random: &mut StdRng, sigma: f64) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    let normal = radius * (TAU * random.random::<f64>()).cos();
    (sigma * normal - sigma * sigma / 2.0).exp()
}
