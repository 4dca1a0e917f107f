//! What is kept comes back, whoever else writes, and what is damaged or newer is left alone.

use std::fs;

use rusqlite::Connection;
use shared::state::Store;
use shared::usage::Source;
use tempfile::TempDir;

use super::{Database, DelayRow, SnapshotRow, Why};
use pacing::Window;

fn scratch() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store)
}

fn snapshot(timestamp: i64) -> SnapshotRow {
    SnapshotRow {
        timestamp,
        observed_at: timestamp - 3,
        five_hour_util: Some(42.5),
        five_hour_resets_at: Some(20_000),
        ..SnapshotRow::default()
    }
}

fn delay(timestamp: i64) -> DelayRow {
    DelayRow { timestamp, secs: 42, session_id: "a-session".to_owned(), window: Some(Window::SevenDay) }
}

impl Database {
    fn add(&self, timestamp: i64) -> Result<(), String> {
        self.add_snapshot(&snapshot(timestamp), "a-session", Source::UsageApi)
    }
}

#[test]
fn what_is_kept_is_read_back_oldest_first() {
    let (_folder, store) = scratch();
    assert!(Database::open_existing(&store).unwrap().is_none());
    let database = Database::open(&store).unwrap();
    for timestamp in [300, 100, 200] {
        database.add(timestamp).unwrap();
        database.add_delay(&delay(timestamp), &Why::default()).unwrap();
    }
    let another = Database::open_existing(&store).unwrap().unwrap();
    assert_eq!(another.snapshots(150).unwrap(), [snapshot(200), snapshot(300)]);
    assert_eq!(another.delays(0).unwrap(), [delay(100), delay(200), delay(300)]);
}

#[test]
fn many_write_at_once_and_every_row_is_kept() {
    let (_folder, store) = scratch();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..10 {
                    let database = Database::open(store).unwrap();
                    database.add(writer * 100 + round).unwrap();
                }
            });
        }
    });
    let database = Database::open(&store).unwrap();
    let mut expected: Vec<i64> =
        (0..8).flat_map(|writer| (0..10).map(move |round| writer * 100 + round)).collect();
    expected.sort_unstable();
    let kept: Vec<i64> = database.snapshots(0).unwrap().into_iter().map(|row| row.timestamp).collect();
    assert_eq!(kept, expected);
}

#[test]
fn an_empty_file_and_a_database_without_tables_become_ours() {
    for prepare in [
        |path: &std::path::Path| fs::write(path, "").unwrap(),
        |path: &std::path::Path| Connection::open(path).unwrap().execute_batch("VACUUM").unwrap(),
    ] {
        let (folder, store) = scratch();
        prepare(&folder.path().join("usage.db"));
        let database = Database::open(&store).unwrap();
        database.add(100).unwrap();
        let version: i64 =
            database.connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        let mode: String =
            database.connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!((version, mode.as_str()), (1, "wal"));
    }
}

