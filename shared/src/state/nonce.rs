//! The recursion guard: a judge's child carries a nonce, and our hooks in it end first thing, see
//! [`Store::nonce_is_fresh`]. A nonce is a file that lives as long as the question.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rand::RngExt;

use super::Store;
use super::files::open_regular;
use super::names::file_key;
use crate::host::{Timestamp, ensure_private};

/// A nonce older than this guards nothing: a judge lives less than a minute.
const NONCE_LIFETIME: Duration = Duration::from_secs(120);

/// A nonce, good for as long as this is kept.
#[derive(Debug)]
pub struct Nonce {
    text: String,
    file: PathBuf,
}

impl Nonce {
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Drop for Nonce {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

impl Store {
    /// A new nonce, which nobody can know.
    pub fn nonce(&self) -> io::Result<Nonce> {
        let folder = self.dir().join("nonce");
        ensure_private(&folder)?;
        let text = format!("{:032x}", rand::rng().random::<u128>());
        let file = folder.join(file_key(&text));
        open_regular(&file, OpenOptions::new().write(true).create_new(true))?;
        Ok(Nonce { text, file })
    }

    /// This process was started by a judge of ours: its nonce names a fresh file in our own folder.
    /// A variable alone would let any repository switch the hooks off.
    pub fn nonce_is_fresh(&self, nonce: &str, now: Timestamp) -> bool {
        let file = self.dir().join("nonce").join(file_key(nonce));
        let metadata = fs::symlink_metadata(file).ok().filter(fs::Metadata::is_file);
        let modified = metadata.and_then(|metadata| metadata.modified().ok());
        modified.is_some_and(|modified| now.since(Timestamp::from(modified)) < NONCE_LIFETIME)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::NONCE_LIFETIME;
    use crate::host::Timestamp;
    use crate::state::Store;

    fn scratch() -> (tempfile::TempDir, Store) {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(&scratch.path().join("state")).unwrap();
        (scratch, store)
    }

    fn now() -> Timestamp {
        Timestamp::from(SystemTime::now())
    }

    #[test]
    fn it_is_fresh_as_long_as_it_is_kept() {
        let (_scratch, store) = scratch();
        let nonce = store.nonce().unwrap();
        let text = nonce.text().to_owned();
        assert!(store.nonce_is_fresh(&text, now()));
        assert!(!store.nonce_is_fresh(&text, now().plus(NONCE_LIFETIME + Duration::from_secs(1))));
        assert!(!store.nonce_is_fresh("another", now()), "a variable alone is no nonce");
        drop(nonce);
        assert!(!store.nonce_is_fresh(&text, now()));
        assert_eq!(fs::read_dir(store.dir().join("nonce")).unwrap().count(), 0);
    }
}
