//! Which of the added files were moved there, by git's own measure.
//!
//! A file's content is cut into lines (long ones into 64 bytes), each hashed; two files are as similar as the bytes
//! they share. As in git, equal content goes first, then files that kept their name, then the most similar of the rest.

use std::cmp::Reverse;
use std::collections::HashMap;

use git2::Oid;

use super::repository::Stored;

/// What git calls `-M50%`.
const LEAST_SIMILAR: u64 = 30_000;
/// Files that kept their name have to be this similar to be paired before all others are compared.
const SAME_NAME_SIMILAR: u64 = 45_000;
const EQUAL: u64 = 60_000;
const CHUNK_BYTES: usize = 64;

/// Bytes per chunk of content.
pub(super) type Chunks = HashMap<u64, u64>;

/// A file that was added or that is gone.
#[derive(Debug)]
pub(super) struct Moved {
    pub(super) path: Vec<u8>,
    pub(super) stored: Stored,
    pub(super) bytes: u64,
    /// Empty until [`similar`] needs it.
    pub(super) chunks: Chunks,
}

/// A pair, by the places of its files in the lists of added and of gone ones.
pub(super) type Pair = (usize, usize);

/// Files of equal content, each used once; one of the same name is preferred.
pub(super) fn equal(added: &[Moved], gone: &[Moved]) -> Vec<Pair> {
    let mut free: HashMap<Oid, Vec<usize>> = HashMap::new();
    for (place, old) in gone.iter().enumerate() {
        free.entry(old.stored.id).or_default().push(place);
    }
    let mut pairs = Vec::new();
    for (place, new) in added.iter().enumerate() {
        let Some(olds) = free.get_mut(&new.stored.id) else { continue };
        let fits = |old: &Moved| new.stored.mode == old.stored.mode || is_regular(new) && is_regular(old);
        let same_name = olds.iter().position(|old| name(&gone[*old]) == name(new) && fits(&gone[*old]));
        if let Some(at) = same_name.or_else(|| olds.iter().position(|old| fits(&gone[*old]))) {
            pairs.push((place, olds.remove(at)));
        }
    }
    pairs
}

/// Files alike enough to be the same one, after [`equal`] ones are taken out: quadratic in the length of the lists.
pub(super) fn similar(added: &[Moved], gone: &[Moved]) -> Vec<Pair> {
    let mut pairs = same_name(added, gone);
    let all = (0..added.len()).flat_map(|new| (0..gone.len()).map(move |old| (new, old)));
    let mut scores: Vec<(u64, bool, Pair)> = all
        .map(|pair| (&added[pair.0], &gone[pair.1], pair))
        .map(|(new, old, pair)| (similarity(new, old), name(new) == name(old), pair))
        .filter(|(score, ..)| *score >= LEAST_SIMILAR)
        .collect();
    scores.sort_by_key(|(score, same_name, pair)| (Reverse((*score, *same_name)), *pair));
    for (_, _, pair) in scores {
        if !pairs.iter().any(|taken| taken.0 == pair.0 || taken.1 == pair.1) {
            pairs.push(pair);
        }
    }
    pairs
}

/// Only names that stand once on either side.
fn same_name(added: &[Moved], gone: &[Moved]) -> Vec<Pair> {
    let (news, olds) = (single_names(added), single_names(gone));
    let both = news.iter().filter_map(|(name, new)| Some((*new, *olds.get(name)?)));
    both.filter(|(new, old)| similarity(&added[*new], &gone[*old]) >= SAME_NAME_SIMILAR).collect()
}

fn single_names(files: &[Moved]) -> HashMap<&[u8], usize> {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (place, file) in files.iter().enumerate() {
        places.entry(name(file)).or_default().push(place);
    }
    places
        .into_iter()
        .filter(|(_, places)| places.len() == 1)
        .map(|(name, places)| (name, places[0]))
        .collect()
}

fn name(file: &Moved) -> &[u8] {
    file.path.rsplit(|byte| *byte == b'/').next().unwrap_or(&file.path)
}

fn is_regular(file: &Moved) -> bool {
    file.stored.mode & 0o170_000 == 0o100_000
}

/// From 0 to [`EQUAL`].
fn similarity(new: &Moved, old: &Moved) -> u64 {
    let (larger, smaller) = (new.bytes.max(old.bytes), new.bytes.min(old.bytes));
    if !is_regular(new)
        || !is_regular(old)
        || smaller == 0
        || larger * LEAST_SIMILAR < (larger - smaller) * EQUAL
    {
        return 0;
    }
    let shared = |(chunk, bytes): (&u64, &u64)| new.chunks.get(chunk).map_or(0, |other| *bytes.min(other));
    old.chunks.iter().map(shared).sum::<u64>() * EQUAL / larger
}

/// Cuts content into lines, as git does: at most 64 bytes, without the CR of a CRLF in text.
pub(super) fn chunks(content: &[u8], is_text: bool) -> Chunks {
    let mut chunks = Chunks::new();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let line = match line.strip_suffix(b"\r\n") {
            Some(body) if is_text => [body, b"\n"].concat(),
            _ => line.to_owned(),
        };
        for chunk in line.chunks(CHUNK_BYTES) {
            *chunks.entry(hash(chunk)).or_default() += chunk.len() as u64;
        }
    }
    chunks
}

/// FNV-1a. Chunks that collide make files seem more alike; nothing else depends on it.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests;
