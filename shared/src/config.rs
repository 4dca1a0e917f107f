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
//! - `held`, `wrong`: what is left out of a layer: what may not stand there, and what cannot be read;
//!   `strangers`: what nobody owns
//! - `shape`: reading a section by its types, or, where they are another binary's, by its schema; `schema`: the committed one;
//!   `fits`: whether a value is what a schema describes
//! - `expected`: what a key should hold, read out of the schema
//! - `problem`: what is wrong where
//! - `entries`: what is in force key by key, and where it is set; `spelling`: as it is written
//! - [`edit`]: setting one key for the file's owner

mod bounded;
mod defaults;
pub mod edit;
mod entries;
mod expected;
mod fits;
mod held;
mod layer;
mod part;
mod problem;
mod schema;
mod section;
mod shape;
mod spelling;
mod strangers;
mod switched;
mod top_level;
mod tree;
mod wrong;
mod yaml;

pub use bounded::{Bounded, Decimal, ZeroOr};
pub use defaults::{ALL_DEFAULTS, section_defaults};
pub use entries::{Entry, Said, sort, top_entries};
pub use expected::{describe, describe_in_full, known_keys, schema_of};
pub use fits::fits;
pub use layer::{Layer, LayerKind, MAX_LAYER_BYTES, MAX_PROJECT_BYTES, Refused, Sources, read_text};
pub use problem::{Fault, Problem, sort_problems};
pub use schema::{SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Stranger, schema_at, section_by_schema};
pub use section::{
    COMMON_KEYS, HEADLESS_MEANS, Origin, Section, SectionSpec, SettingFault, load, load_by_schema,
};
pub use spelling::{dotted, read_value, spelled};
pub use wrong::nearest;
pub use yaml::{line_of, read_typed, to_yaml};
