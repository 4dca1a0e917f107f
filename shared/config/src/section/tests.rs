//! The cascade as three texts in, settings and problems out; and as properties.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Section, SectionSpec, load, load_by_schema};
use crate::layer::top_keys;
use crate::{Bounded, Fault, LayerKind, Position, Problem, Sources, section_by_schema};

/// The settings of the section these tests borrow; its defaults stand in config/defaults.yaml.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Settings {
    enforce_ack: bool,
    max_blocks: Option<Bounded<1, 6>>,
    only_when: OnlyWhen,
    message_file: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OnlyWhen {
    Always,
    Unfinished,
}

const SPEC: SectionSpec = SectionSpec {
    name: "stop-momentum",
    root_keys: &[],
    global_only: &["message_file"],
    renamed: &[],
    costs_money: false,
};

/// The three files of a call, as texts.
#[derive(Default)]
struct Files<'a> {
    global: &'a str,
    project: &'a str,
    local: &'a str,
    switch: Position,
}

const fn of<'a>(global: &'a str, project: &'a str, local: &'a str) -> Files<'a> {
    Files { global, project, local, switch: Position::Auto }
}

/// The files on disk, for as long as the folder lives.
fn files_in(files: &Files<'_>) -> (tempfile::TempDir, Sources) {
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = scratch.path().join(name);
        if !text.is_empty() {
            fs::write(&path, text).unwrap();
        }
        Some(path)
    };
    let sources = Sources {
        home: Some(scratch.path().to_path_buf()),
        global: path("global.yaml", files.global),
        project: path("project.yaml", files.project),
        local: path("local.yaml", files.local),
        root: Some(scratch.path().to_path_buf()),
        instead: None,
    };
    (scratch, sources)
}

/// By its types; and the schema must say the same.
fn resolve(files: &Files<'_>) -> Section<Settings> {
    let (_scratch, sources) = files_in(files);
    let section = load(SPEC, &sources, files.switch).unwrap();
    let (spec, schema) = section_by_schema(SPEC.name).unwrap();
    let by_schema = load_by_schema(spec, schema, &sources, files.switch).unwrap();
    assert_eq!(by_schema.problems, section.problems);
    assert_eq!(by_schema.entries(), section.entries());
    assert_eq!((by_schema.enabled, by_schema.headless), (section.enabled, section.headless));
    section
}

/// The problems and `max_blocks` of these three files.
fn blocks(files: &Files<'_>) -> (Vec<String>, Option<u32>) {
    let section = resolve(files);
    let problems = section.problems.iter().map(ToString::to_string);
    (problems.collect(), section.settings.max_blocks.map(Bounded::get))
}

