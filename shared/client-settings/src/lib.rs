//! Editing Claude Code's settings.json: our own parts are added, changed and removed, every other byte stays.
//!
//! The core is text in, text out: [`arrange`] makes a text hold exactly what is [`Wanted`] of ours, [`present`] says what it
//! holds, [`faults`] what keeps the client from reading its hooks at all. What cannot be read for certain is refused, with
//! line and column, rather than guessed at in a file that is not ours. [`UserFile`] is the thin layer around it.
//!
//! - `document`: the parsed text and where everything in it stands
//! - `splice`: putting an item into an object or a list, and taking one out, in the file's own style
//! - `entries`: hook entries, and which of them are ours
//! - `rules`: permission rules
//! - `status_line`: the status line's command
//! - `earlier`: giving back what a text was before us, where its present state alone cannot tell
//! - `faults`: entries that make Claude Code drop all hooks of the file
//! - `neighbours`: settings that make Claude Code drop all of the file
//! - `survey`: everything a text registers, whoever's it is
//! - `team_line`: what a project's settings start a hook with
//! - `user_file`: links, lock, backup, atomic replacement

mod document;
mod earlier;
mod entries;
mod faults;
mod neighbours;
mod rules;
mod splice;
mod status_line;
mod survey;
mod team_line;
mod user_file;

use std::path::{Path, PathBuf};

use serde_json::{Map, Number, Value, json};

use document::{Document, Masked, last};
use earlier::{BeforeUs, given_back};

pub use faults::{Fault, faults};
pub use status_line::status_line_command;
pub use survey::{Entry, Flag, Group, Named, Survey, survey};
pub use team_line::{CONFIG_DIR_IN_SHELL, team_line};
pub use user_file::{Backup, FileError, KEEP_BACKUPS, UserFile, remove_abandoned_of};

/// A byte order mark, which some editors put first and must find again.
const BOM: char = '\u{feff}';

/// Beginning of our shell lines, before a name: a command that does nothing.
pub const SHELL_MARK: &str = ": barbless ";

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct Refused {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The reason.
    pub why: String,
}

/// Marks of our parts of a text.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// Folder of our binaries.
    pub folder: &'a Path,
    /// Former folders: a moved home leaves entries behind.
    pub former_folders: &'a [PathBuf],
    /// The names of our binaries.
    pub binaries: &'a [String],
    /// The permission rules that were added for us; the same rule of the user's own looks no different.
    pub rules: &'a [String],
    /// The status line that ours took the place of, as it was written.
    pub status_line_before: Option<&'a str>,
}

/// The parts of ours that the text shall hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Hook entries.
    pub hooks: Vec<Registration>,
    /// Permission rules under `permissions.allow`.
    pub rules: Vec<String>,
    /// The status line's command, and whether it may take another one's place.
    pub status_line: Option<StatusLine>,
    /// Entries that are there already are left as they are written, right or not.
    pub leaves_entries: bool,
}

/// A status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// The shell line that prints it.
    pub command: String,
    /// It takes the place of somebody else's.
    pub replaces: bool,
}

/// An entry that shall be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The event.
    pub event: String,
    /// Tools, sources or reasons; `None` means all.
    pub matcher: Option<String>,
    /// Program.
    pub program: Program,
    /// After how many seconds the client goes on without it; `None`: as the client has it.
    pub timeout_secs: Option<Number>,
    /// Message that Claude Code shows while it waits; `None` keeps the present one.
    pub status_message: Option<String>,
}

/// Program of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program by its absolute path, without a shell and without arguments.
    Path(String),
    /// A line for the shell that begins with [`SHELL_MARK`] and a name.
    Shell(String),
}

/// The parts of ours that a text holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Present {
    /// Hook entries, in the order of the file.
    pub hooks: Vec<Registered>,
    /// Every permission rule under `permissions.allow`, the user's included.
    pub rules: Vec<String>,
    /// The status line, whoever's it is.
    pub status_line: Option<StatusLineThere>,
    /// `disableAllHooks` is true: the client runs no hook.
    pub disables_all_hooks: bool,
}

