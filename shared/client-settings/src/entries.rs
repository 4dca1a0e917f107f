//! Our hook entries: a program named like one of our binaries, started without a shell, in a folder that we deploy to or did;
//! or a shell line with our mark and a name. Everything else is somebody else's.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};

use super::document::Document;
use super::earlier::BeforeUs;
use super::splice::{Level, insert_element, insert_property, remove, remove_element};
use super::{Owner, Program, Registered, Registration, SHELL_MARK, Wanted};

/// Longer names of hooks there are not, in bytes.
const MAX_NAME: usize = 64;

/// One entry of ours and where it stands.
pub(super) struct Entry<'b, 'a> {
    pub(super) registered: Registered,
    object: &'b Object<'a>,
    /// The lists and objects around it, from the inside out.
    levels: Vec<Level>,
}

/// One edit towards these entries; `None` when there is nothing left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: &Wanted,
    before_us: Option<&BeforeUs<'_>>,
) -> Option<String> {
    let mut missing: Vec<&Registration> = wanted.hooks.iter().collect();
    for entry in find(document, owner) {
        match missing.iter().position(|wanted| entry.serves(wanted)) {
            None => return Some(remove(document, &entry.levels, before_us)),
            Some(index) => {
                let registration = missing.remove(index);
                if wanted.leaves_entries {
                    continue;
                }
                if let Some(text) = corrected(document, &entry, registration) {
                    return Some(text);
                }
            }
        }
    }
    // Into lists that are there before new ones are made, and in the order of the text: where something is put decides how
    // its neighbours are indented, so the same parts must come in one order, however they are named.
    let place = |registration: &&&Registration| {
        let mut events = document.hooks().into_iter().flat_map(|hooks| &hooks.properties);
        events.position(|event| event.name.as_str() == registration.event).unwrap_or(usize::MAX)
    };
    missing.iter().min_by_key(place).map(|registration| add(document, registration))
}

/// The text with one wrong, missing or harmful key of `entry` put right; `None` if the entry is as wanted.
fn corrected(document: &Document<'_>, entry: &Entry<'_, '_>, wanted: &Registration) -> Option<String> {
    let is_exec = matches!(wanted.program, Program::Path(_));
    if let Some(name) = harmful(document, entry.object, is_exec).first() {
        return Some(remove_element(document, &Level::of_property(entry.object, name, &[])));
    }
    for (key, value) in wanted.keys() {
        match entry.object.get(key) {
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
        let hooks = serde_json::json!({ &registration.event: [group] });
        return insert_property(document, &document.root, "hooks", &hooks);
    };
    match hooks.get(&registration.event).map(|event| &event.value) {
        Some(Value::Array(groups)) => insert_element(document, groups, &group),
        Some(nothing) => document.replace(nothing, &serde_json::json!([group]).to_string()),
        None => insert_property(document, hooks, &registration.event, &serde_json::json!([group])),
    }
}

impl Entry<'_, '_> {
    /// It is the entry for this registration, if perhaps not up to date.
    pub(super) fn serves(&self, wanted: &Registration) -> bool {
        let ours = &self.registered;
        // Changed key by key from one form to the other, it would be nobody's in between.
        let is_same_form = matches!(
            (&ours.program, &wanted.program),
            (Program::Path(_), Program::Path(_)) | (Program::Shell(_), Program::Shell(_))
        );
        is_same_form
            && ours.covers(&wanted.event, wanted.matcher.as_deref())
            && Some(ours.name.as_str()) == name_of(&wanted.program)
    }
}

/// Our entries, in the order of the text.
pub(super) fn find<'b, 'a>(document: &'b Document<'a>, owner: &Owner<'_>) -> Vec<Entry<'b, 'a>> {
    let Some(hooks) = document.hooks() else { return Vec::new() };
    let mut found = Vec::new();
    for event in &hooks.properties {
        let Value::Array(groups) = &event.value else { continue };
        for (group_index, group) in groups.elements.iter().enumerate() {
            let Some((group, entries)) =
                group.as_object().and_then(|group| Some((group, group.get_array("hooks")?)))
            else {
                continue;
            };
            for (entry_index, entry) in entries.elements.iter().enumerate() {
                let Some(object) = entry.as_object() else { continue };
                let Some(mut registered) = ours(document, object, owner) else { continue };
                event.name.as_str().clone_into(&mut registered.event);
                registered.matcher = text_of(group, "matcher");
                let key = event.name.as_str();
                let levels = vec![
                    Level::of_elements(entries, entry_index, None),
                    Level::of_elements(groups, group_index, Some(&["hooks", key])),
                    Level::of_property(hooks, key, &["hooks"]),
                    Level::of_property(&document.root, "hooks", &[]),
                ];
                found.push(Entry { registered, object, levels });
            }
        }
    }
    found
}

/// The entry as data, event and matcher still open; `None` if it is not ours.
fn ours(document: &Document<'_>, object: &Object<'_>, owner: &Owner<'_>) -> Option<Registered> {
    let kind = text_of(object, "type");
    let command = text_of(object, "command")?;
    let args = object.get_array("args");
    let program = if command.starts_with(SHELL_MARK) {
        Program::Shell(command)
    } else if args.is_some() {
        Program::Path(command)
    } else {
        return None;
    };
    if !is_ours(&program, owner) || kind.is_some_and(|kind| kind != "command") {
        return None;
    }
    let text = |value: &Value<'_>| value.as_string_lit().map(|text| text.value.clone().into_owned());
    let is_exec = matches!(program, Program::Path(_));
    Some(Registered {
        name: name_of(&program)?.to_owned(),
        event: String::new(),
        matcher: None,
        program,
        args: args.map(|args| args.elements.iter().filter_map(text).collect()).unwrap_or_default(),
        timeout_secs: object
            .get("timeout")
            .and_then(|timeout| document.value(&timeout.value).as_number().cloned()),
        status_message: text_of(object, "statusMessage"),
        harmful_keys: harmful(document, object, is_exec).into_iter().map(str::to_owned).collect(),
    })
}

/// Keys that may keep an entry from running or from being heard, and unknown keys. `is_exec`: the entry starts a program, no
/// shell.
pub(super) fn harmful<'o>(document: &Document<'_>, object: &'o Object<'_>, is_exec: bool) -> Vec<&'o str> {
    let properties = object.properties.iter();
    let wrong =
        properties.filter(|one| !is_harmless(one.name.as_str(), &document.value(&one.value), is_exec));
    wrong.map(|one| one.name.as_str()).collect()
}

