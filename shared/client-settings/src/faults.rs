//! Values that make Claude Code ignore hooks without a word: a misshapen entry takes all hooks of its event in the file along, a
//! setting of the wrong kind all hooks of the file. Each kind was tried with the real client (tests/client-facts.md, 14). An unknown
//! event or key does no harm.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::document::{Document, elements, last};

/// One such value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Counted from 1.
    pub line: usize,
    /// The event whose hooks are ignored; empty: all of the file are.
    pub event: String,
    pub what: String,
}

/// The kind of value that a key needs.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// A text that is not empty.
    Words,
    Texts,
    Switch,
    Object,
    List,
    /// A number above 0, of this unit.
    Number(&'static str),
    Address,
    OneOf([&'static str; 2]),
}

use Kind::{Address, Number, OneOf, Switch, Text, Texts, Words};

/// The types of entries.
const TYPES: [&str; 5] = ["command", "prompt", "agent", "http", "mcp_tool"];

/// Keys that an entry of this type needs.
const NEEDED: [(&str, &str, Kind); 6] = [
    ("command", "command", Text),
    ("prompt", "prompt", Text),
    ("agent", "prompt", Text),
    ("http", "url", Address),
    ("mcp_tool", "server", Text),
    ("mcp_tool", "tool", Text),
];

/// Keys that must be right in an entry of one of these types.
const ALLOWED: [(&[&str], &str, Kind); 16] = [
    (&TYPES, "timeout", Number("seconds")),
    (&TYPES, "if", Text),
    (&TYPES, "statusMessage", Text),
    (&TYPES, "once", Switch),
    (&["command"], "args", Texts),
    (&["command"], "async", Switch),
    (&["command"], "asyncRewake", Switch),
    (&["command"], "holdsTools", Switch),
    (&["command"], "rewakeMessage", Words),
    (&["command"], "rewakeSummary", Words),
    (&["command"], "shell", OneOf(["bash", "powershell"])),
    (&["command", "http"], "onFailure", OneOf(["continue", "block"])),
    (&["prompt", "agent"], "model", Text),
    (&["http"], "headers", Kind::Object),
    (&["http"], "allowedEnvVars", Texts),
    (&["mcp_tool"], "input", Kind::Object),
];

/// Settings beside the hooks.
const SETTINGS: [(&str, Kind); 26] = [
    ("model", Text),
    ("outputStyle", Text),
    ("language", Text),
    ("agent", Text),
    ("apiKeyHelper", Text),
    ("plansDirectory", Text),
    ("enabledMcpjsonServers", Texts),
    ("disabledMcpjsonServers", Texts),
    ("availableModels", Texts),
    ("claudeMdExcludes", Texts),
    ("companyAnnouncements", Texts),
    ("includeCoAuthoredBy", Switch),
    ("includeGitInstructions", Switch),
    ("alwaysThinkingEnabled", Switch),
    ("autoCompactEnabled", Switch),
    ("enableAllProjectMcpServers", Switch),
    ("respectGitignore", Switch),
    ("spinnerTipsEnabled", Switch),
    ("disableAllHooks", Switch),
    ("allowManagedHooksOnly", Switch),
    ("verbose", Switch),
    ("cleanupPeriodDays", Number("days")),
    ("env", Kind::Object),
    ("permissions", Kind::Object),
    ("enabledPlugins", Kind::Object),
    ("statusLine", Kind::Object),
];

/// Keys of the setting `permissions`.
const PERMISSIONS: [(&str, Kind); 4] =
    [("allow", Kind::List), ("deny", Kind::List), ("ask", Kind::List), ("defaultMode", Text)];

/// The place of a fault in the text, and the fault.
type Found = (usize, String);

/// Every fault: those of settings, then those of entries in the order of the text.
pub(super) fn find(document: &Document<'_>) -> Vec<Fault> {
    let fault = |event: &str, (at, what): Found| Fault {
        line: document.line(at),
        event: event.escape_debug().to_string(),
        what,
    };
    let mut faults: Vec<Fault> = of_settings(&document.root).map(|found| fault("", found)).collect();
    let hooks = last(&document.root, "hooks").map(|hooks| &hooks.value);
    let Some(Value::Object(events)) = hooks else {
        let found = hooks.map(|other| (other.start(), "`hooks` must be an object, `{ ... }`".to_owned()));
        faults.extend(found.map(|found| fault("", found)));
        return faults;
    };
    for event in &events.properties {
        faults.extend(of_event(&event.value).into_iter().map(|found| fault(event.name.as_str(), found)));
    }
    faults
}

fn of_settings<'o>(root: &'o Object<'_>) -> impl Iterator<Item = Found> + 'o {
    let object = |key: &str| last(root, key).and_then(|property| property.value.as_object());
    let settings = SETTINGS.iter().filter_map(|(key, kind)| wrong(root, key, *kind, ""));
    let permissions = object("permissions").into_iter().flat_map(|permissions| {
        PERMISSIONS.iter().filter_map(|(key, kind)| wrong(permissions, key, *kind, "permissions."))
    });
    let line = object("statusLine").filter(|line| {
        !["type", "command"].iter().all(|key| last(line, key).is_some_and(|one| Text.fits(&one.value)))
    });
    let line = line.map(|line| (line.range.start, "`statusLine` needs a `type` and a `command`".to_owned()));
    settings.chain(permissions).chain(line)
}

/// The key, if its value is of another kind. `above` is the path of the object.
fn wrong(object: &Object<'_>, key: &str, kind: Kind, above: &str) -> Option<Found> {
    let property = last(object, key).filter(|property| !kind.fits(&property.value))?;
    Some((property.range.start, format!("`{above}{key}` must be {}", kind.words())))
}

fn of_event(groups: &Value<'_>) -> Vec<Found> {
    match groups {
        Value::Array(groups) => groups.elements.iter().flat_map(of_group).collect(),
        // Claude Code takes null for nothing.
        Value::NullKeyword(_) => Vec::new(),
        other => vec![(other.start(), "an event needs a list of groups, `[ ... ]`".to_owned())],
    }
}

fn of_group(group: &Value<'_>) -> Vec<Found> {
    let found = |what: &str| (group.start(), what.to_owned());
    let Some(object) = group.as_object() else { return vec![found("a group must be an object")] };
    let mut faults: Vec<Found> = wrong(object, "matcher", Text, "").into_iter().collect();
    if object.get_array("hooks").is_none() {
        faults.push(found("a group needs a list `hooks`"));
    }
    faults.extend(elements(object.get("hooks")).iter().filter_map(of_entry));
    faults
}

fn of_entry(entry: &Value<'_>) -> Option<Found> {
    let found = |what: String| Some((entry.start(), what));
    let Some(object) = entry.as_object() else { return found("an entry must be an object".to_owned()) };
    let kind = last(object, "type").and_then(|kind| kind.value.as_string_lit());
    let Some(kind) = kind.map(|kind| &*kind.value) else {
        return found("an entry needs a `type`".to_owned());
    };
    if !TYPES.contains(&kind) {
        return found("its `type` is unknown".to_owned());
    }
    let lacks = |(its, key, needed): &&(&str, &str, Kind)| {
        *its == kind && last(object, key).is_none_or(|property| !needed.fits(&property.value))
    };
    if let Some((_, key, _)) = NEEDED.iter().find(lacks) {
        return found(format!("an entry of type {kind} needs a `{key}`"));
    }
    let mut its = ALLOWED.iter().filter(|(types, ..)| types.contains(&kind));
    its.find_map(|(_, key, kind)| wrong(object, key, *kind, ""))
}

impl Kind {
    fn fits(self, value: &Value<'_>) -> bool {
        let text = value.as_string_lit().map(|text| &*text.value);
        match self {
            Self::Text => text.is_some(),
            Self::Words => text.is_some_and(|text| !text.is_empty()),
            Self::Texts => {
                value.as_array().is_some_and(|list| list.elements.iter().all(|one| Text.fits(one)))
            }
            Self::Switch => value.as_boolean_lit().is_some(),
            Self::Object => value.as_object().is_some(),
            Self::List => value.as_array().is_some(),
            Self::Number(_) => {
                let number = value.as_number_lit().and_then(|number| number.value.parse::<f64>().ok());
                number.is_some_and(|number| number > 0.0)
            }
            Self::Address => text
                .and_then(|text| text.split_once(':'))
                .is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty()),
            Self::OneOf(words) => text.is_some_and(|text| words.contains(&text)),
        }
    }

    fn words(self) -> String {
        let words = match self {
            Self::Text | Self::Words | Self::Address => "text",
            Self::Texts => "a list of texts",
            Self::Switch => "true or false",
            Self::Object => "an object, `{ ... }`",
            Self::List => "a list, `[ ... ]`",
            Self::Number(unit) => return format!("a number of {unit}, more than 0"),
            Self::OneOf([one, other]) => return format!("\"{one}\" or \"{other}\""),
        };
        words.to_owned()
    }
}
