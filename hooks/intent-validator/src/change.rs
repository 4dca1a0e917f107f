//! A tool call's effect on a file, and its diff. Pure: the caller reads the file.

use std::io;

use serde::Deserialize;
use serde_json::Value;
use shared::protocol::ToolCall;
use similar::TextDiff;

const CONTEXT_LINES: usize = 15;

/// A longer text after the change is not put together, in bytes.
const MAX_AFTER_BYTES: usize = 16 * 1024 * 1024;

/// The input of a tool that writes: a whole text, pieces, or a cell of a notebook, whose place in the file is not looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Change {
    #[serde(rename = "file_path", alias = "notebook_path")]
    pub(crate) file: String,
    content: Option<String>,
    new_source: Option<String>,
    edits: Option<Vec<Piece>>,
    #[serde(flatten)]
    piece: Piece,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
struct Piece {
    #[serde(rename = "old_string", default)]
    old: String,
    #[serde(rename = "new_string", default)]
    new: String,
    #[serde(rename = "replace_all", default)]
    all: bool,
}

/// A file before and after; where the old text is not in the file, the pieces alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    /// `None`: there was no file, or, with `is_fragment`, its text is not known.
    pub(crate) before: Option<String>,
    pub(crate) after: String,
    /// The texts are pieces of the file: it could not be read, or the old text is not in it.
    pub(crate) is_fragment: bool,
}

pub(crate) fn read(call: &ToolCall) -> Option<Change> {
    let input = call.tool_input.as_ref()?.get();
    let writes = matches!(call.tool_name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    if writes { serde_json::from_str(input).ok().or_else(|| unknown(input)) } else { None }
}

/// A change of a file with fields that we do not know, such as `"replace_all": "false"`. Claude Code may accept them, so the input
/// itself stands for the new text.
fn unknown(input: &str) -> Option<Change> {
    let fields: Value = serde_json::from_str(input).ok()?;
    let file = ["file_path", "notebook_path"].iter().find_map(|name| fields[name].as_str())?;
    Some(Change { file: file.to_owned(), new_source: Some(input.to_owned()), ..Change::default() })
}

/// The file before and after. Line ends are as on Unix: Claude Code's tools do not tell them apart either.
pub(crate) fn versions(change: Change, read: io::Result<Vec<u8>>) -> Versions {
    let is_missing = read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    let before = read.ok().and_then(|bytes| String::from_utf8(bytes).ok()).map(|text| unix(&text));
    let is_fragment = before.is_none() && !is_missing;
    if let Some(text) = change.content {
        return Versions { before, after: unix(&text), is_fragment };
    }
    if let Some(source) = change.new_source {
        return Versions { before: None, after: unix(&source), is_fragment: true };
    }
    let pieces = change.edits.unwrap_or_else(|| vec![change.piece]);
    let after = replaced(before.clone().unwrap_or_default(), &pieces).filter(|_| !is_fragment);
    let joined = |text: fn(&Piece) -> &str| unix(&pieces.iter().map(text).collect::<Vec<_>>().join("\n"));
    match after {
        Some(after) => Versions { before, after, is_fragment: false },
        None => Versions {
            before: Some(joined(|piece| &piece.old)),
            after: joined(|piece| &piece.new),
            is_fragment: true,
        },
    }
}

fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// `None` where a piece is not in the file as it is by then, or the text grows too long. An empty old text makes the file, or fills
/// an empty one.
fn replaced(mut text: String, pieces: &[Piece]) -> Option<String> {
    for piece in pieces {
        let (old, new) = (unix(&piece.old), unix(&piece.new));
        if old.is_empty() != text.is_empty() || !text.contains(&old) {
            return None;
        }
        let places = if piece.all { text.matches(&old).count() } else { 1 };
        if places.saturating_mul(new.len()).saturating_add(text.len()) > MAX_AFTER_BYTES {
            return None;
        }
        text = if piece.all { text.replace(&old, &new) } else { text.replacen(&old, &new, 1) };
    }
    Some(text)
}

/// A unified diff under a line that says whether the file is new, changed, or known in part.
pub(crate) fn diff(path: &str, versions: &Versions) -> String {
    let head = match (versions.is_fragment, &versions.before) {
        (true, _) => "is there, and only this part of it is known; lines are counted within the part",
        (false, None) => "is a new file",
        (false, Some(_)) => "is changed",
    };
    let before = versions.before.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(before, &versions.after);
    let body = diff.unified_diff().context_radius(CONTEXT_LINES).missing_newline_hint(false).to_string();
    format!("{path} {head}.\n{body}")
}

#[cfg(test)]
mod tests;
