//! When the user works: natural calls per quarter of an hour over the last 28 days.
//!
//! Quarters are counted from the epoch, so that the quiet path needs no time zone: every zone's offset is a multiple of them.

use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, DAY_SECS};
use crate::whole_seconds;

pub(crate) const SLOT_SECS: i64 = 900;
pub(crate) const DAY_SLOTS: usize = 96;
const DAYS: i64 = 28;
const SLOTS: i64 = DAYS * DAY_SECS / SLOT_SECS;

/// Two digits from `#` on hold a slot: none of them needs an escape in JSON.
const BASE: u16 = 56;

/// A slot in which the user could not work, because a limit was reached.
const UNKNOWN: u16 = BASE * BASE - 1;

/// A slot holds half calls up to this number. It is more than anybody makes in a quarter of an hour.
const MOST: u16 = UNKNOWN - 1;

/// Calls per slot, ending with the newest one.
///
/// Two printable characters per slot hold a number of half calls: parsing and writing it costs next to nothing, and every
/// call does both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Habit {
    /// The newest slot, counted from the epoch.
    last: i64,
    slots: String,
}

/// One remembered day of the user's calendar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Day {
    pub(crate) is_workday: bool,
    /// Natural calls of each slot; `NaN` where they are unknown.
    pub(crate) calls: [f64; DAY_SLOTS],
}

impl Habit {
    /// Adds natural calls. Slots since the newest one were idle, or unknown as far as a limit was reached until `locked_until`.
    pub fn add(&mut self, at: f64, calls: f64, locked_until: i64) {
        let slot = whole_seconds(at).div_euclid(SLOT_SECS);
        if self.slots.is_empty() || slot - self.last > SLOTS || slot < self.last - 1 {
            // Nothing is known, or the clock was set: the past says nothing any more.
            self.slots.clear();
            self.last = slot - 1;
        }
        while self.last < slot {
            self.last += 1;
            let is_unknown = self.last < slot && self.last * SLOT_SECS < locked_until;
            self.push(if is_unknown { UNKNOWN } else { 0 });
        }
        let surplus = self.slots.len().saturating_sub(2 * usize::try_from(SLOTS).unwrap_or(0));
        self.slots.drain(..surplus);
        let known = self.len() - 1;
        let before = Some(self.get(known)).filter(|before| *before != UNKNOWN).unwrap_or(0);
        self.slots.truncate(2 * known);
        self.push(before.saturating_add(half_calls(calls)).min(MOST));
    }

    fn push(&mut self, number: u16) {
        for digit in [number / BASE, number % BASE] {
            self.slots.push(char::from(b'#' + u8::try_from(digit).unwrap_or(0)));
        }
    }

    /// A slot's half calls. A damaged file may hold any characters.
    fn get(&self, index: usize) -> u16 {
        let digits = self.slots.as_bytes().get(2 * index..2 * index + 2).unwrap_or_default();
        let digits = digits.iter().map(|digit| u16::from(digit.saturating_sub(b'#')) % BASE);
        digits.fold(0, |number, digit| number * BASE + digit)
    }

    fn len(&self) -> usize {
        self.slots.len() / 2
    }

    /// Days with any knowledge, rounded up.
    pub fn days(&self) -> u8 {
        u8::try_from(self.len().div_ceil(DAY_SLOTS)).unwrap_or(u8::MAX)
    }

    pub fn calls(&self) -> f64 {
        self.between(i64::MIN, i64::MAX)
    }

    /// The remembered natural calls of slots that begin between two moments.
    pub(crate) fn between(&self, from: i64, to: i64) -> f64 {
        self.known().filter(|(at, _)| (from..to).contains(at)).map(|(_, calls)| calls).sum()
    }

    /// The known slots, ascending: when each begins and its natural calls.
    pub fn known(&self) -> impl Iterator<Item = (i64, f64)> {
        let first = self.last + 1 - i64::try_from(self.len()).unwrap_or(0);
        let slots = (first..).zip(0..self.len()).map(|(slot, index)| (slot * SLOT_SECS, self.get(index)));
        slots.filter(|(_, calls)| *calls != UNKNOWN).map(|(at, calls)| (at, f64::from(calls) / 2.0))
    }

    /// The remembered days as the user's calendar has them, today first; of today only what is over.
    pub(crate) fn by_day(&self, calendar: &Calendar, now: f64) -> Vec<Day> {
        let today = calendar.zone.day(whole_seconds(now));
        let day = |back| Day { is_workday: calendar.is_workday(today - back), calls: [f64::NAN; DAY_SLOTS] };
        let mut days: Vec<Day> = (0..=DAYS).map(day).collect();
        let current = whole_seconds(now).div_euclid(SLOT_SECS);
        // The slots after the newest call were idle.
        let is_empty = self.len() == 0;
        let idle = (self.last + 1..current.min(self.last + SLOTS)).filter(|_| !is_empty);
        let slots = self.known().chain(idle.map(|slot| (slot * SLOT_SECS, 0.0)));
        for (at, calls) in slots.filter(|(at, _)| *at < current * SLOT_SECS) {
            let (day, of_day) = place(calendar, at);
            if let Some(day) = usize::try_from(today - day).ok().and_then(|back| days.get_mut(back)) {
                day.calls[of_day] = calls;
            }
        }
        days
    }
}

/// The day since 1970-01-01 and the slot of the day, as the user's clocks show them.
pub(crate) fn place(calendar: &Calendar, at: i64) -> (i64, usize) {
    let local = calendar.zone.local(at);
    let of_day = usize::try_from(local.rem_euclid(DAY_SECS) / SLOT_SECS).unwrap_or(0);
    (local.div_euclid(DAY_SECS), of_day)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
fn half_calls(calls: f64) -> u16 {
    (calls.max(0.0) * 2.0).round().min(f64::from(MOST)) as u16
}
