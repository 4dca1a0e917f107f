//! How many lines of one file changed: compared where there is time for it, else counted on both sides.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, Instant};

use git2::{DiffOptions, Patch};

use super::super::GitError;
use super::super::content::{File, Lines, MAX_BYTES, OnDisk, is_text, lines};
use super::super::repository::{Opened, Stored};

/// Comparing larger files takes milliseconds: under a deadline their lines are only counted.
pub(super) const QUICK_BYTES: u64 = 1024 * 1024;
/// Of larger files only what stands in so many bytes is counted. No limit that anybody sets is beyond that.
const COUNTED_BYTES: u64 = 64 * 1024 * 1024;
/// What is stored is unpacked in one piece: 8 MiB in less time than the first, 64 MiB in less than the second.
const FOR_8_MIB: Duration = Duration::from_millis(200);
const FOR_64_MIB: Duration = Duration::from_secs(1);
/// Clocks are read once for so much.
const PIECE_BYTES: usize = 64 * 1024;

/// How many bytes of a file there is time for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// To read it into memory.
    pub(super) read: u64,
    /// To unpack a stored one.
    pub(super) unpack: u64,
    /// To compare it line by line.
    compare: u64,
    deadline: Option<Instant>,
}

impl Limits {
    pub(super) fn until(deadline: Option<Instant>) -> Self {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let (read, unpack) = match left {
            Some(left) if left < FOR_8_MIB => (QUICK_BYTES, QUICK_BYTES),
            Some(left) if left < FOR_64_MIB => (MAX_BYTES, MAX_BYTES),
            _ => (MAX_BYTES, COUNTED_BYTES),
        };
        let compare = if deadline.is_some() { QUICK_BYTES } else { MAX_BYTES };
        Self { read, unpack, compare, deadline }
    }
}

/// The file on disk.
#[derive(Clone, Copy)]
pub(super) enum New<'a> {
    Nothing,
    File(&'a File),
    /// Too large to be read; what the index or HEAD says it is, if it looks unchanged.
    Large {
        size: u64,
        known: Option<Stored>,
    },
}

impl<'a> New<'a> {
    pub(super) fn of(found: &'a OnDisk) -> Self {
        match found {
            OnDisk::Nothing => Self::Nothing,
            OnDisk::File(file) => Self::File(file),
            OnDisk::Large { size, .. } => Self::Large { size: *size, known: None },
        }
    }
}

/// Inserted and deleted lines; none of both for binary files and equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Lines((u32, u32)),
    /// So many or more.
    AtLeast((u32, u32)),
}

/// What changed between a stored file and the one on disk.
pub(super) fn changed_lines(
    opened: &Opened,
    path: &[u8],
    old: Option<Stored>,
    new: New<'_>,
    limits: Limits,
) -> Result<Change, GitError> {
    let kind = lines(&opened.repo, path)?;
    let is_same = match (old, new) {
        (Some(old), New::File(new)) => new.stored()?.id == old.id,
        // It was not read, so this is no proof.
        (Some(old), New::Large { known: Some(known), .. }) if known.id == old.id => {
            return Ok(Change::AtLeast((0, 0)));
        }
        _ => false,
    };
    if is_same || kind == Lines::Never {
        return Ok(Change::Lines((0, 0)));
    }
    let before = match old {
        Some(old) => opened.bytes(old.id, limits.unpack)?,
        None => Some(Vec::new()),
    };
    let Some(before) = before else { return Ok(Change::AtLeast((0, 0))) };
    let is_text = |bytes: &[u8]| kind == Lines::Always || is_text(bytes);
    match new {
        _ if !is_text(&before) => Ok(Change::Lines((0, 0))),
        New::Nothing => between(&before, &[], limits),
        New::File(new) if !is_text(&new.bytes) => Ok(Change::Lines((0, 0))),
        New::File(new) => between(&before, &new.bytes, limits),
        New::Large { .. } => {
            let counted = count_on_disk(&opened.on_disk(path), is_text, limits.deadline);
            Ok(counted.unwrap_or_default().against(&before))
        }
    }
}

fn between(old: &[u8], new: &[u8], limits: Limits) -> Result<Change, GitError> {
    if old.is_empty() || new.is_empty() {
        return Ok(Change::Lines((count_lines(new), count_lines(old))));
    }
    if old.len().max(new.len()) as u64 > limits.compare {
        return Ok(Counted { lines: count_lines(new), is_all: true, is_text: true }.against(old));
    }
    let mut options = DiffOptions::new();
    let patch = Patch::from_buffers(old, None, new, None, Some(options.force_text(true).context_lines(0)))?;
    let (_, inserted, deleted) = patch.line_stats()?;
    Ok(Change::Lines((capped(inserted), capped(deleted))))
}

/// A last line without an end is a line too.
fn count_lines(content: &[u8]) -> u32 {
    capped(content.split_inclusive(|byte| *byte == b'\n').count())
}

fn capped(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// The lines of a file on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    lines: u32,
    /// The time was enough.
    is_all: bool,
    is_text: bool,
}

impl Counted {
    /// Without an old file all of them are new. With one, the difference is what changed at least.
    fn against(self, old: &[u8]) -> Change {
        let before = count_lines(old);
        match self {
            Self { is_all: true, is_text: false, .. } => Change::Lines((0, 0)),
            Self { is_all: true, lines, .. } if old.is_empty() => Change::Lines((lines, 0)),
            Self { is_all: true, lines, .. } => {
                Change::AtLeast((lines.saturating_sub(before), before.saturating_sub(lines)))
            }
            Self { lines, .. } => Change::AtLeast((lines.saturating_sub(before), 0)),
        }
    }
}

/// Counts without holding the file. At the deadline it stops.
fn count_on_disk(
    file: &Path,
    is_text: impl Fn(&[u8]) -> bool,
    deadline: Option<Instant>,
) -> io::Result<Counted> {
    let mut file = fs::File::open(file)?.take(COUNTED_BYTES);
    let (mut piece, mut last) = (vec![0; PIECE_BYTES], b'\n');
    let mut counted = Counted::default();
    loop {
        let length = file.read(&mut piece)?;
        let Some(end) = piece[..length].last() else { break };
        counted.is_text = counted.is_text || is_text(&piece[..length]);
        if !counted.is_text {
            return Ok(Counted { is_all: true, ..counted });
        }
        counted.lines += piece[..length].iter().map(|byte| u32::from(*byte == b'\n')).sum::<u32>();
        last = *end;
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(counted);
        }
    }
    let open_end = u32::from(last != b'\n');
    Ok(Counted { lines: counted.lines + open_end, is_all: true, ..counted })
}

#[cfg(test)]
mod tests;
