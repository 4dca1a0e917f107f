//! The only thing a pass writes: once a minute, the time of `<state>/heartbeat/<hook>`, so that `doctor` can tell
//! a hook that is silent from one that never fires.

use std::fs::{self, OpenOptions};
use std::time::{Duration, SystemTime};

use crate::state::{Store, ensure_private, open_regular};

const EVERY: Duration = Duration::from_secs(60);

/// Notes that `hook` fired. A failure is of no consequence, and a link is not followed.
pub fn beat(store: &Store, hook: &str, now: SystemTime) {
    let dir = store.dir().join("heartbeat");
    let file = dir.join(hook);
    let (folder, there) = (fs::symlink_metadata(&dir), fs::symlink_metadata(&file));
    if folder.is_ok_and(|folder| folder.is_symlink()) {
        return;
    }
    // A time in the future (the clock went back) is as stale as an old one. A link is opened by nobody.
    let last = there.and_then(|there| there.modified());
    if last.is_ok_and(|last| now.duration_since(last).is_ok_and(|age| age < EVERY)) {
        return;
    }
    if ensure_private(&dir).is_ok()
        && let Ok((file, _)) = open_regular(&file, OpenOptions::new().create(true).append(true))
    {
        let _ = file.set_modified(now);
    }
}

/// When `hook` last fired, to the minute.
pub fn last(store: &Store, hook: &str) -> Option<SystemTime> {
    fs::metadata(store.dir().join("heartbeat").join(hook)).and_then(|metadata| metadata.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::{beat, last};
    use crate::state::Store;

    #[test]
    fn beats_at_most_once_a_minute_and_again_when_the_clock_went_back() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        for (after, expected) in [(0, 0), (59, 0), (60, 60), (30, 30)] {
            beat(&store, "a-hook", now + Duration::from_secs(after));
            assert_eq!(last(&store, "a-hook"), Some(now + Duration::from_secs(expected)));
        }
        assert_eq!(last(&store, "another"), None);
    }

    #[cfg(unix)]
    #[test]
    fn never_creates_or_touches_the_target_of_a_link() {
        use std::os::unix::fs::symlink;
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(&scratch.path().join("state")).unwrap();
        let (folder, target) = (scratch.path().join("folder"), scratch.path().join("target"));
        let beats = store.dir().join("heartbeat");
        fs::create_dir(&folder).unwrap();
        symlink(&folder, &beats).unwrap();
        beat(&store, "a-hook", SystemTime::now());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

        fs::remove_file(&beats).unwrap();
        fs::create_dir(&beats).unwrap();
        symlink(&target, beats.join("a-hook")).unwrap();
        beat(&store, "a-hook", SystemTime::now() + Duration::from_secs(3600));
        assert!(!target.exists());

        fs::write(&target, "theirs").unwrap();
        let written = fs::metadata(&target).unwrap().modified().unwrap();
        beat(&store, "a-hook", written + Duration::from_secs(3600));
        assert_eq!(fs::metadata(&target).unwrap().modified().unwrap(), written);
    }
}
