//! The file: private, in the version of this code, whole. Whatever changes its form happens under a lock of ours, because
//! the library's own does not cover all of it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use shared::state::{LockError, Store};

/// What leads from each version to the next; the first one from an empty file. All times are whole seconds since the epoch.
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

/// Why it cannot be opened or used.
#[derive(Debug)]
pub(super) enum Problem {
    /// It is no database, or part of it is destroyed.
    Damaged,
    /// A newer version of this code has written it.
    Newer,
    /// Another process writes into it for longer than this one waits.
    Busy,
    /// No regular file lies there: opening it could wait for ever, or write somewhere else.
    NoFile,
    /// Anything else that the system says.
    Other(String),
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Other(error.to_string()),
        }
    }
}

impl From<LockError> for Problem {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy(_) => Self::Busy,
            LockError::Unusable(..) => Self::Other(error.to_string()),
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

impl Problem {
    /// For people.
    pub(super) fn sentence(self, store: &Store) -> String {
        let file = path(store);
        let file = file.display();
        match self {
            Self::Damaged => {
                format!("{file} is damaged; it is set aside, and the next reading begins a new one")
            }
            Self::Newer => format!("{file} was written by a newer version of Barbless; update this one"),
            Self::Busy => format!("{file} cannot be used: another process writes into it; try again"),
            Self::NoFile => format!("{file} cannot be used: it is no regular file; move it away"),
            Self::Other(why) => format!("{file} cannot be used: {why}"),
        }
    }
}

pub(super) fn path(store: &Store) -> PathBuf {
    store.dir().join("usage.db")
}

/// Something lies there, be it no file.
pub(super) fn is_there(store: &Store) -> bool {
    fs::symlink_metadata(path(store)).is_ok()
}

/// Opens the file. As a rule that is all; it is made, brought up to date or set aside under the lock. So long it waits for
/// others, then and with each statement.
pub(super) fn open(store: &Store, patience: Duration) -> Result<Connection, Problem> {
    let path = path(store);
    check_kind(&path)?;
    let opened = connect(&path, OpenFlags::empty(), patience).map_err(Problem::from);
    let found = opened.and_then(|connection| Ok((version(&connection)?, connection)));
    match found {
        Ok((version, connection)) if version == MIGRATIONS.len() => return Ok(connection),
        Err(Problem::Busy) => return Err(Problem::Busy),
        _ => {}
    }
    store.locked(&path, || match make(&path, patience) {
        Err(Problem::Damaged) => {
            set_aside(&path)?;
            make(&path, patience)
        }
        made => made,
    })?
}

/// A regular file, or nothing.
fn check_kind(path: &Path) -> Result<(), Problem> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_file() => Ok(()),
        Ok(_) => Err(Problem::NoFile),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes way for a new file, if this one is still damaged. Where that cannot be done it stays as it is.
pub(super) fn set_damaged_aside(store: &Store, patience: Duration) {
    let path = path(store);
    let _ = store.locked(&path, || {
        check_kind(&path)?;
        let is_whole = connect(&path, OpenFlags::empty(), patience)
            .and_then(|connection| {
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
            })
            .is_ok_and(|answer| answer == "ok");
        if is_whole { Ok(()) } else { set_aside(&path) }
    });
}

fn make(path: &Path, patience: Duration) -> Result<Connection, Problem> {
    check_kind(path)?;
    create_private(path)?;
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_CREATE, patience)?;
    migrate(&mut connection)?;
    Ok(connection)
}

fn connect(path: &Path, more: OpenFlags, patience: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    // A power failure may take the last rows, and nothing else.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

fn version(connection: &Connection) -> Result<usize, Problem> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    usize::try_from(version).map_err(|_| Problem::Newer)
}

fn migrate(connection: &mut Connection) -> Result<(), Problem> {
    let found = version(connection)?;
    let missing = MIGRATIONS.get(found..).ok_or(Problem::Newer)?;
    if missing.is_empty() {
        return Ok(());
    }
    // The answer is the mode it is in then; where it cannot be had, it is only slower.
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for migration in missing {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX))?;
    transaction.commit()?;
    Ok(())
}

/// The library would make it readable for all; what it puts beside it takes its mode.
#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, open};
    // Whatever has come there meanwhile, nobody waits for it, and nothing is made at a link's other end.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open(path, flags, Mode::RUSR | Mode::WUSR)?;
    Ok(())
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::OpenOptions::new().append(true).create(true).open(path).map(drop)
}

/// With what lies beside it: a journal of the old file must not be played into the new one.
fn set_aside(path: &Path) -> Result<(), Problem> {
    fs::rename(path, beside(path, ".corrupt"))?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(path, suffix));
    }
    Ok(())
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}
