//! How much of the user's usage limits is used, as the program that saw it last wrote it down: `<state>/usage.json`. The status
//! line gets it from Claude Code (a terminal, with a Pro or Max login); everywhere else only the usage API knows. One
//! file, whoever writes it.

pub mod line;
mod merge;
pub mod session;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::state::{MACHINE, Remembered, StateError, Store};

pub use merge::{MAX_WINDOWS, SAME_RESET_SECS, is_paced, is_window_name, merge};

/// An older reading says nothing about now.
pub const STALE_AFTER: Duration = Duration::from_secs(15 * 60);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// When the numbers were true, in whole seconds since the epoch.
    pub observed_at: i64,
    pub source: Source,
    /// By the client's name of the window: `five_hour`, `seven_day`.
    pub windows: BTreeMap<String, Window>,
    /// Windows of other accounts that go on, by name, the latest first.
    #[serde(default)]
    pub others: BTreeMap<String, Vec<Window>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// When the numbers were true, in whole seconds since the epoch.
    pub at: i64,
    pub source: Source,
    pub sight: Sight,
    pub windows: BTreeMap<String, Window>,
}

/// How new numbers are that somebody has just seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sight {
    /// They are new to us; when the server told them is unknown.
    #[default]
    Found,
    /// The server has just told them, with a reply that was counted or because it was asked.
    Answered,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    StatusLine,
    UsageApi,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// 0 to 100; more if the client says so.
    pub used_percent: f64,
    /// When it begins anew, in whole seconds since the epoch.
    pub resets_at: i64,
    /// When this was true, in whole seconds since the epoch: a later reading may not have told of this window.
    #[serde(default)]
    pub observed_at: i64,
}

impl Remembered for Usage {
    fn file_name(_session: &str) -> Option<String> {
        Some("usage.json".to_owned())
    }
}

pub fn read(store: &Store) -> Option<Usage> {
    store.read(MACHINE)
}

/// Adds what somebody has just seen, see [`merge`]. Returns what is known then if a window holds something else; `None`: nothing
/// new, or another is writing.
pub fn record(store: &Store, seen: &Observed) -> Result<Option<Usage>, StateError> {
    let mut news = None;
    let recorded = store.change::<Usage>(MACHINE, |usage| {
        let before = usage.clone();
        *usage = merge(before.clone(), seen);
        news = usage.holds_more_than(&before).then(|| usage.clone());
        *usage != before
    });
    recorded.or_else(StateError::unless_anothers)?;
    Ok(news)
}

impl Usage {
    /// A window holds something else than before.
    fn holds_more_than(&self, before: &Self) -> bool {
        let is_same = |(name, window): (&String, &Window)| {
            before.windows.get(name).is_some_and(|before| before.holds_the_same(window))
        };
        !self.windows.iter().all(is_same)
    }
}

#[cfg(test)]
mod tests;
