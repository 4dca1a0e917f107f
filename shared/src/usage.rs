//! How much of the user's credits is used, as whoever can see it last wrote it down: `<state>/usage.json`. The status
//! line is told by the client (a terminal, with a Pro or Max login); everywhere else only the usage API knows. One
//! file, whoever writes it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::hook::Remembered;
use crate::host::Timestamp;
use crate::state::{SaveError, Store};

/// An older reading says nothing about now.
pub const STALE_AFTER: Duration = Duration::from_secs(15 * 60);

/// The envelope's session of a file that belongs to none.
const MACHINE: &str = "";

/// One reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// When the numbers were true, in whole seconds since the epoch.
    pub observed_at: i64,
    /// Who saw them.
    pub source: Source,
    /// By the client's name of the window: `five_hour`, `seven_day`.
    pub windows: BTreeMap<String, Window>,
}

/// Where a reading comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What the client gives its status line.
    #[default]
    StatusLine,
    /// The usage API.
    UsageApi,
}

/// One window of credits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// 0 to 100.
    pub used_percent: f64,
    /// When it begins anew, in whole seconds since the epoch.
    pub resets_at: i64,
}

/// How far a reading can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// It can.
    Fresh,
    /// It is this old.
    Stale(Duration),
    /// There is none.
    Missing,
}

impl Remembered for Usage {
    fn file_name(_session: &str) -> Option<String> {
        Some("usage.json".to_owned())
    }
}

/// The last reading; `None` where there is none that can be read.
#[must_use]
pub fn read(store: &Store) -> Option<Usage> {
    file(store).and_then(|file| store.peek(&file, MACHINE))
}

/// Writes a reading down in the place of an older one; one that is older than what is there is dropped.
///
/// # Errors
/// If it cannot be kept.
pub fn write(store: &Store, usage: &Usage) -> Result<(), SaveError> {
    let Some(file) = file(store) else { return Ok(()) };
    let written = store.locked(&file, || {
        let is_newer = |there: &Usage| there.observed_at > usage.observed_at;
        if store.peek::<Usage>(&file, MACHINE).as_ref().is_some_and(is_newer) {
            return Ok(());
        }
        store.save(&file, MACHINE, usage)
    });
    // Another process that holds the lock writes a reading of the same moment.
    written.unwrap_or(Ok(()))
}

/// How far the reading can be relied on now. One from the future is as fresh as the clock is wrong.
#[must_use]
pub fn freshness(usage: Option<&Usage>, now: Timestamp) -> Freshness {
    let Some(usage) = usage.filter(|usage| !usage.windows.is_empty()) else { return Freshness::Missing };
    let age = now.since(Timestamp::from_secs(usage.observed_at));
    if age > STALE_AFTER { Freshness::Stale(age) } else { Freshness::Fresh }
}

fn file(store: &Store) -> Option<PathBuf> {
    store.session_file::<Usage>(MACHINE)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Freshness, Source, Usage, Window, freshness, read, write};
    use crate::host::Timestamp;
    use crate::state::Store;

    fn usage(observed_at: i64) -> Usage {
        let window = Window { used_percent: 41.5, resets_at: 20_000 };
        Usage { observed_at, source: Source::UsageApi, windows: [("five_hour".to_owned(), window)].into() }
    }

    #[test]
    fn the_newest_reading_stays() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        assert_eq!(read(&store), None);
        for (written, there) in [(100, 100), (99, 100), (100, 100), (101, 101)] {
            write(&store, &usage(written)).unwrap();
            assert_eq!(read(&store), Some(usage(there)), "{written}");
        }
    }

    #[test]
    fn a_reading_is_fresh_for_a_quarter_of_an_hour() {
        let at = |usage: Option<&Usage>, now| freshness(usage, Timestamp::from_secs(now));
        assert_eq!(at(None, 100), Freshness::Missing);
        assert_eq!(at(Some(&Usage::default()), 100), Freshness::Missing);
        for (now, expected) in [
            (1000, Freshness::Fresh),
            (1900, Freshness::Fresh),
            (1901, Freshness::Stale(Duration::from_secs(901))),
            (500, Freshness::Fresh),
        ] {
            assert_eq!(at(Some(&usage(1000)), now), expected, "{now}");
        }
    }
}
