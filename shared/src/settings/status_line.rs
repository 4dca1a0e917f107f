//! The status line's command. There is one place for it: somebody else's is only replaced when that is wanted, and is
//! given back as it was written when ours goes.

use serde_json::json;

use super::document::Document;
use super::entries::is_own_program;
use super::splice::{Level, insert_property, remove_element, replaced};
use super::{Owner, StatusLine, StatusLineThere};
use jsonc_parser::common::Ranged;

const KEY: &str = "statusLine";

/// The status line that is there.
pub(super) fn there(document: &Document<'_>, owner: &Owner<'_>) -> Option<StatusLineThere> {
    let value = &document.root.get(KEY)?.value;
    let command = value
        .as_object()
        .and_then(|object| object.get_string("command"))
        .map(|text| text.value.clone().into_owned());
    let is_ours = command.as_deref().is_some_and(|line| is_own_program(first_word(line), owner));
    Some(StatusLineThere { raw: document.original(value.range()).to_owned(), command, is_ours })
}

/// One edit towards this status line; `None` when there is nothing left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: Option<&StatusLine>,
) -> Option<String> {
    let there = there(document, owner);
    match (there, wanted) {
        (None, Some(wanted)) => {
            Some(insert_property(document, &document.root, KEY, &value_of(&wanted.command)))
        }
        (Some(there), Some(wanted)) => {
            let stays =
                there.command.as_ref() == Some(&wanted.command) || !(there.is_ours || wanted.replaces);
            (!stays).then(|| put(document, &there, &wanted.command))
        }
        (Some(there), None) if there.is_ours => Some(take_out(document, owner)),
        (_, None) => None,
    }
}

fn value_of(command: &str) -> serde_json::Value {
    json!({ "type": "command", "command": command })
}

/// Ours in place of what is there; of ours only the command changes.
fn put(document: &Document<'_>, there: &StatusLineThere, command: &str) -> String {
    let Some(property) = document.root.get(KEY) else { return document.text.to_owned() };
    let line = property.value.as_object().and_then(|object| object.get("command"));
    match line {
        Some(line) if there.is_ours => document.replace(&line.value, &json!(command).to_string()),
        _ => replaced(document, &property.value, &value_of(command)),
    }
}

fn take_out(document: &Document<'_>, owner: &Owner<'_>) -> String {
    match (owner.status_line_before, document.root.get(KEY)) {
        (Some(raw), Some(property)) => document.replace(&property.value, raw),
        _ => remove_element(document, &Level::of_property(&document.root, KEY, &[])),
    }
}

/// The program of a shell line, out of its quotes.
fn first_word(line: &str) -> &str {
    let line = line.trim_start();
    match line.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((program, _)) => program,
        None => line.split_whitespace().next().unwrap_or_default(),
    }
}
