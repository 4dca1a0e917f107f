//! The counting of one scan, and of one file.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::time::Instant;

use git2::{DiffOptions, Oid, Patch, Tree};

use super::super::GitError;
use super::super::base::Base;
use super::super::content::{File, Lines, MAX_BYTES, OnDisk, is_marked_generated, is_text, lines, read};
use super::super::index::{Entry, Tracked};
use super::super::renames::{Chunks, Moved, chunks, equal, similar};
use super::super::repository::{Opened, SUBMODULE, Stored, native, spelled, stored};
use super::super::walk::{Found, Next, walk};
use super::SizeRequest;

/// Files that tools write and nobody reviews by the line: names, and endings of names.
const GENERATED: [&str; 11] = [
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "go.sum",
    "poetry.lock",
    "uv.lock",
    "composer.lock",
    "Gemfile.lock",
    "*.min.js",
    "*.min.css",
];
/// A branch of more files is past every limit, and the counts are kept in a state file.
const MAX_FILES: usize = 10_000;
/// Comparing larger files takes milliseconds: under a deadline and between scans they are left for a full scan.
pub(super) const QUICK_BYTES: u64 = 1024 * 1024;
/// Pairs of files that are compared to find out what was moved. Beyond, only files of equal content are paired.
const MAX_PAIRS: usize = 10_000;
/// Reading the index takes at most about this long for a mebibyte (13,000 files) of it, on a busy machine too. It
/// cannot be stopped in the middle, so with less time left it is not begun.
const INDEX_MICROS_PER_MIB: u64 = 15_000;

/// The counting of one scan.
pub(super) struct Tally<'a> {
    opened: &'a Opened,
    request: &'a SizeRequest<'a>,
    tree: Option<Tree<'a>>,
    deadline: Option<Instant>,
    pub(super) files: BTreeMap<String, (u32, u32)>,
    pub(super) renames: BTreeMap<String, String>,
    /// Tracked files the base does not have, and the base's that are gone: some of them may be the same.
    added: Vec<Moved>,
    gone: Vec<Moved>,
    done: HashSet<Vec<u8>>,
    pub(super) complete: bool,
}

impl<'a> Tally<'a> {
    /// First what is committed and staged, known without looking at every file; then a pass over the work tree.
    pub(super) fn count(
        opened: &'a Opened,
        request: &'a SizeRequest<'a>,
        base: &Base,
        deadline: Option<Instant>,
    ) -> Result<Self, GitError> {
        let mut tally = Self {
            opened,
            request,
            tree: base_tree(opened, base.from)?,
            deadline,
            files: BTreeMap::new(),
            renames: BTreeMap::new(),
            added: Vec::new(),
            gone: Vec::new(),
            done: HashSet::new(),
            complete: true,
        };
        tally.run()?;
        tally.pair_equal()?;
        tally.pair_similar()?;
        Ok(tally)
    }

    fn run(&mut self) -> Result<(), GitError> {
        let head = self.opened.head_tree()?;
        let committed = self.opened.between(self.tree.as_ref(), head.as_ref())?;
        if !self.has_time_for_index() {
            self.complete = false;
            return self.count_committed(&committed);
        }
        let tracked = Tracked::load(self.opened)?;
        let staged = self.opened.staged(head.as_ref(), &tracked.index)?;
        for path in committed.iter().chain(&staged) {
            if self.stops() {
                return Ok(());
            }
            self.tracked(path, tracked.get(path))?;
        }
        let (opened, deadline) = (self.opened, self.deadline);
        let mut visit = |path: &[u8], found: Found| {
            match found {
                Found::Untracked => self.untracked(path)?,
                Found::Touched | Found::Gone => self.tracked(path, tracked.get(path))?,
            }
            Ok(if self.stops() { Next::Stop } else { Next::Continue })
        };
        let complete = walk(opened, &tracked, deadline, &mut visit)?;
        self.complete &= complete;
        Ok(())
    }

    /// Without the index what HEAD has is taken for tracked.
    fn count_committed(&mut self, committed: &[Vec<u8>]) -> Result<(), GitError> {
        for path in committed {
            if self.stops() {
                return Ok(());
            }
            self.tracked_on_disk(path)?;
        }
        Ok(())
    }

    fn has_time_for_index(&self) -> bool {
        let Some(deadline) = self.deadline else { return true };
        let bytes = fs::metadata(&self.opened.index_file).map_or(0, |metadata| metadata.len());
        let left = deadline.saturating_duration_since(Instant::now());
        u128::from(bytes * INDEX_MICROS_PER_MIB / (1024 * 1024)) < left.as_micros()
    }