/// Three files, their problems, and `max_blocks` after all layers.
const ROWS: &[(Files<'_>, &[&str], Option<u32>)] = &[
    (of("", "", ""), &[], None),
    (
        of(
            "stop-momentum: {max_blocks: 2}",
            "stop-momentum:\n  max_blocks: 7\n  only_when: sometimes\n  enabled: \"yes\"\n",
            "",
        ),
        &[
            "project.yaml:2: stop-momentum.max_blocks: expected a whole number from 1 to 6",
            "project.yaml:3: stop-momentum.only_when: expected one of: always, unfinished",
            "project.yaml:4: stop-momentum.enabled: expected true or false",
        ],
        Some(2),
    ),
    (
        of("", "", "stop-momentum:\n  enforce_akc: true\n  enable: true\n  zzz: 1\n  max_blocks: 3\n"),
        &[
            "local.yaml:2: stop-momentum.enforce_akc: no such key; did you mean enforce_ack?",
            "local.yaml:3: stop-momentum.enable: no such key; did you mean enabled?",
            "local.yaml:4: stop-momentum.zzz: no such key",
        ],
        Some(3),
    ),
    (
        of("stop-momentum: {max_blocks: 1}", "a: [b\nc: d\n", "- list\n"),
        &[
            "project.yaml:2: not valid YAML (illegal placement of ':' indicator); the file is skipped",
            "local.yaml:1: not a map of settings; the file is skipped",
        ],
        Some(1),
    ),
    (
        of("stop-momentum: true\n", "", ""),
        &["~/global.yaml:1: stop-momentum: expected a map of settings"],
        None,
    ),
    (of("stop-momentum:\ncredit-pacer: {a: b}\n", "", ""), &[], None),
    (
        of("version: \"2.0\"\nenabled: perhaps\nlocked: stop-momentum\n", "requires: soon\n", ""),
        &[
            "~/global.yaml:1: version: expected \"1.0\"",
            "~/global.yaml:2: enabled: expected true or false",
            "~/global.yaml:3: locked: expected a list of key paths",
            "project.yaml:1: requires: expected a version requirement such as \">=0.2\"",
        ],
        None,
    ),
    (of("", "requires: \">=0.1\"\n", ""), &[], None),
    (
        of("stop-momentum: {max_blocks: 99999999999999999999}\n", "", ""),
        &["~/global.yaml:1: stop-momentum.max_blocks: expected a whole number from 1 to 6"],
        None,
    ),
    (
        of("", "locked: [stop-momentum]\nstop-momentum: {max_blocks: 4}", "stop-momentum: {max_blocks: 1}"),
        &["project.yaml:1: locked: counts only in your global requirements.yaml; ignored here"],
        Some(1),
    ),
    (
        of(
            "locked: [stop-momentum]\nstop-momentum: {max_blocks: 3}\n",
            "stop-momentum: {max_blocks: 3, only_when: always}",
            "",
        ),
        &[],
        Some(3),
    ),
    (
        of("locked: [stop-momentum]\nstop-momentum: {max_blocks: 3}\n", "", "stop-momentum: {max_blocks: 1}"),
        &["local.yaml:1: stop-momentum.max_blocks: is locked by your global requirements.yaml; ignored here"],
        Some(3),
    ),
    (of("stop-momentum: {max_blocks: 3}\n", "inherit: false\n", ""), &[], None),
    (
        of("locked: [stop-momentum.max_blocks]\nstop-momentum: {max_blocks: 3}\n", "inherit: false\n", ""),
        &[],
        Some(3),
    ),
];

#[test]
fn later_layers_win_key_by_key_and_a_wrong_entry_falls_back_alone_and_is_named() {
    let end = "; the level below counts";

    for (files, expected, max_blocks) in ROWS {
        let with_end = |text: &&str| {
            if text.contains("expected") { format!("{text}{end}") } else { (*text).to_owned() }
        };
        let expected: Vec<String> = expected.iter().map(with_end).collect();
        assert_eq!(
            blocks(files),
            (expected, *max_blocks),
            "{:?}",
            (files.global, files.project, files.local)
        );
    }
    let problem = &resolve(&of("", "requires: \">=99.1\"\n", "")).problems[0];
    assert!(problem.to_string().contains("asks for Barbless >=99.1"), "{problem}");
}

#[test]
fn a_problem_never_shows_the_value() {
    let secret = "sk-ant-very-secret";
    for value in ["max_blocks: SECRET", "only_when: [SECRET]", "enforce_ack: {a: SECRET}"] {
        let text = format!("stop-momentum: {{{}}}", value.replace("SECRET", secret));
        let section = resolve(&of("", "", &text));
        assert_eq!(section.problems.len(), 1, "{value}");
        assert!(!section.problems[0].to_string().contains(secret));
    }
}

#[test]
fn older_names_of_keys_count_and_locks_hold_them() {
    let spec = SectionSpec { renamed: &[("blocks", "max_blocks")], ..SPEC };
    for (global, project, expected) in [
        ("stop-momentum: {blocks: 2, max_blocks: 3}", "", Some(3)),
        ("stop-momentum: {max_blocks: 2}", "stop-momentum: {blocks: 4}", Some(4)),
        (
            "stop-momentum: {blocks: 2}\nlocked: [stop-momentum.blocks]",
            "stop-momentum: {max_blocks: 4}",
            Some(2),
        ),
    ] {
        let (_scratch, sources) = files_in(&of(global, project, ""));
        let section: Section<Settings> = load(spec, &sources, Position::Auto).unwrap();
        assert_eq!(section.settings.max_blocks.map(Bounded::get), expected, "{global} {project}");
    }
}

#[test]
fn global_only_keys_count_in_the_global_file_alone_and_outlive_inherit_false() {
    let (own, other) =
        ("stop-momentum: {message_file: mine.md}", "stop-momentum: {message_file: /etc/passwd}");
    let section = resolve(&of(own, other, other));
    assert_eq!(section.settings.message_file.as_deref(), Some("mine.md"));
    assert_eq!(section.problems.iter().filter(|problem| problem.fault == Fault::GlobalOnly).count(), 2);
    let section = resolve(&of(own, "inherit: false", ""));
    assert_eq!(section.settings.message_file.as_deref(), Some("mine.md"));
}

#[test]
fn every_global_only_key_of_every_hook_is_ignored_in_a_project() {
    let mut walked = 0;
    for (spec, schema) in top_keys().filter_map(section_by_schema) {
        for key in spec.global_only {
            let path = spec.in_file(&key.split('.').filter(|key| !key.is_empty()).collect::<Vec<_>>());
            let inner = if key.is_empty() { "{enabled: true}" } else { "1" };
            let text = path.iter().rev().fold(inner.to_owned(), |text, key| format!("{{{key}: {text}}}"));
            let (_scratch, sources) = files_in(&of("", &text, ""));
            // No hook reads the whole of `judge` as its section.
            let Some(section) = load_by_schema(spec, schema, &sources, Position::Auto) else { continue };
            let faults: Vec<_> = section.problems.iter().map(|problem| &problem.fault).collect();
            assert_eq!(faults, [&Fault::GlobalOnly], "{text}");
            walked += 1;
        }
    }
    assert!(walked > 10, "{walked}");
}

/// Whether the hook is on after all layers, and how many problems there are.
#[test]
fn switches_and_master_keys_count_from_their_level_up_and_locks_hold_against_them() {
    let on = "stop-momentum: {enabled: true}";
    let locked = "locked: [stop-momentum.enforce_ack]\nstop-momentum: {enabled: true}";
    for (global, local, switch, enabled, problems) in [
        (on, "stop-momentum: {enabled: false}", Position::Auto, false, 0),
        ("enabled: false\nstop-momentum: {enabled: true}", "", Position::Auto, false, 0),
        ("enabled: false\nstop-momentum: {enabled: true}", "enabled: true", Position::Auto, true, 0),
        (on, "enabled: false", Position::On, false, 0),
        (on, "", Position::Off, false, 0),
        ("", "", Position::On, true, 0),
        (
            locked,
            "enabled: false\nstop-momentum: {enabled: false, enforce_ack: true}",
            Position::Off,
            true,
            3,
        ),
    ] {
        let section = resolve(&Files { switch, ..of(global, "", local) });
        assert_eq!(
            (section.enabled, section.problems.len()),
            (enabled, problems),
            "{global} {local} {switch:?}"
        );
    }
}

/// A hook that spends money is switched on by the user's own file alone; anybody may switch it off.
#[test]
fn only_the_global_file_begins_to_spend() {
    let (on, off) = ("stop-momentum: {enabled: true}", "stop-momentum: {enabled: false}");
    let no_inherit = "inherit: false\nstop-momentum: {enabled: true}";
    for (files, switch, enabled, layer, problems) in [
        (of(on, "", ""), Position::Auto, true, LayerKind::Global, 0),
        (of("", on, ""), Position::Auto, false, LayerKind::Defaults, 1),
        (of(off, "", on), Position::Auto, false, LayerKind::Global, 1),
        (of(on, on, ""), Position::Auto, true, LayerKind::Project, 0),
        (of(on, off, ""), Position::Auto, false, LayerKind::Project, 0),
        (of(on, off, on), Position::Auto, true, LayerKind::Local, 0),
        (of("", no_inherit, ""), Position::Auto, false, LayerKind::Defaults, 1),
        (of("", "", ""), Position::On, false, LayerKind::Defaults, 0),
        (of(off, "", ""), Position::On, false, LayerKind::Global, 0),
        (of(on, "", ""), Position::On, true, LayerKind::Switch, 0),
        (of(on, "", ""), Position::Off, false, LayerKind::Switch, 0),
    ] {
        let (_scratch, sources) = files_in(&files);
        let spec = SectionSpec { costs_money: true, ..SPEC };
        let section: Section<Settings> = load(spec, &sources, switch).unwrap();
        let found = (section.enabled, section.origin("enabled").unwrap().layer, section.problems.len());
        assert_eq!(
            found,
            (enabled, layer, problems),
            "{:?} {switch:?}",
            (files.global, files.project, files.local)
        );
    }
}

#[cfg(unix)]
#[test]
fn a_project_file_that_leads_elsewhere_or_is_no_file_is_not_read() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.yaml"), "stop-momentum: {enabled: true}").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let problem_of = |prepare: &dyn Fn(&Path)| {
        let file = scratch.path().join("project.yaml");
        let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir(&file));
        prepare(&file);
        let sources =
            Sources { project: Some(file), root: Some(scratch.path().to_path_buf()), ..Sources::default() };
        let section: Section<Settings> = load(SPEC, &sources, Position::Auto).unwrap();
        assert!(!section.enabled);
        section.problems.first().map(|problem| problem.to_string().split_once(": ").unwrap().1.to_owned())
    };
    let link = |file: &Path| std::os::unix::fs::symlink(outside.path().join("secret.yaml"), file).unwrap();
    assert_eq!(problem_of(&link).as_deref(), Some("leads out of the project; the file is skipped"));
    let folder = |file: &Path| fs::create_dir(file).unwrap();
    assert_eq!(problem_of(&folder).as_deref(), Some("not a regular file; the file is skipped"));
    let pipe = |file: &Path| {
        rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .unwrap();
    };
    assert_eq!(problem_of(&pipe).as_deref(), Some("not a regular file; the file is skipped"));
    let large = |file: &Path| fs::write(file, " ".repeat(1024 * 1024 + 1)).unwrap();
    assert_eq!(problem_of(&large).as_deref(), Some("too large; the file is skipped"));
    let binary = |file: &Path| fs::write(file, b"\xff\xfe").unwrap();
    assert_eq!(problem_of(&binary).as_deref(), Some("not UTF-8 text; the file is skipped"));
    let dangling = |file: &Path| std::os::unix::fs::symlink("nowhere", file).unwrap();
    assert_eq!(problem_of(&dangling), None);
}

