//! A file of the work tree as git would store it, and whether its lines count.

use std::fs;
use std::path::Path;

use git2::{AttrCheckFlags, AttrValue, ObjectType, Oid, Repository};

use super::GitError;
use super::index::{mode_on_disk, times};
use super::repository::{Opened, Stored, native};

/// Larger files are not read as a whole: they would have to fit into memory.
pub(super) const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Where git looks for a NUL byte.
const BINARY_PROBE_BYTES: usize = 8000;

/// What lies at a path of the work tree.
pub(super) enum OnDisk {
    /// Nothing, or a folder, a pipe, something unreadable.
    Nothing,
    File(File),
    /// More than there is to be read: its size, and when it was written.
    Large {
        size: u64,
        mtime: (u32, u32),
    },
}

/// A file or a link, as git would store it.
pub(super) struct File {
    pub(super) mode: u32,
    pub(super) bytes: Vec<u8>,
}

impl File {
    pub(super) fn stored(&self) -> Result<Stored, GitError> {
        Ok(Stored { id: Oid::hash_object(ObjectType::Blob, &self.bytes)?, mode: self.mode })
    }
}

/// Reads the file at `path`, if it has at most `limit` bytes. `known` is what the index or a tree has there: the line ends
/// it came with stay.
pub(super) fn read(
    opened: &Opened,
    path: &[u8],
    known: Option<Stored>,
    limit: u64,
) -> Result<OnDisk, GitError> {
    let file = opened.on_disk(path);
    if behind_link(&opened.root, &native(path)) {
        return Ok(OnDisk::Nothing);
    }
    let Ok(metadata) = fs::symlink_metadata(&file) else { return Ok(OnDisk::Nothing) };
    let mode = mode_on_disk(&metadata, opened.file_mode, known.map_or(0, |known| known.mode));
    if metadata.is_symlink() {
        let target = fs::read_link(&file).map(|target| target.as_os_str().as_encoded_bytes().to_owned());
        return Ok(target.map_or(OnDisk::Nothing, |bytes| OnDisk::File(File { mode, bytes })));
    }
    if !metadata.is_file() {
        return Ok(OnDisk::Nothing);
    }
    if metadata.len() > limit {
        return Ok(OnDisk::Large { size: metadata.len(), mtime: times(&metadata).0 });
    }
    let Ok(bytes) = fs::read(&file) else { return Ok(OnDisk::Nothing) };
    Ok(OnDisk::File(File { mode, bytes: with_stored_line_ends(opened, path, bytes, known)? }))
}

/// Whether a folder on the way to the file is a link: git does not look behind those.
fn behind_link(root: &Path, path: &Path) -> bool {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.into_iter().any(|folder| root.join(folder).is_symlink())
}

/// Git's rule for what has lines: no NUL near the beginning.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(BINARY_PROBE_BYTES)].contains(&0)
}

/// What `.gitattributes` say about the lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// Nothing: the content decides.
    ByContent,
    /// `diff`: text, whatever is in it.
    Always,
    /// `-diff` or `binary`, or a filter of somebody else's (as git-lfs) that we do not run.
    Never,
}

pub(super) fn lines(repo: &Repository, path: &[u8]) -> Result<Lines, GitError> {
    let file = native(path);
    if let AttrValue::Bytes(filter) = attribute(repo, &file, "filter")?
        && is_configured(repo, filter)
    {
        return Ok(Lines::Never);
    }
    Ok(match attribute(repo, &file, "diff")? {
        AttrValue::True => Lines::Always,
        AttrValue::False => Lines::Never,
        _ => Lines::ByContent,
    })
}

/// Whether the attribute `linguist-generated` is set, as code hosts read it; `sources` are the attribute files that count.
pub(super) fn is_marked_generated(
    repo: &Repository,
    path: &[u8],
    sources: AttrCheckFlags,
) -> Result<bool, GitError> {
    let value = AttrValue::always_bytes(repo.get_attr_bytes(&native(path), "linguist-generated", sources)?);
    Ok(value == AttrValue::True || value == AttrValue::Bytes(b"true"))
}

