//! State on a real disk: kept, damaged, foreign, newer, private.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{Off, StateError, Store, is_off};
use crate::hook::Remembered;
use crate::host::Timestamp;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count(u64);

impl Remembered for Count {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("count-{session}"))
    }
}

fn store() -> (tempfile::TempDir, Store) {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(&scratch.path().join("a/state")).unwrap();
    (scratch, store)
}

#[test]
fn what_is_saved_is_loaded_by_its_own_session() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("../s").unwrap();
    assert_eq!(file.parent(), Some(store.dir()));
    store.save(&file, "../s", &Count(7)).unwrap();
    assert_eq!(store.load::<Count>(&file).unwrap(), Count(7));
    store.forget(&file);
    assert_eq!(store.load::<Count>(&file).unwrap(), Count(0));
}

#[test]
fn a_damaged_file_is_set_aside_and_counts_as_empty() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    let long = " ".repeat(9 * 1024 * 1024);
    for damage in ["", "{", "\0\0\0", "[]", r#"{"version":1,"session":"s","state":"no"}"#, &long] {
        fs::write(&file, damage).unwrap();
        assert_eq!(store.load::<Count>(&file).unwrap(), Count(0), "{damage:.40?}");
        assert!(!file.exists());
        assert!(fs::read_to_string(store.dir().join("count-s.corrupt")).unwrap() == damage);
    }
}

#[test]
fn a_pause_is_read_until_its_end_and_ends_before_if_it_is_told_to() {
    let (_scratch, store) = store();
    let (off, now) = (store.dir().join("OFF"), Timestamp::from_secs(1000));
    for (text, expected) in
        [("", true), ("1001\n", true), ("1000", false), ("999", false), ("nonsense", true)]
    {
        fs::write(&off, text).unwrap();
        assert_eq!(is_off(store.dir(), now), expected, "{text:?}");
    }
    Off::until(store.dir(), Timestamp::from_secs(2000)).unwrap();
    assert_eq!(Off::read(store.dir(), now), Some(Off::Until(Timestamp::from_secs(2000))));
    Off::end(store.dir()).unwrap();
    Off::end(store.dir()).unwrap();
    assert_eq!(fs::read_dir(store.dir()).unwrap().count(), 0, "nothing is left behind");
    fs::create_dir(&off).unwrap();
    assert!(Off::end(store.dir()).is_err() && is_off(store.dir(), now), "a folder is not ours to remove");
}

#[cfg(unix)]
#[test]
fn state_is_private_to_its_user() {
    use std::os::unix::fs::PermissionsExt;
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    store.locked(&file, || store.save(&file, "s", &Count(1)).unwrap()).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.dir()), 0o700);
    for entry in fs::read_dir(store.dir()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn a_newer_versions_file_is_neither_changed_nor_dropped() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    for text in [
        r#"{"version":2,"session":"s","state":7}"#,
        r#"{"version":4294967295,"state":{"other":"shape"}}"#,
        r#"{"session":"s","state":7,"version":2}"#,
    ] {
        fs::write(&file, text).unwrap();
        assert!(matches!(store.load::<Count>(&file), Err(StateError::Newer(_))), "{text}");
        assert!(matches!(store.change::<Count>("s", |_| true), Err(StateError::Newer(_))), "{text}");
        store.drop_state::<Count>("s");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_change_is_kept_where_it_says_so() {
    let (_scratch, store) = store();
    for (added, is_kept, expected) in [(2, true, 2), (3, false, 2), (4, true, 6)] {
        let changed = store.change::<Count>("s", |count| {
            count.0 += added;
            is_kept
        });
        changed.unwrap();
        assert_eq!(store.read("s"), Some(Count(expected)));
    }
    store.drop_state::<Count>("s");
    assert_eq!(store.read::<Count>("s"), None);
    assert_eq!(fs::read_dir(store.dir()).unwrap().count(), 0, "no lock is left");
}

#[test]
fn a_store_is_writable_where_its_heartbeats_can_be() {
    let (_scratch, store) = store();
    assert!(store.is_writable());
    fs::remove_dir(store.dir().join("heartbeat")).unwrap();
    fs::write(store.dir().join("heartbeat"), "").unwrap();
    assert!(!store.is_writable());
}
