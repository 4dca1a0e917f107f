//! The section as it is compiled in, and entries over it.

use shared::config::{known_keys, schema_of};

use super::Settings;

#[test]
fn names_of_the_original_tool_lead_to_known_keys() {
    let schema = schema_of::<Settings>();
    let known = known_keys(schema.as_value());
    for (_, new) in <crate::CreditPacer as shared::hook::Hook>::RENAMED {
        let key = new.split('.').next().unwrap();
        assert!(known.contains(&key), "{new}");
    }
}
