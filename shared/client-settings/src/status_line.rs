//! The status line's command. There is one place for it: somebody else's is only replaced when that is wanted, and is
//! given back as it was written when ours goes. What stands beside the command, such as its padding, stays.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use serde_json::json;

use super::document::Document;
use super::earlier::BeforeUs;
use super::entries::is_own_program;
use super::splice::{Level, insert_property, remove, replaced};
use super::{Owner, Refused, StatusLine, StatusLineThere};

const KEY: &str = "statusLine";

/// The status line that is there.
pub(super) fn there(document: &Document<'_>, owner: &Owner<'_>) -> Option<StatusLineThere> {
    let value = &document.root.get(KEY)?.value;
    let text = |key: &str| value.as_object()?.get_string(key).map(|text| text.value.clone().into_owned());
    let command = text("command");
    let is_ours = command.as_deref().is_some_and(|line| is_ours(line, owner));
    let is_command = command.is_some() && text("type").as_deref() == Some("command");
    Some(StatusLineThere { raw: document.original(value.range()).to_owned(), command, is_command, is_ours })
}

/// The shell line runs a binary of ours.
pub(super) fn is_ours(line: &str, owner: &Owner<'_>) -> bool {
    is_own_program(&first_word(line), owner)
}

/// One edit towards this status line; `None` when there is nothing left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: Option<&StatusLine>,
    before_us: Option<&BeforeUs<'_>>,
) -> Result<Option<String>, Refused> {
    let there = there(document, owner);
    if wanted.is_some() || there.as_ref().is_some_and(|there| there.is_ours) {
        document.check_unique(&document.root, Some(KEY))?;
    }
    Ok(match (there, wanted) {
        (None, Some(wanted)) => {
            Some(insert_property(document, &document.root, KEY, &value_of(&wanted.command)))
        }
        (Some(there), Some(wanted)) => {
            let stays =
                there.command.as_ref() == Some(&wanted.command) || !(there.is_ours || wanted.replaces);
            (!stays).then(|| put(document, &there, &wanted.command))
        }
        (Some(there), None) if there.is_ours => Some(take_out(document, owner, before_us)),
        (_, None) => None,
    })
}

fn value_of(command: &str) -> serde_json::Value {
    json!({ "type": "command", "command": command })
}

/// Ours in place of what is there; of a command only the command changes.
fn put(document: &Document<'_>, there: &StatusLineThere, command: &str) -> String {
    let Some(property) = document.root.get(KEY) else { return document.text.to_owned() };
    let line = property.value.as_object().and_then(|object| object.get("command"));
    match line {
        Some(line) if there.is_ours || there.is_command => {
            document.replace(&line.value, &json!(command).to_string())
        }
        _ => replaced(document, &property.value, &value_of(command)),
    }
}

fn take_out(document: &Document<'_>, owner: &Owner<'_>, before_us: Option<&BeforeUs<'_>>) -> String {
    match (owner.status_line_before.filter(|raw| is_foreign(raw, owner)), document.root.get(KEY)) {
        (Some(raw), Some(property)) => give_back(document, &property.value, raw),
        _ => remove(document, &[Level::of_property(&document.root, KEY, &[])], before_us),
    }
}

/// The one before ours as it was written, or its command alone where something beside it has changed since.
fn give_back(document: &Document<'_>, there: &Value<'_>, raw: &str) -> String {
    let before: serde_json::Value = serde_json::from_str(raw).unwrap_or_default();
    let beside = |value: &serde_json::Value| {
        let mut object = value.as_object().cloned().unwrap_or_default();
        object.remove("command").map(|_| object)
    };
    let (now_beside, before_beside) = (beside(&document.value(there)), beside(&before));
    let line = there.as_object().and_then(|object| object.get("command"));
    match line {
        Some(line)
            if before["type"] == "command" && before_beside.is_some() && now_beside != before_beside =>
        {
            document.replace(&line.value, &before["command"].to_string())
        }
        _ => document.replace(there, raw),
    }
}

/// This status line, as it was written, is somebody else's: ours would have to be taken out in turn.
fn is_foreign(raw: &str, owner: &Owner<'_>) -> bool {
    let value: serde_json::Value = serde_json::from_str(raw).unwrap_or_default();
    !value["command"].as_str().is_some_and(|line| is_ours(line, owner))
}

/// The shell line that starts `program`: Claude Code gives a status line's command to a shell.
#[must_use]
pub fn status_line_command(program: &str, arguments: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%".contains(letter);
    if program.chars().all(is_plain) {
        return format!("{program} {arguments}");
    }
    // PowerShell and cmd read single quotes differently; a path of Windows holds no double quote.
    if cfg!(windows) {
        return format!("\"{program}\" {arguments}");
    }
    format!("'{}' {arguments}", program.replace('\'', r"'\''"))
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
    if quote.is_some() {
        // Earlier versions wrote a path with an apostrophe as it was; it must be recognized to be replaced.
        return line.split_whitespace().next().unwrap_or_default().to_owned();
    }
    word
}