#[test]
fn odd_values_elsewhere_take_nothing_down() {
    for odd in
        ["other: !env FOO\n", "other: 99999999999999999999\n", "[a, b]: c\n", "1: x\ntrue: y\n", "...\n"]
    {
        let section = resolve(&of(&format!("stop-momentum: {{enabled: true}}\n{odd}"), "", ""));
        let is_unknown = |problem: &Problem| matches!(problem.fault, Fault::UnknownKey(_));
        assert!(section.enabled && section.problems.iter().all(is_unknown), "{odd}: {:?}", section.problems);
    }
}

#[test]
fn hostile_files_are_read_at_once_and_told_up_to_a_bound() {
    let began = std::time::Instant::now();
    let unknown = (0..5000).map(|number| format!("  k{number}: 1\n")).collect::<Vec<_>>().concat();
    let twice = (0..2000).map(|number| format!("  a{number}: {{b: 1, b: 2}}\n")).collect::<Vec<_>>().concat();
    let deep =
        (0..1500).map(|number| format!("  d{number}: {{a: {{b: {{c: 1}}}}}}\n")).collect::<Vec<_>>().concat();
    let aliases = format!("a: &a [{}]\nb: [{}]\n", "1, ".repeat(5000), "*a, ".repeat(3000));
    for hostile in [unknown, twice, deep] {
        let project = format!("stop-momentum:\n{hostile}");
        let section = resolve(&of("", &project, "stop-momentum: {max_blocks: 2}"));
        assert!((1..=20).contains(&section.problems.len()), "{}", section.problems.len());
        assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(2));
    }
    let problems = resolve(&of("", &aliases, "")).problems;
    assert!(problems[0].to_string().starts_with("project.yaml:2: more values than"), "{problems:?}");
    // Generous: this is an unoptimized build on a busy machine. It took minutes before there were bounds.
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

