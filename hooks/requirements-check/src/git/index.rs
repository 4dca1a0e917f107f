//! The index: what is tracked, and whether a file on disk can have changed since git last looked.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fs::Metadata;

use git2::{Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag, Oid};

use super::GitError;
use super::repository::{EXECUTABLE, LINK, Opened, REGULAR, Stored};

/// Seconds and nanoseconds, as the index keeps them (it cuts both to 32 bits).
type Time = (u32, u32);

/// The tracked files by path.
pub(super) struct Tracked {
    pub(super) index: Index,
    entries: HashMap<Box<[u8]>, Entry>,
    /// Every folder that holds a tracked file, however deep.
    folders: HashSet<Box<[u8]>>,
}

/// What the index says of one file.
pub(super) struct Entry {
    pub(super) stored: Stored,
    /// Not to be compared with the disk: assume-unchanged or outside the sparse checkout.
    pub(super) kept: bool,
    /// Its content has to be looked at whatever the times say.
    doubtful: bool,
    /// The walk came across it.
    pub(super) seen: Cell<bool>,
    size: u32,
    mtime: Time,
    ctime: Time,
}

impl Tracked {
    /// Reads the index. An error of libgit2's where it cannot (split and sparse indexes).
    pub(super) fn load(opened: &Opened) -> Result<Self, GitError> {
        // Taken before reading: a file changed in the same tick as the index was written cannot be told by its time.
        let written = std::fs::metadata(&opened.index_file).map_or((0, 0), |metadata| times(&metadata).0);
        let index = Index::open(&opened.index_file)?;
        let mut entries = HashMap::with_capacity(index.len());
        let mut folders = HashSet::new();
        for entry in index.iter() {
            note_folders(&mut folders, &entry.path);
            let conflicted = entries.contains_key(entry.path.as_slice());
            let path = entry.path.clone().into_boxed_slice();
            entries.insert(path, Entry::new(&entry, written, conflicted));
        }
        Ok(Self { index, entries, folders })
    }

    pub(super) fn get(&self, path: &[u8]) -> Option<&Entry> {
        self.entries.get(path)
    }

    pub(super) fn holds_folder(&self, path: &[u8]) -> bool {
        self.folders.contains(path)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &Entry)> {
        self.entries.iter().map(|(path, entry)| (&**path, entry))
    }
}

fn note_folders(folders: &mut HashSet<Box<[u8]>>, path: &[u8]) {
    let mut rest = path;
    while let Some(end) = rest.iter().rposition(|byte| *byte == b'/') {
        rest = &rest[..end];
        if !folders.insert(rest.into()) {
            return;
        }
    }
}

impl Entry {
    fn new(entry: &IndexEntry, written: Time, conflicted: bool) -> Self {
        let time = |time: git2::IndexTime| (time.seconds().cast_unsigned(), time.nanoseconds());
        let stage = (entry.flags >> 12) & 3;
        let intended = entry.flags_extended & IndexEntryExtendedFlag::INTENT_TO_ADD.bits() != 0;
        let smudged = entry.file_size == 0 && !is_empty_blob(entry.id);
        let kept = entry.flags & IndexEntryFlag::VALID.bits() != 0
            || entry.flags_extended & IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0;
        Self {
            stored: Stored { id: entry.id, mode: entry.mode },
            kept,
            doubtful: conflicted || stage != 0 || intended || smudged || time(entry.mtime) >= written,
            seen: Cell::new(false),
            size: entry.file_size,
            mtime: time(entry.mtime),
            ctime: time(entry.ctime),
        }
    }

    /// Whether the file on disk is, by size, times and mode, the one the index describes. False means "look".
    pub(super) fn looks_unchanged(&self, metadata: &Metadata, file_mode: bool) -> bool {
        let (mtime, ctime) = times(metadata);
        !self.doubtful
            && u64::from(self.size) == metadata.len() & 0xffff_ffff
            && same_time(self.mtime, mtime)
            && same_time(self.ctime, ctime)
            && self.stored.mode == mode_on_disk(metadata, file_mode, self.stored.mode)
    }

    /// Whether size and time of the last change are those the index has: moving a file changes its other time.
    pub(super) fn looks_moved_only(&self, metadata: &Metadata) -> bool {
        u64::from(self.size) == metadata.len() & 0xffff_ffff && same_time(self.mtime, times(metadata).0)
    }
}

fn is_empty_blob(id: Oid) -> bool {
    Oid::hash_object(git2::ObjectType::Blob, b"").is_ok_and(|empty| empty == id)
}

/// Other implementations of git leave out what their platform lacks: zero is "not known".
fn same_time(known: Time, found: Time) -> bool {
    known == (0, 0) || found == (0, 0) || (known.0 == found.0 && (known.1 == 0 || known.1 == found.1))
}

/// The mode git would store. Without a meaningful executable bit the one in `known` stays.
pub(super) fn mode_on_disk(metadata: &Metadata, file_mode: bool, known: u32) -> u32 {
    if metadata.is_symlink() {
        return LINK;
    }
    let executable = if file_mode { is_executable(metadata) } else { known == EXECUTABLE };
    if executable { EXECUTABLE } else { REGULAR }
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

/// When content and inode changed last.
#[cfg(unix)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the index keeps 32 bits")]
pub(super) fn times(metadata: &Metadata) -> (Time, Time) {
    use std::os::unix::fs::MetadataExt as _;
    let mtime = (metadata.mtime() as u32, metadata.mtime_nsec() as u32);
    (mtime, (metadata.ctime() as u32, metadata.ctime_nsec() as u32))
}

/// When the content changed last; the other time is not known here.
#[cfg(not(unix))]
#[expect(clippy::cast_possible_truncation, reason = "the index keeps 32 bits")]
pub(super) fn times(metadata: &Metadata) -> (Time, Time) {
    let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    let mtime = since.map_or((0, 0), |since| (since.as_secs() as u32, since.subsec_nanos()));
    (mtime, (0, 0))
}
