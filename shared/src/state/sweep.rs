//! Removing what ended sessions left behind: bounded, at most once a day, never anything that is not session state. Memory of
//! the whole machine, whose session is empty, stays.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::Store;
use super::store::belongs_to_a_session;
use crate::host::DAY;

/// Session state that nobody touched for so long is removed.
pub const KEEP_DAYS: u64 = 30;

/// Sweeps if the last sweep is a day old. Failures are of no consequence: the next day tries again.
pub fn sweep_once_a_day(store: &Store, now: SystemTime) {
    let marker = store.dir().join("swept");
    let last = fs::metadata(&marker).and_then(|metadata| metadata.modified());
    if last.is_ok_and(|last| now.duration_since(last).unwrap_or_default() < DAY) {
        return;
    }
    if super::write_private(&marker, b"").is_err() {
        return;
    }
    let keep = DAY * u32::try_from(KEEP_DAYS).unwrap_or(u32::MAX);
    for file in fs::read_dir(store.dir()).into_iter().flatten().flatten() {
        let file = file.path();
        // Another process may have removed the file meanwhile.
        let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
        let age = metadata.modified().map(|modified| now.duration_since(modified).unwrap_or_default());
        if metadata.is_file() && age.is_ok_and(|age| age > keep) && is_session_state(&file, metadata.len()) {
            let _ = fs::remove_file(file);
        }
    }
}

/// State has our envelope and names a session, a lock is empty, and a writer that was killed leaves a `.tmp` or `.corrupt` file.
/// Everything else stays, and so does the file of a newer version.
fn is_session_state(path: &Path, length: u64) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("lock") => length == 0,
        Some("tmp" | "corrupt") => true,
        _ => belongs_to_a_session(path),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::{DAY, sweep_once_a_day};
    use crate::state::Store;

    fn aged(store: &Store, name: &str, content: &str, days: u32) {
        fs::write(store.dir().join(name), content).unwrap();
        let file = File::options().append(true).open(store.dir().join(name)).unwrap();
        file.set_modified(SystemTime::now() - DAY * days).unwrap();
    }

    const STATE: &str = r#"{"version":1,"session":"s","state":{}}"#;

    #[test]
    fn removes_old_session_state_and_nothing_else() {
        let machine = r#"{"version":1,"session":"","state":{}}"#;
        for (name, content, days, stays) in [
            ("stop-ack-old", STATE, 31, false),
            ("stop-ack-recent", STATE, 29, true),
            ("stop-ack-newer", r#"{"version":2,"session":"s","state":{}}"#, 31, true),
            ("stop-ack-old.lock", "", 31, false),
            ("torn.json.tmp", r#"{"version":1,"sess"#, 31, false),
            ("torn.json.corrupt", r#"{"version":1,"sess"#, 31, false),
            ("scheduled-prompts.json", machine, 31, true),
            ("switches.json", machine, 31, true),
            ("OFF", "", 31, true),
            ("journal.jsonl", "{}\n", 31, true),
            ("thesis.txt", "mine", 31, true),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let store = Store::open(&scratch.path().join("state")).unwrap();
            aged(&store, name, content, days);
            sweep_once_a_day(&store, SystemTime::now());
            assert_eq!(store.dir().join(name).exists(), stays, "{name}");
        }
    }

    #[test]
    fn sweeps_at_most_once_a_day() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(&scratch.path().join("state")).unwrap();
        sweep_once_a_day(&store, SystemTime::now());
        aged(&store, "stop-ack-old", STATE, 31);
        sweep_once_a_day(&store, SystemTime::now() + Duration::from_secs(3600));
        assert!(store.dir().join("stop-ack-old").exists());
        sweep_once_a_day(&store, SystemTime::now() + DAY);
        assert!(!store.dir().join("stop-ack-old").exists());
    }
}
