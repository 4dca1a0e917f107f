//! The cascade: compiled defaults, the user's global file, the project's file, the local file, then switches.
//!
//! A wrong value opens or closes nothing: the entry falls back to the layer below and becomes a [`Problem`]. The hook reports
//! each problem once per session; a problem never holds the value that caused it.
//!
//! In reading order, each module uses those above it:
//!
//! - `problem`: a layer, the provenance of a value, a mistake with its place
//! - `yaml`: the one reader of YAML that people write, and of the sections that concern a hook
//! - `layer`: the keys of a hook, the compiled defaults, one file
//! - `tree`: paths in nested maps, and the merge of layers
//! - `check`: the check of a layer against a schema, the committed schema
//! - `locks`: the keys above all sections, typed switches, and the entries that may not stand in their layer
//! - `section`: one hook's section out of all layers
//! - `entries`, `spelling`: for command lines, the settings in force key by key, and values as YAML

mod bounded;
mod check;
mod defaults;
mod entries;
mod layer;
mod locks;
mod problem;
mod section;
mod spelling;
mod tree;
mod yaml;

pub use bounded::{Bounded, Decimal, ZeroOr};
pub use check::{
    SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Stranger, describe, fits, known_keys, nearest, schema_at,
    schema_of, section_by_schema,
};
pub use entries::{Entry, Said, sort, top_entries};
pub use layer::{
    ALL_DEFAULTS, COMMON_KEYS, HEADLESS_MEANS, MAX_LAYER_BYTES, Refused, SectionSpec, Sources, display_path,
    read_text, section_defaults,
};
pub use locks::{Position, SectionSwitches};
pub use problem::{Fault, LayerKind, Origin, Problem, sort_problems};
pub use section::{Section, SettingFault, load, load_by_schema, load_if_enabled};
pub use spelling::{dotted, read_map, read_value, spelled};
pub use yaml::{Unread, line_of, read_typed};
