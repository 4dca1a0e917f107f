//! Every placeholder is filled, and what is put in is left alone.

use shared::host::{Clock, Environment, Host, Timestamp};

use super::fill;

pub(crate) fn host() -> Host {
    let started = Timestamp::from_secs(1_000_000);
    Host { started, clock: Clock::System, environment: Environment::default() }
}

/// No text of ours has a brace but those of its placeholders.
#[track_caller]
pub(crate) fn assert_filled(text: &str) {
    assert!(!text.contains(['{', '}']), "{text}");
}

#[test]
fn what_is_put_in_is_not_looked_through_again() {
    for (text, expected) in [
        ("{a} and {b}", "{b} {} { and B"),
        ("{c} {a", "{c} {a"),
        ("{{a}}", "{{b} {} {}"),
        ("fn f() { {b} }", "fn f() { B }"),
        ("", ""),
    ] {
        assert_eq!(fill(text, &[("a", "{b} {} {"), ("b", "B")]), expected, "{text}");
    }
}
