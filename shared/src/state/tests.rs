//! State on a real disk: kept, damaged, foreign, newer, private; then `OFF`, heartbeats, nonces and the sweep.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{DAY, MAX_NAME, NONCE_LIFETIME, Off, Remembered, StateError, Store, file_key};
use crate::host::{Places, Timestamp};
use crate::tests::store;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Count(u64);

impl Remembered for Count {
    const FILE: &'static str = "count-*";
}

#[test]
fn state_is_loaded_by_its_own_session() {
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

#[test]
fn pause_holds_until_its_end_or_resume() {
    let (_scratch, store) = store();
    let (off, now) = (store.dir().join("OFF"), Timestamp::from_secs(1000));
    for (text, expected) in
        [("", true), ("1001\n", true), ("1000", false), ("999", false), ("nonsense", true)]
    {
        fs::write(&off, text).unwrap();
        assert_eq!(Off::read(store.dir(), now).is_some(), expected, "{text:?}");
    }
    Off::until(store.dir(), Timestamp::from_secs(2000)).unwrap();
    assert_eq!(Off::read(store.dir(), now), Some(Off::Until(Timestamp::from_secs(2000))));
    Off::end(store.dir()).unwrap();
    Off::end(store.dir()).unwrap();
    assert_eq!(fs::read_dir(store.dir()).unwrap().count(), 0, "nothing is left behind");
    fs::create_dir(&off).unwrap();
    assert!(
        Off::end(store.dir()).is_err() && Off::read(store.dir(), now).is_some(),
        "a folder is not ours to remove"
    );
}

#[test]
fn off_that_lasts_longest_is_in_force() {
    let ((_one, named), (_two, own), now) = (store(), store(), Timestamp::from_secs(1000));
    let places = Places {
        state_dir: Some(named.dir().to_owned()),
        default_state_dir: Some(own.dir().to_owned()),
        ..Places::default()
    };
    assert_eq!(Off::in_force(&places, now), None);
    Off::until(named.dir(), Timestamp::from_secs(3000)).unwrap();
    Off::until(own.dir(), Timestamp::from_secs(2000)).unwrap();
    let until = Off::Until(Timestamp::from_secs(3000));
    assert_eq!(Off::in_force(&places, now), Some((named.dir().join("OFF"), until)));
    fs::write(own.dir().join("OFF"), "").unwrap();
    assert_eq!(Off::in_force(&places, now), Some((own.dir().join("OFF"), Off::ForGood)));
}

#[test]
fn beats_at_most_once_a_minute_and_again_when_the_clock_went_back() {
    let (_scratch, store) = store();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for (after, expected) in [(0, 0), (59, 0), (60, 60), (30, 30)] {
        store.beat("a-hook", now + Duration::from_secs(after));
        assert_eq!(store.last_beat("a-hook"), Some(now + Duration::from_secs(expected)));
    }
    assert_eq!(store.last_beat("another"), None);
}

#[cfg(unix)]
#[test]
fn a_heartbeat_neither_creates_nor_touches_the_target_of_a_link() {
    use std::os::unix::fs::symlink;
    let (scratch, store) = store();
    let (folder, target) = (scratch.path().join("folder"), scratch.path().join("target"));
    let beats = store.dir().join("heartbeat");
    fs::create_dir(&folder).unwrap();
    symlink(&folder, &beats).unwrap();
    store.beat("a-hook", SystemTime::now());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

    fs::remove_file(&beats).unwrap();
    fs::create_dir(&beats).unwrap();
    symlink(&target, beats.join("a-hook")).unwrap();
    store.beat("a-hook", SystemTime::now() + Duration::from_secs(3600));
    assert!(!target.exists());

    fs::write(&target, "theirs").unwrap();
    let written = fs::metadata(&target).unwrap().modified().unwrap();
    store.beat("a-hook", written + Duration::from_secs(3600));
    assert_eq!(fs::metadata(&target).unwrap().modified().unwrap(), written);
}

#[test]
fn a_nonce_is_fresh_as_long_as_it_is_kept() {
    let (_scratch, store) = store();
    let now = || Timestamp::from(SystemTime::now());
    let nonce = store.nonce("judge").unwrap();
    let text = nonce.text().to_owned();
    assert!(store.nonce_is_fresh(&text, now()));
    assert!(!store.nonce_is_fresh(&text, now().plus(NONCE_LIFETIME + Duration::from_secs(1))));
    assert!(!store.nonce_is_fresh("another", now()), "a variable alone is no nonce");
    drop(nonce);
    assert!(!store.nonce_is_fresh(&text, now()));
    assert_eq!(fs::read_dir(store.dir().join("nonce")).unwrap().count(), 0);
}

fn aged(store: &Store, name: &str, content: &str, days: u32) {
    fs::write(store.dir().join(name), content).unwrap();
    let file = File::options().append(true).open(store.dir().join(name)).unwrap();
    file.set_modified(SystemTime::now() - DAY * days).unwrap();
}

const STATE: &str = r#"{"version":1,"session":"s","state":{}}"#;

#[test]
fn sweeps_old_session_state_and_nothing_else() {
    let machine = r#"{"version":1,"session":"","state":{}}"#;
    for (name, content, days, stays) in [
        ("stop-ack-old", STATE, 31, false),
        ("stop-ack-recent", STATE, 29, true),
        ("stop-ack-newer", r#"{"version":2,"session":"s","state":{}}"#, 31, true),
        ("stop-ack-old.lock", "", 31, false),
        ("torn.json.tmp", r#"{"version":1,"sess"#, 31, false),
        ("torn.json.corrupt", r#"{"version":1,"sess"#, 31, false),
        ("switches.json", machine, 31, true),
        ("OFF", "", 31, true),
        ("journal.jsonl", "{}\n", 31, true),
        ("thesis.txt", "mine", 31, true),
    ] {
        let (_scratch, store) = store();
        aged(&store, name, content, days);
        store.sweep_once_a_day(SystemTime::now());
        assert_eq!(store.dir().join(name).exists(), stays, "{name}");
    }
}

#[test]
fn sweeps_at_most_once_a_day() {
    let (_scratch, store) = store();
    store.sweep_once_a_day(SystemTime::now());
    aged(&store, "stop-ack-old", STATE, 31);
    store.sweep_once_a_day(SystemTime::now() + Duration::from_secs(3600));
    assert!(store.dir().join("stop-ack-old").exists());
    store.sweep_once_a_day(SystemTime::now() + DAY);
    assert!(!store.dir().join("stop-ack-old").exists());
}

#[test]
fn our_own_folder_is_made_and_one_the_environment_names_is_used_as_it_is() {
    let scratch = tempfile::tempdir().unwrap();
    let [own, named] = ["own", "named"].map(|name| scratch.path().join(name));
    for (dir, is_made) in [(&named, false), (&own, true)] {
        let (state_dir, default_state_dir) = (Some(dir.clone()), Some(own.clone()));
        let places = Places { state_dir, default_state_dir, ..Places::default() };
        assert_eq!((places.open_store().is_some(), dir.exists()), (true, is_made));
    }
}
