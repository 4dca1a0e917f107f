//! Calls an hour and money a day, over all sessions together: `<state>/judge.json`.
//!
//! A call is counted before it is made, with what it may cost at most; when it is over, with what it did cost. So the limits
//! hold whoever is killed when: a call that nobody settled counts with its most until it is a day old.

use std::path::Path;
use std::time::SystemTime;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::permission::NotAsked;
use super::price;
use super::settings::Settings;
use shared::hook::Remembered;
use shared::host::{DAY, HOUR, Timestamp};
use shared::state::Store;

/// The envelope's session of a file that belongs to none.
const MACHINE: &str = "";

/// Calls older than an hour are added up, those of so much time together: the file stays small whatever the limits are.
const SLICE_MICROS: i64 = 10 * 60 * 1_000_000;

/// A call that is counted before it is made, with what it may cost at most.
#[derive(Debug)]
pub(super) struct Reservation(pub(super) u64);

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Calls in the last hour.
    pub(super) calls: u32,
    /// In the last 24 hours, in millionths of a US dollar.
    pub(super) micro_usd: u64,
}

/// Everything of the last day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Ledger {
    /// Calls of the last hour.
    calls: Vec<Made>,
    /// Money of the hours before, oldest first.
    earlier: Vec<Slice>,
}

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    /// Nobody else's: a file that was begun anew does not give it away again.
    id: u64,
    at_us: Timestamp,
    /// At most, until it is settled.
    micro_usd: u64,
}

/// Calls of some time together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Slice {
    /// When the last of them was made.
    at_us: Timestamp,
    micro_usd: u64,
}

impl Remembered for Ledger {
    const MACHINE_WIDE: bool = true;

    fn file_name(_session: &str) -> Option<String> {
        Some("judge.json".to_owned())
    }
}

/// Counts a call before it is made.
///
/// # Errors
/// Why it may not be made.
pub(super) fn reserve(
    store: &Store,
    now: Timestamp,
    settings: &Settings,
    at_most_micro_usd: u64,
) -> Result<Reservation, NotAsked> {
    let made = Made { id: rand::rng().random(), at_us: now, micro_usd: at_most_micro_usd };
    change(store, now, |ledger| {
        if let Some(why) = refusal(ledger.tally(), settings, at_most_micro_usd) {
            return Err(why);
        }
        ledger.calls.push(made);
        Ok(Reservation(made.id))
    })?
}

/// What it has cost after all. Where that cannot be kept, its most stays.
pub(super) fn settle(store: &Store, now: Timestamp, reservation: &Reservation, micro_usd: u64) {
    let _ = change(store, now, |ledger| {
        // It is not there any more if it took an hour, or the file was begun anew.
        for made in ledger.calls.iter_mut().filter(|made| made.id == reservation.0) {
            made.micro_usd = micro_usd;
        }
    });
}

/// What was spent up to now; `None` where that is not known, and so nobody is asked.
pub(super) fn tally(store: &Store, now: Timestamp) -> Option<Tally> {
    let file = store.session_file::<Ledger>(MACHINE)?;
    if is_unknown(store, &file, now) {
        return None;
    }
    let mut ledger = store.peek::<Ledger>(&file, MACHINE).unwrap_or_default();
    ledger.up_to(now);
    Some(ledger.tally())
}

/// Why a call that may cost so much is not made after these.
pub(super) fn refusal(tally: Tally, settings: &Settings, at_most_micro_usd: u64) -> Option<NotAsked> {
    if tally.calls >= settings.max_calls_per_hour.get() {
        return Some(NotAsked::CallsSpent);
    }
    let together = tally.micro_usd.saturating_add(at_most_micro_usd);
    (together > price::micros(settings.max_cost_usd_per_day.get())).then_some(NotAsked::MoneySpent)
}

/// Reads it, as of now, changes and writes it under its lock.
fn change<T>(store: &Store, now: Timestamp, change: impl FnOnce(&mut Ledger) -> T) -> Result<T, NotAsked> {
    let file = store.session_file::<Ledger>(MACHINE).ok_or(NotAsked::NoState)?;
    let changed = store.locked(&file, || {
        if is_unknown(store, &file, now) {
            return Err(NotAsked::NoState);
        }
        let there: Ledger = store.load(&file, MACHINE).map_err(|_| NotAsked::NoState)?;
        let mut ledger = there.clone();
        ledger.up_to(now);
        let said = change(&mut ledger);
        // Written where a call is refused too: what a clock that went back has left must age from now on.
        if ledger != there {
            store.save(&file, MACHINE, &ledger).map_err(|_| NotAsked::NoState)?;
        }
        Ok(said)
    });
    changed.map_err(|_| NotAsked::NoState)?
}

/// What the file holds cannot be read, and may still count: it was written within a day. After that it is begun anew.
fn is_unknown(store: &Store, file: &Path, now: Timestamp) -> bool {
    if store.peek::<Ledger>(file, MACHINE).is_some() {
        return false;
    }
    let Ok(metadata) = std::fs::symlink_metadata(file) else { return false };
    let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    // One of the future does not hold for longer than the clock was wrong.
    let written = Timestamp::from(written);
    now.since(written) < DAY && written.since(now) < DAY
}

impl Ledger {
    /// Drops what is over, and adds up what is older than an hour. What was counted at a time that is yet to come was counted
    /// by a clock that has gone back since: it counts as of now, so that it neither goes uncounted nor holds for ever.
    fn up_to(&mut self, now: Timestamp) {
        for made in &mut self.calls {
            made.at_us = made.at_us.min(now);
        }
        for slice in &mut self.earlier {
            slice.at_us = slice.at_us.min(now);
        }
        let (recent, old): (Vec<Made>, Vec<Made>) =
            self.calls.drain(..).partition(|made| now.since(made.at_us) < HOUR);
        self.calls = recent;
        for made in old {
            self.add_up(made);
        }
        self.earlier.retain(|slice| now.since(slice.at_us) < DAY);
    }

    /// A slice is as old as the youngest in it: what is counted together counts rather too long.
    fn add_up(&mut self, made: Made) {
        match self.earlier.iter_mut().find(|slice| slice.number() == made.slice().number()) {
            Some(slice) => {
                slice.at_us = slice.at_us.max(made.at_us);
                slice.micro_usd = slice.micro_usd.saturating_add(made.micro_usd);
            }
            None => self.earlier.push(made.slice()),
        }
    }

    fn tally(&self) -> Tally {
        let earlier = self.earlier.iter().map(|slice| slice.micro_usd);
        let money = self.calls.iter().map(|made| made.micro_usd).chain(earlier);
        Tally {
            calls: u32::try_from(self.calls.len()).unwrap_or(u32::MAX),
            micro_usd: money.fold(0, u64::saturating_add),
        }
    }
}

impl Made {
    fn slice(self) -> Slice {
        Slice { at_us: self.at_us, micro_usd: self.micro_usd }
    }
}

impl Slice {
    fn number(self) -> i64 {
        self.at_us.micros().div_euclid(SLICE_MICROS)
    }
}

#[cfg(test)]
mod tests;
