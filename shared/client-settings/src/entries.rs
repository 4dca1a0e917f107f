//! Hook entries. An entry is ours if it starts a program named like one of our binaries, without a shell, in a present or former
//! folder of ours, or if it is a shell line with our mark and a name.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};

use super::document::{Document, END, Step, elements, last, text, text_of};
use super::{Aim, Edited, Entry, Owner, Program, Registration, SHELL_MARK};

pub(super) struct Found<'b, 'a> {
    pub(super) entry: Entry,
    object: &'b Object<'a>,
    path: [Step<'b>; 5],
}

impl Aim<'_> {
    pub(super) fn step_of_entries(&self, document: &Document<'_>) -> Edited {
        let Self { owner, wanted, before_us } = *self;
        // An entry that is not recognized as ours would be added again and again.
        let mut missing: Vec<&Registration> =
            wanted.hooks.iter().filter(|hook| owner.starts(&hook.program)).collect();
        for found in find(document, owner).iter().filter(|found| found.entry.name.is_some()) {
            let Some(index) = missing.iter().position(|wanted| found.entry.serves(wanted)) else {
                return Ok(Some(document.remove(&found.path, before_us)));
            };
            let registration = missing.remove(index);
            if !wanted.leaves_entries
                && let Some(text) = corrected(document, found, registration)?
            {
                return Ok(Some(text));
            }
        }
        // A group of its own: other people's groups stay as they are.
        let add = |wanted: &&Registration| {
            document.set(&[Step::Key("hooks"), Step::Key(&wanted.event), END], &wanted.group())
        };
        missing.first().map(add).transpose()
    }
}

/// The text with one wrong, missing or harmful key put right; `None`: the entry is as wanted.
fn corrected(document: &Document<'_>, found: &Found<'_, '_>, wanted: &Registration) -> Edited {
    let at = |key| [&found.path[..], &[Step::Key(key)]].concat();
    if let Some(key) = found.entry.harmful_keys.first() {
        return Ok(Some(document.remove(&at(key), None)));
    }
    let is_right = |(key, value): &(&str, serde_json::Value)| {
        found.object.get(key).is_some_and(|property| document.value(&property.value) == *value)
    };
    let wrong = wanted.keys().into_iter().find(|pair| !is_right(pair));
    wrong.map(|(key, value)| document.set(&at(key), &value)).transpose()
}

pub(super) fn find<'b, 'a>(document: &'b Document<'a>, owner: &Owner) -> Vec<Found<'b, 'a>> {
    let hooks = last(&document.root, "hooks").and_then(|hooks| hooks.value.as_object());
    let mut all = Vec::new();
    for event in hooks.into_iter().flat_map(|hooks| &hooks.properties) {
        for (group_index, group) in elements(Some(event)).iter().enumerate() {
            let Some(group) = group.as_object() else { continue };
            for (index, object) in elements(last(group, "hooks")).iter().enumerate() {
                let Some(object) = object.as_object() else { continue };
                let key = event.name.as_str();
                let entry = Entry {
                    event: key.to_owned(),
                    matcher: text_of(group, "matcher"),
                    ..read(document, object, owner)
                };
                let items = [Step::Item(group_index), Step::Key("hooks"), Step::Item(index)];
                let path = [Step::Key("hooks"), Step::Key(key), items[0], items[1], items[2]];
                all.push(Found { entry, object, path });
            }
        }
    }
    all
}

