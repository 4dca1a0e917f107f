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

use Kind::{Address, List, Number, OneOf, Switch, Text, Texts, Words};

/// The types of entries.
const TYPES: &str = "command prompt agent http mcp_tool";

/// Keys that an entry of this type needs.
const NEEDED: [(&str, &str, Kind); 6] = [
    ("command", "command", Text),
    ("prompt", "prompt", Text),
    ("agent", "prompt", Text),
    ("http", "url", Address),
    ("mcp_tool", "server", Text),
    ("mcp_tool", "tool", Text),
];

/// Keys that must be of a kind in an entry of one of these types. Words are separated by blanks here and below.
const ALLOWED: [(&str, Kind, &str); 12] = [
    (TYPES, Number("seconds"), "timeout"),
    (TYPES, Text, "if statusMessage"),
    (TYPES, Switch, "once"),
    ("command", Texts, "args"),
    ("command", Switch, "async asyncRewake holdsTools"),
    ("command", Words, "rewakeMessage rewakeSummary"),
    ("command", OneOf(["bash", "powershell"]), "shell"),
    ("command http", OneOf(["continue", "block"]), "onFailure"),
    ("prompt agent", Text, "model"),
    ("http", Kind::Object, "headers"),
    ("http", Texts, "allowedEnvVars"),
    ("mcp_tool", Kind::Object, "input"),
];

/// Settings beside the hooks.
const SETTINGS: [(Kind, &str); 7] = [
    (Text, "model outputStyle language agent apiKeyHelper plansDirectory"),
    (
        Texts,
        "enabledMcpjsonServers disabledMcpjsonServers availableModels claudeMdExcludes companyAnnouncements",
    ),
    (Switch, "includeCoAuthoredBy includeGitInstructions alwaysThinkingEnabled autoCompactEnabled verbose"),
    (Switch, "enableAllProjectMcpServers respectGitignore spinnerTipsEnabled"),
    (Switch, "disableAllHooks allowManagedHooksOnly"),
    (Number("days"), "cleanupPeriodDays"),
    (Kind::Object, "env permissions enabledPlugins statusLine"),
];

/// Keys of the setting `permissions`.
const PERMISSIONS: [(Kind, &str); 2] = [(List, "allow deny ask"), (Text, "defaultMode")];

/// The place of a fault in the text, and the fault.
type Found = (usize, String);

/// Every fault: those of settings, then those of entries in the order of the text.
pub(super) fn find(document: &Document<'_>) -> Vec<Fault> {
    let fault = |event: &str, (at, what): Found| Fault {
        line: document.line(at),
        event: event.escape_debug().to_string(),
        what,
    };
    let mut faults: Vec<Fault> =
        of_settings(&document.root).into_iter().map(|found| fault("", found)).collect();
    match last(&document.root, "hooks").map(|hooks| &hooks.value) {
        Some(Value::Object(events)) => {
            for event in &events.properties {
                let found = of_event(&event.value).into_iter();
                faults.extend(found.map(|found| fault(event.name.as_str(), found)));
            }
        }
        Some(other) => {
            faults.push(fault("", (other.start(), "`hooks` must be an object, `{ ... }`".to_owned())));
        }
        None => {}
    }
    faults
}

fn of_settings(root: &Object<'_>) -> Vec<Found> {
    let object = |key: &str| last(root, key).and_then(|property| property.value.as_object());
    let mut found = all_wrong(root, &SETTINGS, "");
    found
        .extend(object("permissions").into_iter().flat_map(|it| all_wrong(it, &PERMISSIONS, "permissions.")));
    let lacks = |line: &&Object<'_>| {
        ["type", "command"].iter().any(|key| last(line, key).is_none_or(|one| !Text.fits(&one.value)))
    };
    let line = object("statusLine").filter(lacks);
    found.extend(line.map(|it| (it.range.start, "`statusLine` needs a `type` and a `command`".to_owned())));
    found
}

fn all_wrong(object: &Object<'_>, table: &[(Kind, &str)], above: &str) -> Vec<Found> {
    let keys = table.iter().flat_map(|(kind, keys)| keys.split(' ').map(move |key| (*kind, key)));
    keys.filter_map(|(kind, key)| wrong(object, key, kind, above)).collect()
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
    let found = |what: &str| Some((entry.start(), what.to_owned()));
    let Some(object) = entry.as_object() else { return found("an entry must be an object") };
    let kind = last(object, "type").and_then(|kind| kind.value.as_string_lit());
    let Some(kind) = kind.map(|kind| &*kind.value) else { return found("an entry needs a `type`") };
    if !has_word(TYPES, kind) {
        return found("its `type` is unknown");
    }
    let lacks = |(its, key, needed): &&(&str, &str, Kind)| {
        *its == kind && last(object, key).is_none_or(|property| !needed.fits(&property.value))
    };
    if let Some((_, key, _)) = NEEDED.iter().find(lacks) {
        return found(&format!("an entry of type {kind} needs a `{key}`"));
    }
    let its = ALLOWED.iter().filter(|(types, ..)| has_word(types, kind));
    its.flat_map(|(_, kind, keys)| all_wrong(object, &[(*kind, keys)], "")).next()
}

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
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
        match self {
            Self::Text | Self::Words | Self::Address => "text".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Switch => "true or false".to_owned(),
            Self::Object => "an object, `{ ... }`".to_owned(),
            Self::List => "a list, `[ ... ]`".to_owned(),
            Self::Number(unit) => format!("a number of {unit}, more than 0"),
            Self::OneOf([one, other]) => format!("\"{one}\" or \"{other}\""),
        }
    }
}