    fn stops(&mut self) -> bool {
        let over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let stops = over || self.files.len() >= MAX_FILES;
        self.complete &= !stops;
        stops
    }

    fn tracked(&mut self, path: &[u8], listed: Option<&Entry>) -> Result<(), GitError> {
        match listed {
            Some(listed) if listed.stored.mode == SUBMODULE || listed.kept => {
                self.as_listed(path, listed.stored)
            }
            Some(_) => self.tracked_on_disk(path),
            None => self.against_base(path, None),
        }
    }

    /// A submodule, or a file that git does not compare with the disk.
    fn as_listed(&mut self, path: &[u8], listed: Stored) -> Result<(), GitError> {
        if listed.mode == SUBMODULE {
            return self.against_base(path, None);
        }
        let bytes = self.opened.bytes(listed.id, MAX_BYTES)?;
        let file = bytes.map(|bytes| File { mode: listed.mode, bytes });
        self.against_base(path, file.as_ref())
    }

    fn tracked_on_disk(&mut self, path: &[u8]) -> Result<(), GitError> {
        if is_left_out(self.request, path) || self.done.contains(path) {
            return Ok(());
        }
        match read(self.opened, path, stored(self.tree.as_ref(), path))? {
            OnDisk::File(new) => self.against_base(path, Some(&new)),
            OnDisk::Nothing => self.against_base(path, None),
            OnDisk::Large { .. } => {
                self.complete &= self.deadline.is_none();
                Ok(())
            }
        }
    }

    fn against_base(&mut self, path: &[u8], new: Option<&File>) -> Result<(), GitError> {
        if is_left_out(self.request, path) || !self.done.insert(path.to_owned()) {
            return Ok(());
        }
        let old = stored(self.tree.as_ref(), path).filter(|old| old.mode != SUBMODULE);
        if old.is_none() && new.is_none() || is_generated(self.opened, self.request, path)? {
            return Ok(());
        }
        self.remember_moved(path, old, new)?;
        self.record(path, old, new)
    }

    fn record(&mut self, path: &[u8], old: Option<Stored>, new: Option<&File>) -> Result<(), GitError> {
        let quick = self.deadline.is_some();
        let limit = if quick { QUICK_BYTES } else { MAX_BYTES };
        let change = match new {
            Some(new) if new.bytes.len() as u64 > limit => Change::TooLarge,
            _ => changed_lines(self.opened, path, old, new, limit)?,
        };
        match change {
            Change::TooLarge => self.complete &= !quick,
            Change::Lines(lines) => self.add(path, lines),
        }
        Ok(())
    }

    fn add(&mut self, path: &[u8], (inserted, deleted): (u32, u32)) {
        if inserted > 0 || deleted > 0 {
            let file = self.files.entry(spelled(path)).or_default();
            *file = (file.0.saturating_add(inserted), file.1.saturating_add(deleted));
        }
    }

    fn untracked(&mut self, path: &[u8]) -> Result<(), GitError> {
        if is_left_out(self.request, path) || is_generated(self.opened, self.request, path)? {
            return Ok(());
        }
        match read(self.opened, path, None)? {
            OnDisk::File(new) => self.record(path, None, Some(&new)),
            OnDisk::Nothing | OnDisk::Large { .. } => Ok(()),
        }
    }

    fn remember_moved(
        &mut self,
        path: &[u8],
        old: Option<Stored>,
        new: Option<&File>,
    ) -> Result<(), GitError> {
        let moved = |stored: Stored, bytes: u64| Moved {
            path: path.to_owned(),
            stored,
            bytes,
            chunks: Chunks::new(),
        };
        match (old, new) {
            (None, Some(new)) => self.added.push(moved(new.stored()?, new.bytes.len() as u64)),
            (Some(old), None) => {
                let (size, _) = self.opened.repo.odb()?.read_header(old.id)?;
                self.gone.push(moved(old, size as u64));
            }
            _ => {}
        }
        Ok(())
    }

    fn pair_equal(&mut self) -> Result<(), GitError> {
        let pairs = equal(&self.added, &self.gone);
        self.settle(&pairs)
    }

    /// Needs the contents of what is left, so it is done only where that is little, and not after the deadline.
    fn pair_similar(&mut self) -> Result<(), GitError> {
        let none = self.added.is_empty() || self.gone.is_empty();
        if none
            || self.added.len() * self.gone.len() > MAX_PAIRS
            || self.deadline.is_some_and(|end| Instant::now() >= end)
        {
            return Ok(());
        }
        for old in &mut self.gone {
            let bytes = self.opened.bytes(old.stored.id, QUICK_BYTES)?.unwrap_or_default();
            old.chunks = chunks(&bytes, is_text(&bytes));
        }
        for new in &mut self.added {
            if let OnDisk::File(file) = read(self.opened, &new.path, None)? {
                new.chunks = chunks(&file.bytes, is_text(&file.bytes));
            }
        }
        let pairs = similar(&self.added, &self.gone);
        self.settle(&pairs)
    }

