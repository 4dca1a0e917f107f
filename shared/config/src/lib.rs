//! The cascade: compiled defaults, the user's global file, the project's file, the local file, then switches.
//!
//! A wrong value opens or closes nothing: that one entry falls back to the layer below and becomes a [`Problem`],
//! as data. Whoever runs the hook tells it, once per session; a problem never holds the value that caused it.
//!
//! - `layer`: reading one file, if it is one we may read; `part`: as much of it as concerns the hook
//! - `yaml`: the only module that reads YAML
//! - `top_level`: the keys above all sections
//! - `section`: merging one hook's section, and keys of its own at the top of the file, out of the layers, key by key;
//!   `tree`: its entries and their paths
//! - `switched`: switches of single keys, as a layer
//! - `held`: what may not stand where it stands; `check`: what the schema does not describe, and what it expects
//! - `schema`: the committed one, for sections whose types are another binary's
//! - `problem`: what is wrong where
//! - `entries`: what is in force key by key, and where it is set; `spelling`: as it is written

mod bounded;
mod check;
mod defaults;
mod entries;
mod held;
mod layer;
mod part;
mod problem;
mod schema;
mod section;
mod spelling;
mod switch;
mod switched;
mod top_level;
mod tree;
mod yaml;

pub use bounded::{Bounded, Decimal, ZeroOr};
pub use check::{describe, describe_in_full, fits, known_keys, nearest, schema_of};
pub use defaults::{ALL_DEFAULTS, section_defaults};
pub use entries::{Entry, Said, sort, top_entries};
pub use layer::{LayerKind, MAX_LAYER_BYTES, MAX_PROJECT_BYTES, Refused, Sources, display_path, read_text};
pub use problem::{Fault, Problem, sort_problems};
pub use schema::{SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Stranger, schema_at, section_by_schema};
pub use section::{
    COMMON_KEYS, HEADLESS_MEANS, Origin, Section, SectionSpec, SettingFault, load, load_by_schema,
};
pub use spelling::{Unread, dotted, quoted, read_map, read_value, spelled};
pub use switch::{Position, SectionSwitches, is_worded};
pub use yaml::{line_of, read_typed};
