//! Rows come back, whoever else writes; a damaged file gives way, and a newer one is left alone.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use pacing::{Reading, Strategy, Window};
use rusqlite::Connection;
use shared::host::Timestamp;
use shared::state::Store;
use shared::usage::{self, Source, Usage};
use tempfile::TempDir;

use super::{DelayRow, Rows, add_delay, add_snapshot, clean_up, open, since};
use crate::state::Pending;

fn scratch() -> (TempDir, Store, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let path = folder.path().join("usage.db");
    (folder, store, path)
}

fn add(store: &Store, at: i64) -> Result<(), String> {
    let window = usage::Window { used_percent: 42.5, resets_at: 20_000, observed_at: at };
    let windows = [("five_hour".to_owned(), window)].into();
    let usage = Usage { observed_at: at, source: Source::UsageApi, windows };
    add_snapshot(store, &usage, at + 3, "s")
}

fn times(store: &Store) -> Vec<i64> {
    since(store, 0).unwrap().0[0].iter().map(|reading| reading.at).collect()
}

#[test]
fn reads_rows_back_oldest_first_with_or_without_gaps() {
    let (_folder, store, path) = scratch();
    assert_eq!(since(&store, 0), Ok(Rows::default()));
    assert!(!path.exists(), "looking makes no file");
    for secs in [300, 100, 200] {
        add(&store, secs).unwrap();
        let (at, window, strategy) = (Timestamp::from_secs(secs), Window::SevenDay, Strategy::Gradual);
        let delay = Pending { at, window, used_percent: 60.0, safe_percent: 50.0, strategy };
        add_delay(&store, &delay, Duration::from_millis(41_500), "s").unwrap();
    }
    let gaps = "INSERT INTO usage_snapshots (timestamp, five_hour_util, five_hour_resets_at) VALUES (50, 1, 9);
                INSERT INTO usage_snapshots (timestamp) VALUES (100);
                INSERT INTO pacing_decisions (timestamp, strategy, \"window\") VALUES (50, 'of tomorrow', 'opus')";
    Connection::open(&path).unwrap().execute_batch(gaps).unwrap();
    let reading = |at| Reading { at, used_percent: 42.5, resets_at: 20_000 };
    let delay = |at| DelayRow { at, secs: 42, window: Some("seven_day".to_owned()) };
    let expected = ([vec![reading(200), reading(300)], vec![]], vec![delay(200), delay(300)]);
    assert_eq!(since(&store, 150), Ok(expected));
    assert_eq!(times(&store), [50, 100, 200, 300]);
    assert_eq!(since(&store, 0).unwrap().1[0], DelayRow { at: 50, secs: 0, window: Some("opus".to_owned()) });
}

#[test]
fn keeps_every_row_of_many_writers() {
    let (_folder, store, _) = scratch();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let store = &store;
            scope.spawn(move || (0..10).for_each(|round| add(store, writer * 100 + round).unwrap()));
        }
    });
    assert_eq!(times(&store).len(), 80);
}

#[test]
fn removes_old_rows_in_batches() {
    let (_folder, store, path) = scratch();
    assert_eq!(clean_up(&store, 5000), Ok(()));
    add(&store, 1301).unwrap();
    let fill = "WITH RECURSIVE times (t) AS (SELECT 1 UNION ALL SELECT t + 1 FROM times WHERE t < 1300)
                INSERT INTO usage_snapshots (timestamp, five_hour_util, five_hour_resets_at) SELECT t, 1, 9 FROM times;
                INSERT INTO pacing_decisions (timestamp) SELECT timestamp FROM usage_snapshots";
    Connection::open(&path).unwrap().execute_batch(fill).unwrap();
    for (before, left) in [(0, 1301), (2, 1300), (1002, 300), (5000, 0)] {
        clean_up(&store, before).unwrap();
        let ([readings, _], delays) = since(&store, 0).unwrap();
        assert_eq!((readings.len(), delays.len()), (left, left), "{before}");
    }
}

#[test]
fn damaged_file_gives_way() {
    let garbage = "not a database ".repeat(100).into_bytes();
    let (_folder, store, path) = scratch();
    add(&store, 100).unwrap();
    let mut damaged = fs::read(&path).unwrap();
    damaged[4096..].fill(0x55);
    for content in [vec![], garbage, damaged] {
        let (folder, store, path) = scratch();
        fs::write(&path, &content).unwrap();
        add(&store, 300).unwrap();
        assert_eq!(times(&store), [300]);
        assert_eq!(fs::read(folder.path().join("usage.db.corrupt")).unwrap_or_default(), content);
    }
}

#[test]
fn leaves_file_of_newer_version_alone() {
    let (folder, store, path) = scratch();
    for version in [2, 99, -1] {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        let before = fs::read(&path).unwrap();
        let error = add(&store, 100).unwrap_err();
        assert!(error.ends_with("a newer version of Barbless wrote it; update this one"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(!folder.path().join("usage.db.corrupt").exists());
    }
}

/// A pipe must not be waited for, nor a link followed.
#[cfg(unix)]
#[test]
fn other_kinds_of_files_are_errors_at_once() {
    let (folder, store, path) = scratch();
    assert!(add(&Store::at(&folder.path().join("gone")), 100).is_err());
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(add(&store, 100).is_err());
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(folder.path().join("elsewhere.db"), &path).unwrap();
    assert!(add(&store, 100).is_err());
    assert!(!folder.path().join("elsewhere.db").exists());
}

#[test]
fn waits_for_another_writer_for_a_second() {
    let (folder, store, path) = scratch();
    let other = open(&store, &path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = add(&store, 100).unwrap_err();
    assert!(error.ends_with("usage.db cannot be used: database is locked"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    add(&store, 100).unwrap();
    assert!(!folder.path().join("usage.db.corrupt").exists());
}

#[cfg(unix)]
#[test]
fn database_is_readable_by_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, store, path) = scratch();
    let connection = open(&store, &path).unwrap();
    add(&store, 100).unwrap();
    for name in ["usage.db", "usage.db-wal", "usage.db-shm"] {
        let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    drop(connection);
}
