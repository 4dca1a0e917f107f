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

pub use merge::{MAX_EARLIER, MAX_WINDOWS, SAME_RESET_SECS, is_paced, is_window_name, merge};

/// An older reading says nothing about now.
pub const STALE_AFTER: Duration = Duration::from_secs(15 * 60);

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// When the numbers were true, in whole seconds since the epoch.
    pub observed_at: i64,
    pub source: Source,
    /// By the client's name of the window: `five_hour`, `seven_day`.
    pub windows: BTreeMap<String, Window>,
    /// Since when the windows held what, oldest first, thinned, at most [`MAX_EARLIER`]: what a call costs is read from how
    /// they change. The last one says since when they hold what they hold now.
    #[serde(default)]
    pub earlier: Vec<Earlier>,
}

/// A reading that brought something new.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// When it was made, in whole seconds since the epoch.
    pub at: i64,
    pub windows: BTreeMap<String, Window>,
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

/// Adds what somebody has just seen, see [`merge`], and returns what is known then; `None`: nothing new, or another is writing.
pub fn record(store: &Store, seen: &Observed) -> Result<Option<Usage>, StateError> {
    let mut news = None;
    let recorded = store.change::<Usage>(MACHINE, |usage| {
        let known = merge(usage.clone(), seen);
        let is_news = known != *usage;
        if is_news {
            usage.clone_from(&known);
            news = Some(known);
        }
        is_news
    });
    recorded.or_else(StateError::unless_anothers)?;
    Ok(news)
}

impl Usage {
    /// The last reading brought something new; it did not only find what was known already.
    pub fn has_just_changed(&self) -> bool {
        self.earlier.last().is_some_and(|earlier| earlier.at == self.observed_at)
    }
}

#[cfg(test)]
mod tests;
