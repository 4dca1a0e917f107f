//! Switches of single keys: the layer above the files, as far as nothing is locked.

use std::collections::BTreeMap;

use super::{Files, files_in};
use crate::config::{LayerKind, Section, load_by_schema, section_by_schema};
use crate::switches::{Position, SectionSwitches};

const HOOK: &str = "delegation-guard";

fn section(global: &str, local: &str, keys: &[(&str, bool)]) -> Section<()> {
    let (_scratch, sources) = files_in(&Files { global, local, ..Files::default() });
    let (spec, schema) = section_by_schema(HOOK).unwrap();
    let keys: BTreeMap<String, bool> = keys.iter().map(|(key, on)| ((*key).to_owned(), *on)).collect();
    let section =
        load_by_schema(spec, schema, &sources, SectionSwitches { own: Position::Auto, keys }).unwrap();
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
        ("", &[("reminder", false)], (false, LayerKind::Switch)),
        (off, &[], (false, LayerKind::Local)),
        (off, &[("reminder", true)], (true, LayerKind::Switch)),
        (off, &[("reminder", false)], (false, LayerKind::Switch)),
    ] {
        let section = section("", local, keys);
        assert_eq!(reminder(&section), expected, "{local} {keys:?}");
        let switched: Vec<_> = keys.iter().map(|(key, on)| ((*key).to_owned(), *on)).collect();
        assert_eq!(section.switched_keys(), switched);
        assert_eq!(section.overruled_keys, [""; 0]);
    }
    let origin = section("", off, &[("reminder", true)]).origin("reminder.enabled").unwrap();
    assert_eq!(origin.to_string(), "its switch");
}

#[test]
fn the_neighbours_of_a_switched_key_stay_as_the_files_have_them() {
    let local = "delegation-guard: {reminder: {every: 3}}";
    let section = section("", local, &[("reminder", false)]);
    assert_eq!(section.origin("reminder.every").unwrap().layer, LayerKind::Local);
    assert_eq!(section.origin("reminder.quiet_after_advice").unwrap().layer, LayerKind::Defaults);
}

#[test]
fn a_lock_holds_against_a_switch() {
    for locked in ["delegation-guard", "delegation-guard.reminder", "delegation-guard.reminder.enabled"] {
        let section = section(&format!("locked: [{locked}]"), "", &[("reminder", false)]);
        assert_eq!(reminder(&section), (true, LayerKind::Defaults), "{locked}");
        assert_eq!(section.overruled_keys, ["reminder"], "{locked}");
        assert_eq!(section.switched_keys(), []);
    }
    // Off is where it stands, and it would switch off the locked key beside it.
    let off = "locked: [delegation-guard.reminder.every]";
    assert_eq!(section(off, "", &[("reminder", false)]).overruled_keys, ["reminder"]);
    let elsewhere = section("locked: [delegation-guard.advise_from]", "", &[("reminder", false)]);
    assert_eq!(reminder(&elsewhere), (false, LayerKind::Switch));
    let as_it_is = section("locked: [delegation-guard.reminder]", "", &[("reminder", true)]);
    assert_eq!((reminder(&as_it_is).0, as_it_is.overruled_keys.len()), (true, 0));
}

#[test]
fn what_cannot_be_switched_is_passed_over() {
    for key in ["unheard_of", "advise_from", "reminder.every", "", "message_files"] {
        let section = section("", "", &[(key, true)]);
        assert_eq!((section.switched_keys(), section.overruled_keys.len()), (Vec::new(), 0), "{key}");
    }
}
