//! `usage.db`: usage and delays of two months. It is an audit and the source of charts; no decision reads it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pacing::{Reading, Strategy, Window};
use rusqlite::{Connection, ErrorCode, OpenFlags, Params, Row, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use shared::state::Store;
use shared::usage::{self, Source};

/// The statements that lead from each version to the next; the first ones from an empty file. All times are whole seconds since
/// the epoch.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE usage_snapshots (
        timestamp           INTEGER NOT NULL,
        observed_at         INTEGER,
        five_hour_util      REAL,
        five_hour_resets_at INTEGER,
        seven_day_util      REAL,
        seven_day_resets_at INTEGER,
        session_id          TEXT,
        source              TEXT
    );
    CREATE TABLE pacing_decisions (
        timestamp       INTEGER NOT NULL,
        should_throttle INTEGER,
        delay_seconds   INTEGER,
        session_id      TEXT,
        \"window\"        TEXT,
        used            REAL,
        safe            REAL,
        strategy        TEXT
    );
    CREATE INDEX usage_snapshots_by_time ON usage_snapshots (timestamp);
    CREATE INDEX pacing_decisions_by_time ON pacing_decisions (timestamp);
"];

/// Rows that one transaction removes: others wait for the end of each.
const BATCH_ROWS: usize = 500;

/// The time one process waits for another's writing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The open database. Its errors are sentences for people.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    store: Store,
    patience: Duration,
}

/// A delay, as it is looked back on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DelayRow {
    /// When it began, in seconds since the epoch.
    pub(crate) at: i64,
    pub(crate) secs: i64,
    pub(crate) window: Option<Window>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Why {
    /// The usage at that time, in percent.
    pub(crate) used: Option<f64>,
    /// The safe line at that time, in percent.
    pub(crate) safe: Option<f64>,
    pub(crate) strategy: Strategy,
}

impl Database {
    /// Opens the file; makes it where it is missing.
    pub(crate) fn open(store: &Store) -> Result<Self, String> {
        Self::open_with(store, PATIENCE)
    }

    /// The same with another patience, which counts for each row too.
    pub(crate) fn open_with(store: &Store, patience: Duration) -> Result<Self, String> {
        let path = path(store);
        let make = || match store.locked(&path, || make(&path, patience)) {
            Ok(made) => made,
            Err(error) => Err(Problem::Other(format!("cannot be used: {error}"))),
        };
        let opened = match connect(&path, OpenFlags::empty(), patience) {
            Ok(connection) if version(&connection).is_ok_and(|version| version == MIGRATIONS.len()) => {
                Ok(connection)
            }
            _ => make(),
        };
        let opened = match opened {
            Err(Problem::Damaged) => {
                set_damaged_aside(store, patience);
                make()
            }
            opened => opened,
        };
        let connection = opened.map_err(|problem| problem.sentence(&path))?;
        Ok(Self { connection, store: store.clone(), patience })
    }

    /// Opens the file, if it is there.
    pub(crate) fn open_existing(store: &Store) -> Result<Option<Self>, String> {
        if fs::symlink_metadata(path(store)).is_ok() { Self::open(store).map(Some) } else { Ok(None) }
    }

    /// Keeps a reading of the windows that pace.
    pub(crate) fn add_snapshot(
        &self,
        windows: &BTreeMap<String, usage::Window>,
        (observed_at, now): (i64, i64),
        session_id: &str,
        source: Source,
    ) -> Result<(), String> {
        let [five_hour, seven_day] = Window::ALL.map(|window| windows.get(window.key()));
        let [five_used, seven_used] =
            [five_hour, seven_day].map(|window| window.map(|window| window.used_percent));
        let [five_resets, seven_resets] =
            [five_hour, seven_day].map(|window| window.map(|window| window.resets_at));
        let source = match source {
            Source::StatusLine => "status_line",
            Source::UsageApi => "usage_api",
        };
        self.execute(
            "INSERT INTO usage_snapshots (timestamp, observed_at, five_hour_util, five_hour_resets_at, seven_day_util,
             seven_day_resets_at, session_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            params![now, observed_at, five_used, five_resets, seven_used, seven_resets, session_id, source],
        )
        .map(drop)
    }