/// The status line that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLineThere {
    /// Value as written.
    pub raw: String,
    /// Shell line, if it has one.
    pub command: Option<String>,
    /// It is of the type `command`, the one the client has, and has a shell line.
    pub is_command: bool,
    /// It runs a binary of ours.
    pub is_ours: bool,
}

/// An entry of ours that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Registered {
    /// Name of our binary, or the name after the mark of a shell line.
    pub name: String,
    /// The event.
    pub event: String,
    /// As written; `None` where there is none.
    pub matcher: Option<String>,
    /// Program.
    pub program: Program,
    /// Arguments.
    pub args: Vec<String>,
    /// As written, in seconds.
    pub timeout_secs: Option<Number>,
    /// Message that Claude Code shows while it waits.
    pub status_message: Option<String>,
    /// Keys of the entry that would keep it from doing what it promises, such as `async`, or that are not known.
    pub harmful_keys: Vec<String>,
}

/// The text in which exactly `wanted` is there of ours; `None` where there shall be no file. What is right already stays
/// where and as it is once the user has changed something; a file that only we have changed has the bytes it would have
/// if nothing but `wanted` had ever been put into it.
///
/// `earlier` are texts the file had before, newest first (`None`: it did not exist). They tell which of the two it is, and
/// whether an empty list that is left was made by us or stood there before.
///
/// # Errors
/// If the text is not plain JSON of the shape the client documents, a key that matters stands twice, or `wanted` names a
/// program that is not `owner`'s.
pub fn arrange(
    text: Option<&str>,
    owner: &Owner<'_>,
    wanted: &Wanted,
    earlier: &[Option<String>],
) -> Result<Option<String>, Refused> {
    let there = text.unwrap_or_default();
    if wanted.is_nothing() && is_blank(there) {
        return Ok(text.map(str::to_owned));
    }
    check_ours(owner, wanted)?;
    let before_us = BeforeUs::find(earlier, owner);
    let arranged = arranged(there, owner, wanted, before_us.as_ref())?;
    if arranged == there {
        return Ok(Some(arranged));
    }
    match given_back(there, owner, wanted, earlier, before_us.as_ref()) {
        Some(text) => Ok(text),
        None if before_us.is_some_and(|before| before.was_nothing_and_is_again(&arranged)) => {
            Ok(before_us.and_then(|before| before.text.map(str::to_owned)))
        }
        None => Ok(Some(arranged)),
    }
}

/// Whether two texts of one file differ in nothing but what is ours. `earlier` as in [`arrange`].
#[must_use]
pub fn differ_in_ours_only(
    left: Option<&str>,
    right: Option<&str>,
    owner: &Owner<'_>,
    earlier: &[Option<String>],
) -> bool {
    let before_us = BeforeUs::find(earlier, owner);
    let foreign = |text: Option<&str>| {
        let text = text.filter(|text| !is_blank(text)).unwrap_or("{}\n");
        arranged(text, owner, &Wanted::default(), before_us.as_ref())
    };
    foreign(left).is_ok_and(|left| foreign(right).is_ok_and(|right| left == right))
}

/// Reads our parts of a text.
///
/// # Errors
/// If the text is not plain JSON of the shape the client documents.
pub fn present(text: &str, owner: &Owner<'_>) -> Result<Present, Refused> {
    if is_blank(text) {
        return Ok(Present::default());
    }
    let masked = Masked::new(without_mark(text));
    let document = Document::parse(&masked)?;
    Ok(Present {
        hooks: entries::find(&document, owner).into_iter().map(|entry| entry.registered).collect(),
        rules: rules::there(&document),
        status_line: status_line::there(&document, owner),
        disables_all_hooks: last(&document.root, "disableAllHooks")
            .is_some_and(|property| document.value(&property.value) == json!(true)),
    })
}

/// [`arrange`] by edits alone.
fn arranged(
    text: &str,
    owner: &Owner<'_>,
    wanted: &Wanted,
    before_us: Option<&BeforeUs<'_>>,
) -> Result<String, Refused> {
    let body = without_mark(text);
    let mark = &text[..text.len() - body.len()];
    let line_end = if body.is_empty() { "\n" } else { body };
    let mut body = if body.trim().is_empty() { format!("{{}}{line_end}") } else { body.to_owned() };
    while let Some(next) = step(&body, owner, wanted, before_us)? {
        body = next;
    }
    Ok(format!("{mark}{body}"))
}

