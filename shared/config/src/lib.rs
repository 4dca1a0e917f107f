//! The cascade: compiled defaults, the user's global file, the project's file, the local file, then switches.
//!
//! A wrong value opens or closes nothing: the entry falls back to the layer below and becomes a [`Problem`]. The hook reports
//! each problem once per session; a problem never holds the value that caused it.
//!
//! This file has the words that all modules share: the keys of a hook, numbers with bounds, the provenance of a value, a mistake
//! with its place. In reading order, each module uses those above it:
//!
//! - `yaml`: the one reader of YAML that people write, and of the sections that concern a hook
//! - `layer`: the compiled defaults, one file, the maps of layers and their merge
//! - `check`: the check of a layer against a schema, the committed schema
//! - `locks`: the keys above all sections, typed switches, and the entries that may not stand in their layer
//! - `section`: one hook's section out of all layers
//! - `entries`: for command lines, the settings in force key by key, and values as YAML

mod check;
mod defaults;
mod entries;
mod layer;
mod locks;
mod section;
mod yaml;

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

pub use check::{
    SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, describe, fits, known_keys, nearest, schema_at, schema_of,
    section_by_schema,
};
pub use entries::{Entry, dotted, read_map, read_value, sort, spelled, top_entries};
pub use layer::{MAX_LAYER_BYTES, Refused, Sources, display_path, read_text, section_defaults};
pub use locks::{Position, SectionSwitches};
pub use section::{Section, SettingFault, load, load_by_schema, load_if_enabled};
pub use yaml::{Unread, line_of, read_typed};

pub(crate) const TOP_KEYS: [&str; 5] = ["version", "requires", "inherit", "enabled", "locked"];

/// The keys every section has beside its own, both true or false, with their meaning.
pub const COMMON_KEYS: [(&str, &str); 2] =
    [("enabled", "The hook is switched on."), ("headless", HEADLESS_MEANS)];

/// Meaning of `headless`, unless a hook says something else.
pub const HEADLESS_MEANS: &str = "It also acts in headless sessions (`claude -p`, SDK).";

#[derive(Debug, Clone, Copy, Default)]
pub struct SectionSpec {
    pub name: &'static str,
    /// Keys of its settings that stand at the top of the file instead of in the section.
    pub root_keys: &'static [&'static str],
    pub global_only: &'static [&'static str],
    /// Older names of keys and the names that hold now, as dotted paths.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Only the global file may switch it on, see `COSTS_MONEY` of the hook.
    pub costs_money: bool,
}

impl SectionSpec {
    /// The keys at the top of a file that hold its settings.
    pub(crate) fn top_keys(&self) -> Vec<&'static str> {
        [&[self.name], self.root_keys].concat()
    }

    /// A path of the settings as it is in a file; the empty one is the section itself.
    pub(crate) fn in_file<K: AsRef<str>>(&self, path: &[K]) -> Vec<String> {
        let is_root = path.first().is_some_and(|key| self.root_keys.contains(&key.as_ref()));
        let section = (!is_root).then(|| self.name.to_owned());
        section.into_iter().chain(path.iter().map(|key| key.as_ref().to_owned())).collect()
    }

    /// A dotted path of the settings as it is in a file.
    pub(crate) fn dotted_in_file(&self, path: &str) -> String {
        self.in_file(&path.split('.').collect::<Vec<_>>()).join(".")
    }

    /// The name that holds now of a dotted path of the settings.
    pub(crate) fn present_name<'p>(&self, path: &'p str) -> &'p str {
        self.renamed.iter().find(|(old, _)| *old == path).map_or(path, |(_, new)| new)
    }

    /// A dotted path of a file as it is in the settings; `None` if it leads elsewhere.
    pub(crate) fn in_settings<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.split_once('.').unwrap_or((path, "")) {
            (first, rest) if first == self.name => Some(rest),
            (first, _) => self.root_keys.contains(&first).then_some(path),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// Compiled in.
    Defaults,
    /// `~/.claude/requirements.yaml`: the user's own, for every project.
    Global,
    /// `<root>/.claude/requirements.yaml`: the team's, in git.
    Project,
    /// `<root>/.claude/requirements.local.yaml`: the user's own, for this project.
    Local,
    /// A typed switch: no file, and the highest of all.
    Switch,
}

