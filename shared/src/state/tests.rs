//! State on a real disk: kept, damaged, foreign, newer, private.

use std::fs;

use serde::{Deserialize, Serialize};

use super::{MAX_NAME, Remembered, StateError, file_key};
use crate::tests::store;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count(u64);

impl Remembered for Count {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("count-{session}"))
    }
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
fn a_hostile_id_becomes_a_name_without_separators() {
    let long = "x".repeat(MAX_NAME + 1);
    for id in ["../../escape", "a/b", "a\\b", "", ".", "..", "nul\0", "a b", "C:", "ünï", &long, "a\n"] {
        let key = file_key(id);
        assert!(key.starts_with("h.") && key.len() == 34, "{id:?} -> {key}");
        assert!(key[2..].bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    }
}
