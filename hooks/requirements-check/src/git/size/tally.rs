//! The counting of one scan, and of one file.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::time::Instant;

use git2::{Oid, Tree};

use super::super::GitError;
use super::super::base::Base;
use super::super::content::{File, OnDisk, is_text, read};
use super::super::index::{Entry, Tracked};
use super::super::own::OwnPaths;
use super::super::renames::{Chunks, Moved, chunks, equal, similar};
use super::super::repository::{Opened, SUBMODULE, Stored, native, spelled, stored};
use super::super::walk::{Found, Next, walk};
use super::SizeRequest;
use super::compare::{Change, Limits, New, QUICK_BYTES, changed_lines};
use super::generated::Marks;

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
/// Pairs of files that are compared to find out what was moved. Beyond, only files of equal content are paired.
const MAX_PAIRS: usize = 10_000;
/// Reading the index takes at most about this long for a mebibyte (13,000 files) of it, on a busy machine too. It
/// cannot be stopped in the middle, so with less time left it is not begun.
const INDEX_MICROS_PER_MIB: u64 = 15_000;

/// The counting of one scan.
pub(super) struct Tally<'a> {
    opened: &'a Opened,
    request: &'a SizeRequest<'a>,
    own: OwnPaths,
    marks: Marks,
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
            own: request.own.within(&opened.root),
            marks: Marks::default(),
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
            return self.count_committed(&committed, head.as_ref());
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
        let own = self.request.own.within(&opened.root);
        let mut visit = |path: &[u8], found: Found| {
            match found {
                Found::Untracked => self.untracked(path)?,
                Found::Touched | Found::Gone => self.tracked(path, tracked.get(path))?,
                Found::Submodule => {}
            }
            Ok(if self.stops() { Next::Stop } else { Next::Continue })
        };
        let complete = walk(opened, &tracked, &own, deadline, &mut visit)?;
        self.complete &= complete;
        Ok(())
    }

    /// Without the index what HEAD has is taken for tracked.
    fn count_committed(&mut self, committed: &[Vec<u8>], head: Option<&Tree<'_>>) -> Result<(), GitError> {
        for path in committed {
            if self.stops() {
                return Ok(());
            }
            self.tracked_on_disk(path, stored(head, path))?;
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
            Some(listed) => self.tracked_on_disk(path, self.unchanged(path, listed)),
            None => self.against_base(path, New::Nothing),
        }
    }

    /// What the index has, if the file on disk looks like it, where it may have been moved to.
    fn unchanged(&self, path: &[u8], listed: &Entry) -> Option<Stored> {
        let disk = fs::symlink_metadata(self.opened.on_disk(path)).ok()?;
        listed.looks_moved_only(&disk).then_some(listed.stored)
    }

    /// A submodule, or a file that git does not compare with the disk.
    fn as_listed(&mut self, path: &[u8], listed: Stored) -> Result<(), GitError> {
        let old = stored(self.tree.as_ref(), path);
        if listed.mode == SUBMODULE {
            return self.against_base(path, New::Nothing);
        }
        if old == Some(listed) {
            return Ok(());
        }
        let Some(bytes) = self.opened.bytes(listed.id, self.limits().unpack)? else {
            self.complete = false;
            return Ok(());
        };
        self.against_base(path, New::File(&File { mode: listed.mode, bytes }))
    }

    /// `known`: what lies there, if it can be told without reading it.
    fn tracked_on_disk(&mut self, path: &[u8], known: Option<Stored>) -> Result<(), GitError> {
        if is_left_out(self.request, path) || self.done.contains(path) {
            return Ok(());
        }
        match read(self.opened, path, stored(self.tree.as_ref(), path), self.limits().read)? {
            OnDisk::Large { size, .. } => self.against_base(path, New::Large { size, known }),
            found => self.against_base(path, New::of(&found)),
        }
    }

    fn limits(&self) -> Limits {
        Limits::until(self.deadline)
    }

    fn against_base(&mut self, path: &[u8], new: New<'_>) -> Result<(), GitError> {
        let is_left_out = is_left_out(self.request, path) || self.own.is_never_counted(path);
        if is_left_out || !self.done.insert(path.to_owned()) {
            return Ok(());
        }
        let old = stored(self.tree.as_ref(), path).filter(|old| old.mode != SUBMODULE);
        if old.is_none() && matches!(new, New::Nothing) || self.is_generated(path)? {
            return Ok(());
        }
        self.remember_moved(path, old, new)?;
        self.record(path, old, new)
    }

    fn record(&mut self, path: &[u8], old: Option<Stored>, new: New<'_>) -> Result<(), GitError> {
        match changed_lines(self.opened, path, old, new, self.limits())? {
            Change::Lines(lines) => self.add(path, lines),
            Change::AtLeast(lines) => {
                self.complete = false;
                self.add(path, lines);
            }
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
        if is_left_out(self.request, path) || self.is_generated(path)? {
            return Ok(());
        }
        match read(self.opened, path, None, self.limits().read)? {
            OnDisk::Nothing => Ok(()),
            found => self.record(path, None, New::of(&found)),
        }
    }

    fn is_generated(&self, path: &[u8]) -> Result<bool, GitError> {
        self.marks.is_generated(self.opened, self.request, self.tree.as_ref(), path)
    }

    fn remember_moved(&mut self, path: &[u8], old: Option<Stored>, new: New<'_>) -> Result<(), GitError> {
        let moved = |stored: Stored, bytes: u64| Moved {
            path: path.to_owned(),
            stored,
            bytes,
            chunks: Chunks::new(),
        };
        match (old, new) {
            (None, New::File(new)) => self.added.push(moved(new.stored()?, new.bytes.len() as u64)),
            (None, New::Large { size, known: Some(known) }) => self.added.push(moved(known, size)),
            (Some(old), New::Nothing) => {
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
            if let OnDisk::File(file) = read(self.opened, &new.path, None, QUICK_BYTES)? {
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
                && let found @ OnDisk::File(_) = read(self.opened, &to, Some(old), self.limits().read)?
            {
                self.record(&to, Some(old), New::of(&found))?;
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
