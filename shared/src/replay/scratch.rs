//! What a replay writes: a folder of its own, gone at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::host::{Environment, Host, Places};
use crate::state::{Store, ensure_private, private_file};
use crate::transcript::MAX_TAIL_BYTES;

/// A copy of the transcript is made shorter at this size, in bytes. What is further from its end than [`MAX_TAIL_BYTES`]
/// is read by nobody.
const LONGEST_COPY: u64 = 8 * MAX_TAIL_BYTES;

/// The folder. Dropped, it is removed.
pub(super) struct Scratch {
    dir: PathBuf,
    copy: Option<Copy>,
}

/// The transcript as it was at the event at hand.
struct Copy {
    source: File,
    path: PathBuf,
    file: File,
    /// So much of the source is in it.
    shown: u64,
    length: u64,
}

impl Scratch {
    /// A new one for this host, outside of the project at hand.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn of(host: &Host) -> io::Result<Self> {
        // A state folder that the environment names is not even made.
        let environment = Environment { state_dir: None, ..host.environment.clone() };
        let places = Places::resolve(&environment, host.cwd().as_deref());
        let nowhere = || io::Error::other("no folder for temporary files is outside of the project");
        Self::new(&places.temporary_dir(&environment).ok_or_else(nowhere)?)
    }

    /// A new one in this folder, which nobody else can look into.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn new(within: &Path) -> io::Result<Self> {
        let dir = within.join(format!("barbless-replay-{:016x}", rand::random::<u64>()));
        ensure_private(&dir)?;
        let scratch = Self { dir, copy: None };
        Store::open(&scratch.state_dir())?;
        Ok(scratch)
    }

    /// The folder that stands for the state folder.
    pub(super) fn state_dir(&self) -> PathBuf {
        self.dir.join("state")
    }

    /// The transcript as it was when it had so many bytes. They only become more.
    pub(super) fn transcript(&mut self, source: &Path, bytes: u64) -> Option<PathBuf> {
        if self.copy.is_none() {
            self.copy = Copy::new(source, &self.dir).ok();
        }
        let copy = self.copy.as_mut()?;
        copy.grow_to(bytes).ok()?;
        Some(copy.path.clone())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

impl Copy {
    fn new(source: &Path, dir: &Path) -> io::Result<Self> {
        let source = open_regular(source)?;
        let path = dir.join("transcript.jsonl");
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        Ok(Self { source, path, file, shown: 0, length: 0 })
    }

    fn grow_to(&mut self, bytes: u64) -> io::Result<()> {
        let more = bytes.saturating_sub(self.shown);
        let copied = io::copy(&mut Read::by_ref(&mut self.source).take(more), &mut self.file)?;
        self.shown += copied;
        self.length += copied;
        if self.length > LONGEST_COPY { self.keep_the_end() } else { Ok(()) }
    }

    /// Keeps more than anybody reads, so that its beginning is never taken for that of the transcript.
    fn keep_the_end(&mut self) -> io::Result<()> {
        let kept = 2 * MAX_TAIL_BYTES;
        let mut end = Vec::new();
        self.file.seek(SeekFrom::Start(self.length - kept))?;
        self.file.read_to_end(&mut end)?;
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&end)?;
        self.length = kept;
        Ok(())
    }
}

/// A pipe, which one would wait for, is refused.
fn open_regular(source: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    private_file(&mut options);
    let file = options.open(source)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{LONGEST_COPY, Scratch};
    use crate::transcript::MAX_TAIL_BYTES;

    #[test]
    fn the_transcript_is_shown_as_it_was_and_everything_goes_with_the_replay() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("t.jsonl");
        fs::write(&source, "one\ntwo\nthree\n").unwrap();
        let mut scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        let dir = scratch.dir.clone();
        for (bytes, expected) in [(0, ""), (4, "one\n"), (8, "one\ntwo\n"), (99, "one\ntwo\nthree\n")] {
            let shown = scratch.transcript(&source, bytes).unwrap();
            assert_eq!(fs::read_to_string(shown).unwrap(), expected);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&dir).unwrap().permissions().mode() & 0o077, 0);
        }
        drop(scratch);
        assert!(!dir.exists());
    }

    #[test]
    fn a_long_transcript_does_not_fill_the_disk() {
        let place = tempfile::tempdir().unwrap();
        let source = place.path().join("t.jsonl");
        fs::write(&source, "x".repeat(usize::try_from(LONGEST_COPY).unwrap() + 100)).unwrap();
        let mut scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        let shown = scratch.transcript(&source, u64::MAX).unwrap();
        assert_eq!(fs::metadata(shown).unwrap().len(), 2 * MAX_TAIL_BYTES);
    }

    #[test]
    fn a_transcript_that_is_not_there_is_not_shown() {
        let mut scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        assert_eq!(scratch.transcript(std::path::Path::new("/nonexistent/t.jsonl"), 9), None);
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_not_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let mut scratch = Scratch::new(&std::env::temp_dir()).unwrap();
        for path in [pipe.as_path(), place.path()] {
            assert_eq!(scratch.transcript(path, 9), None);
        }
    }
}
