//! `usage.db`: usage and delays of two months. It is an audit and the source of charts; no decision reads it. Errors are
//! sentences for people.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pacing::{Reading, Window};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Row, TransactionBehavior, ffi, params};
use shared::digest;
use shared::hook::Hook;
use shared::host::{Places, Timestamp};
use shared::journal;
use shared::state::{MACHINE, Store};
use shared::usage::{Source, Usage};

use crate::CreditPacer;
use crate::state::{Pending, State};

/// The `user_version` of a file with [`TABLES`]; an empty one has 0.
const VERSION: i64 = 1;

const TABLES: &str = include_str!("tables.sql");

/// Rows that one transaction removes: others wait for the end of each.
const BATCH_ROWS: usize = 500;

/// The time one process waits for another's writing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A delay, as it is looked back on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DelayRow {
    /// When it began, in seconds since the epoch.
    pub(crate) at: i64,
    pub(crate) secs: i64,
    pub(crate) window: Option<String>,
}

/// The readings of each [`Window`], and the delays, oldest first.
pub(crate) type Rows = ([Vec<Reading>; 2], Vec<DelayRow>);

/// Keeps the usage that a session, or none, brought.
pub(crate) fn add_snapshot(store: &Store, usage: &Usage, now: i64, session: &str) -> Result<(), String> {
    let windows = Window::ALL.map(|window| usage.windows.get(window.key()));
    let [five_used, seven_used] = windows.map(|window| window.map(|window| window.used_percent));
    let [five_resets, seven_resets] = windows.map(|window| window.map(|window| window.resets_at));
    let source = match usage.source {
        Source::StatusLine => "status_line",
        Source::UsageApi => "usage_api",
    };
    let insert = "INSERT INTO usage_snapshots (timestamp, observed_at, five_hour_util, five_hour_resets_at, seven_day_util,
                  seven_day_resets_at, session_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let at = usage.observed_at;
    with(store, |connection| {
        let values = params![now, at, five_used, five_resets, seven_used, seven_resets, session, source];
        connection.execute(insert, values).map(drop)
    })
}

pub(crate) fn add_delay(
    store: &Store,
    delay: &Pending,
    slept: Duration,
    session: &str,
) -> Result<(), String> {
    let insert =
        "INSERT INTO pacing_decisions (timestamp, should_throttle, delay_seconds, session_id, \"window\",
                  used, safe, strategy) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let Pending { at, window, used_percent, safe_percent, strategy } = delay;
    let slept = slept.as_secs_f64().round();
    let (at, window, strategy) = (at.secs(), window.key(), strategy.word());
    with(store, |connection| {
        let values = params![at, slept > 0.0, slept, session, window, used_percent, safe_percent, strategy];
        connection.execute(insert, values).map(drop)
    })
}

/// Removes what is older than `before`, in seconds since the epoch.
pub(crate) fn clean_up(store: &Store, before: i64) -> Result<(), String> {
    with_existing(store, |connection| {
        for table in ["usage_snapshots", "pacing_decisions"] {
            let delete = format!(
                "DELETE FROM {table} WHERE rowid IN
                 (SELECT rowid FROM {table} WHERE timestamp < ? ORDER BY timestamp LIMIT {BATCH_ROWS})"
            );
            while connection.execute(&delete, [before])? == BATCH_ROWS {}
        }
        Ok(())
    })
}