/// The entry as data, without its event and matcher.
fn read(document: &Document<'_>, object: &Object<'_>, owner: &Owner) -> Entry {
    let args = last(object, "args").and_then(|args| args.value.as_array());
    let timeout = last(object, "timeout").map(|timeout| document.value(&timeout.value));
    let mut entry = Entry {
        is_command: text_of(object, "type").is_none_or(|kind| kind == "command"),
        command: text_of(object, "command"),
        args: args.map(|args| args.elements.iter().filter_map(text).collect()),
        timeout_secs: timeout.and_then(|timeout| timeout.as_number().cloned()),
        status_message: text_of(object, "statusMessage"),
        line: document.line(object.range.start),
        ..Entry::default()
    };
    if let Some(program) = entry.program().filter(|program| entry.is_command && owner.starts(program)) {
        let is_exec = matches!(program, Program::Path(_));
        let is_harmful = |key: &str, value: &Value<'_>| !is_harmless(key, &document.value(value), is_exec);
        let harmful = object.properties.iter().filter(|one| is_harmful(one.name.as_str(), &one.value));
        entry.harmful_keys = harmful.map(|one| one.name.as_str().to_owned()).collect();
        entry.name = program.name();
    }
    entry
}

/// `is_exec`: the entry starts a program, no shell.
fn is_harmless(key: &str, value: &serde_json::Value, is_exec: bool) -> bool {
    match key {
        // The first four are compared with the wanted values; the others change nothing of what is heard.
        "type" | "command" | "timeout" | "statusMessage" | "onFailure" | "rewakeMessage"
        | "rewakeSummary" => true,
        "args" => is_exec,
        "async" | "asyncRewake" | "once" | "holdsTools" => *value == false,
        "if" => *value == "",
        "shell" => is_exec || *value == "bash",
        _ => false,
    }
}

impl Entry {
    /// The program that the entry starts; `None`: a shell line without our mark, or no command.
    pub fn program(&self) -> Option<Program> {
        let command = self.command.clone()?;
        if command.starts_with(SHELL_MARK) {
            return Some(Program::Shell(command));
        }
        self.args.as_ref().map(|_| Program::Path(command))
    }

    /// The entry is on this event, for everything that comes up there under this matcher. All ways to write "all" are one.
    pub fn covers(&self, event: &str, matcher: Option<&str>) -> bool {
        let is_all = |matcher: Option<&str>| matcher.is_none_or(|matcher| ["", "*", ".*"].contains(&matcher));
        let ours = self.matcher.as_deref();
        self.event == event && (ours == matcher || (is_all(ours) && is_all(matcher)))
    }

    /// The entry as a [`Registration`], so that it stays.
    pub(super) fn as_wanted(&self) -> Registration {
        Registration {
            event: self.event.clone(),
            matcher: self.matcher.clone(),
            program: self.program().unwrap_or_else(|| Program::Shell(String::new())),
            timeout_secs: self.timeout_secs.clone(),
            status_message: self.status_message.clone(),
        }
    }

    /// The entry is the one for this registration, perhaps an outdated one.
    fn serves(&self, wanted: &Registration) -> bool {
        // Changed key by key from a path to a shell line, the entry would be nobody's in between.
        let is_same_form =
            matches!(self.program(), Some(Program::Path(_))) == matches!(wanted.program, Program::Path(_));
        is_same_form
            && self.covers(&wanted.event, wanted.matcher.as_deref())
            && self.name == wanted.program.name()
    }
}

impl Owner {
    /// An entry that starts this program is ours.
    pub(super) fn starts(&self, program: &Program) -> bool {
        match program {
            Program::Path(path) => self.owns(path),
            Program::Shell(_) => program.name().is_some_and(|name| self.binaries.contains(&name)),
        }
    }

    /// The command is the path of one of our binaries.
    pub(super) fn owns(&self, command: &str) -> bool {
        let Some((folder, _)) = command.rsplit_once(['/', '\\']) else { return false };
        self.folders.iter().any(|ours| ours == Path::new(folder))
            && self.binaries.iter().any(|binary| binary == file_name(command))
    }
}

impl Program {
    /// The name of our binary, or the name after the mark of a shell line.
    pub fn name(&self) -> Option<String> {
        let name = match self {
            Self::Path(path) => file_name(path),
            Self::Shell(line) => line.strip_prefix(SHELL_MARK)?.split([';', ' ']).next()?,
        };
        Some(name.to_owned())
    }
}

/// The last part of a path, without what Windows appends.
fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}
