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

use super::tail::Tail;

/// A larger number is no number of tokens.
const MOST_TOKENS: u64 = 100_000_000;

/// The model's last reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The model's id; empty where the line does not say.
    pub model: String,
    /// Tokens of the request that came from no cache.
    pub input_tokens: u64,
    /// Tokens of the request that were put into the cache.
    pub cache_creation_tokens: u64,
    /// Tokens of the request that came from the cache.
    pub cache_read_tokens: u64,
    /// Tokens of the reply itself.
    pub output_tokens: u64,
}

impl Reply {
    /// All four: Claude Code counts the same for its own compaction (tests/client-facts.md, section 6).
    pub const fn tokens(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_tokens)
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.output_tokens)
    }
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
        let Ok(raw) = serde_json::from_slice::<Raw<'_>>(line) else { continue };
        if raw.is_boundary() {
            return Ok(None);
        }
        if let Some(reply) = raw.reply() {
            return Ok(Some(reply));
        }
    }
    Ok(None)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow)]
    subtype: Option<&'a RawValue>,
    is_sidechain: Option<bool>,
    is_api_error_message: Option<bool>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    model: Option<Text>,
    #[serde(borrow)]
    usage: Usage<'a>,
}

#[derive(Deserialize)]
struct Usage<'a> {
    #[serde(borrow, rename = "input_tokens")]
    input: Option<&'a RawValue>,
    #[serde(borrow, rename = "cache_creation_input_tokens")]
    cache_creation: Option<&'a RawValue>,
    #[serde(borrow, rename = "cache_read_input_tokens")]
    cache_read: Option<&'a RawValue>,
    #[serde(borrow, rename = "output_tokens")]
    output: Option<&'a RawValue>,
}

impl Raw<'_> {
    fn is_boundary(&self) -> bool {
        let is_compaction = self.subtype.is_some_and(|subtype| subtype.get() == r#""compact_boundary""#);
        self.kind == "system" && is_compaction && self.is_sidechain != Some(true)
    }

    fn reply(&self) -> Option<Reply> {
        let is_models = self.kind == "assistant" && self.is_api_error_message != Some(true);
        if !is_models || self.is_sidechain == Some(true) {
            return None;
        }
        let message: Message<'_> = serde_json::from_str(self.message?.get()).ok()?;
        let usage = &message.usage;
        let reply = Reply {
            model: message.model.unwrap_or_default().0,
            input_tokens: count(usage.input)?,
            cache_creation_tokens: count(usage.cache_creation)?,
            cache_read_tokens: count(usage.cache_read)?,
            output_tokens: count(usage.output)?,
        };
        (reply.model != "<synthetic>" && reply.tokens() > 0).then_some(reply)
    }
}

/// A number of tokens; a missing one is 0.
fn count(value: Option<&RawValue>) -> Option<u64> {
    let Some(value) = value else { return Some(0) };
    value.get().parse().ok().filter(|tokens| *tokens <= MOST_TOKENS)
}

#[cfg(test)]
mod tests;