    /// Replaces the whole of both files by what was changed between them.
    fn settle(&mut self, pairs: &[(usize, usize)]) -> Result<(), GitError> {
        for (new, old) in pairs {
            let (to, from) = (self.added[*new].path.clone(), self.gone[*old].path.clone());
            self.files.remove(&spelled(&to));
            self.is_not_deleted(&spelled(&from));
            self.renames.insert(spelled(&to), spelled(&from));
            let old = self.gone[*old].stored;
            if self.added[*new].stored.id != old.id
                && let OnDisk::File(file) = read(self.opened, &to, Some(old))?
            {
                self.record(&to, Some(old), Some(&file))?;
            }
        }
        let (news, olds): (HashSet<usize>, HashSet<usize>) = pairs.iter().copied().unzip();
        keep_others(&mut self.added, &news);
        keep_others(&mut self.gone, &olds);
        Ok(())
    }

    /// What was inserted there stays: another file, which git does not track, may have the name of one that was moved.
    fn is_not_deleted(&mut self, path: &str) {
        let inserted = self.files.remove(path).map_or(0, |(inserted, _)| inserted);
        if inserted > 0 {
            self.files.insert(path.to_owned(), (inserted, 0));
        }
    }
}

fn keep_others(files: &mut Vec<Moved>, taken: &HashSet<usize>) {
    let mut place = 0;
    files.retain(|_| {
        place += 1;
        !taken.contains(&(place - 1))
    });
}

pub(super) fn base_tree(opened: &Opened, from: Option<Oid>) -> Result<Option<Tree<'_>>, GitError> {
    Ok(match from {
        Some(commit) => Some(opened.repo.find_commit(commit)?.tree()?),
        None => None,
    })
}

pub(super) fn is_left_out(request: &SizeRequest<'_>, path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    let named = |known: &str| match known.strip_prefix('*') {
        Some(ending) => name.ends_with(ending.as_bytes()),
        None => name == known.as_bytes(),
    };
    (!request.include_generated && GENERATED.iter().any(|known| named(known)))
        || request.exclude.is_match(native(path))
}

pub(super) fn is_generated(
    opened: &Opened,
    request: &SizeRequest<'_>,
    path: &[u8],
) -> Result<bool, GitError> {
    Ok(!request.include_generated && is_marked_generated(&opened.repo, path)?)
}

/// What became of a file.
pub(super) enum Change {
    /// Inserted and deleted lines; none of both for binary files and equal ones.
    Lines((u32, u32)),
    /// One side is over the limit.
    TooLarge,
}

/// Compares a stored file with the one on disk, as text if it is text. `limit`: bytes of the stored one.
pub(super) fn changed_lines(
    opened: &Opened,
    path: &[u8],
    old: Option<Stored>,
    new: Option<&File>,
    limit: u64,
) -> Result<Change, GitError> {
    if let (Some(old), Some(new)) = (old, new)
        && new.stored()?.id == old.id
    {
        return Ok(Change::Lines((0, 0)));
    }
    let old = match old {
        Some(old) => opened.bytes(old.id, limit)?,
        None => Some(Vec::new()),
    };
    let Some(old) = old else { return Ok(Change::TooLarge) };
    let new = new.map_or(&[][..], |new| &new.bytes);
    let text = match lines(&opened.repo, path)? {
        Lines::Always => true,
        Lines::Never => false,
        Lines::ByContent => is_text(&old) && is_text(new),
    };
    Ok(Change::Lines(if text { diff_lines(&old, new)? } else { (0, 0) }))
}

fn diff_lines(old: &[u8], new: &[u8]) -> Result<(u32, u32), GitError> {
    if old.is_empty() || new.is_empty() {
        return Ok((count_lines(new), count_lines(old)));
    }
    let mut options = DiffOptions::new();
    let patch = Patch::from_buffers(old, None, new, None, Some(options.force_text(true).context_lines(0)))?;
    let (_, inserted, deleted) = patch.line_stats()?;
    Ok((capped(inserted), capped(deleted)))
}

/// A last line without an end is a line too.
fn count_lines(content: &[u8]) -> u32 {
    capped(content.split_inclusive(|byte| *byte == b'\n').count())
}

fn capped(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}
