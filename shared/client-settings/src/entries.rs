//! Hook entries. An entry is ours if it starts a program named like one of our binaries, without a shell, in a present or former
//! folder of ours, or if it is a shell line with our mark and a name.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};
use serde_json::json;

use super::before::BeforeUs;
use super::document::{Document, elements, last, text, text_of};
use super::splice::{Level, insert_element, insert_property, remove, remove_item};
use super::{Entry, Owner, Program, Registration, SHELL_MARK, Wanted};

/// The longest name of a hook, in bytes.
const MAX_NAME: usize = 64;

/// An entry and its place.
pub(super) struct Found<'b, 'a> {
    pub(super) entry: Entry,
    object: &'b Object<'a>,
    /// The containers, from the inside out.
    levels: Vec<Level>,
}

/// One edit towards the wanted entries; `None`: nothing is left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: &Wanted,
    before_us: Option<&BeforeUs<'_>>,
) -> Option<String> {
    let mut missing: Vec<&Registration> = wanted.hooks.iter().collect();
    for found in find(document, owner).iter().filter(|found| found.entry.name.is_some()) {
        let Some(index) = missing.iter().position(|wanted| found.entry.serves(wanted)) else {
            return Some(remove(document, &found.levels, before_us));
        };
        let registration = missing.remove(index);
        if let Some(text) =
            (!wanted.leaves_entries).then(|| corrected(document, found, registration)).flatten()
        {
            return Some(text);
        }
    }
    missing.first().map(|registration| add(document, registration))
}

/// The text with one wrong, missing or harmful key put right; `None`: the entry is as wanted.
fn corrected(document: &Document<'_>, found: &Found<'_, '_>, wanted: &Registration) -> Option<String> {
    let Found { entry, object, .. } = found;
    if let Some(name) = entry.harmful_keys.first() {
        return Some(remove_item(document, &Level::of_property(object, name, &[])));
    }
    for (key, value) in wanted.keys() {
        match object.get(key) {
            None => return Some(insert_property(document, object, key, &value)),
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
    let (event, group) = (&registration.event, registration.group());
    let Some(hooks) = document.root.get_object("hooks") else {
        return insert_property(document, &document.root, "hooks", &json!({ event: [group] }));
    };
    match hooks.get(event).map(|event| &event.value) {
        Some(Value::Array(groups)) => insert_element(document, groups, &group),
        Some(nothing) => document.replace(nothing, &json!([group]).to_string()),
        None => insert_property(document, hooks, event, &json!([group])),
    }
}

/// Every entry, in the order of the text.
pub(super) fn find<'b, 'a>(document: &'b Document<'a>, owner: &Owner<'_>) -> Vec<Found<'b, 'a>> {
    let root = &document.root;
    let Some(hooks) = last(root, "hooks").and_then(|hooks| hooks.value.as_object()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for event in &hooks.properties {
        let Value::Array(groups) = &event.value else { continue };
        let key = event.name.as_str();
        for (group_index, group) in groups.elements.iter().enumerate() {
            let Some(group) = group.as_object() else { continue };
            let Some(list) = last(group, "hooks").and_then(|entries| entries.value.as_array()) else {
                continue;
            };
            for (index, object) in list.elements.iter().enumerate() {
                let Some(object) = object.as_object() else { continue };
                let mut entry = read(document, object, owner);
                (entry.event, entry.matcher) = (key.to_owned(), text_of(group, "matcher"));
                let levels = vec![
                    Level::of_element(list, index, None),
                    Level::of_element(groups, group_index, Some(&["hooks", key])),
                    Level::of_property(hooks, key, &["hooks"]),
                    Level::of_property(root, "hooks", &[]),
                ];
                found.push(Found { entry, object, levels });
            }
        }
    }
    found
}

/// The entry as data, without its event and matcher.
fn read(document: &Document<'_>, object: &Object<'_>, owner: &Owner<'_>) -> Entry {
    let is_command = text_of(object, "type").is_none_or(|kind| kind == "command");
    let has_args = last(object, "args").is_some_and(|args| args.value.as_array().is_some());
    let args = || elements(last(object, "args")).iter().filter_map(text).collect();
    let timeout = last(object, "timeout").map(|timeout| document.value(&timeout.value));
    let mut entry = Entry {
        is_command,
        command: text_of(object, "command"),
        args: has_args.then(args),
        timeout_secs: timeout.and_then(|timeout| timeout.as_number().cloned()),
        status_message: text_of(object, "statusMessage"),
        line: document.line(object.range.start),
        ..Entry::default()
    };
    if is_command {
        let program = entry.program();
        let is_exec = matches!(program, Some(Program::Path(_)));
        entry.harmful_keys = harmful(document, object, is_exec);
        entry.name = program.filter(|program| owner.starts(program)).and_then(|program| program.name());
    }
    entry
}

fn harmful(document: &Document<'_>, object: &Object<'_>, is_exec: bool) -> Vec<String> {
    let properties = object.properties.iter();
    let wrong =
        properties.filter(|one| !is_harmless(one.name.as_str(), &document.value(&one.value), is_exec));
    wrong.map(|one| one.name.as_str().to_owned()).collect()
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

fn is_all(matcher: Option<&str>) -> bool {
    matcher.is_none_or(|matcher| ["", "*", ".*"].contains(&matcher))
}

impl Owner<'_> {
    /// An entry that starts this program is ours.
    pub(super) fn starts(&self, program: &Program) -> bool {
        match program {
            Program::Path(path) => self.owns(path),
            Program::Shell(_) => program.name().is_some(),
        }
    }

    /// The command is the path of one of our binaries.
    pub(super) fn owns(&self, command: &str) -> bool {
        let Some((folder, _)) = command.rsplit_once(['/', '\\']) else { return false };
        let folder = Path::new(folder);
        let is_ours = folder == self.folder || self.former_folders.iter().any(|former| former == folder);
        is_ours && self.binaries.iter().any(|binary| binary == file_name(command))
    }
}

impl Program {
    /// The name of our binary, or the name after the mark of a shell line.
    pub fn name(&self) -> Option<String> {
        let name = match self {
            Self::Path(path) => file_name(path),
            Self::Shell(line) => line.strip_prefix(SHELL_MARK)?.split([';', ' ']).next()?,
        };
        // A shell would run another name as a part of its line.
        (matches!(self, Self::Path(_)) || is_name(name)).then(|| name.to_owned())
    }
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('-') && name.bytes().all(fits)
}

/// The last part of a path, without what Windows appends.
fn file_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name)
}
