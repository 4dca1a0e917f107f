//! Edits of Claude Code's settings.json: our own parts are added, changed and removed, every other byte stays.
//!
//! [`read`] says what a text holds, [`arrange`] makes a text hold exactly what is [`Wanted`] of ours. A text that we might misread
//! is refused with line and column. [`UserFile`] reads and writes files.
//!
//! - `document`: the parsed text; one value of it set or removed by its path, in the style of the file
//! - `entries`, `parts`: hook entries; permission rules and the status line
//! - `faults`: values that make Claude Code ignore hooks
//! - `user_file`: links, lock, backup, atomic replacement

mod document;
mod entries;
mod faults;
mod parts;
mod user_file;

use std::path::PathBuf;

use jsonc_parser::ast::{Object, ObjectProp};
use serde_json::{Map, Number, Value, json};

use document::{BeforeUs, Document, last};

pub use faults::Fault;
pub use parts::{StatusLineThere, first_word, status_line_command};
pub use user_file::{Backup, Beside, FileError, KEEP_BACKUPS, UserFile, remove_abandoned};

/// A byte order mark, which some editors put first and must find again.
const BOM: char = '\u{feff}';

/// The beginning of our shell lines, before a name: a command that does nothing.
pub const SHELL_MARK: &str = ": barbless ";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {why}")]
pub struct Refused {
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    pub why: String,
}

/// Marks of our parts of a text.
#[derive(Debug, Clone, Default)]
pub struct Owner {
    /// The present and former folders of our binaries: a moved home leaves entries behind.
    pub folders: Vec<PathBuf>,
    pub binaries: Vec<String>,
    /// The permission rules that were added for us. The user's own rules may read the same.
    pub rules: Vec<String>,
    /// The status line before ours, as written.
    pub status_line_before: Option<String>,
}

/// The parts of ours that the text shall hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    pub hooks: Vec<Registration>,
    /// Permission rules under `permissions.allow`.
    pub rules: Vec<String>,
    /// The shell line that prints the status line. It replaces somebody else's.
    pub status_line: Option<String>,
    /// Existing entries stay as written, right or not.
    pub leaves_entries: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    pub event: String,
    /// Tools, sources or reasons; `None` means all.
    pub matcher: Option<String>,
    pub program: Program,
    /// After so many seconds Claude Code goes on without it; `None`: its own default.
    pub timeout_secs: Option<Number>,
    /// The message that Claude Code shows while it waits; `None` keeps the present one.
    pub status_message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program by its absolute path, without a shell and without arguments.
    Path(String),
    /// A shell line, which begins with [`SHELL_MARK`] and a name.
    Shell(String),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// Every hook entry that can be read, in the order of the text.
    pub entries: Vec<Entry>,
    pub rules: Vec<String>,
    pub status_line: Option<StatusLineThere>,
    /// Values that make Claude Code ignore hooks of the text.
    pub faults: Vec<Fault>,
    /// Why [`arrange`] refuses the text.
    pub refused: Option<Refused>,
    /// `disableAllHooks`, where it is true or false.
    pub disables_all_hooks: Option<Flag>,
    /// `allowManagedHooksOnly`, where it is true or false.
    pub allows_managed_only: Option<Flag>,
    /// `enabledPlugins`: `NAME@MARKETPLACE`, and whether it is on.
    pub plugins: Vec<(String, Flag)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    pub is_on: bool,
    pub line: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The name of our binary, or the name after the mark of our shell line; `None`: the entry is somebody else's.
    pub name: Option<String>,
    pub event: String,
    /// The matcher of its group, as written.
    pub matcher: Option<String>,
    /// The entry starts what it names.
    pub is_command: bool,
    pub command: Option<String>,
    /// Arguments; `None`: the command is a shell line.
    pub args: Option<Vec<String>>,
    /// As written, in seconds.
    pub timeout_secs: Option<Number>,
    pub status_message: Option<String>,
    /// Keys that keep the entry from running or from being heard, such as `async`, and unknown keys.
    pub harmful_keys: Vec<String>,
    pub line: usize,
}

/// Reads a text. An empty one holds nothing. Refuses what is no plain JSON object.
pub fn read(text: &str, owner: &Owner) -> Result<Contents, Refused> {
    let text = without_mark(text);
    if is_blank(text) {
        return Ok(Contents::default());
    }
    let document = Document::parse(text)?;
    let root = &document.root;
    let flag = |object: &Object<'_>, key: &str| {
        let property = last(object, key)?;
        let line = document.line(property.range.start);
        Some(Flag { is_on: property.value.as_boolean_lit()?.value, line })
    };
    let plugins = last(root, "enabledPlugins").and_then(|plugins| plugins.value.as_object());
    let named = |plugins| {
        move |one: &ObjectProp<'_>| {
            let name = one.name.as_str();
            Some((name.to_owned(), flag(plugins, name)?))
        }
    };
    Ok(Contents {
        entries: entries::find(&document, owner).into_iter().map(|found| found.entry).collect(),
        rules: parts::rules(&document),
        status_line: parts::status_line(&document, owner),
        faults: faults::find(&document),
        refused: document.check_hooks().err(),
        disables_all_hooks: flag(root, "disableAllHooks"),
        allows_managed_only: flag(root, "allowManagedHooksOnly"),
        plugins: plugins
            .map(|all| all.properties.iter().filter_map(named(all)).collect())
            .unwrap_or_default(),
    })
}

