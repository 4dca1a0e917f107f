//! State on a real disk: kept, damaged, foreign, newer, private.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{Off, StateError, Store, is_newer};
use crate::hook::Remembered;
use crate::host::Timestamp;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count(u64);

impl Remembered for Count {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("count-{session}"))
    }

    fn from_original(bytes: &[u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok()?.strip_prefix("count ")?.parse().ok().map(Count)
    }
}

fn store() -> (tempfile::TempDir, Store) {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(&scratch.path().join("a/state")).unwrap();
    (scratch, store)
}

#[test]
fn what_is_saved_is_loaded() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("../s").unwrap();
    assert_eq!(file.parent(), Some(store.dir()));
    assert_eq!(store.load::<Count>(&file, "../s").unwrap(), Count(0));
    store.save(&file, "../s", &Count(7)).unwrap();
    assert_eq!(store.load::<Count>(&file, "../s").unwrap(), Count(7));
    store.forget(&file);
    assert_eq!(store.load::<Count>(&file, "../s").unwrap(), Count(0));
}

#[test]
fn another_sessions_file_of_the_same_name_is_not_used() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    store.save(&file, "t", &Count(7)).unwrap();
    assert!(matches!(store.load::<Count>(&file, "s"), Err(StateError::Foreign(_))));
}

#[test]
fn a_damaged_file_is_set_aside_and_counts_as_empty() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    for damage in ["", "{", "\0\0\0", "[]", r#"{"version":1,"session":"s","state":"no"}"#] {
        fs::write(&file, damage).unwrap();
        assert_eq!(store.load::<Count>(&file, "s").unwrap(), Count(0), "{damage:?}");
        assert!(!file.exists());
        assert_eq!(fs::read_to_string(store.dir().join("count-s.corrupt")).unwrap(), damage);
    }
}

#[test]
fn a_file_of_the_original_tool_is_read_and_rewritten_in_ours() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    fs::write(&file, "count 4").unwrap();
    assert_eq!(store.load::<Count>(&file, "s").unwrap(), Count(4));
    store.save(&file, "s", &Count(5)).unwrap();
    assert!(fs::read_to_string(&file).unwrap().starts_with(r#"{"version":1,"#));
}

#[test]
fn off_holds_until_its_end() {
    let (_scratch, store) = store();
    let off = store.dir().join("OFF");
    let now = Timestamp::from_secs(1000);
    assert!(!store.is_off(now));
    for (text, expected) in
        [("", true), ("1001\n", true), ("1000", false), ("999", false), ("nonsense", true)]
    {
        fs::write(&off, text).unwrap();
        assert_eq!(store.is_off(now), expected, "{text:?}");
    }
}

#[test]
fn a_pause_that_was_written_is_read_until_its_end_and_ends_before_if_it_is_told_to() {
    let (_scratch, store) = store();
    let end = Timestamp::from_secs(1000);
    let before = Timestamp::from_micros(end.micros() - 1);
    Off::end(store.dir()).unwrap();
    Off::until(store.dir(), end).unwrap();
    assert_eq!(Off::read(store.dir(), before), Some(Off::Until(end)));
    assert_eq!(Off::read(store.dir(), end), None);
    Off::until(store.dir(), Timestamp::from_secs(2000)).unwrap();
    assert_eq!(
        Off::read(store.dir(), end),
        Some(Off::Until(Timestamp::from_secs(2000))),
        "the last one counts"
    );
    Off::end(store.dir()).unwrap();
    assert_eq!(Off::read(store.dir(), before), None);
    assert_eq!(fs::read_dir(store.dir()).unwrap().count(), 0, "nothing is left behind");
    fs::write(store.dir().join("OFF"), "").unwrap();
    assert_eq!(Off::read(store.dir(), before), Some(Off::ForGood));
}

#[test]
fn what_is_no_file_of_ours_is_not_removed_and_still_holds() {
    let (_scratch, store) = store();
    fs::create_dir(store.dir().join("OFF")).unwrap();
    assert!(Off::end(store.dir()).is_err());
    assert!(store.is_off(Timestamp::from_secs(1)));
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

/// A newer version's file of another shape, its version not even first.
const NEWER: [&str; 3] = [
    r#"{"version":2,"session":"s","state":7}"#,
    r#"{"version":4294967295,"state":{"other":"shape"}}"#,
    r#"{"session":"s","state":7,"version":2}"#,
];

#[test]
fn a_newer_versions_file_is_neither_overwritten_nor_forgotten_by_who_has_not_read_it() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    for text in NEWER {
        fs::write(&file, text).unwrap();
        assert!(matches!(store.load::<Count>(&file, "s"), Err(StateError::Newer(_))), "{text}");
        assert!(matches!(store.save(&file, "s", &Count(1)), Err(StateError::Newer(_))), "{text}");
        store.forget(&file);
        assert!(is_newer(&file));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    for text in ["", "{", r#"{"version":1,"session":"s","state":7}"#, r#"{"version":"#, r#"{"version":2"#] {
        fs::write(&file, text).unwrap();
        assert!(!is_newer(&file), "{text}");
        store.save(&file, "s", &Count(1)).unwrap();
    }
    assert!(!is_newer(store.dir()) && !is_newer(&store.dir().join("none")));
}

#[test]
fn a_file_that_is_too_large_is_set_aside() {
    let (_scratch, store) = store();
    let file = store.session_file::<Count>("s").unwrap();
    fs::write(&file, " ".repeat(9 * 1024 * 1024)).unwrap();
    assert_eq!(store.load::<Count>(&file, "s").unwrap(), Count(0));
    assert!(!file.exists());
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
