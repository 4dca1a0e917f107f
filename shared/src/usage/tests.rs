//! The file of the readings: kept, fresh, and left alone where it is another version's.

use super::{Observed, Sight, Source, Usage, Window, read, record};
use crate::state::{StateError, Store};

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
    for (at, percent, is_news, changed, known) in [
        (100, 41.0, true, true, 41.0),
        (100, 41.0, false, true, 41.0),
        (101, 41.0, true, false, 41.0),
        (102, 40.0, true, false, 41.0),
        (103, 42.5, true, true, 42.5),
        (99, 42.5, false, true, 42.5),
    ] {
        let recorded = record(&store, &seen(at, percent)).unwrap();
        let there = read(&store).unwrap();
        assert_eq!(recorded.is_some(), is_news, "{at} {percent}");
        assert!(recorded.is_none_or(|recorded| recorded == there), "{at} {percent}");
        assert_eq!((there.has_just_changed(), used(&there)), (changed, known), "{at} {percent}");
    }
}

#[test]
fn many_at_once_lose_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8_u32 {
            let store = &store;
            scope
                .spawn(move || record(store, &seen(100 + i64::from(number % 3), f64::from(number))).unwrap());
        }
    });
    let there = read(&store).unwrap();
    assert_eq!((there.observed_at, used(&there).to_bits()), (102, 7.0_f64.to_bits()));
}

#[test]
fn a_damaged_file_is_set_aside_and_a_newer_one_left_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    let file = scratch.path().join("usage.json");
    std::fs::write(&file, "{ half").unwrap();
    assert!(record(&store, &seen(100, 41.0)).unwrap().is_some());
    assert!(scratch.path().join("usage.json.corrupt").exists());
    let newer = r#"{"version":99,"session":"","state":{"windows":"otherwise"}}"#;
    std::fs::write(&file, newer).unwrap();
    assert_eq!(record(&store, &seen(101, 42.0)).unwrap(), None);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), newer);
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::at(&scratch.path().join("gone"));
    assert!(matches!(record(&store, &seen(100, 41.0)), Err(StateError::Lock(..))));
}

#[test]
fn a_file_of_before_is_read() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::open(scratch.path()).unwrap();
    let state = r#"{"observed_at":100,"source":"usage_api","windows":{"five_hour":{"used_percent":41.5,"resets_at":20000}}}"#;
    let text = format!(r#"{{"version":1,"session":"","state":{state}}}"#);
    std::fs::write(scratch.path().join("usage.json"), text).unwrap();
    assert_eq!(used(&read(&store).unwrap()).to_bits(), 41.5_f64.to_bits());
    assert!(record(&store, &seen(101, 41.5)).unwrap().is_some());
}
