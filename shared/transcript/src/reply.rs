//! Token count of the model's last reply, read from the end of the transcript.
//!
//! Each line of a reply repeats the numbers of the whole reply, and the last line has the final ones. Claude Code's own messages
//! (errors of the API, an interrupted turn) look like replies and count nothing.

use std::io;
use std::path::Path;

use memchr::memmem::Finder;

use super::line::{Entry, Reply};
use super::tail::{MAX_TAIL_BYTES, Tail};

/// The model's last reply in the main conversation since its last compaction; `None`: none within [`MAX_TAIL_BYTES`] of the end.
pub fn last_reply(path: &Path) -> Option<Reply> {
    find(&mut Tail::open(path, MAX_TAIL_BYTES).ok()?).ok().flatten()
}

fn find(tail: &mut Tail) -> io::Result<Option<Reply>> {
    // Within a text the quotes are escaped: a tool's output is no hit.
    let marks = [&br#""usage""#[..], br#""compact_boundary""#].map(Finder::new);
    while let Some(line) = tail.previous_line()? {
        if marks.iter().all(|mark| mark.find(line).is_none()) {
            continue;
        }
        match Entry::parse(line) {
            Entry::Compaction { is_sidechain: false } => return Ok(None),
            Entry::Message(line) if !line.is_sidechain && line.reply.is_some() => return Ok(line.reply),
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
