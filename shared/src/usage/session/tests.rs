//! New reports of a session, and repeated ones.

use std::cell::Cell;

use super::super::{Sight, Window};
use super::{ContextWindow, SessionUsage, observed, read, record};
use crate::state::Store;

/// A session's report at that time: the used part of five hours, if it has any, and how long it has waited for replies.
fn told(written_at: i64, used: Option<f64>, total_api_duration_ms: u64) -> SessionUsage {
    let window = |used_percent| Window { used_percent, resets_at: 20_000, observed_at: 0 };
    SessionUsage {
        written_at,
        model: "a-model".to_owned(),
        context: ContextWindow { size: Some(200_000), used_tokens: Some(5000), used_percent: Some(3.0) },
        windows: used.map(|used| ("five_hour".to_owned(), window(used))).into_iter().collect(),
        total_api_duration_ms,
        ..SessionUsage::default()
    }
}

#[test]
fn usage_is_observed_with_a_reply_and_not_when_it_is_repeated() {
    let (found, answered) = (Some(Sight::Found), Some(Sight::Answered));
    let before = Some((Some(42.0), 70));
    for (what, previous, now, expected) in [
        ("a new session, before its first reply", None, (None, 0), None),
        ("a new session that tells what it cannot know", None, (Some(42.0), 0), None),
        ("first seen, maybe long after its last reply", None, (Some(42.0), 70), found),
        ("this login has no limits", before, (None, 900), None),
        ("a session that waits repeats itself", before, (Some(42.0), 70), None),
        ("another reply, and the same is used", before, (Some(42.0), 95), answered),
        ("more is used, though no reply was counted", before, (Some(43.0), 70), found),
        ("the first reply of a session", Some((None, 0)), (Some(42.0), 70), answered),
        ("goes on, and the time begins anew", before, (Some(42.0), 0), None),
        ("goes on, first reply of the new time", before, (Some(42.0), 30), found),
    ] {
        let previous = previous.map(|(used, duration)| told(100, used, duration));
        assert_eq!(observed(previous.as_ref(), &told(200, now.0, now.1)), expected, "{what}");
    }
}

#[test]
fn what_was_told_is_kept_with_the_time_at_which_it_was_news() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    assert_eq!(read(&store, "s"), None);
    for (now, observed, observed_at, used) in [
        (told(100, None, 0), false, 0, None),
        (told(110, Some(42.0), 70), true, 110, Some(42.0)),
        (told(120, Some(42.0), 70), false, 110, Some(42.0)),
        (told(130, None, 70), false, 110, Some(42.0)),
        (told(140, Some(41.0), 95), true, 140, Some(41.0)),
    ] {
        let was_observed = Cell::new(false);
        record(&store, "s", now.clone(), |_| was_observed.set(true)).unwrap();
        let there = read(&store, "s").unwrap();
        assert_eq!(was_observed.get(), observed, "{now:?}");
        assert_eq!(
            (there.observed_at, there.written_at, there.context),
            (observed_at, now.written_at, now.context)
        );
        let window = there.windows.get("five_hour");
        assert_eq!(window.map(|window| window.used_percent), used, "{now:?}");
        assert!(window.is_none_or(|window| window.observed_at == observed_at), "{there:?}");
    }
    assert_eq!(read(&store, "another"), None);
    assert!(scratch.path().join("s-usage.json").is_file());
}