/// One edit towards what is wanted; `None` when there is nothing left to do.
fn step(
    text: &str,
    owner: &Owner<'_>,
    wanted: &Wanted,
    before_us: Option<&BeforeUs<'_>>,
) -> Result<Option<String>, Refused> {
    let masked = Masked::new(text);
    let document = Document::parse(&masked)?;
    if let Some(text) = entries::step(&document, owner, wanted, before_us) {
        return Ok(Some(text));
    }
    if let Some(text) = rules::step(&document, owner, &wanted.rules, before_us)? {
        return Ok(Some(text));
    }
    status_line::step(&document, owner, wanted.status_line.as_ref(), before_us)
}

/// Refuses what would not be found again once it is in the text.
fn check_ours(owner: &Owner<'_>, wanted: &Wanted) -> Result<(), Refused> {
    let line = wanted.status_line.as_ref().map(|line| line.command.as_str());
    let line = line.filter(|line| !status_line::is_ours(line, owner));
    let foreign =
        wanted.hooks.iter().map(|hook| &hook.program).find(|program| !entries::is_ours(program, owner));
    let command = foreign.map(|(Program::Path(command) | Program::Shell(command))| command.as_str());
    match command.or(line) {
        Some(command) => {
            Err(Refused { line: 1, column: 1, why: format!("`{command}` starts no program of ours") })
        }
        None => Ok(()),
    }
}

/// Nothing stands in the text, or nothing but white space.
fn is_blank(text: &str) -> bool {
    without_mark(text).trim().is_empty()
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

impl Registration {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let program = match &self.program {
            Program::Path(path) => vec![("command", json!(path)), ("args", json!([]))],
            Program::Shell(line) => vec![("command", json!(line))],
        };
        let kind = ("type", json!("command"));
        let timeout = self.timeout_secs.as_ref().map(|timeout_secs| ("timeout", json!(timeout_secs)));
        let message = self.status_message.as_ref().map(|message| ("statusMessage", json!(message)));
        [kind].into_iter().chain(program).chain(timeout).chain(message).collect()
    }

    /// The group that holds only this entry, as the client's settings have it.
    #[must_use]
    pub fn group(&self) -> Value {
        let entry: Map<String, Value> =
            self.keys().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        match &self.matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": [entry] }),
            None => json!({ "hooks": [entry] }),
        }
    }
}

impl Present {
    /// The same parts as [`Wanted`], so that all of it stays.
    #[must_use]
    pub fn as_wanted(&self, owner: &Owner<'_>) -> Wanted {
        let is_ours = |rule: &&String| owner.rules.contains(rule);
        let status_line = self.status_line.as_ref().filter(|there| there.is_ours);
        Wanted {
            hooks: self.hooks.iter().map(Registered::as_wanted).collect(),
            rules: self.rules.iter().filter(is_ours).cloned().collect(),
            status_line: status_line
                .and_then(|there| there.command.clone())
                .map(|command| StatusLine { command, replaces: true }),
            leaves_entries: false,
        }
    }
}

impl Wanted {
    /// Nothing of ours shall be there.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.hooks.is_empty() && self.rules.is_empty() && self.status_line.is_none()
    }
}

impl Program {
    /// Name of our binary, or the name after the mark of a shell line.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        entries::name_of(self)
    }
}

impl Registered {
    /// It is on this event, and for everything that comes up there under this matcher; the ways of writing "all" are one.
    #[must_use]
    pub fn covers(&self, event: &str, matcher: Option<&str>) -> bool {
        let (ours, is_all) = (self.matcher.as_deref(), entries::is_all);
        self.event == event && (ours == matcher || (is_all(ours) && is_all(matcher)))
    }

    /// The same entry as a [`Registration`], so that it stays.
    #[must_use]
    pub fn as_wanted(&self) -> Registration {
        Registration {
            event: self.event.clone(),
            matcher: self.matcher.clone(),
            program: self.program.clone(),
            timeout_secs: self.timeout_secs.clone(),
            status_message: self.status_message.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
