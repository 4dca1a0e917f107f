//! The memory of all sessions together: they share the usage limits. One file and one lock, so parallel calls agree on one
//! deadline.

use std::collections::BTreeMap;
use std::time::Duration;

use pacing::{Call, Learned, Strategy, Window};
use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::host::{HOUR, Timestamp};
use shared::usage::Line;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Gaps, costs and habits.
    pub(crate) learned: Learned,
    /// Each session by a hash of its id; a session that is silent for an hour is dropped.
    pub(crate) sessions: BTreeMap<u64, Session>,
    /// Alerts that were given.
    pub(crate) alerts: Vec<Alert>,
    /// The last notice that there are no readings, in seconds since the epoch.
    pub(crate) hinted_at: i64,
    /// The windows over their safe line, as last written down for other hooks.
    pub(crate) line: Line,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Session {
    pub(crate) since: Timestamp,
    pub(crate) last: Timestamp,
    /// When its current batch began.
    pub(crate) batch: Timestamp,
    /// Until when the batch waits.
    pub(crate) until: Timestamp,
    /// A hash of the prompt that the batch belongs to.
    pub(crate) prompt: u64,
    /// The last message about a delay.
    #[serde(alias = "told")]
    pub(crate) reported: Timestamp,
    pub(crate) reported_strategy: Strategy,
    /// Delays of the last hour: when, and milliseconds slept.
    pub(crate) delays: Vec<(Timestamp, u32)>,
    pub(crate) pending: Option<Pending>,
}

/// A delay that is going on. It is booked at its end, for what was slept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) at: Timestamp,
    pub(crate) window: Window,
    pub(crate) used_percent: f64,
    pub(crate) safe_percent: f64,
    pub(crate) strategy: Strategy,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Alert {
    /// Claude Code's name of the window.
    pub(crate) window: String,
    pub(crate) resets_at: i64,
    pub(crate) percent: u32,
}

impl State {
    /// Books the delay of a session that ends now.
    pub(crate) fn book(&mut self, session: u64, now: Timestamp) -> Option<(Pending, Duration)> {
        let own = self.sessions.get_mut(&session)?;
        let pending = own.pending.take()?;
        let slept = now.since(pending.at).min(own.until.since(pending.at));
        own.until = pending.at.plus(slept);
        own.delays.retain(|(at, _)| *at <= pending.at && pending.at.since(*at) < HOUR);
        own.delays.push((pending.at, u32::try_from(slept.as_millis()).unwrap_or(u32::MAX)));
        let call = Call { at: exact(pending.at), session, slept_secs: slept.as_secs_f64() };
        self.learned.slept(call);
        Some((pending, slept))
    }
}

/// Seconds since the epoch, with the part of a second.
pub(crate) fn exact(time: Timestamp) -> f64 {
    Duration::from_micros(time.micros().max(0).unsigned_abs()).as_secs_f64()
}

impl Remembered for State {
    const FILE: &'static str = "credit-pacer.json";
}
