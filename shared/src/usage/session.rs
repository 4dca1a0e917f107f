//! Claude Code's last report to the status line of one session: `<session>-usage.json`. The numbers are as old as their last
//! change: a session that waits repeats old ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Sight, Window};
use crate::state::{Remembered, StateError, Store};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionUsage {
    /// When Claude Code's numbers of the usage last changed, in whole seconds since the epoch; 0: it has reported none yet.
    pub observed_at: i64,
    pub written_at: i64,
    /// The model's id; empty where it was not told.
    pub model: String,
    /// The context window, as of the last reply.
    pub context: ContextWindow,
    pub windows: BTreeMap<String, Window>,
    /// For how long the client has waited for replies, in milliseconds.
    pub total_api_duration_ms: u64,
}

/// The context window of a session. What is not told is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextWindow {
    pub size: Option<u64>,
    /// So many tokens the last request held.
    pub used_tokens: Option<u64>,
    pub used_percent: Option<f64>,
}

impl Remembered for SessionUsage {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-usage.json"))
    }
}

pub fn read(store: &Store, session: &str) -> Option<SessionUsage> {
    store.read(session)
}

/// Claude Code has just learnt the usage in `now`, and does not only repeat it; how new it is.
///
/// The numbers come with a reply. So they are new where they differ from what the session told before, or where it has waited for
/// another reply since. Of a session that is seen for the first time that is unknown: its numbers count if it has had a
/// reply at all, and may be as old as it is. A client that has just begun, or goes on with a session of earlier, has none of
/// its own and tells none; the time of the replies may begin anew then.
pub fn observed(previous: Option<&SessionUsage>, now: &SessionUsage) -> Option<Sight> {
    let (before, after) =
        (previous.map(|previous| previous.total_api_duration_ms), now.total_api_duration_ms);
    let is_changed = |(name, window): (&String, &Window)| {
        let before = previous.and_then(|previous| previous.windows.get(name));
        before.is_none_or(|before| !before.holds_the_same(window))
    };
    let is_new = match before {
        None => after > 0,
        Some(before) => (after > 0 && after != before) || now.windows.iter().any(is_changed),
    };
    let sight = if before.is_some_and(|before| after > before) { Sight::Answered } else { Sight::Found };
    (is_new && !now.windows.is_empty()).then_some(sight)
}

/// Writes down what the client tells of a session: `now`, with `written_at` and nothing for `observed_at`. Before that
/// `book` is done if the usage was observed, and told how new it is: a process that is killed in between does it again.
pub fn record(
    store: &Store,
    session: &str,
    now: SessionUsage,
    book: impl FnOnce(Sight),
) -> Result<(), StateError> {
    let recorded = store.change::<SessionUsage>(session, |known| {
        let previous = (known.written_at != 0).then(|| known.clone());
        let sight = observed(previous.as_ref(), &now);
        sight.map(book);
        *known = now.following(previous.unwrap_or_default(), sight.is_some());
        true
    });
    // Another status line of this session writes the report of a moment ago.
    recorded.or_else(StateError::unless_anothers)
}

impl SessionUsage {
    fn following(mut self, previous: Self, is_observed: bool) -> Self {
        self.observed_at = if is_observed { self.written_at } else { previous.observed_at };
        if self.windows.is_empty() {
            self.windows = previous.windows;
            return self;
        }
        for (name, window) in &mut self.windows {
            let before = previous.windows.get(name).map_or(0, |before| before.observed_at);
            window.observed_at = if is_observed { self.written_at } else { before };
        }
        self
    }
}

#[cfg(test)]
mod tests;
