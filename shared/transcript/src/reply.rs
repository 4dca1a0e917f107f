//! Token count of the model's last reply, read from the end of the transcript.
//!
//! Each line of a reply repeats the numbers of the whole reply, and the last line has the final ones. Claude Code's own messages
//! (errors of the API, an interrupted turn) look like replies and count nothing.

use std::io;
use std::path::Path;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::text::Text;

use super::line::Entry;
use super::tail::Tail;

/// A larger number is no number of tokens.
const MOST_TOKENS: u64 = 100_000_000;

/// The model's last reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The model's id; empty where the line does not say.
    pub model: String,
    /// Input, cache creation, cache reads and output: Claude Code counts the same for its own compaction (tests/client-facts.md,
    /// section 6).
    pub tokens: u64,
}

/// The model's last reply in the main conversation since its last compaction. `None`: there is none, it lies further from the file's
/// end than [`super::MAX_TAIL_BYTES`], or the file cannot be read.
pub fn last_reply(path: &Path) -> Option<Reply> {
    find(&mut Tail::open(path).ok()?).ok().flatten()
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

#[derive(Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "as Claude Code names them")]
struct Usage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Reply {
    /// The reply of this model with this usage; `None`: Claude Code itself wrote it, or the numbers are none.
    pub(super) fn of(model: Option<Text>, usage: &RawValue) -> Option<Self> {
        let usage: Usage = serde_json::from_str(usage.get()).ok()?;
        let model = model.unwrap_or_default().0;
        let counts = [
            usage.input_tokens,
            usage.cache_creation_input_tokens,
            usage.cache_read_input_tokens,
            usage.output_tokens,
        ]
        .map(Option::unwrap_or_default);
        let tokens = counts.into_iter().fold(0, u64::saturating_add);
        let is_real = tokens > 0 && counts.iter().all(|count| *count <= MOST_TOKENS);
        (model != "<synthetic>" && is_real).then_some(Self { model, tokens })
    }
}

#[cfg(test)]
mod tests;
