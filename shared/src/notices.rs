//! Notices that the user has seen: hooks show a configuration problem once per session. This file keeps masked texts, because
//! a notice can repeat the content of a file.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::state::{Remembered, Store};
use secrets::masked;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Told(BTreeSet<String>);

impl Remembered for Told {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("{session}-told.json"))
    }
}

/// Those of `notices` that nobody has told in this session; from now on they count as told.
///
/// If the file cannot be written, nobody gets a notice: silence is better than a notice on every call.
pub fn not_yet_told(store: &Store, session: &str, notices: &[String]) -> Vec<String> {
    let all_told = |told: &Told| notices.iter().all(|notice| told.0.contains(&*masked(notice)));
    if store.read::<Told>(session).is_some_and(|told| all_told(&told)) {
        return Vec::new();
    }
    let mut fresh = Vec::new();
    let kept = store.change::<Told>(session, |told| {
        fresh = notices.iter().filter(|notice| told.0.insert(masked(notice).into_owned())).cloned().collect();
        !fresh.is_empty()
    });
    kept.map(|()| fresh).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::not_yet_told;
    use crate::state::Store;

    #[test]
    fn each_notice_is_told_once_per_session_over_all_processes() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let notices = || vec!["a".to_owned(), "b".to_owned()];
        let told: usize = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| not_yet_told(&store, "s", &notices()).len())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(told, 2);
        assert_eq!(not_yet_told(&store, "s", &["a".to_owned(), "c".to_owned()]), ["c"]);
        assert_eq!(not_yet_told(&store, "t", &notices()), ["a", "b"]);
    }

    #[test]
    fn a_secret_in_a_notice_is_told_once_and_not_remembered() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let notices = [format!("yaml:1: token={}: no such key", "a1B2".repeat(6))];
        assert_eq!(not_yet_told(&store, "s", &notices), notices);
        assert_eq!(not_yet_told(&store, "s", &notices), [""; 0]);
        let remembered = std::fs::read_to_string(scratch.path().join("s-told.json")).unwrap();
        assert!(remembered.contains("token=[masked]") && !remembered.contains("a1B2"), "{remembered}");
    }
}
