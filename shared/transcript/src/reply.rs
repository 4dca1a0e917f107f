//! Token count of the model's last reply, read from the end of the transcript.
//!
//! Each line of a reply repeats the whole reply's numbers, and while it streams the earlier lines may have smaller ones: the
//! last line counts. The client's own messages (errors of the API, an interrupted turn) look like replies and count nothing.

use std::io;
use std::path::Path;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::marks::{Kind, Marks};
use super::tail::Tail;
use shared::text::Text;

/// More is no number of tokens, whatever the line says.
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
    /// All four: what the client counts for its own compaction (tests/client-facts.md, section 6).
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_tokens)
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.output_tokens)
    }
}

/// The model's last reply in the main conversation since its last compaction. `None` where there is none, where it is further
/// from the file's end than [`super::MAX_TAIL_BYTES`], or where the file cannot be read.
///
/// Reads backwards and parses only lines that may be it, so a long session costs no more than a short one.
#[must_use]
pub fn last_reply(path: &Path) -> Option<Reply> {
    find(&mut Tail::open(path).ok()?).ok().flatten()
}

fn find(tail: &mut Tail) -> io::Result<Option<Reply>> {
    // Within a text the quotes are escaped: what a tool printed is no hit.
    let usage = Finder::new(br#""usage""#);
    let boundary = Finder::new(br#""compact_boundary""#);
    while let Some(line) = tail.previous_line()? {
        if usage.find(line).is_some()
            && let Some(reply) = parse(line)
        {
            return Ok(Some(reply));
        }
        if boundary.find(line).is_some() && is_boundary(line) {
            return Ok(None);
        }
    }
    Ok(None)
}

fn is_boundary(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Raw<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
        #[serde(borrow)]
        subtype: &'a RawValue,
        #[serde(borrow, default)]
        is_sidechain: Option<&'a RawValue>,
    }
    serde_json::from_slice::<Raw<'_>>(line).is_ok_and(|Raw { kind, subtype, is_sidechain }| {
        let is_sidechain = is_true(is_sidechain);
        let marks = Marks { kind, subtype: Some(subtype), is_sidechain, ..Marks::default() };
        marks.kind() == Kind::Boundary && !marks.is_sidechain()
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(borrow, default)]
    is_sidechain: Option<&'a RawValue>,
    #[serde(borrow, default)]
    is_api_error_message: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Message<'a>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default)]
    model: Option<Text>,
    #[serde(borrow)]
    usage: Usage<'a>,
}

#[derive(Deserialize)]
struct Usage<'a> {
    #[serde(borrow, default, rename = "input_tokens")]
    input: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cache_creation_input_tokens")]
    cache_creation: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "cache_read_input_tokens")]
    cache_read: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "output_tokens")]
    output: Option<&'a RawValue>,
}

/// A line whose numbers are none is in a form we do not know, and says nothing.
fn parse(line: &[u8]) -> Option<Reply> {
    let raw: Raw<'_> = serde_json::from_slice(line).ok()?;
    let marks = Marks {
        kind: raw.kind,
        is_sidechain: is_true(raw.is_sidechain),
        is_api_error_message: is_true(raw.is_api_error_message),
        ..Marks::default()
    };
    if marks.kind() != Kind::Model || marks.is_sidechain() {
        return None;
    }
    let usage = &raw.message.usage;
    let reply = Reply {
        model: raw.message.model.unwrap_or_default().0,
        input_tokens: count(usage.input)?,
        cache_creation_tokens: count(usage.cache_creation)?,
        cache_read_tokens: count(usage.cache_read)?,
        output_tokens: count(usage.output)?,
    };
    (reply.model != "<synthetic>" && reply.tokens() > 0).then_some(reply)
}

/// A number of tokens; one that is not told is 0.
fn count(value: Option<&RawValue>) -> Option<u64> {
    let Some(value) = value else { return Some(0) };
    value.get().parse().ok().filter(|tokens| *tokens <= MOST_TOKENS)
}

/// Anything else than a yes is none.
fn is_true(value: Option<&RawValue>) -> Option<bool> {
    value.map(|value| value.get() == "true")
}

#[cfg(test)]
mod tests;