    pub(crate) fn add_delay(&self, delay: &DelayRow, session_id: &str, why: &Why) -> Result<(), String> {
        let (window, strategy) = (delay.window.map(Window::key), why.strategy.word());
        let insert = "INSERT INTO pacing_decisions (timestamp, should_throttle, delay_seconds, session_id,
                      \"window\", used, safe, strategy) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        self.execute(
            insert,
            params![delay.at, delay.secs > 0, delay.secs, session_id, window, why.used, why.safe, strategy],
        )
        .map(drop)
    }

    /// Removes what is older than `before`, in seconds since the epoch.
    pub(crate) fn clean_up(&self, before: i64) -> Result<(), String> {
        for table in ["usage_snapshots", "pacing_decisions"] {
            let delete = format!(
                "DELETE FROM {table} WHERE rowid IN
                 (SELECT rowid FROM {table} WHERE timestamp < ? ORDER BY timestamp LIMIT {BATCH_ROWS})"
            );
            while self.execute(&delete, [before])? == BATCH_ROWS {}
        }
        Ok(())
    }

    /// The readings of a window since a moment, each with its time.
    pub(crate) fn readings(&self, window: Window, since: i64) -> Result<Vec<(i64, Reading)>, String> {
        let key = window.key();
        let select = format!(
            "SELECT coalesce(observed_at, timestamp), {key}_util, {key}_resets_at FROM usage_snapshots
             WHERE timestamp >= ? AND {key}_util IS NOT NULL AND {key}_resets_at IS NOT NULL ORDER BY timestamp, rowid"
        );
        self.rows(&select, since, |row| {
            Ok((row.get(0)?, Reading { used_percent: row.get(1)?, resets_at: row.get(2)? }))
        })
    }

    /// The delays since a moment, oldest first.
    pub(crate) fn delays(&self, since: i64) -> Result<Vec<DelayRow>, String> {
        let select = "SELECT timestamp, coalesce(delay_seconds, 0), \"window\" FROM pacing_decisions
                      WHERE timestamp >= ? ORDER BY timestamp, rowid";
        self.rows(select, since, |row| {
            let window: Option<String> = row.get(2)?;
            let window = Window::ALL.into_iter().find(|known| Some(known.key()) == window.as_deref());
            Ok(DelayRow { at: row.get(0)?, secs: row.get(1)?, window })
        })
    }

    fn execute(&self, statement: &str, values: impl Params) -> Result<usize, String> {
        self.checked(self.connection.execute(statement, values))
    }

    fn rows<T>(
        &self,
        select: &str,
        since: i64,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, String> {
        let read = || self.connection.prepare(select)?.query_map([since], row)?.collect();
        self.checked(read())
    }

    /// The error as a sentence. A damaged file gives way to a new one, for the next time.
    fn checked<T>(&self, result: rusqlite::Result<T>) -> Result<T, String> {
        result.map_err(|error| {
            let problem = Problem::from(error);
            if matches!(problem, Problem::Damaged) {
                set_damaged_aside(&self.store, self.patience);
            }
            problem.sentence(&path(&self.store))
        })
    }
}

enum Problem {
    /// It is no database, or part of it is destroyed.
    Damaged,
    Other(String),
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged,
            _ => Self::Other(format!("cannot be used: {error}")),
        }
    }
}

impl Problem {
    fn sentence(self, path: &Path) -> String {
        let file = path.display();
        match self {
            Self::Damaged => {
                format!("{file} is damaged; it is set aside, and the next reading begins a new one")
            }
            Self::Other(why) => format!("{file} {why}"),
        }
    }
}

fn path(store: &Store) -> PathBuf {
    store.dir().join("usage.db")
}

fn connect(path: &Path, more: OpenFlags, patience: Duration) -> Result<Connection, Problem> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags | more)?;
    connection.busy_timeout(patience)?;
    // A power failure may take the last rows, and nothing else.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

fn version(connection: &Connection) -> Result<usize, Problem> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    // A negative one is not ours, so it counts as a later one.
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// Makes the file, or brings it up to date. The caller holds the lock: the library's own does not cover the change of the mode.
fn make(path: &Path, patience: Duration) -> Result<Connection, Problem> {
    create_private(path);
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_CREATE, patience)?;
    let missing = MIGRATIONS.get(version(&connection)?..).ok_or_else(newer)?;
    if missing.is_empty() {
        return Ok(connection);
    }
    // The answer is the mode that holds then; without this one the file is only slower.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in missing {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX))?;
    transaction.commit()?;
    Ok(connection)
}

fn newer() -> Problem {
    Problem::Other("was written by a newer version of Barbless; update this one".to_owned())
}

/// Creates the file for its owner alone: the library would make it readable for all, and the files beside it take its mode.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Makes way for a new file, if this one is still damaged. Where that fails, the file stays as it is.
fn set_damaged_aside(store: &Store, patience: Duration) {
    let path = path(store);
    let beside = |suffix: &str| {
        let mut name = OsString::from(&path);
        name.push(suffix);
        PathBuf::from(name)
    };
    let is_whole = || -> Result<bool, Problem> {
        let connection = connect(&path, OpenFlags::empty(), patience)?;
        Ok(connection.query_row("PRAGMA quick_check(1)", [], |row| Ok(row.get::<_, String>(0)? == "ok"))?)
    };
    let _ = store.locked(&path, || {
        if matches!(is_whole(), Ok(false) | Err(Problem::Damaged))
            && fs::rename(&path, beside(".corrupt")).is_ok()
        {
            // The journal of the old file must not be played into the new one.
            let _ = fs::remove_file(beside("-wal"));
            let _ = fs::remove_file(beside("-shm"));
        }
    });
}

#[cfg(test)]
mod tests;