#[test]
fn rows_with_gaps_are_read() {
    let (_folder, store) = scratch();
    let database = Database::open(&store).unwrap();
    database
        .connection
        .execute_batch(
            "INSERT INTO usage_snapshots (timestamp) VALUES (100);
             INSERT INTO pacing_decisions (timestamp, strategy, \"window\") VALUES (100, 'of tomorrow', 'opus')",
        )
        .unwrap();
    let snapshot = SnapshotRow { timestamp: 100, observed_at: 100, ..SnapshotRow::default() };
    assert_eq!(database.snapshots(0).unwrap(), [snapshot]);
    let delay = DelayRow { timestamp: 100, secs: 0, session_id: String::new(), window: None };
    assert_eq!(database.delays(0).unwrap(), [delay]);
}

#[test]
fn what_is_too_old_goes_and_the_rest_stays() {
    let (_folder, store) = scratch();
    let database = Database::open(&store).unwrap();
    database
        .connection
        .execute_batch(
            "WITH RECURSIVE times (t) AS (SELECT 1 UNION ALL SELECT t + 1 FROM times WHERE t < 1301)
             INSERT INTO usage_snapshots (timestamp) SELECT t FROM times;
             INSERT INTO pacing_decisions (timestamp) SELECT timestamp FROM usage_snapshots",
        )
        .unwrap();
    for (before, left) in [(0, 1301), (2, 1300), (1002, 300), (1301, 1), (5000, 0)] {
        database.clean_up(before).unwrap();
        let counts = (database.snapshots(0).unwrap().len(), database.delays(0).unwrap().len());
        assert_eq!(counts, (left, left), "{before}");
    }
}

#[test]
fn a_damaged_file_is_set_aside_and_begun_anew() {
    let (folder, store) = scratch();
    let path = folder.path().join("usage.db");
    let garbage = "not a database ".repeat(100);
    fs::write(&path, &garbage).unwrap();
    fs::write(folder.path().join("usage.db-wal"), "its journal").unwrap();
    let database = Database::open(&store).unwrap();
    database.add(100).unwrap();
    assert_eq!(database.snapshots(0).unwrap(), [snapshot(100)]);
    assert_eq!(fs::read_to_string(folder.path().join("usage.db.corrupt")).unwrap(), garbage);
}

#[test]
fn a_file_damaged_inside_gives_way_for_the_next_time() {
    let (folder, store) = scratch();
    let path = folder.path().join("usage.db");
    let database = Database::open(&store).unwrap();
    database.add(100).unwrap();
    drop(database);
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(0x55);
    fs::write(&path, &bytes).unwrap();
    let database = Database::open(&store).unwrap();
    let error = database.add(200).unwrap_err();
    assert!(error.contains("usage.db is damaged; it is set aside"), "{error:?}");
    let database = Database::open(&store).unwrap();
    database.add(300).unwrap();
    assert_eq!(database.snapshots(0).unwrap(), [snapshot(300)]);
    assert_eq!(fs::read(folder.path().join("usage.db.corrupt")).unwrap(), bytes);
}

#[test]
fn a_newer_version_is_left_alone() {
    let (folder, store) = scratch();
    let path = folder.path().join("usage.db");
    for version in [2, 99, -1] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        let before = fs::read(&path).unwrap();
        let error = Database::open(&store).unwrap_err();
        assert!(error.contains("was written by a newer version"), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(!folder.path().join("usage.db.corrupt").exists());
    }
}

#[test]
fn a_folder_that_cannot_hold_it_is_an_error() {
    let (folder, _) = scratch();
    let gone = Store::at(&folder.path().join("gone"));
    assert!(Database::open(&gone).is_err());
    assert!(Database::open_existing(&gone).unwrap().is_none());
    fs::create_dir(folder.path().join("usage.db")).unwrap();
    let error = Database::open(&Store::at(folder.path())).unwrap_err();
    assert!(error.contains("usage.db cannot be used: it is no regular file"), "{error:?}");
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_neither_waited_for_nor_followed() {
    use std::os::unix::fs::symlink;
    type Make = fn(&std::path::Path);
    let make_fifo = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let kinds: [(&str, Make); 3] = [
        ("usage.db", make_fifo),
        ("usage.db", |path| symlink(path.with_file_name("elsewhere.db"), path).unwrap()),
        ("usage.db", |path| symlink("/dev/null", path).unwrap()),
    ];
    for (name, make) in kinds {
        let (folder, store) = scratch();
        let path = folder.path().join(name);
        fs::write(folder.path().join("usage.db"), "").unwrap();
        let _ = fs::remove_file(&path);
        make(&path);
        let before = fs::symlink_metadata(&path).unwrap().file_type();
        for opened in [Database::open(&store).err(), Database::open_existing(&store).err()] {
            let error = opened.unwrap();
            assert!(error.contains("it is no regular file; move it away"), "{name} {error:?}");
        }
        assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), before);
        assert!(!folder.path().join("elsewhere.db").exists());
    }
}

#[test]
fn it_is_waited_for_no_longer_than_asked() {
    let (_folder, store) = scratch();
    let other = Database::open(&store).unwrap();
    other.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let database = Database::open_with(&store, std::time::Duration::from_millis(5)).unwrap();
    let error = database.add(100).unwrap_err();
    assert!(error.contains("another process writes into it"), "{error:?}");
    other.connection.execute_batch("ROLLBACK").unwrap();
    database.add(100).unwrap();
}

#[test]
fn one_that_is_held_alone_is_busy_and_stays() {
    let (folder, store) = scratch();
    drop(Database::open(&store).unwrap());
    let other = Connection::open(folder.path().join("usage.db")).unwrap();
    other
        .execute_batch("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let error = Database::open_with(&store, std::time::Duration::from_millis(5)).unwrap_err();
    assert!(error.contains("another process"), "{error:?}");
    assert!(!folder.path().join("usage.db.corrupt").exists());
}

#[test]
fn rows_of_another_type_are_skipped() {
    let (_folder, store) = scratch();
    let database = Database::open(&store).unwrap();
    database.add(100).unwrap();
    database.add_delay(&delay(100), &Why::default()).unwrap();
    database
        .connection
        .execute_batch(
            "INSERT INTO usage_snapshots (timestamp, five_hour_util) VALUES (101, 'much');
             INSERT INTO usage_snapshots (timestamp) VALUES ('yesterday');
             INSERT INTO usage_snapshots (timestamp, five_hour_resets_at) VALUES (103, 1.5);
             INSERT INTO pacing_decisions (timestamp, delay_seconds) VALUES (101, 'long')",
        )
        .unwrap();
    assert_eq!(database.snapshots(0).unwrap(), [snapshot(100)]);
    assert_eq!(database.delays(0).unwrap(), [delay(100)]);
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, store) = scratch();
    let database = Database::open(&store).unwrap();
    database.add(100).unwrap();
    for name in ["usage.db", "usage.db-wal", "usage.db-shm"] {
        let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
