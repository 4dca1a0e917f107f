//! A tool call's effect on a file, and its diff. Pure: the caller reads the file.

use std::io;

use serde::Deserialize;
use shared::protocol::ToolCall;
use similar::TextDiff;

/// So many unchanged lines are shown around each change.
const CONTEXT_LINES: usize = 15;

/// The longest mark of a cut diff, in characters.
const MARK_CHARS: usize = 100;

/// A tool call's effect on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The file, as the call names it.
    pub(crate) file: String,
    pub(crate) kind: Kind,
}

/// The kinds of effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is written anew, whether or not there was one.
    Whole(String),
    /// Pieces of it are replaced, one after the other.
    Pieces(Vec<Piece>),
    /// A cell of a notebook, whose place in the file is not looked for.
    Cell(String),
}

/// A piece that is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Piece {
    #[serde(rename = "old_string", default)]
    pub(crate) old: String,
    #[serde(rename = "new_string", default)]
    pub(crate) new: String,
    #[serde(rename = "replace_all", default)]
    pub(crate) all: bool,
}

/// A file before and after; where the old text is not in the file, the pieces alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    /// `None`: there was no file, or, with `is_fragment`, its text is not known.
    pub(crate) before: Option<String>,
    /// As it would be.
    pub(crate) after: String,
    /// The texts are pieces of the file, not the whole of it: it could not be read, or the old text is not in it.
    pub(crate) is_fragment: bool,
}

/// A file that cannot be read as a text, or is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// The file as it stands; `None`: there is none.
pub(crate) type There = Result<Option<String>, Unreadable>;

/// The text that was read. Only what is not found is not there.
pub(crate) fn there(read: io::Result<Vec<u8>>) -> There {
    match read {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| Unreadable),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(_) => Err(Unreadable),
    }
}

/// The input of the tools that write.
#[derive(Deserialize)]
struct Written {
    #[serde(alias = "notebook_path")]
    file_path: String,
    content: Option<String>,
    edits: Option<Vec<Piece>>,
    #[serde(default)]
    new_source: String,
    #[serde(flatten)]
    piece: Piece,
}

/// Reads the input of `Write`, `Edit`, `MultiEdit`, `NotebookEdit`; `None`: another tool, or an input that cannot be read.
pub(crate) fn read(call: &ToolCall) -> Option<Change> {
    if !matches!(call.tool_name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit") {
        return None;
    }
    let written: Written = serde_json::from_str(call.tool_input.as_ref()?.get()).ok()?;
    let kind = match call.tool_name.as_str() {
        "Write" => Kind::Whole(written.content?),
        "Edit" => Kind::Pieces(vec![written.piece]),
        "MultiEdit" => Kind::Pieces(written.edits?),
        _ => Kind::Cell(written.new_source),
    };
    Some(Change { file: written.file_path, kind })
}

/// The file before and after. Line ends are as on Unix in both: the client's tools do not tell them apart either.
pub(crate) fn versions(change: &Change, there: There) -> Versions {
    let is_unreadable = there.is_err();
    let there = there.ok().flatten().map(|text| unix(&text));
    match &change.kind {
        Kind::Whole(text) => Versions { before: there, after: unix(text), is_fragment: is_unreadable },
        Kind::Cell(source) => Versions { before: None, after: unix(source), is_fragment: true },
        Kind::Pieces(pieces) => {
            let pieces: Vec<Piece> = pieces.iter().map(Piece::unix).collect();
            let whole = if is_unreadable { None } else { replaced(there.as_deref(), &pieces) };
            whole.unwrap_or_else(|| fragment(&pieces))
        }
    }
}

fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

impl Piece {
    fn unix(&self) -> Self {
        Self { old: unix(&self.old), new: unix(&self.new), all: self.all }
    }
}

/// `None` where a piece is not in the file as it is by then.
fn replaced(there: Option<&str>, pieces: &[Piece]) -> Option<Versions> {
    let mut after = there.unwrap_or_default().to_owned();
    for piece in pieces {
        after = match (piece.old.as_str(), piece.all) {
            // An empty old text makes the file, or fills an empty one.
            ("", _) if after.is_empty() => piece.new.clone(),
            ("", _) => return None,
            (old, _) if !after.contains(old) => return None,
            (old, true) => after.replace(old, &piece.new),
            (old, false) => after.replacen(old, &piece.new, 1),
        };
    }
    Some(Versions { before: there.map(ToOwned::to_owned), after, is_fragment: false })
}

fn fragment(pieces: &[Piece]) -> Versions {
    let joined = |text: fn(&Piece) -> &str| pieces.iter().map(text).collect::<Vec<_>>().join("\n");
    let before = Some(joined(|piece| &piece.old));
    Versions { before, after: joined(|piece| &piece.new), is_fragment: true }
}

/// A unified diff with 15 lines around each change, under a head that says whether the file is new, changed, not known or a
/// fragment.
pub(crate) fn diff(path: &str, versions: &Versions) -> String {
    let head = match (versions.is_fragment, &versions.before) {
        (true, None) => format!(
            "{path} is there already, and its text cannot be shown: it is too long, no text, or a notebook. What is written \
             into it follows; what that replaces is not seen."
        ),
        (true, Some(_)) => {
            format!("Part of {path}; the whole file is not known, lines are counted within the part.")
        }
        (false, None) => format!("{path} is a new file."),
        (false, Some(_)) => format!("{path} is changed."),
    };
    let before = versions.before.as_deref().unwrap_or_default();
    let diff = TextDiff::from_lines(before, &versions.after);
    let body = diff.unified_diff().context_radius(CONTEXT_LINES).missing_newline_hint(false).to_string();
    format!("{head}\n{body}")
}

/// The beginning of a longer diff, in whole lines, and how much of it is missing; `None`: it is short enough.
pub(crate) fn beginning(diff: &str, max_chars: usize) -> Option<String> {
    let chars = diff.chars().count();
    if chars <= max_chars {
        return None;
    }
    let room = max_chars.saturating_sub(MARK_CHARS);
    let end = diff.char_indices().nth(room).map_or(diff.len(), |(end, _)| end);
    let kept = &diff[..end];
    // A line that would take half of it along is cut itself.
    let kept = kept.rfind('\n').filter(|at| *at >= kept.len() / 2).map_or(kept, |at| &kept[..at]);
    let missing = chars - kept.chars().count();
    Some(format!("{kept}\n[The diff goes on: {missing} of its {chars} characters are not shown.]"))
}

#[cfg(test)]
mod tests;