mod key_switches;
mod root_keys;

fn layer() -> impl Strategy<Value = (Option<bool>, Option<u32>)> {
    (proptest::option::of(any::<bool>()), proptest::option::of(1..=6_u32))
}

fn text((ack, blocks): (Option<bool>, Option<u32>)) -> String {
    let mut text = "stop-momentum:\n".to_owned();
    text.extend(ack.map(|ack| format!("  enforce_ack: {ack}\n")));
    text.extend(blocks.map(|blocks| format!("  max_blocks: {blocks}\n")));
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_highest_layer_that_sets_a_key_wins(global in layer(), project in layer(), local in layer()) {
        let section = resolve(&of(&text(global), &text(project), &text(local)));
        prop_assert_eq!(section.settings.enforce_ack, local.0.or(project.0).or(global.0).unwrap_or(false));
        prop_assert_eq!(section.settings.max_blocks.map(Bounded::get), local.1.or(project.1).or(global.1));
        prop_assert!(section.problems.is_empty());
    }

    #[test]
    fn no_text_at_all_makes_loading_fail(text in "\\PC{0,200}") {
        let text = format!("{text}\n");
        let section = resolve(&of("", &text, ""));
        prop_assert!(section.settings.max_blocks.is_none() || text.contains("max_blocks"));
    }
}