impl LayerKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Defaults => "default",
            Self::Global => "global",
            Self::Project => "project",
            Self::Local => "local",
            Self::Switch => "switch",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub layer: LayerKind,
    pub file: String,
    /// The line, counted from 1; none of the defaults and of a switch.
    pub line: Option<usize>,
}

impl Origin {
    /// `.claude/requirements.yaml:4 (project)`; the place of the defaults and of a switch is its layer.
    pub fn with_layer(&self) -> String {
        match self.layer {
            LayerKind::Defaults | LayerKind::Switch => self.to_string(),
            layer => format!("{self} ({})", layer.word()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}", self.file),
            None => formatter.write_str(&self.file),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub at: Origin,
    /// The key path, `stop-momentum.max_blocks`; empty for the whole file.
    pub key: String,
    pub fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Expected(String),
    /// No such key; the nearest known one, if one is near.
    UnknownKey(Option<String>),
    GlobalOnly,
    Locked,
    /// Anything else, with its consequence.
    Other(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.at)?;
        if !self.key.is_empty() {
            write!(formatter, "{}: ", self.key)?;
        }
        self.fault.fmt(formatter)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected(what) => write!(formatter, "expected {what}; the level below counts"),
            Self::UnknownKey(Some(near)) => write!(formatter, "no such key; did you mean {near}?"),
            Self::UnknownKey(None) => formatter.write_str("no such key"),
            Self::GlobalOnly => {
                formatter.write_str("counts only in your global requirements.yaml; ignored here")
            }
            Self::Locked => formatter.write_str("is locked by your global requirements.yaml; ignored here"),
            Self::Other(what) => formatter.write_str(what),
        }
    }
}

pub fn sort_problems(problems: &mut [Problem]) {
    problems.sort_by_key(|problem| (problem.at.layer, problem.at.line));
}

/// Maximum number of reported problems per file: whoever made the mistakes knows after these.
const MAX_PER_FILE: usize = 20;

/// Adds a problem. False: its file has reached the bound.
pub(crate) fn add(problems: &mut Vec<Problem>, problem: Problem) -> bool {
    let has_room = problems.iter().filter(|known| known.at.file == problem.at.file).count() < MAX_PER_FILE;
    problems.extend(has_room.then_some(problem));
    has_room
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounded<const MIN: u32, const MAX: u32>(u32);

/// A whole number from `MIN` to `MAX`, or 0 for "never".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZeroOr<const MIN: u32, const MAX: u32>(u32);

/// A number from `MIN` to `MAX`, whole or not; always finite.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Decimal<const MIN: u32, const MAX: u32>(f64);

/// A finite number equals itself.
impl<const MIN: u32, const MAX: u32> Eq for Decimal<MIN, MAX> {}

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    pub const fn new(number: u32) -> Option<Self> {
        if number >= MIN && number <= MAX { Some(Self(number)) } else { None }
    }

    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32> ZeroOr<MIN, MAX> {
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 || (number >= MIN && number <= MAX) { Some(Self(number)) } else { None }
    }

    pub const fn get(self) -> Option<u32> {
        if self.0 == 0 { None } else { Some(self.0) }
    }
}

impl<const MIN: u32, const MAX: u32> Decimal<MIN, MAX> {
    pub fn new(number: f64) -> Option<Self> {
        (f64::from(MIN)..=f64::from(MAX)).contains(&number).then_some(Self(number))
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Reads the type through `new`, and describes it.
macro_rules! read_within_bounds {
    ($name:ident, $number:ty, $schema:expr) => {
        impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for $name<MIN, MAX> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = <$number>::deserialize(deserializer)?;
                Self::new(number).ok_or_else(|| D::Error::custom("out of bounds"))
            }
        }

        impl<const MIN: u32, const MAX: u32> JsonSchema for $name<MIN, MAX> {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema(MIN, MAX)
            }
        }
    };
}

read_within_bounds!(Bounded, u32, |min: u32, max: u32| {
    json_schema!({ "type": "integer", "minimum": min, "maximum": max })
});
read_within_bounds!(ZeroOr, u32, |min: u32, max: u32| {
    json_schema!({ "anyOf": [
        { "type": "integer", "minimum": 0, "maximum": 0 },
        { "type": "integer", "minimum": min, "maximum": max }
    ] })
});
read_within_bounds!(Decimal, f64, |min: u32, max: u32| {
    json_schema!({ "type": "number", "minimum": min, "maximum": max })
});
