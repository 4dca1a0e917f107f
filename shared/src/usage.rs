//! How much of the user's usage limits is used, as files of the state folder. credit-pacer writes them: its status line gets the
//! numbers from Claude Code (a terminal, with a Pro or Max login), its poll from the usage API. Hooks that spend some of the
//! usage, or go by the context window, read them.
//!
//! All times are whole seconds since the epoch.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::host::Timestamp;
use crate::state::{MACHINE, Remembered, Store};

/// An older reading says nothing about now.
const STALE_AFTER: Duration = Duration::from_secs(15 * 60);

/// The usage as the program that saw it last wrote it down, for all sessions: `usage.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// When the numbers were true.
    pub observed_at: i64,
    pub source: Source,
    /// By Claude Code's name of the window: `five_hour`, `seven_day`.
    pub windows: BTreeMap<String, Window>,
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
    /// 0 to 100; more if Claude Code says so.
    pub used_percent: f64,
    /// When it begins anew.
    pub resets_at: i64,
    /// When this was true: a later reading may not have named this window.
    #[serde(default)]
    pub observed_at: i64,
}

/// Claude Code's last report to the status line of one session: `<session>-usage.json`. The numbers are as old as their last
/// change: a session that waits repeats old ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionUsage {
    /// When Claude Code's numbers of the usage last changed; 0: it has reported none yet.
    pub observed_at: i64,
    pub written_at: i64,
    /// The model's id; empty if Claude Code did not report it.
    pub model: String,
    /// The context window, as of the last reply.
    pub context: ContextWindow,
    pub windows: BTreeMap<String, Window>,
    /// The time that Claude Code has waited for replies, in milliseconds.
    pub total_api_duration_ms: u64,
}

/// The context window of a session. What Claude Code did not report is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextWindow {
    pub size: Option<u64>,
    /// The tokens of the last request.
    pub used_tokens: Option<u64>,
    pub used_percent: Option<f64>,
}

/// Windows past their safe line: `pacing.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// When this was found.
    pub at: i64,
    /// By Claude Code's name of the window: when it begins anew.
    pub past: BTreeMap<String, i64>,
}

impl Remembered for Usage {
    const FILE: &'static str = "usage.json";
}

impl Remembered for SessionUsage {
    const FILE: &'static str = "*-usage.json";
}

impl Remembered for Line {
    const FILE: &'static str = "pacing.json";
}

/// Some window is past its safe line now. What is not known is not past.
pub fn is_past_line(store: &Store, now: Timestamp) -> bool {
    let Some(line) = store.read::<Line>(MACHINE).filter(|line| !line.past.is_empty()) else { return false };
    store.read(MACHINE).is_some_and(|usage| line.is_past(&usage, now))
}

impl Line {
    /// A window is past its line, as far as that is still known: it goes on, and what is used of it was read lately.
    fn is_past(&self, usage: &Usage, now: Timestamp) -> bool {
        let is_recent = |secs: i64| now.since(Timestamp::from_secs(secs)) <= STALE_AFTER;
        let is_read =
            |name: &str| usage.windows.get(name).is_some_and(|window| is_recent(window.observed_at));
        let goes_on = |resets_at: i64| now < Timestamp::from_secs(resets_at);
        is_recent(self.at) && self.past.iter().any(|(name, resets_at)| goes_on(*resets_at) && is_read(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Usage, Window};
    use crate::host::Timestamp;

    #[test]
    fn a_window_is_past_its_line_while_it_goes_on_and_what_is_used_is_known() {
        let five = ("five_hour", 20_000);
        for (at, past, observed_at, now, expected) in [
            (9_000, &[five][..], 9_000, 9_000, true),
            (9_000, &[five], 9_000, 9_900, true),
            (9_000, &[five], 9_000, 9_901, false),
            (8_000, &[five], 9_000, 9_000, false),
            (9_000, &[five], 8_000, 9_000, false),
            (19_990, &[five], 19_990, 20_000, false),
            (9_000, &[("five_hour", 8_000), ("seven_day", 90_000)], 9_000, 9_000, false),
            (9_000, &[], 9_000, 9_000, false),
        ] {
            let window = Window { used_percent: 60.0, resets_at: 20_000, observed_at };
            let usage = Usage { windows: [("five_hour".to_owned(), window)].into(), ..Usage::default() };
            let past = past.iter().map(|(name, resets_at)| ((*name).to_owned(), *resets_at)).collect();
            let found = Line { at, past }.is_past(&usage, Timestamp::from_secs(now));
            assert_eq!(found, expected, "{at} {observed_at} {now}");
        }
    }
}
