//! The cascade: compiled defaults, the user's global file, the project's file, the local file, then switches.
//!
//! A wrong value opens or closes nothing: that one entry falls back to the layer below and becomes a [`Problem`],
//! as data. Whoever runs the hook tells it, once per session; a problem never holds the value that caused it.
//!
//! In reading order, each module uses those above it:
//!
//! - `origin`, `problem`: a layer, the provenance of a value, a mistake with its place
//! - `yaml`, `part`: the one reader of YAML that people write, and as much of a file as concerns the hook
//! - `defaults`, `spec`, `layer`: the compiled defaults, the keys of a hook, one file
//! - `check`, `schema`: the check of a layer, the committed schema
//! - `top_level`, `held`, `switched`: the keys above all sections, misplaced entries, switches of single keys
//! - `merge`, `section`: the layers on top of each other, and one hook's section out of them
//! - `entries`, `spelling`: for people who ask what is in force, key by key, as it is written

mod bounded;
mod check;
mod defaults;
mod entries;
mod held;
mod layer;
mod merge;
mod noted;
mod origin;
mod part;
mod problem;
mod schema;
mod section;
mod spec;
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
pub use layer::{MAX_LAYER_BYTES, MAX_PROJECT_BYTES, Refused, Sources, display_path, read_text};
pub use origin::{LayerKind, Origin};
pub use problem::{Fault, Problem, sort_problems};
pub use schema::{SCHEMA_FILE, SCHEMA_TEXT, SCHEMA_TITLE, Stranger, schema_at, section_by_schema};
pub use section::{Section, SettingFault, load, load_by_schema};
pub use spec::{COMMON_KEYS, HEADLESS_MEANS, SectionSpec};
pub use spelling::{Unread, dotted, quoted, read_map, read_value, spelled};
pub use switch::{Position, SectionSwitches};
pub use yaml::{line_of, read_typed};