fn is_harmless(key: &str, value: &serde_json::Value, is_exec: bool) -> bool {
    match key {
        // The first four are compared with what they should be; the others change nothing of what is heard.
        "type" | "command" | "timeout" | "statusMessage" | "onFailure" | "rewakeMessage"
        | "rewakeSummary" => true,
        "args" => is_exec,
        "async" | "asyncRewake" | "once" | "holdsTools" => *value == false,
        "if" => *value == "",
        "shell" => is_exec || *value == "bash",
        _ => false,
    }
}

/// The matcher lets everything through.
pub(super) fn is_all(matcher: Option<&str>) -> bool {
    matcher.is_none_or(|matcher| ["", "*", ".*"].contains(&matcher))
}

/// An entry that starts this would be found to be ours.
pub(super) fn is_ours(program: &Program, owner: &Owner<'_>) -> bool {
    match program {
        Program::Path(path) => is_own_program(path, owner),
        Program::Shell(line) => line.starts_with(SHELL_MARK),
    }
}

/// The command is the path of one of our binaries.
pub(super) fn is_own_program(command: &str, owner: &Owner<'_>) -> bool {
    let is_named = |name: &str| owner.binaries.iter().any(|binary| binary == name);
    program(command).is_some_and(is_named) && is_our_folder(command, owner)
}

pub(super) fn name_of(program: &Program) -> Option<&str> {
    match program {
        Program::Path(path) => self::program(path),
        // Another name is not ours: a shell would run it as a part of a line.
        Program::Shell(line) => {
            line.strip_prefix(SHELL_MARK)?.split([';', ' ']).next().filter(|name| is_name(name))
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= MAX_NAME && !name.starts_with('-') && name.bytes().all(fits)
}

/// The program's name: the last part of its path, without what Windows appends.
fn program(command: &str) -> Option<&str> {
    let name = command.rsplit(['/', '\\']).next()?;
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

fn is_our_folder(command: &str, owner: &Owner<'_>) -> bool {
    let Some((folder, _)) = command.rsplit_once(['/', '\\']) else { return false };
    let folder = Path::new(folder);
    folder == owner.folder || owner.former_folders.iter().any(|former| former == folder)
}

fn text_of(object: &Object<'_>, key: &str) -> Option<String> {
    Some(object.get_string(key)?.value.clone().into_owned())
}
