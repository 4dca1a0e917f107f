//! Files on a real disk: replaced as a whole, never through a link, for whom the mode says, one writer at a time.

use std::fs;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{LockError, ensure_folder, read_regular, remove_durable, with_lock, write_durable};

#[test]
fn a_file_is_replaced_whatever_a_killed_process_left_beside_it() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("marks.json");
    fs::write(scratch.path().join("marks.json.tmp"), "half of someth").unwrap();
    write_durable(&path, b"one").unwrap();
    write_durable(&path, b"2").unwrap();
    assert_eq!(read_regular(&path, 3).unwrap(), b"2");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    remove_durable(&path).unwrap();
    remove_durable(&path).unwrap();
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    ensure_folder(&path).unwrap();
    ensure_folder(&path).unwrap();
    assert!(write_durable(&path, b"x").is_err());
    assert!(remove_durable(&path).is_err());
    assert_eq!(
        fs::read_dir(scratch.path()).unwrap().count(),
        1,
        "a folder in its place stays, and nothing beside it"
    );
}

#[test]
fn the_size_bound_is_met_exactly() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("f");
    fs::write(&path, "1234").unwrap();
    assert_eq!(read_regular(&path, 4).unwrap(), b"1234");
    assert_eq!(read_regular(&path, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
    assert_eq!(read_regular(scratch.path(), 3).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(read_regular(&path.join("x"), 3).unwrap_err().kind(), ErrorKind::NotADirectory);
}

#[cfg(unix)]
#[test]
fn files_folders_and_locks_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let dir = scratch.path().join("folder");
    ensure_folder(&dir).unwrap();
    assert_eq!(mode(&dir), 0o700);
    write_durable(&dir.join("f"), b"x").unwrap();
    assert_eq!(mode(&dir.join("f")), 0o600);
    assert_eq!(with_lock(&dir.join("f"), PATIENCE, || mode(&dir.join("f.lock"))).unwrap(), 0o600);
}

#[cfg(unix)]
#[test]
fn links_are_neither_read_nor_written_through() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().unwrap();
    let (outside, link) = (scratch.path().join("outside"), scratch.path().join("link"));
    fs::write(&outside, "theirs").unwrap();
    symlink(&outside, &link).unwrap();
    symlink(&outside, scratch.path().join("link.tmp")).unwrap();
    assert_eq!(read_regular(&link, 100).unwrap_err().kind(), ErrorKind::InvalidInput);
    write_durable(&link, b"ours").unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
    assert_eq!(read_regular(&link, 100).unwrap(), b"ours");
    symlink(scratch.path(), scratch.path().join("folder")).unwrap();
    assert!(ensure_folder(&scratch.path().join("folder")).is_err());
    assert!(ensure_folder(&scratch.path().join("none/folder")).is_err());
}

const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn many_threads_never_meet_inside_while_the_lock_file_comes_and_goes_with_the_data() {
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data");
    let inside = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for round in 0..50 {
                    with_lock(&data, PATIENCE, || {
                        assert!(!inside.swap(true, Ordering::SeqCst));
                        if round % 3 == 0 {
                            fs::write(&data, "").unwrap();
                        } else {
                            let _ = fs::remove_file(&data);
                        }
                        assert!(inside.swap(false, Ordering::SeqCst));
                    })
                    .unwrap();
                }
            });
        }
    });
    assert_eq!(scratch.path().join("data.lock").exists(), data.exists());
}

#[test]
fn gives_up_at_the_deadline_without_running() {
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data");
    with_lock(&data, PATIENCE, || {
        let began = Instant::now();
        let second = with_lock(&data, Duration::from_millis(20), || unreachable!("the lock is held"));
        assert!(matches!(second, Err(LockError::Busy(_))));
        assert!(began.elapsed() >= Duration::from_millis(20));
    })
    .unwrap();
}
