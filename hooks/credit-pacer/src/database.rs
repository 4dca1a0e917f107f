//! `usage.db`: usage and delays of two months. An audit and the source of charts; no decision reads it.

mod file;

use std::time::Duration;

use pacing::{Strategy, Window};
use rusqlite::{Connection, Error, Row, params};
use serde::{Deserialize, Serialize};
use shared::state::Store;
use shared::usage::Source;

use file::Problem;

/// Rows that one transaction removes: others wait for the end of each.
const BATCH_ROWS: usize = 500;

/// How long one process waits for another's writing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The open database. Its errors are sentences for people.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    store: Store,
    patience: Duration,
}

/// A reading, as it is kept. Usage in percent, times in seconds since the epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct SnapshotRow {
    /// When it was written down.
    pub(crate) timestamp: i64,
    /// When it was true.
    pub(crate) observed_at: i64,
    pub(crate) five_hour_util: Option<f64>,
    pub(crate) five_hour_resets_at: Option<i64>,
    pub(crate) seven_day_util: Option<f64>,
    pub(crate) seven_day_resets_at: Option<i64>,
}

/// A delay, as it is looked back on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DelayRow {
    /// When it began, in seconds since the epoch.
    pub(crate) timestamp: i64,
    /// In seconds.
    pub(crate) secs: i64,
    pub(crate) session_id: String,
    /// The limit that asked for it.
    pub(crate) window: Option<Window>,
}

/// Why there was a delay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Why {
    /// The usage at that time, in percent.
    pub(crate) used: Option<f64>,
    /// The safe line at that time, in percent.
    pub(crate) safe: Option<f64>,
    pub(crate) strategy: Strategy,
}

impl SnapshotRow {
    /// Of the windows that pace, out of readings by name.
    pub(crate) fn of(
        windows: &std::collections::BTreeMap<String, shared::usage::Window>,
        observed_at: i64,
        timestamp: i64,
    ) -> Self {
        let [five_hour, seven_day] = Window::ALL.map(|window| windows.get(window.key()));
        Self {
            timestamp,
            observed_at,
            five_hour_util: five_hour.map(|window| window.used_percent),
            five_hour_resets_at: five_hour.map(|window| window.resets_at),
            seven_day_util: seven_day.map(|window| window.used_percent),
            seven_day_resets_at: seven_day.map(|window| window.resets_at),
        }
    }
}

impl Database {
    /// Opens it; makes it where it is missing.
    pub(crate) fn open(store: &Store) -> Result<Self, String> {
        Self::open_with(store, PATIENCE)
    }

    /// The same with another patience, which counts for each row too.
    pub(crate) fn open_with(store: &Store, patience: Duration) -> Result<Self, String> {
        let connection = file::open(store, patience).map_err(|problem| problem.sentence(store))?;
        Ok(Self { connection, store: store.clone(), patience })
    }

    /// Opens it, if it is there.
    pub(crate) fn open_existing(store: &Store) -> Result<Option<Self>, String> {
        if file::is_there(store) { Self::open(store).map(Some) } else { Ok(None) }
    }

    /// Keeps a reading.
    pub(crate) fn add_snapshot(
        &self,
        row: &SnapshotRow,
        session_id: &str,
        source: Source,
    ) -> Result<(), String> {
        let source = match source {
            Source::StatusLine => "status_line",
            Source::UsageApi => "usage_api",
        };
        let values = params![
            row.timestamp,
            row.observed_at,
            row.five_hour_util,
            row.five_hour_resets_at,
            row.seven_day_util,
            row.seven_day_resets_at,
            session_id,
            source,
        ];
        let insert = "INSERT INTO usage_snapshots (timestamp, observed_at, five_hour_util, five_hour_resets_at,
                      seven_day_util, seven_day_resets_at, session_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        self.said(self.connection.execute(insert, values)).map(drop)
    }

    /// Keeps a delay.
    pub(crate) fn add_delay(&self, row: &DelayRow, why: &Why) -> Result<(), String> {
        let values = params![
            row.timestamp,
            row.secs > 0,
            row.secs,
            row.session_id,
            row.window.map(Window::key),
            why.used,
            why.safe,
            why.strategy.word(),
        ];
        let insert = "INSERT INTO pacing_decisions (timestamp, should_throttle, delay_seconds, session_id,
                      \"window\", used, safe, strategy) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        self.said(self.connection.execute(insert, values)).map(drop)
    }

    /// Removes what is older than `before`, in seconds since the epoch.
    pub(crate) fn clean_up(&self, before: i64) -> Result<(), String> {
        for table in ["usage_snapshots", "pacing_decisions"] {
            while self.remove_batch(table, before)? == BATCH_ROWS {}
        }
        Ok(())
    }

    fn remove_batch(&self, table: &str, before: i64) -> Result<usize, String> {
        let delete = format!(
            "DELETE FROM {table} WHERE rowid IN
             (SELECT rowid FROM {table} WHERE timestamp < ? ORDER BY timestamp LIMIT {BATCH_ROWS})"
        );
        self.said(self.connection.execute(&delete, [before]))
    }

    /// The readings since a moment, oldest first.
    pub(crate) fn snapshots(&self, since: i64) -> Result<Vec<SnapshotRow>, String> {
        let select = "SELECT timestamp, observed_at, five_hour_util, five_hour_resets_at, seven_day_util,
                      seven_day_resets_at FROM usage_snapshots WHERE timestamp >= ? ORDER BY timestamp, rowid";
        self.rows(select, since, |row| {
            let timestamp = row.get(0)?;
            Ok(SnapshotRow {
                timestamp,
                observed_at: row.get::<_, Option<i64>>(1)?.unwrap_or(timestamp),
                five_hour_util: row.get(2)?,
                five_hour_resets_at: row.get(3)?,
                seven_day_util: row.get(4)?,
                seven_day_resets_at: row.get(5)?,
            })
        })
    }

    /// The delays since a moment, oldest first.
    pub(crate) fn delays(&self, since: i64) -> Result<Vec<DelayRow>, String> {
        let select = "SELECT timestamp, delay_seconds, session_id, \"window\" FROM pacing_decisions
                      WHERE timestamp >= ? ORDER BY timestamp, rowid";
        self.rows(select, since, |row| {
            let window: Option<String> = row.get(3)?;
            Ok(DelayRow {
                timestamp: row.get(0)?,
                secs: row.get::<_, Option<i64>>(1)?.unwrap_or_default(),
                session_id: row.get::<_, Option<String>>(2)?.unwrap_or_default(),
                window: Window::ALL.into_iter().find(|known| Some(known.key()) == window.as_deref()),
            })
        })
    }

    fn rows<T>(
        &self,
        select: &str,
        since: i64,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, String> {
        let read = || {
            let mut select = self.connection.prepare(select)?;
            let rows = select.query_map([since], row)?;
            rows.filter(|row| !row.as_ref().is_err_and(is_of_another_type)).collect()
        };
        self.said(read())
    }

    /// The error as a sentence. A damaged file gives way to a new one, for the next time.
    fn said<T>(&self, result: rusqlite::Result<T>) -> Result<T, String> {
        result.map_err(|error| {
            let problem = Problem::from(error);
            if matches!(problem, Problem::Damaged) {
                file::set_damaged_aside(&self.store, self.patience);
            }
            problem.sentence(&self.store)
        })
    }
}

/// Something else wrote the row: it is skipped.
const fn is_of_another_type(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidColumnType(..)
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
    )
}

#[cfg(test)]
mod tests;
