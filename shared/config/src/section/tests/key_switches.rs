//! Switches of single keys: the layer above the files, as far as nothing is locked.

use std::collections::BTreeMap;

use super::{files_in, of};
use crate::Position::{self, Auto, Off, On};
use crate::SectionSwitches;
use crate::{LayerKind, Section, load_by_schema, section_by_schema};

const HOOK: &str = "delegation-guard";

fn section(global: &str, local: &str, keys: &[(&str, Position)]) -> Section<()> {
    let (_scratch, sources) = files_in(&of(global, "", local));
    let (spec, schema) = section_by_schema(HOOK).unwrap();
    let keys: BTreeMap<String, Position> = keys.iter().map(|(key, to)| ((*key).to_owned(), *to)).collect();
    let section = load_by_schema(spec, schema, &sources, SectionSwitches { own: Auto, keys }).unwrap();
    assert_eq!(section.problems, []);
    section
}

/// Whether the key is on, and which layer says so.
fn reminder(section: &Section<()>) -> (bool, LayerKind) {
    let path = [HOOK, "reminder", "enabled"];
    let entry = section.entries().into_iter().find(|entry| entry.path == path).unwrap();
    assert_eq!(section.origin("reminder.enabled").unwrap(), entry.origin);
    (entry.value == true, entry.origin.layer)
}

#[test]
fn a_switch_wins_over_every_file_and_says_so() {
    let off = "delegation-guard: {reminder: {enabled: false, every: 3}}";
    for (local, keys, expected) in [
        ("", &[][..], (true, LayerKind::Defaults)),
        ("", &[("reminder", Off)], (false, LayerKind::Switch)),
        (off, &[], (false, LayerKind::Local)),
        (off, &[("reminder", On)], (true, LayerKind::Switch)),
        (off, &[("reminder", Off)], (false, LayerKind::Switch)),
    ] {
        let section = section("", local, keys);
        assert_eq!(reminder(&section), expected, "{local} {keys:?}");
        let switched: Vec<_> = keys.iter().map(|(key, to)| ((*key).to_owned(), *to)).collect();
        assert_eq!(section.switched_keys(), switched);
        assert_eq!(section.overruled, [""; 0]);
    }
    let origin = section("", off, &[("reminder", On)]).origin("reminder.enabled").unwrap();
    assert_eq!(origin.to_string(), "its switch");
}

#[test]
fn a_lock_holds_against_a_switch() {
    for locked in ["delegation-guard", "delegation-guard.reminder", "delegation-guard.reminder.enabled"] {
        let section = section(&format!("locked: [{locked}]"), "", &[("reminder", Off)]);
        assert_eq!(reminder(&section), (true, LayerKind::Defaults), "{locked}");
        assert_eq!(section.overruled, ["reminder"], "{locked}");
        assert_eq!(section.switched_keys(), []);
    }
    // Off is where it stands, and it would switch off the locked key beside it.
    let off = "locked: [delegation-guard.reminder.every]";
    assert_eq!(section(off, "", &[("reminder", Off)]).overruled, ["reminder"]);
    let elsewhere = section("locked: [delegation-guard.advise_from]", "", &[("reminder", Off)]);
    assert_eq!(reminder(&elsewhere), (false, LayerKind::Switch));
    let as_it_is = section("locked: [delegation-guard.reminder]", "", &[("reminder", On)]);
    assert_eq!((reminder(&as_it_is).0, as_it_is.overruled.len()), (true, 0));
}

#[test]
fn what_cannot_be_switched_is_passed_over() {
    for key in ["unheard_of", "advise_from", "reminder.every", "", "message_files"] {
        let section = section("", "", &[(key, On)]);
        assert_eq!((section.switched_keys(), section.overruled.len()), (Vec::new(), 0), "{key}");
    }
}
