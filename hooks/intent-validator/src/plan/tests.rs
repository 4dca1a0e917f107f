//! Who is asked when, and what is known then to settle a change: tables.

use shared::config::{self, SectionSpec, Sources};
use shared::switches::Position;

use crate::settings::Settings;

/// As compiled in, so that a new setting changes no test.
pub(crate) fn defaults() -> Settings {
    let spec = SectionSpec { name: "intent-validator", root_keys: &["judge"], ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}
