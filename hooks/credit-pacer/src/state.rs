//! What is remembered of the last calls, by all sessions together: they share the credits. One file, one lock: so parallel
//! calls agree on one deadline.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::{HOUR, Timestamp};
use shared::usage::line::Line;

use crate::pacing::{Strategy, Window};

/// A session that was silent for so long has ended, or might as well have.
const SESSION_FORGOTTEN: Duration = HOUR;

/// A session that was silent for longer does not share the credits in any case.
const SHARES_FOR: Duration = Duration::from_secs(30 * 60);

/// Ten minutes.
const SLOT_MICROS: i64 = 10 * 60 * 1_000_000;

/// Eight days of them.
const SLOTS_KEPT: i64 = 8 * 24 * 6;

/// The memory of all sessions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The last calls of all sessions, newest last, at most [`State::MAX_CALLS`].
    pub(crate) calls: Vec<Kept>,
    /// What each session does, by a hash of its id; those silent for an hour are dropped.
    pub(crate) sessions: BTreeMap<u64, Session>,
    /// Sessions that have ended and still have calls among the last ones, by the same hash.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) ended: BTreeSet<u64>,
    /// Ten-minute slots since the epoch in which there was a call, over the last eight days, ascending.
    pub(crate) busy_slots: Vec<i64>,
    /// The alerts that were given.
    pub(crate) alerts: Vec<Alert>,
    /// When the user was last told that there is nothing to pace by, in seconds since the epoch.
    pub(crate) hinted_at: i64,
    /// When the database was last cleaned, in seconds since the epoch.
    pub(crate) cleaned_at: i64,
    /// Which windows were past their safe line, as it was last written down for others.
    #[serde(skip_serializing_if = "is_within")]
    pub(crate) line: Line,
}

fn is_within(line: &Line) -> bool {
    line.past.is_empty()
}

/// One call: when, by whom, and for how long it was delayed. A tuple, because the file is written after every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept(pub(crate) Timestamp, pub(crate) u64, pub(crate) u32);

/// One session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Session {
    /// Its last call.
    pub(crate) last: Timestamp,
    /// When its current batch began.
    pub(crate) batch: Timestamp,
    /// Until when the batch waits.
    pub(crate) until: Timestamp,
    /// The window that asks for it.
    pub(crate) window: Option<Window>,
    /// A hash of the prompt the batch belongs to.
    pub(crate) prompt: u64,
    /// When the user was told last.
    pub(crate) told: Timestamp,
    /// What they were told.
    pub(crate) told_strategy: Strategy,
    /// Delays of the last hour: when and how long, in milliseconds.
    pub(crate) delays: Vec<(Timestamp, u32)>,
}

/// An alert that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Alert {
    /// The client's name of the window.
    pub(crate) window: String,
    /// Which one.
    pub(crate) resets_at: i64,
    /// At so many percent.
    pub(crate) percent: u32,
}

impl State {
    /// So many calls are remembered.
    pub(crate) const MAX_CALLS: usize = 256;

    /// Adds a call, and drops what is no longer needed.
    pub(crate) fn remember_call(&mut self, call: Kept) {
        let now = call.0;
        self.calls.push(call);
        let surplus = self.calls.len().saturating_sub(Self::MAX_CALLS);
        self.calls.drain(..surplus);
        // One that is resumed makes calls again.
        self.ended.remove(&call.1);
        self.ended.retain(|ended| self.calls.iter().any(|Kept(_, session, _)| session == ended));
        self.sessions.retain(|_, session| now.since(session.last) < SESSION_FORGOTTEN);
        let slot = now.micros().div_euclid(SLOT_MICROS);
        if self.busy_slots.last() != Some(&slot) {
            self.busy_slots.retain(|busy| *busy < slot && slot - *busy < SLOTS_KEPT);
            self.busy_slots.push(slot);
        }
    }

    /// A session has ended; false: it has made none of the last calls.
    pub(crate) fn end(&mut self, session: u64) -> bool {
        self.calls.iter().any(|Kept(_, of, _)| *of == session) && self.ended.insert(session)
    }

    /// A call of an ended session, as the session that asks now sees it: one of its own, for only the living share what is
    /// left. One after the other, as `claude -p` in a loop, they are one course of work in fact.
    pub(crate) fn counts_as_asking(&self, session: u64, at: Timestamp, now: Timestamp) -> bool {
        now.since(at) <= SHARES_FOR && self.ended.contains(&session)
    }

    /// So many sessions share the credits.
    pub(crate) fn at_work(&self, now: Timestamp) -> usize {
        let is_at_work = |(id, session): &(&u64, &Session)| {
            now.since(session.last) <= SHARES_FOR && !self.ended.contains(id)
        };
        self.sessions.iter().filter(is_at_work).count()
    }
}

impl Session {
    /// Adds a delay.
    pub(crate) fn remember_delay(&mut self, now: Timestamp, slept: Duration) {
        self.delays.retain(|(at, _)| *at <= now && now.since(*at) < HOUR);
        if !slept.is_zero() {
            self.delays.push((now, u32::try_from(slept.as_millis()).unwrap_or(u32::MAX)));
        }
    }

    /// All delays of the last hour together.
    pub(crate) fn slept_lately(&self, now: Timestamp) -> Duration {
        let lately = self.delays.iter().filter(|(at, _)| *at <= now && now.since(*at) < HOUR);
        lately.map(|(_, millis)| Duration::from_millis((*millis).into())).sum()
    }
}

impl Remembered for State {
    const MACHINE_WIDE: bool = true;

    fn file_name(_session: &str) -> Option<String> {
        Some("credit-pacer.json".to_owned())
    }
}