/// The text that holds exactly `wanted` of ours; `None`: there shall be no file. Right parts stay where and as they are. A file that
/// only we have changed gets the bytes back that it had when it last held the same parts.
///
/// `earlier` are texts that the file had before, newest first; `None`: it did not exist.
///
/// Refuses a text that is no plain JSON of the shape that Claude Code documents, and a relevant key that stands twice.
pub fn arrange(
    text: Option<&str>,
    owner: &Owner,
    wanted: &Wanted,
    earlier: &[Option<String>],
) -> Result<Option<String>, Refused> {
    let there = text.unwrap_or_default();
    if wanted.is_nothing() && is_blank(there) {
        return Ok(text.map(str::to_owned));
    }
    let arranged = Aim { owner, wanted, before_us: BeforeUs::find(earlier, owner) }.arranged(there)?;
    if arranged == there || wanted.leaves_entries {
        return Ok(Some(arranged));
    }
    let is_it = |text_then: &&Option<String>| {
        let then = text_then.as_deref();
        is_as_wanted(then, owner, wanted) && differ_in_ours_only(text, then, owner)
    };
    Ok(earlier.iter().find(is_it).cloned().unwrap_or(Some(arranged)))
}

/// Whether `text` and an earlier text of the file differ in nothing but our parts.
pub fn differ_in_ours_only(text: Option<&str>, earlier: Option<&str>, owner: &Owner) -> bool {
    let earlier = earlier.unwrap_or_default();
    let aim = Aim { owner, wanted: &Wanted::default(), before_us: Some(BeforeUs(earlier)) };
    let Ok(left) = aim.arranged(text.unwrap_or_default()) else { return false };
    if is_blank(earlier) {
        without_mark(&left).trim() == "{}"
    } else {
        aim.arranged(earlier).is_ok_and(|earlier| earlier == left)
    }
}

fn is_as_wanted(text: Option<&str>, owner: &Owner, wanted: &Wanted) -> bool {
    let text = text.unwrap_or_default();
    let is_unchanged =
        || Aim { owner, wanted, before_us: None }.arranged(text).is_ok_and(|arranged| arranged == text);
    if is_blank(text) { wanted.is_nothing() } else { is_unchanged() }
}

/// The text after one edit towards the aim; `None`: nothing is left to do.
type Edited = Result<Option<String>, Refused>;

struct Aim<'a> {
    owner: &'a Owner,
    wanted: &'a Wanted,
    before_us: Option<BeforeUs<'a>>,
}

impl Aim<'_> {
    /// [`arrange`] by edits alone.
    fn arranged(&self, text: &str) -> Result<String, Refused> {
        let body = without_mark(text);
        let mark = &text[..text.len() - body.len()];
        let line_end = if body.is_empty() { "\n" } else { body };
        let mut body = if is_blank(body) { format!("{{}}{line_end}") } else { body.to_owned() };
        while let Some(next) = self.step(&body)? {
            body = next;
        }
        Ok(format!("{mark}{body}"))
    }

    fn step(&self, text: &str) -> Edited {
        let document = Document::parse(text)?;
        document.check_hooks()?;
        for step in [Self::step_of_entries, Self::step_of_rules, Self::step_of_status_line] {
            if let Some(text) = step(self, &document)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}

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

    /// The group that holds only this entry, as JSON.
    pub fn group(&self) -> Value {
        let entry: Map<String, Value> =
            self.keys().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        match &self.matcher {
            Some(matcher) => json!({ "matcher": matcher, "hooks": [entry] }),
            None => json!({ "hooks": [entry] }),
        }
    }
}

impl Contents {
    pub fn ours(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.name.is_some())
    }

    /// Our parts as [`Wanted`], so that all of them stay.
    pub fn as_wanted(&self, owner: &Owner) -> Wanted {
        let is_ours = |rule: &&String| owner.rules.contains(rule);
        let line = self.status_line.as_ref().filter(|there| there.is_ours);
        Wanted {
            hooks: self.ours().map(Entry::as_wanted).collect(),
            rules: self.rules.iter().filter(is_ours).cloned().collect(),
            status_line: line.and_then(|there| there.command.clone()),
            leaves_entries: false,
        }
    }
}

impl Wanted {
    pub fn is_nothing(&self) -> bool {
        self.hooks.is_empty() && self.rules.is_empty() && self.status_line.is_none()
    }
}

#[cfg(test)]
mod tests;
