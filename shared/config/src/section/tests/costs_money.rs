//! What spends money is switched on by the user's own file alone; anybody may switch it off.

use super::{Files, SPEC, Settings, files_in};
use crate::Position;
use crate::{LayerKind, Section, SectionSpec, load};

const ON: &str = "stop-momentum: {enabled: true}";
const OFF: &str = "stop-momentum: {enabled: false}";

fn section(files: &Files<'_>) -> Section<Settings> {
    let (_scratch, sources) = files_in(files);
    load(SectionSpec { costs_money: true, ..SPEC }, &sources, files.switch).unwrap()
}

fn problems(section: &Section<Settings>) -> Vec<String> {
    section.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn only_the_global_file_switches_it_on() {
    for (files, expected) in [
        (Files { global: ON, ..Files::default() }, true),
        (Files { project: ON, ..Files::default() }, false),
        (Files { local: ON, ..Files::default() }, false),
        (Files { global: OFF, local: ON, ..Files::default() }, false),
        (Files { global: ON, project: ON, ..Files::default() }, true),
        (Files { global: ON, project: OFF, ..Files::default() }, false),
        (Files { global: ON, project: OFF, local: ON, ..Files::default() }, true),
    ] {
        let section = section(&files);
        assert_eq!(section.enabled, expected, "{:?}", (files.global, files.project, files.local));
    }
}

#[test]
fn a_project_that_tries_is_told_and_one_that_agrees_or_declines_is_not() {
    let told = problems(&section(&Files { project: ON, ..Files::default() }));
    let [told] = told.as_slice() else { panic!("one problem: {told:?}") };
    assert!(told.contains("stop-momentum.enabled") && told.contains("global"), "{told}");
    for (project, local) in [(ON, ""), (OFF, ""), (OFF, ON)] {
        let files = Files { global: ON, project, local, ..Files::default() };
        assert_eq!(problems(&section(&files)), [""; 0], "{project} {local}");
    }
    let beside = Files { project: "stop-momentum: {enabled: true, max_blocks: 2}", ..Files::default() };
    let beside = section(&beside);
    assert_eq!(beside.settings.max_blocks.map(crate::Bounded::get), Some(2));
}

#[test]
fn a_switch_begins_nothing_that_the_files_have_off_and_ends_what_they_have_on() {
    for (global, switch, expected) in [
        ("", Position::On, (false, LayerKind::Defaults)),
        (OFF, Position::On, (false, LayerKind::Global)),
        (ON, Position::On, (true, LayerKind::Switch)),
        (ON, Position::Off, (false, LayerKind::Switch)),
        (ON, Position::Auto, (true, LayerKind::Global)),
    ] {
        let section = section(&Files { global, switch, ..Files::default() });
        let origin = section.origin("enabled").unwrap();
        assert_eq!((section.enabled, origin.layer), expected, "{global} {switch:?}");
        assert!(!section.overruled_switch);
    }
}

#[test]
fn a_project_that_does_not_inherit_begins_to_spend_nothing_either() {
    let files =
        Files { global: "", project: "inherit: false\nstop-momentum: {enabled: true}", ..Files::default() };
    assert!(!section(&files).enabled);
}