fn is_configured(repo: &Repository, filter: &[u8]) -> bool {
    let name = String::from_utf8_lossy(filter);
    let Ok(config) = repo.config() else { return false };
    ["clean", "process"].iter().any(|key| config.get_entry(&format!("filter.{name}.{key}")).is_ok())
}

fn attribute<'r>(repo: &'r Repository, file: &Path, name: &str) -> Result<AttrValue<'r>, GitError> {
    let value = repo.get_attr_bytes(file, name, AttrCheckFlags::FILE_THEN_INDEX)?;
    Ok(AttrValue::always_bytes(value))
}

/// When CRLF becomes LF on the way into the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    Never,
    Always,
    /// If the content is text, and what is stored has no CRLF.
    IfText,
}

fn with_stored_line_ends(
    opened: &Opened,
    path: &[u8],
    bytes: Vec<u8>,
    known: Option<Stored>,
) -> Result<Vec<u8>, GitError> {
    if !bytes.windows(2).any(|pair| pair == b"\r\n") {
        return Ok(bytes);
    }
    let convert = match conversion(&opened.repo, &native(path))? {
        Conversion::Never => false,
        Conversion::Always => true,
        Conversion::IfText => !looks_binary(&bytes) && !has_crlf(opened, known),
    };
    Ok(if convert { without_crlf(&bytes) } else { bytes })
}

/// The attributes first (`text`, the old `crlf`, `eol`), then `core.autocrlf`.
fn conversion(repo: &Repository, file: &Path) -> Result<Conversion, GitError> {
    let mut decided = by_attribute(attribute(repo, file, "text")?);
    if decided.is_none() {
        decided = by_attribute(attribute(repo, file, "crlf")?);
    }
    let has_eol = matches!(attribute(repo, file, "eol")?, AttrValue::Bytes(b"lf" | b"crlf"));
    if decided.is_none() && has_eol {
        decided = Some(Conversion::Always);
    }
    Ok(decided.unwrap_or_else(|| if is_automatic(repo) { Conversion::IfText } else { Conversion::Never }))
}

fn by_attribute(value: AttrValue<'_>) -> Option<Conversion> {
    match value {
        AttrValue::True | AttrValue::Bytes(b"input") => Some(Conversion::Always),
        AttrValue::False => Some(Conversion::Never),
        AttrValue::Bytes(b"auto") => Some(Conversion::IfText),
        _ => None,
    }
}

/// `core.autocrlf` is a yes or no, or `input`, which means the same in this direction.
fn is_automatic(repo: &Repository) -> bool {
    let Ok(config) = repo.config() else { return false };
    config.get_bool("core.autocrlf").unwrap_or(false)
        || config.get_string("core.autocrlf").is_ok_and(|value| value == "input")
}

fn has_crlf(opened: &Opened, known: Option<Stored>) -> bool {
    let stored = known.and_then(|known| opened.bytes(known.id, MAX_BYTES).ok()?);
    stored.is_some_and(|bytes| bytes.windows(2).any(|pair| pair == b"\r\n") && !looks_binary(&bytes))
}

/// Git's guess before it converts line ends, which is not its test for diffs: lone CRs, NULs, too much unprintable.
fn looks_binary(bytes: &[u8]) -> bool {
    let lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    let end = bytes.strip_suffix(b"\x1a").unwrap_or(bytes);
    let unprintable = end.iter().filter(|byte| is_unprintable(**byte)).count();
    let breaks = end.iter().filter(|byte| matches!(byte, b'\r' | b'\n')).count();
    let printable = end.len() - unprintable - breaks;
    bytes.contains(&0) || (0..bytes.len()).any(lone) || (printable >> 7) < unprintable
}

fn is_unprintable(byte: u8) -> bool {
    byte == 127 || (byte < 32 && !matches!(byte, b'\r' | b'\n' | b'\t' | 0x08 | 0x0c | 0x1b))
}

fn without_crlf(bytes: &[u8]) -> Vec<u8> {
    let kept =
        |(at, byte): (usize, &u8)| (*byte != b'\r' || bytes.get(at + 1) != Some(&b'\n')).then_some(*byte);
    bytes.iter().enumerate().filter_map(kept).collect()
}

#[cfg(test)]
mod tests;
