//! Which hook entries are ours: exec form (`args` is a list), a program named like one of our binaries, in the folder we
//! deploy to or, stale or foreign, in another folder called `hooks`. Everything else is somebody else's.

use std::path::Path;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::{Range, Ranged};

use super::document::{Document, property};
use super::splice::Level;
use super::{Owner, Registered, Registration};

/// One entry of ours and where it stands.
pub(super) struct Entry<'b, 'a> {
    pub(super) registered: Registered,
    pub(super) object: &'b Object<'a>,
    /// The lists and objects around it, from the inside out.
    pub(super) levels: Vec<Level>,
}

impl Entry<'_, '_> {
    /// It is the entry for this registration, if perhaps not up to date.
    pub(super) fn serves(&self, wanted: &Registration) -> bool {
        let ours = &self.registered;
        let all = |matcher: &Option<String>| {
            matcher.clone().filter(|matcher| !matcher.is_empty() && matcher != "*")
        };
        ours.event == wanted.event
            && all(&ours.matcher) == all(&wanted.matcher)
            && Some(ours.binary.as_str()) == program(&wanted.command)
    }
}

/// Our entries, in the order of the text.
pub(super) fn find<'b, 'a>(document: &'b Document<'a>, owner: &Owner<'_>) -> Vec<Entry<'b, 'a>> {
    let Some(hooks) = document.hooks() else { return Vec::new() };
    let mut found = Vec::new();
    for (event_index, event) in hooks.properties.iter().enumerate() {
        let Value::Array(groups) = &event.value else { continue };
        for (group_index, group) in groups.elements.iter().enumerate() {
            let Some((group, entries)) =
                group.as_object().and_then(|group| Some((group, entries_of(group)?)))
            else {
                continue;
            };
            for (entry_index, entry) in entries.elements.iter().enumerate() {
                let Some(object) = entry.as_object() else { continue };
                let Some(mut registered) = ours(document, object, owner) else { continue };
                event.name.as_str().clone_into(&mut registered.event);
                registered.matcher = text_of(group, "matcher");
                let levels = vec![
                    level(entries.range, &entries.elements, entry_index),
                    level(groups.range, &groups.elements, group_index),
                    level(hooks.range, &hooks.properties, event_index),
                    level(document.root.range, &document.root.properties, hooks_index(document)),
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
    let args = property(object, "args")?.value.as_array()?;
    let binary =
        program(&command).filter(|name| owner.binaries.iter().any(|binary| binary == name))?.to_owned();
    if kind.is_some_and(|kind| kind != "command") || !is_our_folder(&command, owner) {
        return None;
    }
    let text = |value: &Value<'_>| value.as_string_lit().map(|text| text.value.clone().into_owned());
    Some(Registered {
        binary,
        event: String::new(),
        matcher: None,
        command,
        args: args.elements.iter().filter_map(text).collect(),
        timeout_secs: property(object, "timeout").and_then(|timeout| document.value(&timeout.value).as_f64()),
    })
}

/// The program's name: the last part of its path, without what Windows appends.
fn program(command: &str) -> Option<&str> {
    let name = command.rsplit(['/', '\\']).next()?;
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

fn is_our_folder(command: &str, owner: &Owner<'_>) -> bool {
    let Some((folder, _)) = command.rsplit_once(['/', '\\']) else { return false };
    // A home that was moved leaves entries behind; any other folder of that name is somebody else's.
    let in_some_home = folder
        .strip_suffix("hooks")
        .is_some_and(|above| above.trim_end_matches(['/', '\\']).ends_with(".claude"));
    Path::new(folder) == owner.folder || in_some_home
}

fn entries_of<'b, 'a>(group: &'b Object<'a>) -> Option<&'b jsonc_parser::ast::Array<'a>> {
    property(group, "hooks")?.value.as_array()
}

fn text_of(object: &Object<'_>, key: &str) -> Option<String> {
    Some(property(object, key)?.value.as_string_lit()?.value.clone().into_owned())
}

fn hooks_index(document: &Document<'_>) -> usize {
    document.root.properties.iter().position(|property| property.name.as_str() == "hooks").unwrap_or_default()
}

fn level<T: Ranged>(container: Range, items: &[T], index: usize) -> Level {
    Level { container, siblings: items.iter().map(Ranged::range).collect(), index }
}
