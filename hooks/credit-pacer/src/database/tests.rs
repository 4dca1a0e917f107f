//! Rows come back, whoever else writes; a damaged file gives way, and a newer one is left alone.

use std::fs;
use std::path::PathBuf;

use pacing::{Reading, Window};
use rusqlite::Connection;
use shared::state::Store;
use shared::usage::{self, Source};
use tempfile::TempDir;

use super::{Database, DelayRow, Why};

fn scratch() -> (TempDir, Store, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let path = folder.path().join("usage.db");
    (folder, store, path)
}

impl Database {
    fn add(&self, at: i64) -> Result<(), String> {
        let window = usage::Window { used_percent: 42.5, resets_at: 20_000, observed_at: at };
        self.add_snapshot(&[("five_hour".to_owned(), window)].into(), (at, at + 3), "s", Source::UsageApi)
    }

    fn read(&self) -> Vec<i64> {
        self.readings(Window::FiveHour, 0).unwrap().into_iter().map(|(at, _)| at).collect()
    }
}

fn delay(at: i64) -> DelayRow {
    DelayRow { at, secs: 42, window: Some(Window::SevenDay) }
}

#[test]
fn rows_are_read_back_oldest_first_with_or_without_gaps() {
    let (_folder, store, _) = scratch();
    assert!(Database::open_existing(&store).unwrap().is_none());
    let database = Database::open(&store).unwrap();
    for at in [300, 100, 200] {
        database.add(at).unwrap();
        database.add_delay(&delay(at), "s", &Why::default()).unwrap();
    }
    let gaps = "INSERT INTO usage_snapshots (timestamp, five_hour_util, five_hour_resets_at) VALUES (50, 1, 9);
                INSERT INTO usage_snapshots (timestamp) VALUES (100);
                INSERT INTO pacing_decisions (timestamp, strategy, \"window\") VALUES (50, 'of tomorrow', 'opus')";
    database.connection.execute_batch(gaps).unwrap();
    let another = Database::open_existing(&store).unwrap().unwrap();
    let reading = Reading { used_percent: 42.5, resets_at: 20_000 };
    assert_eq!(another.readings(Window::FiveHour, 150).unwrap(), [(200, reading), (300, reading)]);
    assert_eq!(
        (another.read(), another.readings(Window::SevenDay, 0)),
        (vec![50, 100, 200, 300], Ok(vec![]))
    );
    let first = DelayRow { at: 50, secs: 0, window: None };
    assert_eq!(another.delays(0).unwrap(), [first, delay(100), delay(200), delay(300)]);
}

#[test]
fn many_write_at_once_and_every_row_is_kept() {
    let (_folder, store, _) = scratch();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let store = &store;
            let add = move |round: i64| Database::open(store).unwrap().add(writer * 100 + round).unwrap();
            scope.spawn(move || (0..10).for_each(add));
        }
    });
    assert_eq!(Database::open(&store).unwrap().read().len(), 80);
}

#[test]
fn removes_old_rows_in_batches() {
    let (_folder, store, _) = scratch();
    let database = Database::open(&store).unwrap();
    let fill = "WITH RECURSIVE times (t) AS (SELECT 1 UNION ALL SELECT t + 1 FROM times WHERE t < 1301)
                INSERT INTO usage_snapshots (timestamp, five_hour_util, five_hour_resets_at) SELECT t, 1, 9 FROM times;
                INSERT INTO pacing_decisions (timestamp) SELECT timestamp FROM usage_snapshots";
    database.connection.execute_batch(fill).unwrap();
    for (before, left) in [(0, 1301), (2, 1300), (1002, 300), (1301, 1), (5000, 0)] {
        database.clean_up(before).unwrap();
        assert_eq!((database.read().len(), database.delays(0).unwrap().len()), (left, left), "{before}");
    }
}

#[test]
fn an_empty_file_and_a_damaged_one_give_way() {
    let garbage = "not a database ".repeat(100);
    for content in ["", &garbage] {
        let (folder, store, path) = scratch();
        fs::write(&path, content).unwrap();
        let database = Database::open(&store).unwrap();
        database.add(100).unwrap();
        let mode: String =
            database.connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!((database.read(), mode.as_str()), (vec![100], "wal"));
        let aside = fs::read_to_string(folder.path().join("usage.db.corrupt")).unwrap_or_default();
        assert_eq!(aside, content);
    }
}

#[test]
fn a_file_damaged_inside_gives_way_for_the_next_time() {
    let (folder, store, path) = scratch();
    Database::open(&store).unwrap().add(100).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(0x55);
    fs::write(&path, &bytes).unwrap();
    let error = Database::open(&store).unwrap().add(200).unwrap_err();
    assert!(error.contains("usage.db is damaged; it is set aside"), "{error}");
    let database = Database::open(&store).unwrap();
    database.add(300).unwrap();
    assert_eq!(database.read(), [300]);
    assert_eq!(fs::read(folder.path().join("usage.db.corrupt")).unwrap(), bytes);
}

#[test]
fn a_file_of_a_newer_version_is_left_alone() {
    let (folder, store, path) = scratch();
    for version in [2, 99, -1] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        let before = fs::read(&path).unwrap();
        let error = Database::open(&store).unwrap_err();
        assert!(error.contains("was written by a newer version"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(!folder.path().join("usage.db.corrupt").exists());
    }
}

#[test]
fn a_folder_in_its_place_and_a_missing_state_folder_are_errors() {
    let (folder, store, path) = scratch();
    let gone = Store::at(&folder.path().join("gone"));
    assert!(Database::open(&gone).is_err());
    assert!(Database::open_existing(&gone).unwrap().is_none());
    fs::create_dir(&path).unwrap();
    let error = Database::open(&store).unwrap_err();
    assert!(error.contains("usage.db cannot be used: "), "{error}");
}

/// A pipe must not be waited for, nor a link followed.
#[cfg(unix)]
#[test]
fn a_pipe_and_a_link_are_errors_at_once() {
    let (folder, store, path) = scratch();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(Database::open(&store).is_err());
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(folder.path().join("elsewhere.db"), &path).unwrap();
    assert!(Database::open(&store).is_err());
    assert!(!folder.path().join("elsewhere.db").exists());
}

#[test]
fn waits_for_another_writer_no_longer_than_asked() {
    let (folder, store, _) = scratch();
    let other = Database::open(&store).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let database = Database::open_with(&store, std::time::Duration::from_millis(5)).unwrap();
    let error = database.add(100).unwrap_err();
    assert!(error.contains("usage.db cannot be used: database is locked"), "{error}");
    other.connection.execute_batch("ROLLBACK").unwrap();
    database.add(100).unwrap();
    assert!(!folder.path().join("usage.db.corrupt").exists());
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, store, _) = scratch();
    let database = Database::open(&store).unwrap();
    database.add(100).unwrap();
    for name in ["usage.db", "usage.db-wal", "usage.db-shm"] {
        let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
