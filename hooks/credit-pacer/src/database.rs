//! `usage.db`: what was used when, and what was delayed, over two months. An audit and the source of charts; a decision never
//! reads it.

mod file;
mod words;

use std::time::Duration;

use pacing::{Strategy, Window};
use rusqlite::{Connection, Error, Row, params};
use shared::state::Store;
use shared::usage::Source;

use file::Problem;

/// So many rows are removed in one transaction: others wait for the end of each.
const BATCH_ROWS: usize = 500;

/// So long one process waits for another's writing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The open database.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    store: Store,
    patience: Duration,
}

/// Why it cannot be used.
#[derive(Debug)]
pub(crate) struct DatabaseError(pub(crate) String);

/// A reading, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SnapshotRow {
    /// When it was written down, in seconds since the epoch.
    pub(crate) timestamp: i64,
    /// When it was true.
    pub(crate) observed_at: i64,
    /// Used of the five hours, in percent.
    pub(crate) five_hour_util: Option<f64>,
    /// When they begin anew.
    pub(crate) five_hour_resets_at: Option<i64>,
    /// Used of the seven days, in percent.
    pub(crate) seven_day_util: Option<f64>,
    /// When they begin anew.
    pub(crate) seven_day_resets_at: Option<i64>,
    /// The session whose status line told it; empty where none did.
    pub(crate) session_id: String,
    /// Who saw it.
    pub(crate) source: Source,
}

/// A decision to delay, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DecisionRow {
    /// When, in seconds since the epoch.
    pub(crate) timestamp: i64,
    /// Anything was delayed.
    pub(crate) should_throttle: bool,
    /// For how long, in whole seconds.
    pub(crate) delay_seconds: i64,
    /// In which session.
    pub(crate) session_id: String,
    /// The window that asked for it.
    pub(crate) window: Option<Window>,
    /// What was used of it, in percent.
    pub(crate) used: Option<f64>,
    /// What may be used by then, in percent.
    pub(crate) safe: Option<f64>,
    /// A word for how hard it was.
    pub(crate) strategy: Strategy,
}

impl Database {
    /// Opens it, making it or bringing it up to date where need be.
    pub(crate) fn open(store: &Store) -> Result<Self, DatabaseError> {
        Self::open_with(store, PATIENCE)
    }

    /// The same; so long it waits for others, then and with each row.
    pub(crate) fn open_with(store: &Store, patience: Duration) -> Result<Self, DatabaseError> {
        let connection = file::open(store, patience).map_err(|problem| problem.told(store))?;
        Ok(Self { connection, store: store.clone(), patience })
    }

    /// Opens it, if it is there.
    pub(crate) fn open_existing(store: &Store) -> Result<Option<Self>, DatabaseError> {
        if file::is_there(store) { Self::open(store).map(Some) } else { Ok(None) }
    }

    /// Keeps a reading.
    pub(crate) fn add_snapshot(&self, row: &SnapshotRow) -> Result<(), DatabaseError> {
        let values = params![
            row.timestamp,
            row.observed_at,
            row.five_hour_util,
            row.five_hour_resets_at,
            row.seven_day_util,
            row.seven_day_resets_at,
            row.session_id,
            words::of_source(row.source),
        ];
        let insert = "INSERT INTO usage_snapshots (timestamp, observed_at, five_hour_util, five_hour_resets_at,
                      seven_day_util, seven_day_resets_at, session_id, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        self.told(self.connection.execute(insert, values)).map(drop)
    }

    /// Keeps a decision.
    pub(crate) fn add_decision(&self, row: &DecisionRow) -> Result<(), DatabaseError> {
        let values = params![
            row.timestamp,
            row.should_throttle,
            row.delay_seconds,
            row.session_id,
            row.window.map(Window::key),
            row.used,
            row.safe,
            row.strategy.to_string(),
        ];
        let insert = "INSERT INTO pacing_decisions (timestamp, should_throttle, delay_seconds, session_id,
                      \"window\", used, safe, strategy) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        self.told(self.connection.execute(insert, values)).map(drop)
    }

    /// Removes what is older than `before`, in seconds since the epoch, 500 rows at a time.
    pub(crate) fn clean_up(&mut self, before: i64) -> Result<(), DatabaseError> {
        for table in ["usage_snapshots", "pacing_decisions"] {
            while self.remove_batch(table, before)? == BATCH_ROWS {}
        }
        Ok(())
    }

    fn remove_batch(&self, table: &str, before: i64) -> Result<usize, DatabaseError> {
        let delete = format!(
            "DELETE FROM {table} WHERE rowid IN
             (SELECT rowid FROM {table} WHERE timestamp < ? ORDER BY timestamp LIMIT {BATCH_ROWS})"
        );
        self.told(self.connection.execute(&delete, [before]))
    }

    /// The readings since then, oldest first.
    pub(crate) fn snapshots(&self, since: i64) -> Result<Vec<SnapshotRow>, DatabaseError> {
        let select = "SELECT timestamp, observed_at, five_hour_util, five_hour_resets_at, seven_day_util,
                      seven_day_resets_at, session_id, source FROM usage_snapshots
                      WHERE timestamp >= ? ORDER BY timestamp, rowid";
        self.rows(select, since, |row| {
            let timestamp = row.get(0)?;
            Ok(SnapshotRow {
                timestamp,
                observed_at: row.get::<_, Option<i64>>(1)?.unwrap_or(timestamp),
                five_hour_util: row.get(2)?,
                five_hour_resets_at: row.get(3)?,
                seven_day_util: row.get(4)?,
                seven_day_resets_at: row.get(5)?,
                session_id: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
                source: words::source(&row.get::<_, Option<String>>(7)?.unwrap_or_default()),
            })
        })
    }

    /// The decisions since then, oldest first.
    pub(crate) fn decisions(&self, since: i64) -> Result<Vec<DecisionRow>, DatabaseError> {
        let select =
            "SELECT timestamp, should_throttle, delay_seconds, session_id, \"window\", used, safe, strategy
                      FROM pacing_decisions WHERE timestamp >= ? ORDER BY timestamp, rowid";
        self.rows(select, since, |row| {
            Ok(DecisionRow {
                timestamp: row.get(0)?,
                should_throttle: row.get::<_, Option<bool>>(1)?.unwrap_or_default(),
                delay_seconds: row.get::<_, Option<i64>>(2)?.unwrap_or_default(),
                session_id: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
                window: words::window(&row.get::<_, Option<String>>(4)?.unwrap_or_default()),
                used: row.get(5)?,
                safe: row.get(6)?,
                strategy: words::strategy(&row.get::<_, Option<String>>(7)?.unwrap_or_default()),
            })
        })
    }

    fn rows<T>(
        &self,
        select: &str,
        since: i64,
        row: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, DatabaseError> {
        let read = || {
            let mut select = self.connection.prepare(select)?;
            let rows = select.query_map([since], row)?;
            rows.filter(|row| !row.as_ref().is_err_and(is_of_another_type)).collect()
        };
        self.told(read())
    }

    /// What has gone wrong, for people. A file that turns out to be damaged gives way to a new one, for the next time.
    fn told<T>(&self, result: rusqlite::Result<T>) -> Result<T, DatabaseError> {
        result.map_err(|error| {
            let problem = Problem::from(error);
            if matches!(problem, Problem::Damaged) {
                file::set_damaged_aside(&self.store, self.patience);
            }
            problem.told(&self.store)
        })
    }
}

/// The row was written by somebody else, and is none of ours: the others are not the worse for it.
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
