//! A snapshot for people. It says what the JSON says, because it is made from it. Pure.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{Snapshot, told_time, whole_percent};
use crate::text::is_unseen;

/// The page, with times on the reader's clock. Texts of a session or a repository cannot become markup.
pub(crate) fn markdown(snapshot: &Snapshot) -> String {
    let mut value = serde_json::to_value(snapshot).unwrap_or_default();
    if snapshot.context_usage.known().is_none() {
        for unknown in ["/context_usage", "/incremental_pause/context_range"] {
            value.pointer_mut(unknown).map(Value::take);
        }
    }
    let [id, archive] = ["", "-incremental.jsonl"].map(|end| code(&format!("{}{end}", snapshot.session_id)));
    let mut page = format!(
        "# Paused session {id}\n\n- each action: {archive}, beside this file once the record has ended\n"
    );
    if let Value::Object(map) = &value {
        section(&mut page, map, 2);
    }
    page
}

/// Entries that fit on a line come first, then a heading for each of the others.
fn section(page: &mut String, map: &Map<String, Value>, depth: usize) {
    let (lines, blocks): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| is_line(value));
    if !lines.is_empty() {
        page.push('\n');
    }
    for (key, value) in lines {
        let _ = writeln!(page, "- {}", entry(key, value));
    }
    for (key, value) in blocks {
        let _ = writeln!(page, "\n{} {}", "#".repeat(depth), heading(key));
        match value {
            Value::Object(map) => section(page, map, depth + 1),
            Value::Array(entries) if entries.is_empty() => page.push_str("\nNone.\n"),
            Value::Array(entries) => {
                page.push('\n');
                for entry in entries {
                    let _ = writeln!(page, "- {}", on_line(entry));
                }
            }
            _ => {}
        }
    }
}

fn is_line(value: &Value) -> bool {
    match value {
        Value::Array(entries) => !entries.is_empty() && entries.iter().all(Value::is_number),
        value => !value.is_object(),
    }
}

/// Times on the reader's clock, and how full the context was in percent.
fn entry(key: &str, value: &Value) -> String {
    let value = match (key, value) {
        ("context_usage" | "context_range", Value::Null) => "not known".to_owned(),
        ("paused_at" | "timestamp", Value::String(time)) => code(&told_time(time)),
        ("context_range", Value::Array(range)) => {
            let percent =
                |share: &Value| format!("{:.0} %", whole_percent(share.as_f64().unwrap_or_default()));
            range.iter().map(percent).collect::<Vec<_>>().join(" to ")
        }
        ("percentage", value) => format!("{:.0} %", value.as_f64().unwrap_or_default().floor()),
        (_, value) => on_line(value),
    };
    format!("{}: {value}", key.replace('_', " "))
}

fn on_line(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => code(text),
        Value::Array(entries) => entries.iter().map(on_line).collect::<Vec<_>>().join(", "),
        Value::Object(map) => map.iter().map(|(key, value)| entry(key, value)).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn heading(key: &str) -> String {
    let words = match key {
        "accomplishments" => "done".to_owned(),
        "next_steps" => "open".to_owned(),
        key => key.replace('_', " "),
    };
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The text as code, in which nothing is markup; on one line, because an empty line would end it. Unseen characters are spelled
/// out, in double quotes then.
fn code(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let is_odd = |char: char| char.is_control() || is_unseen(char) || matches!(char, '\u{2028}' | '\u{2029}');
    let text = if text.contains(is_odd) { format!("{text:?}") } else { text.to_owned() };
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A renderer takes one space at both ends away.
    let is_stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let space = if is_stripped || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests;
