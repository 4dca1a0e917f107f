//! The file of the readings: kept, fresh, and left alone where it is another version's.

use super::{Observed, Sight, Source, Usage, Window, read, record};
use crate::state::Store;

fn seen(at: i64, used_percent: f64) -> Observed {
    let window = Window { used_percent, resets_at: 20_000, observed_at: 0 };
    let windows = [("five_hour".to_owned(), window)].into();
    Observed { at, source: Source::UsageApi, sight: Sight::Found, windows }
}

fn used(usage: &Usage) -> f64 {
    usage.windows["five_hour"].used_percent
}

#[test]
fn what_is_recorded_is_read_and_told_once() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    assert_eq!(read(&store), None);
    let mut observed_at = 0;
    for (at, percent, is_news, known) in [
        (100, 41.0, true, 41.0),
        (100, 41.0, false, 41.0),
        (101, 41.0, false, 41.0),
        (102, 40.0, false, 41.0),
        (103, 42.5, true, 42.5),
        (99, 42.5, false, 42.5),
    ] {
        let recorded = record(&store, &seen(at, percent)).unwrap();
        let there = read(&store).unwrap();
        assert_eq!(recorded.is_some(), is_news, "{at} {percent}");
        assert!(recorded.is_none_or(|recorded| recorded == there), "{at} {percent}");
        assert_eq!((there.observed_at, used(&there)), (at.max(observed_at), known), "{at} {percent}");
        observed_at = there.observed_at;
    }
}
