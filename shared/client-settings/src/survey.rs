//! Everything a settings text registers, whoever's it is, and what decides whether any of it runs: for telling, not for
//! editing. What editing refuses (an event that is no list, a key that stands twice) is read here as far as it goes.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use serde_json::Number;

use super::document::{Document, Masked, last};
use super::entries::harmful;
use super::faults::{Fault, of_group};
use super::{Refused, is_blank, neighbours, without_mark};

/// Content of a settings file, or of a plugin's `hooks.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The events that are named, in the order of the text.
    pub events: Vec<Named>,
    /// The groups of entries, with their matchers.
    pub groups: Vec<Group>,
    /// Every entry that can be read.
    pub entries: Vec<Entry>,
    /// Parts that Claude Code cannot read.
    pub faults: Vec<Fault>,
    /// The names under `env`; never a value, which may be a secret.
    pub env: Vec<Named>,
    /// `disableAllHooks`, where it is true or false.
    pub disables_all_hooks: Option<Flag>,
    /// `allowManagedHooksOnly`, where it is true or false.
    pub allows_managed_only: Option<Flag>,
    /// `enabledPlugins`: `NAME@MARKETPLACE`, and whether it is on.
    pub plugins: Vec<(String, Flag)>,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Counted from 1.
    pub line: usize,
}

/// A switch and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// Line.
    pub is_on: bool,
    /// Counted from 1.
    pub line: usize,
}

/// A group of entries of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The event.
    pub event: String,
    /// As written; `None` where there is none.
    pub matcher: Option<String>,
    /// The matcher's line, else the group's; counted from 1.
    pub line: usize,
}

/// One entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// The event.
    pub event: String,
    /// The matcher of its group.
    pub matcher: Option<String>,
    /// It is of the type that starts what it names; entries of other types do not.
    pub is_command: bool,
    /// Program.
    pub command: Option<String>,
    /// Arguments; with `None` the command is a line for a shell.
    pub args: Option<Vec<String>>,
    /// As written, in seconds.
    pub timeout_secs: Option<Number>,
    /// Message that Claude Code shows while it waits.
    pub status_message: Option<String>,
    /// Keys with which it may not run, or not be heard.
    pub harmful_keys: Vec<String>,
    /// Counted from 1.
    pub line: usize,
}

/// Reads a text. An empty one holds nothing.
///
/// # Errors
/// If the text is no plain JSON object.
pub fn survey(text: &str) -> Result<Survey, Refused> {
    if is_blank(text) {
        return Ok(Survey::default());
    }
    let masked = Masked::new(without_mark(text));
    let document = Document::parse_loosely(&masked)?;
    let line = |node: &dyn Ranged| document.line(node.start());
    let flag = |object: &Object<'_>, key: &str| {
        let property = last(object, key)?;
        Some(Flag { is_on: property.value.as_boolean_lit()?.value, line: line(&property.value) })
    };
    let mut found = Survey {
        disables_all_hooks: flag(&document.root, "disableAllHooks"),
        allows_managed_only: flag(&document.root, "allowManagedHooksOnly"),
        ..Survey::default()
    };
    if let Some(env) = last(&document.root, "env").and_then(|env| env.value.as_object()) {
        let named = |name: &str, node: &dyn Ranged| Named { name: name.to_owned(), line: line(node) };
        found.env = env.properties.iter().map(|one| named(one.name.as_str(), one)).collect();
    }
    if let Some(plugins) = last(&document.root, "enabledPlugins").and_then(|one| one.value.as_object()) {
        let names = plugins.properties.iter().map(|one| one.name.as_str());
        found.plugins = names.filter_map(|name| Some((name.to_owned(), flag(plugins, name)?))).collect();
    }
    let mut reader = Reader { document: &document, found: &mut found };
    reader.neighbours();
    reader.hooks();
    Ok(found)
}

struct Reader<'a, 'b> {
    document: &'a Document<'b>,
    found: &'a mut Survey,
}

impl Reader<'_, '_> {
    fn neighbours(&mut self) {
        for (at, what) in neighbours::wrong(&self.document.root) {
            self.fault("", at, what);
        }
    }

    fn hooks(&mut self) {
        let document = self.document;
        match last(&document.root, "hooks").map(|hooks| &hooks.value) {
            Some(Value::Object(events)) => {
                events.properties.iter().for_each(|event| self.event(event.name.as_str(), &event.value));
            }
            Some(other) => self.fault("", other.start(), "`hooks` must be an object, `{ ... }`"),
            None => {}
        }
    }

    fn event(&mut self, name: &str, groups: &Value<'_>) {
        let line = self.line(groups.start());
        self.found.events.push(Named { name: name.to_owned(), line });
        // The client takes null for nothing.
        if groups.as_null_keyword().is_some() {
            return;
        }
        let Value::Array(groups) = groups else {
            self.fault(name, groups.start(), "an event needs a list of groups, `[ ... ]`");
            return;
        };
        for group in &groups.elements {
            for (at, what) in of_group(group) {
                self.fault(name, at, what);
            }
            if let Value::Object(group) = group {
                self.group(name, group);
            }
        }
    }

    fn group(&mut self, event: &str, group: &Object<'_>) {
        let matcher = group.get_string("matcher").map(|text| text.value.clone().into_owned());
        let at = group.get("matcher").map_or(group.range.start, |matcher| matcher.range.start);
        let entries = group.get_array("hooks").map(|list| list.elements.as_slice()).unwrap_or_default();
        for entry in entries.iter().filter_map(Value::as_object) {
            let read = self.entry(entry);
            self.found.entries.push(Entry { event: event.to_owned(), matcher: matcher.clone(), ..read });
        }
        self.found.groups.push(Group { event: event.to_owned(), matcher, line: self.line(at) });
    }

    /// All of it but its event and matcher.
    fn entry(&self, entry: &Object<'_>) -> Entry {
        let text_of = |value: &Value<'_>| value.as_string_lit().map(|text| text.value.clone().into_owned());
        let text = |key: &str| last(entry, key).and_then(|found| text_of(&found.value));
        let args = last(entry, "args").and_then(|args| args.value.as_array());
        let timeout = last(entry, "timeout").map(|timeout| self.document.value(&timeout.value));
        let is_command = text("type").is_none_or(|kind| kind == "command");
        let harmful = if is_command { harmful(self.document, entry, args.is_some()) } else { Vec::new() };
        Entry {
            is_command,
            command: text("command"),
            args: args.map(|args| args.elements.iter().filter_map(text_of).collect()),
            timeout_secs: timeout.and_then(|timeout| timeout.as_number().cloned()),
            status_message: text("statusMessage"),
            harmful_keys: harmful.into_iter().map(str::to_owned).collect(),
            line: self.line(entry.range.start),
            ..Entry::default()
        }
    }

    fn fault(&mut self, event: &str, at: usize, what: &str) {
        let line = self.line(at);
        self.found.faults.push(Fault {
            line,
            event: event.escape_debug().to_string(),
            what: what.to_owned(),
        });
    }

    fn line(&self, at: usize) -> usize {
        self.document.line(at)
    }
}
