//! Whether the usage limits are used up faster than they last: `<state>/pacing.json`. Whoever paces writes it; whoever is about to spend
//! some of them for us reads it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{STALE_AFTER, Usage};
use crate::host::Timestamp;
use crate::state::{MACHINE, Remembered, StateError, Store};

/// A state that lasts is written again after this time. The pacer may be gone: an old file counts no longer than a reading.
const WRITTEN_AGAIN: Duration = Duration::from_secs(5 * 60);

/// Windows past their safe line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// When this was found, in whole seconds since the epoch.
    pub at: i64,
    /// By the client's name of the window: when it begins anew, in whole seconds since the epoch.
    pub past: BTreeMap<String, i64>,
}

impl Remembered for Line {
    fn file_name(_session: &str) -> Option<String> {
        Some("pacing.json".to_owned())
    }
}

impl Line {
    /// The file says something else, or is due to be written again. So not every call writes.
    pub fn is_news(&self, found: &Self) -> bool {
        let age = Timestamp::from_secs(found.at).since(Timestamp::from_secs(self.at));
        let is_old = age >= WRITTEN_AGAIN || self.at > found.at;
        self.past != found.past || (is_old && !found.past.is_empty())
    }

    /// A window is past its line, as far as that is still known: it goes on, and what is used of it was read lately.
    fn is_past(&self, usage: &Usage, now: Timestamp) -> bool {
        let is_recent = |secs: i64| now.since(Timestamp::from_secs(secs)) <= STALE_AFTER;
        let is_read =
            |name: &str| usage.windows.get(name).is_some_and(|window| is_recent(window.observed_at));
        let goes_on = |resets_at: i64| now < Timestamp::from_secs(resets_at);
        is_recent(self.at) && self.past.iter().any(|(name, resets_at)| goes_on(*resets_at) && is_read(name))
    }
}

/// Some window is past its safe line now. What is not known is not past.
pub fn is_past(store: &Store, now: Timestamp) -> bool {
    let Some(line) = store.read::<Line>(MACHINE).filter(|line| !line.past.is_empty()) else { return false };
    super::read(store).is_some_and(|usage| line.is_past(&usage, now))
}

/// Writes down what was found. Another process at it writes what was found at the same moment.
pub fn write(store: &Store, found: &Line) -> Result<(), StateError> {
    let written = store.change::<Line>(MACHINE, |line| {
        let is_news = line != found;
        line.clone_from(found);
        is_news
    });
    written.or_else(StateError::unless_anothers)
}

#[cfg(test)]
mod tests {
    use super::{Line, is_past, write};
    use crate::host::Timestamp;
    use crate::state::Store;
    use crate::usage::{Observed, Sight, Source, Window, record};

    fn line(at: i64, past: &[(&str, i64)]) -> Line {
        Line { at, past: past.iter().map(|(name, resets_at)| ((*name).to_owned(), *resets_at)).collect() }
    }

    #[test]
    fn it_is_past_while_the_window_goes_on_and_what_is_used_is_known() {
        let five = ("five_hour", 20_000);
        for (found, observed_at, now, expected) in [
            (line(9_000, &[five]), 9_000, 9_000, true),
            (line(9_000, &[five]), 9_000, 9_900, true),
            (line(9_000, &[five]), 9_000, 9_901, false),
            (line(8_000, &[five]), 9_000, 9_000, false),
            (line(9_000, &[five]), 8_000, 9_000, false),
            (line(19_990, &[five]), 19_990, 20_000, false),
            (line(9_000, &[("five_hour", 8_000), ("seven_day", 90_000)]), 9_000, 9_000, false),
            (line(9_000, &[]), 9_000, 9_000, false),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let store = Store::open(scratch.path()).unwrap();
            let window = Window { used_percent: 60.0, resets_at: 20_000, observed_at };
            let (windows, source) = ([("five_hour".to_owned(), window)].into(), Source::StatusLine);
            record(&store, &Observed { at: observed_at, source, sight: Sight::Found, windows }).unwrap();
            write(&store, &found).unwrap();
            let now = Timestamp::from_secs(now);
            assert_eq!(is_past(&store, now), expected, "{found:?} {observed_at} {now:?}");
        }
    }

    #[test]
    fn it_is_written_when_it_changes_and_now_and_then_while_it_is_past() {
        let past = [("five_hour", 20_000)];
        for (before, found, expected) in [
            (line(0, &[]), line(9_000, &[]), false),
            (line(0, &[]), line(9_000, &past), true),
            (line(9_000, &past), line(9_001, &past), false),
            (line(9_000, &past), line(9_300, &past), true),
            (line(9_000, &past), line(8_000, &past), true),
            (line(9_000, &past), line(9_001, &[]), true),
            (line(9_000, &past), line(9_001, &[("five_hour", 40_000)]), true),
        ] {
            assert_eq!(before.is_news(&found), expected, "{before:?} {found:?}");
        }
    }
}
