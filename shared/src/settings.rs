//! Editing Claude Code's settings.json: our own entries are added, changed and removed, every other byte stays.
//!
//! The core is text in, text out: [`register`], [`unregister`], [`registered`]. It refuses, with line and column, what it
//! cannot read for certain, rather than guess in a file that is not ours. [`UserFile`] is the thin layer around it.
//!
//! - `document`: the parsed text and where everything in it stands
//! - `splice`: putting an item into an object or a list, and taking one out, in the file's own style
//! - `entries`: which hook entries are ours
//! - `user_file`: links, lock, backup, atomic replacement

mod document;
mod entries;
mod splice;
mod user_file;

use std::path::Path;

use serde_json::{Value, json};

use document::Document;
use entries::Entry;
use splice::{insert_element, insert_property, remove_element};

pub use user_file::{Backup, FileError, KEEP_BACKUPS, UserFile};

/// A byte order mark, which some editors put first and must find again.
const BOM: char = '\u{feff}';

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct Refused {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

/// What makes an entry ours.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// Where our binaries are deployed.
    pub folder: &'a Path,
    /// The names of our binaries.
    pub binaries: &'a [String],
}

/// An entry that shall be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The event.
    pub event: String,
    /// Which tools, sources or reasons; `None`: all.
    pub matcher: Option<String>,
    /// Absolute path of the program, started without a shell and without arguments.
    pub command: String,
    /// After how many seconds the client goes on without it.
    pub timeout_secs: u32,
}

/// An entry of ours that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// Which of our binaries.
    pub binary: String,
    /// The event.
    pub event: String,
    /// As written; `None` where there is none.
    pub matcher: Option<String>,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// As written, in seconds.
    pub timeout_secs: Option<f64>,
}

/// The text in which exactly `wanted` are our entries. What is right already stays where and as it is.
///
/// # Errors
/// If the text is not plain JSON of the shape the client documents.
pub fn register(text: &str, owner: &Owner<'_>, wanted: &[Registration]) -> Result<String, Refused> {
    let (mark, body) = match text.strip_prefix(BOM) {
        Some(body) => (&text[..BOM.len_utf8()], body),
        None => ("", text),
    };
    let is_empty = body.trim().is_empty();
    if is_empty && wanted.is_empty() {
        return Ok(text.to_owned());
    }
    let mut body = if is_empty { format!("{{}}{}", line_end(body)) } else { body.to_owned() };
    while let Some(next) = step(&body, owner, wanted)? {
        body = next;
    }
    Ok(format!("{mark}{body}"))
}

/// The text without any entry of ours; `None` if the file shall not exist.
///
/// `earlier` are texts the file had before, newest first (`None`: it did not exist). One that registering the same
/// entries turns into exactly `text` is what was there before us, and is given back as it was: an empty list that we
/// filled cannot be told from one that we made by looking at the result alone.
///
/// # Errors
/// If the text is not plain JSON of the shape the client documents.
pub fn unregister(
    text: &str,
    owner: &Owner<'_>,
    earlier: &[Option<String>],
) -> Result<Option<String>, Refused> {
    let without = register(text, owner, &[])?;
    if without == text {
        return Ok(Some(without));
    }
    let present: Vec<Registration> = registered(text, owner)?.iter().map(Registered::as_wanted).collect();
    let before_us = earlier.iter().find(|earlier| {
        let earlier = earlier.as_deref().unwrap_or_default();
        registered(earlier, owner).is_ok_and(|ours| ours.is_empty())
            && register(earlier, owner, &present).is_ok_and(|again| again == text)
    });
    Ok(before_us.cloned().unwrap_or(Some(without)))
}

/// Our entries, in the order of the file.
///
/// # Errors
/// If the text is not plain JSON of the shape the client documents.
pub fn registered(text: &str, owner: &Owner<'_>) -> Result<Vec<Registered>, Refused> {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    let document = Document::parse(body)?;
    Ok(entries::find(&document, owner).into_iter().map(|entry| entry.registered).collect())
}

/// One edit towards what is wanted; `None` when there is nothing left to do.
fn step(text: &str, owner: &Owner<'_>, wanted: &[Registration]) -> Result<Option<String>, Refused> {
    let document = Document::parse(text)?;
    let entries = entries::find(&document, owner);
    let mut missing: Vec<&Registration> = wanted.iter().collect();
    for entry in &entries {
        match missing.iter().position(|wanted| entry.serves(wanted)) {
            None => return Ok(Some(remove(&document, entry))),
            Some(index) => {
                if let Some(text) = corrected(&document, entry, missing.remove(index)) {
                    return Ok(Some(text));
                }
            }
        }
    }
    Ok(missing.first().map(|registration| add(&document, registration)))
}

/// The text with one wrong or missing key of `entry` put right; `None` if the entry is as wanted.
fn corrected(document: &Document<'_>, entry: &Entry<'_, '_>, wanted: &Registration) -> Option<String> {
    for (key, value) in wanted.keys() {
        match entry.object.properties.iter().find(|property| property.name.as_str() == key) {
            None => return Some(insert_property(document, entry.object, key, &value)),
            Some(property) if document.value(&property.value) != value => {
                return Some(document.replace(&property.value, &value.to_string()));
            }
            Some(_) => {}
        }
    }
    None
}

/// Adds a group of its own at the end of the event: other people's groups stay as they are.
fn add(document: &Document<'_>, registration: &Registration) -> String {
    let group = registration.group();
    let Some(hooks) = document.hooks() else {
        return insert_property(document, &document.root, "hooks", &json!({ &registration.event: [group] }));
    };
    match document.groups(hooks, &registration.event) {
        Some(groups) => insert_element(document, groups, &group),
        None => insert_property(document, hooks, &registration.event, &json!([group])),
    }
}

/// Removes the entry, and whatever is left empty by it.
fn remove(document: &Document<'_>, entry: &Entry<'_, '_>) -> String {
    let mut levels = entry.levels.iter();
    let smallest = levels.find(|level| level.siblings.len() > 1).or(entry.levels.last());
    smallest.map_or_else(|| document.text.to_owned(), |level| remove_element(document, level))
}

fn line_end(text: &str) -> &str {
    if text.is_empty() { "\n" } else { text }
}

impl Registration {
    fn keys(&self) -> [(&'static str, Value); 4] {
        [
            ("type", json!("command")),
            ("command", json!(self.command)),
            ("args", json!([])),
            ("timeout", json!(self.timeout_secs)),
        ]
    }

    /// The group that holds only this entry, as the client's settings have it.
    #[must_use]
    pub fn group(&self) -> Value {
        let entry: serde_json::Map<String, Value> =
            self.keys().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        match &self.matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": [entry] }),
            None => json!({ "hooks": [entry] }),
        }
    }
}

impl Registered {
    /// What would have to be wanted for this entry to stay.
    fn as_wanted(&self) -> Registration {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "ours are small whole numbers"
        )]
        let timeout_secs = self.timeout_secs.unwrap_or_default() as u32;
        Registration {
            event: self.event.clone(),
            matcher: self.matcher.clone(),
            command: self.command.clone(),
            timeout_secs,
        }
    }
}

#[cfg(test)]
mod tests;
