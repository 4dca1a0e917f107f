//! The status line's command. Settings have one place for it. We replace somebody else's only where that is wanted, and give it back
//! as written. Keys beside the command, such as its padding, stay.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use serde_json::json;

use super::before::BeforeUs;
use super::document::{Document, text_of};
use super::splice::{Level, insert_property, remove, replaced};
use super::{Owner, Refused};

const KEY: &str = "statusLine";

/// The status line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLineThere {
    /// The value as written.
    pub raw: String,
    /// The shell line.
    pub command: Option<String>,
    /// The type is `command`, and there is a shell line.
    pub is_command: bool,
    /// It runs a binary of ours.
    pub is_ours: bool,
}

pub(super) fn there(document: &Document<'_>, owner: &Owner<'_>) -> Option<StatusLineThere> {
    let value = &document.root.get(KEY)?.value;
    let text = |key: &str| value.as_object().and_then(|object| text_of(object, key));
    let command = text("command");
    let is_ours = command.as_deref().is_some_and(|line| is_ours(line, owner));
    let is_command = command.is_some() && text("type").as_deref() == Some("command");
    Some(StatusLineThere { raw: document.original(value.range()).to_owned(), command, is_command, is_ours })
}

/// The shell line runs a binary of ours.
pub(super) fn is_ours(line: &str, owner: &Owner<'_>) -> bool {
    owner.owns(&first_word(line))
}

/// One edit towards this status line; `None`: nothing is left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: Option<&str>,
    before_us: Option<&BeforeUs<'_>>,
) -> Result<Option<String>, Refused> {
    let there = there(document, owner);
    let is_ours = there.as_ref().is_some_and(|there| there.is_ours);
    if wanted.is_some() || is_ours {
        document.check_unique(&document.root, Some(KEY))?;
    }
    Ok(match (there, wanted) {
        (None, Some(command)) => Some(insert_property(document, &document.root, KEY, &value_of(command))),
        (Some(there), Some(command)) if there.command.as_deref() == Some(command) => None,
        (Some(there), Some(command)) => Some(put(document, &there, command)),
        (Some(_), None) if is_ours => Some(take_out(document, owner, before_us)),
        (_, None) => None,
    })
}

fn value_of(command: &str) -> serde_json::Value {
    json!({ "type": "command", "command": command })
}

/// Our status line in place of the present one. Of a command only the command changes.
fn put(document: &Document<'_>, there: &StatusLineThere, command: &str) -> String {
    let Some(property) = document.root.get(KEY) else { return document.text.to_owned() };
    match command_of(&property.value) {
        Some(line) if there.is_ours || there.is_command => {
            document.replace(line, &json!(command).to_string())
        }
        _ => replaced(document, &property.value, &value_of(command)),
    }
}

fn take_out(document: &Document<'_>, owner: &Owner<'_>, before_us: Option<&BeforeUs<'_>>) -> String {
    let data = |raw: &str| serde_json::from_str::<serde_json::Value>(raw).unwrap_or_default();
    let is_foreign = |raw: &&str| !data(raw)["command"].as_str().is_some_and(|line| is_ours(line, owner));
    match (owner.status_line_before.filter(is_foreign), document.root.get(KEY)) {
        (Some(raw), Some(property)) => give_back(document, &property.value, raw, &data(raw)),
        _ => remove(document, &[Level::of_property(&document.root, KEY, &[])], before_us),
    }
}

/// The one before ours as written, or its command alone where a key beside it has changed since.
fn give_back(document: &Document<'_>, there: &Value<'_>, raw: &str, before: &serde_json::Value) -> String {
    let beside = |value: &serde_json::Value| {
        let mut object = value.as_object().cloned().unwrap_or_default();
        object.remove("command").map(|_| object)
    };
    let is_changed = beside(before).is_some() && beside(&document.value(there)) != beside(before);
    match command_of(there) {
        Some(line) if before["type"] == "command" && is_changed => {
            document.replace(line, &before["command"].to_string())
        }
        _ => document.replace(there, raw),
    }
}

fn command_of<'b, 'a>(status_line: &'b Value<'a>) -> Option<&'b Value<'a>> {
    status_line.as_object().and_then(|object| object.get("command")).map(|command| &command.value)
}

/// The shell line that starts `program`: Claude Code gives a status line's command to a shell.
pub fn status_line_command(program: &str, arguments: &str) -> String {
    let program = if is_plain(program) { program.to_owned() } else { quoted(program) };
    format!("{program} {arguments}")
}

/// A shell takes the word as it is.
pub fn is_plain(word: &str) -> bool {
    word.chars().all(|letter| letter.is_alphanumeric() || "/._-+,:@%".contains(letter))
}

/// The word in quotes for a shell.
pub fn quoted(word: &str) -> String {
    // PowerShell and cmd read single quotes differently; a path of Windows holds no double quote.
    if cfg!(windows) { format!("\"{word}\"") } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// The first word of a shell line without its quotes.
fn first_word(line: &str) -> String {
    let mut word = String::new();
    let mut quote = None;
    let mut letters = line.trim_start().chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            // A path of Windows keeps its backslashes.
            ('\\', None) if cfg!(unix) => word.extend(letters.next()),
            (letter, None) if letter.is_whitespace() => break,
            (letter, _) => word.push(letter),
        }
    }
    word
}
