//! The cascade: compiled defaults, the user's global file, the project's file, the local file, then switches.
//!
//! A wrong value opens or closes nothing: the entry falls back to the layer below and becomes a [`Problem`]. The hook reports
//! each problem once per session; a problem never holds the value that caused it.
//!
//! In reading order, each module uses those above it:
//!
//! - `problem`: a layer, the provenance of a value, a mistake with its place
//! - `yaml`, `part`: the one reader of YAML that people write, and the part of a file that concerns a hook
//! - `defaults`, `spec`, `layer`: the compiled defaults, the keys of a hook, one file
//! - `tree`: paths in nested maps, and the merge of layers
//! - `check`, `schema`: the check of a layer, the committed schema
//! - `top`, `locks`: the keys above all sections, and the entries that may not stand in their layer
//! - `switches`, `section`: typed switches, and one hook's section out of all layers
//! - `entries`, `spelling`: for command lines, the settings in force key by key, and values as YAML

mod bounded;
mod check;
mod defaults;
mod entries;
mod layer;
mod locks;
mod part;
mod problem;
mod schema;
mod section;
mod spec;
mod spelling;
mod switches;
mod top;
mod tree;
mod yaml;

pub use bounded::{Bounded, Decimal, ZeroOr};
pub use check::{describe, fits, known_keys, nearest, schema_of};
pub use defaults::{ALL_DEFAULTS, section_defaults};
pub use entries::{Entry, Said, sort, top_entries};
pub use layer::{MAX_LAYER_BYTES, Refused, Sources, display_path, read_text};
pub use problem::{Fault, LayerKind, Origin, Problem, sort_problems};
pub use schema::{SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Stranger, schema_at, section_by_schema};
pub use section::{Section, SettingFault, load, load_by_schema, load_if_enabled};
pub use spec::{COMMON_KEYS, HEADLESS_MEANS, SectionSpec};
pub use spelling::{dotted, quoted, read_map, read_value, spelled};
pub use switches::{Position, SectionSwitches};
pub use yaml::{Unread, line_of, read_typed};