/// The records since a moment.
pub(crate) fn since(store: &Store, since: i64) -> Result<Rows, String> {
    with_existing(store, |connection| {
        let [five_hour, seven_day]: [rusqlite::Result<_>; 2] = Window::ALL.map(|window| {
            let key = window.key();
            let select = format!(
                "SELECT coalesce(observed_at, timestamp), {key}_util, {key}_resets_at FROM usage_snapshots WHERE timestamp >= ?
                 AND {key}_util IS NOT NULL AND {key}_resets_at IS NOT NULL ORDER BY 1, rowid"
            );
            let reading = |row: &Row<'_>| Ok(Reading::new(row.get(0)?, row.get(1)?, row.get(2)?));
            connection.prepare(&select)?.query_map([since], reading)?.collect()
        });
        let select = "SELECT timestamp, coalesce(delay_seconds, 0), \"window\" FROM pacing_decisions
                      WHERE timestamp >= ? ORDER BY timestamp, rowid";
        let delay = |row: &Row<'_>| Ok(DelayRow { at: row.get(0)?, secs: row.get(1)?, window: row.get(2)? });
        let delays = connection.prepare(select)?.query_map([since], delay)?.collect::<Result<_, _>>()?;
        Ok(([five_hour?, seven_day?], delays))
    })
}

/// A sleep of this session ends now: what was slept counts, not what was planned. Of parallel calls that slept together the
/// first one books. The lock that orders calls is free again before the database is written.
pub(crate) fn slept(places: &Places, session: Option<&str>, now: Timestamp) {
    let (Some(store), Some(id)) = (places.open_store(), session) else { return };
    let mut booked = None;
    let kept = store.change::<State>(MACHINE, |state| {
        booked = state.book(digest::number(id), now);
        booked.is_some()
    });
    if let Some((pending, slept)) = kept.ok().and(booked) {
        report(&store, add_delay(&store, &pending, slept, id), now);
    }
}

/// Reports to the journal: pacing goes on without the database.
pub(crate) fn report(store: &Store, result: Result<(), String>, now: Timestamp) {
    if let Err(why) = result {
        let hook = CreditPacer::NAME.to_owned();
        journal::write(store, now, journal::Record { hook, ..journal::Record::of("error", why) });
    }
}

/// Runs an action on the file; without one there is nothing to look at, and none is made.
fn with_existing<T: Default>(
    store: &Store,
    action: impl Fn(&Connection) -> rusqlite::Result<T>,
) -> Result<T, String> {
    let is_there = fs::symlink_metadata(path(store)).is_ok();
    if is_there { with(store, action) } else { Ok(T::default()) }
}

/// Runs an action on the file, which is made where it is missing. A damaged one is set aside, and a new one begun.
fn with<T>(store: &Store, action: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, String> {
    let path = path(store);
    let attempt = || action(&open(store, &path)?);
    let result = match attempt() {
        Err(error) if is_damage(&error) => {
            set_aside(&path);
            attempt()
        }
        result => result,
    };
    result.map_err(|error| format!("{} cannot be used: {error}", path.display()))
}

fn path(store: &Store) -> PathBuf {
    store.dir().join("usage.db")
}

fn is_damage(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

fn open(store: &Store, path: &Path) -> rusqlite::Result<Connection> {
    create_private(path);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // A power failure may take the last rows, and nothing else.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    if version(&connection) != Ok(VERSION) {
        // The library's own lock does not cover the change of the mode.
        let migrated = store.locked(path, || migrate(&mut connection));
        migrated.map_err(|error| failure(error.to_string()))??;
    }
    Ok(connection)
}

fn failure(why: String) -> Error {
    Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CANTOPEN), Some(why))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    match version(connection)? {
        VERSION => return Ok(()),
        0 => {}
        _ => return Err(failure("a newer version of Barbless wrote it; update this one".to_owned())),
    }
    // The answer is the mode that holds then; without this one the file is only slower.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Creates the file for its owner alone: the library would make it readable for all, and the files beside it take its mode.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Makes way for a new file. Where that fails, the file stays as it is.
fn set_aside(path: &Path) {
    let beside = |suffix: &str| path.with_file_name(format!("usage.db{suffix}"));
    if fs::rename(path, beside(".corrupt")).is_ok() {
        // The journal of the old file must not be played into the new one.
        let _ = fs::remove_file(beside("-wal"));
        let _ = fs::remove_file(beside("-shm"));
    }
}

#[cfg(test)]
mod tests;
