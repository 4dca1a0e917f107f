//! The cascade as three texts in, settings and problems out; and as properties.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::Position::{Auto, Off, On};
use crate::layer::top_keys;
use crate::{Bounded, Entry, Refused, section_by_schema, top_entries};

mod root_keys;

/// The settings of the section these tests borrow; its defaults stand in config/defaults.yaml.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Settings {
    enforce_ack: bool,
    max_blocks: Option<Bounded<1, 6>>,
    only_when: OnlyWhen,
    message_file: Option<String>,
    #[serde(default)]
    requirements: BTreeMap<String, root_keys::Rule>,
}

#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OnlyWhen {
    #[default]
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

/// The global, the project's and the local file of a call, as texts.
type Files<'a> = [&'a str; 3];

/// The files on disk, for as long as the folder lives.
fn files_in(files: Files<'_>) -> (tempfile::TempDir, Sources) {
    let scratch = tempfile::tempdir().unwrap();
    let paths = ["global.yaml", "project.yaml", "local.yaml"].map(|name| scratch.path().join(name));
    for (path, text) in paths.iter().zip(files).filter(|(_, text)| !text.is_empty()) {
        fs::write(path, text).unwrap();
    }
    let (home, [global, project, local]) = (Some(scratch.path().to_path_buf()), paths.map(Some));
    (scratch, Sources { root: home.clone(), home, global, project, local, instead: None })
}

fn resolve(files: Files<'_>) -> Section<Settings> {
    resolve_with(files, Auto)
}

/// By its types; and the schema must say the same.
fn resolve_with(files: Files<'_>, switch: Position) -> Section<Settings> {
    let (_scratch, sources) = files_in(files);
    let section = load(SPEC, &sources, switch).unwrap();
    let (spec, schema) = section_by_schema(SPEC.name).unwrap();
    let by_schema = load_by_schema(spec, schema, &sources, switch).unwrap();
    assert_eq!(by_schema.problems, section.problems);
    assert_eq!(by_schema.entries(), section.entries());
    assert_eq!((by_schema.enabled, by_schema.headless), (section.enabled, section.headless));
    section
}

fn told<S>(section: &Section<S>) -> Vec<String> {
    section.problems.iter().map(ToString::to_string).collect()
}

fn blocks(section: &Section<Settings>) -> Option<u32> {
    section.settings.max_blocks.map(Bounded::get)
}

/// Three files, their problems, and `max_blocks` after all layers.
const ROWS: &[(Files<'_>, &[&str], Option<u32>)] = &[
    (["", "", ""], &[], None),
    (
        [
            "stop-momentum: {max_blocks: 2}",
            "stop-momentum:\n  max_blocks: 99999999999999999999\n  only_when: sometimes\n  enabled: \"yes\"\n",
            "requires: soon\n",
        ],
        &[
            "project.yaml:2: stop-momentum.max_blocks: expected a whole number from 1 to 6; the level below counts",
            "project.yaml:3: stop-momentum.only_when: expected one of: always, unfinished; the level below counts",
            "project.yaml:4: stop-momentum.enabled: expected true or false; the level below counts",
        ],
        Some(2),
    ),
    (
        [
            "stop-momentum: true",
            "",
            "stop-momentum:\n  enforce_akc: 1\n  enable: 1\n  zzz: 1\n  max_blocks: 3",
        ],
        &[
            "~/global.yaml:1: stop-momentum: expected a map of settings; the level below counts",
            "local.yaml:2: stop-momentum.enforce_akc: no such key; did you mean enforce_ack?",
            "local.yaml:3: stop-momentum.enable: no such key; did you mean enabled?",
            "local.yaml:4: stop-momentum.zzz: no such key",
        ],
        Some(3),
    ),
    (
        ["stop-momentum: {max_blocks: 1}", "a: [b\nc: d\n", "- list\n"],
        &[
            "project.yaml:2: not valid YAML (illegal placement of ':' indicator); for the hooks that read this part, the file is \
             skipped",
            "local.yaml:1: not a map of settings; for the hooks that read this part, the file is skipped",
        ],
        Some(1),
    ),
    (["stop-momentum: {max_blocks: 2}", "credit-pacer: [b\n", "stop-momentum:\n"], &[], Some(2)),
    (
        ["version: \"2.0\"\nenabled: perhaps\nlocked: stop-momentum\n", "requires: soon\n", "version: 1\n"],
        &[
            "~/global.yaml:1: version: expected \"1.0\"; the level below counts",
            "~/global.yaml:2: enabled: expected true or false; the level below counts",
            "~/global.yaml:3: locked: expected a list of key paths; the level below counts",
            "project.yaml:1: requires: expected a version requirement such as \">=0.2\"; the level below counts",
        ],
        None,
    ),
    (
        ["", "locked: [stop-momentum]\nstop-momentum: {max_blocks: 4}", "stop-momentum: {max_blocks: 1}"],
        &["project.yaml:1: locked: counts only in your global requirements.yaml; ignored here"],
        Some(1),
    ),
    (
        [
            "version: 1.0\nlocked: [stop-momentum]\nstop-momentum: {max_blocks: 3}\n",
            "requires: \">=0.1\"\nstop-momentum: {max_blocks: 3, only_when: always}\n",
            "stop-momentum: {max_blocks: 1}",
        ],
        &["local.yaml:1: stop-momentum.max_blocks: is locked by your global requirements.yaml; ignored here"],
        Some(3),
    ),
    (["stop-momentum: {max_blocks: 3}\n", "inherit: false\n", ""], &[], None),
    (["locked: [stop-momentum]\nstop-momentum: {max_blocks: 3}", "inherit: false", ""], &[], Some(3)),
];

#[test]
fn later_layers_win_key_by_key_and_a_wrong_entry_falls_back_alone_and_is_named() {
    for (files, expected, max_blocks) in ROWS {
        let section = resolve(*files);
        assert_eq!(told(&section), *expected, "{files:?}");
        assert_eq!(blocks(&section), *max_blocks, "{files:?}");
    }
    let problem = &told(&resolve(["", "requires: \">=99.1\"\n", ""]))[0];
    assert!(problem.contains("asks for Barbless >=99.1"), "{problem}");
}

#[test]
fn a_problem_never_shows_the_value() {
    for value in ["max_blocks: sk-ant-x", "only_when: [sk-ant-x]", "enforce_ack: {a: sk-ant-x}"] {
        let problems = told(&resolve(["", "", &format!("stop-momentum: {{{value}}}")]));
        assert!(problems.len() == 1 && !problems[0].contains("sk-ant"), "{value}: {problems:?}");
    }
}

#[test]
fn older_names_of_keys_count_and_locks_hold_them() {
    let spec = SectionSpec { renamed: &[("blocks", "max_blocks")], ..SPEC };
    for (global, project, expected) in [
        ("{blocks: 2, max_blocks: 3}", "", Some(3)),
        ("{max_blocks: 2}", "{blocks: 4}", Some(4)),
        ("{blocks: 2}\nlocked: [stop-momentum.blocks]", "{max_blocks: 4}", Some(2)),
    ] {
        let [global, project] = [global, project].map(|text| format!("stop-momentum: {text}"));
        let (_scratch, sources) = files_in([&global, &project, ""]);
        let section: Section<Settings> = load(spec, &sources, Auto).unwrap();
        assert_eq!(blocks(&section), expected, "{global} {project}");
    }
}

#[test]
fn global_only_keys_count_in_the_global_file_alone_and_outlive_inherit_false() {
    let [own, other] =
        ["mine.md", "/etc/passwd"].map(|file| format!("stop-momentum: {{message_file: {file}}}"));
    for (project, local, refused) in [(&*other, &*other, 2), ("inherit: false", "", 0)] {
        let section = resolve([&own, project, local]);
        assert_eq!(section.settings.message_file.as_deref(), Some("mine.md"));
        let faults = section.problems.iter().filter(|problem| problem.fault == Fault::GlobalOnly);
        assert_eq!(faults.count(), refused);
    }
}

#[test]
fn every_global_only_key_of_every_hook_is_ignored_in_a_project() {
    let mut walked = 0;
    for (spec, schema) in top_keys().filter_map(section_by_schema) {
        for key in spec.global_only {
            let path = spec.in_file(&key.split('.').filter(|key| !key.is_empty()).collect::<Vec<_>>());
            let inner = if key.is_empty() { "{enabled: true}" } else { "1" };
            let text = path.iter().rev().fold(inner.to_owned(), |text, key| format!("{{{key}: {text}}}"));
            let (_scratch, sources) = files_in(["", &text, ""]);
            // No hook reads the whole of `judge` as its section.
            let Some(section) = load_by_schema(spec, schema, &sources, Auto) else { continue };
            let faults: Vec<_> = section.problems.iter().map(|problem| &problem.fault).collect();
            assert_eq!(faults, [&Fault::GlobalOnly], "{text}");
            walked += 1;
        }
    }
    assert!(walked > 10, "{walked}");
}

/// Whether the hook is on after all layers, how many problems there are, and whether a switch alone has it off.
#[test]
fn switches_and_master_keys_count_from_their_level_up_and_locks_hold_against_them() {
    let on = "stop-momentum: {enabled: true}";
    let locked = "locked: [stop-momentum.enforce_ack]\nstop-momentum: {enabled: true}";
    for (global, local, switch, enabled, problems, is_switched_off) in [
        (on, "stop-momentum: {enabled: false}", Auto, false, 0, false),
        ("enabled: false\nstop-momentum: {enabled: true}", "", Auto, false, 0, false),
        ("enabled: false\nstop-momentum: {enabled: true}", "", Off, false, 0, false),
        ("enabled: false\nstop-momentum: {enabled: true}", "enabled: true", Auto, true, 0, false),
        (on, "enabled: false", On, false, 0, false),
        (on, "", Off, false, 0, true),
        ("stop-momentum: {enabled: false}", "", Off, false, 0, false),
        ("", "", On, true, 0, false),
        (locked, "enabled: false\nstop-momentum: {enabled: false, enforce_ack: true}", Off, true, 3, false),
        (
            "enabled: false\nlocked: [stop-momentum]\nstop-momentum: {enabled: true}",
            "",
            Auto,
            false,
            0,
            false,
        ),
    ] {
        let section = resolve_with([global, "", local], switch);
        let found = (section.enabled, section.problems.len(), section.is_switched_off());
        assert_eq!(found, (enabled, problems, is_switched_off), "{global} {local} {switch:?}");
        assert_eq!(Position::of_word(switch.word()), Some(switch));
    }
}

/// A hook that spends money is switched on by the user's own file alone; anybody may switch it off.
#[test]
fn only_the_global_file_begins_to_spend() {
    let (on, off) = ("stop-momentum: {enabled: true}", "stop-momentum: {enabled: false}");
    let no_inherit = "inherit: false\nstop-momentum: {enabled: true}";
    let all_off = "enabled: false\nstop-momentum: {enabled: true}";
    for (files, switch, enabled, layer, problems) in [
        ([on, "", ""], Auto, true, LayerKind::Global, 0),
        (["", on, ""], Auto, false, LayerKind::Defaults, 1),
        ([off, "", on], Auto, false, LayerKind::Global, 1),
        ([on, on, ""], Auto, true, LayerKind::Project, 0),
        ([on, off, ""], Auto, false, LayerKind::Project, 0),
        ([on, off, on], Auto, true, LayerKind::Local, 0),
        (["", no_inherit, ""], Auto, false, LayerKind::Defaults, 1),
        (["", "", ""], On, false, LayerKind::Defaults, 0),
        ([off, "", ""], On, false, LayerKind::Global, 0),
        ([on, "", ""], On, true, LayerKind::Switch, 0),
        ([on, "", ""], Off, false, LayerKind::Switch, 0),
        ([all_off, "enabled: true", ""], On, false, LayerKind::Global, 1),
        ([on, "enabled: false", "enabled: true"], Auto, true, LayerKind::Global, 0),
        ([all_off, "enabled: false", "enabled: true"], Auto, false, LayerKind::Project, 1),
    ] {
        let (_scratch, sources) = files_in(files);
        let spec = SectionSpec { costs_money: true, ..SPEC };
        let section: Section<Settings> = load(spec, &sources, switch).unwrap();
        let found = (section.enabled, section.origin("enabled").unwrap().layer, section.problems.len());
        assert_eq!(found, (enabled, layer, problems), "{files:?} {switch:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_project_file_that_leads_elsewhere_or_is_no_file_is_not_read() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;
    type Prepare<'f> = &'f dyn Fn(&Path) -> std::io::Result<()>;
    let (outside, _) = files_in(["stop-momentum: {enabled: true}", "", ""]);
    let cases: [(Prepare<'_>, &str); 6] = [
        (&|file| symlink(outside.path().join("global.yaml"), file), "leads out of the project"),
        (&|file| fs::create_dir(file), "not a regular file"),
        (&|file| Ok(mknodat(CWD, file, FileType::Fifo, Mode::RWXU, 0)?), "not a regular file"),
        (&|file| fs::write(file, " ".repeat(64 * 1024 + 1)), "too large"),
        (&|file| fs::write(file, b"\xff\xfe"), "not UTF-8 text"),
        (&|file| symlink("nowhere", file), ""),
    ];
    for (prepare, why) in cases {
        let (_scratch, sources) = files_in(["", "", ""]);
        prepare(sources.project.as_ref().unwrap()).unwrap();
        let section: Section<Settings> = load(SPEC, &sources, Auto).unwrap();
        let expected = (!why.is_empty()).then(|| format!("project.yaml: {why}; the file is skipped"));
        assert_eq!((section.enabled, told(&section)), (false, Vec::from_iter(expected)));
    }
}

#[test]
fn odd_values_elsewhere_take_nothing_down() {
    for odd in ["other: !env FOO", "other: 99999999999999999999", "[a, b]: c", "1: x\ntrue: y", "..."] {
        let section = resolve([&format!("stop-momentum: {{enabled: true}}\n{odd}\n"), "", ""]);
        let is_unknown = |problem: &Problem| matches!(problem.fault, Fault::UnknownKey(_));
        assert!(section.enabled && section.problems.iter().all(is_unknown), "{odd}: {:?}", section.problems);
    }
}

#[test]
fn hostile_files_are_read_quickly_and_reported_up_to_a_bound() {
    let began = std::time::Instant::now();
    let aliases = format!("a: &a [{}]\nb: [{}]\n", "1, ".repeat(5000), "*a, ".repeat(3000));
    for (count, value) in [(5000, "1"), (2000, "{b: 1, b: 2}"), (1500, "{a: {b: {c: 1}}}")] {
        let lines: Vec<_> = (0..count).map(|number| format!("\n  k{number}: {value}")).collect();
        let project = format!("stop-momentum:{}\n", lines.concat());
        let section = resolve(["", &project, "stop-momentum: {max_blocks: 2}"]);
        assert!((1..=20).contains(&section.problems.len()), "{}", section.problems.len());
        assert_eq!(blocks(&section), Some(2));
    }
    let problems = resolve(["", &aliases, ""]).problems;
    assert!(problems[0].to_string().starts_with("project.yaml:2: more values than"), "{problems:?}");
    // Generous: this is an unoptimized build on a busy machine. It took minutes before there were bounds.
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

/// The part of another section that a switch turns.
const HOOK: &str = "delegation-guard";

fn reminder_section(global: &str, local: &str, keys: &[(&str, Position)]) -> Section<()> {
    let (_scratch, sources) = files_in([global, "", local]);
    let (spec, schema) = section_by_schema(HOOK).unwrap();
    let keys = keys.iter().map(|(key, to)| ((*key).to_owned(), *to)).collect();
    let section = load_by_schema(spec, schema, &sources, SectionSwitches { own: Auto, keys }).unwrap();
    assert_eq!(section.problems, []);
    section
}

/// The reminder is on, and the layer that says so.
fn reminder(section: &Section<()>) -> (bool, LayerKind) {
    let path = [HOOK, "reminder", "enabled"];
    let entry = section.entries().into_iter().find(|entry| entry.path == path).unwrap();
    assert_eq!(section.origin("reminder.enabled").unwrap(), entry.origin);
    (entry.value == true, entry.origin.layer)
}

#[test]
fn switch_of_a_key_wins_over_every_file_and_says_so() {
    let off = "delegation-guard: {reminder: {enabled: false, every: 3}}";
    for (local, keys, expected) in [
        ("", &[][..], (true, LayerKind::Defaults)),
        ("", &[("reminder", Off)], (false, LayerKind::Switch)),
        (off, &[], (false, LayerKind::Local)),
        (off, &[("reminder", On)], (true, LayerKind::Switch)),
        (off, &[("reminder", Off)], (false, LayerKind::Switch)),
    ] {
        let section = reminder_section("", local, keys);
        assert_eq!(reminder(&section), expected, "{local} {keys:?}");
        let switched: Vec<_> = keys.iter().map(|(key, to)| ((*key).to_owned(), *to)).collect();
        assert_eq!((section.switched_keys(), section.overruled.len()), (switched, 0));
        let origin = section.origin("reminder.enabled").unwrap();
        assert_eq!(origin.to_string() == "its switch", !keys.is_empty(), "{origin}");
    }
    for key in ["unheard_of", "advise_from", "reminder.every", "", "message_files"] {
        let section = reminder_section("", "", &[(key, On)]);
        assert_eq!((section.switched_keys(), section.overruled.len()), (Vec::new(), 0), "{key}");
    }
}

#[test]
fn lock_holds_against_the_switch_of_a_key() {
    for (locked, to, is_on, is_overruled) in [
        ("delegation-guard", Off, true, true),
        ("delegation-guard.reminder", Off, true, true),
        ("delegation-guard.reminder.enabled", Off, true, true),
        // It would switch off the locked key beside it.
        ("delegation-guard.reminder.every", Off, true, true),
        ("delegation-guard.advise_from", Off, false, false),
        ("delegation-guard.reminder", On, true, false),
    ] {
        let section = reminder_section(&format!("locked: [{locked}]"), "", &[("reminder", to)]);
        assert_eq!(reminder(&section).0, is_on, "{locked}");
        assert_eq!(section.overruled.contains(&"reminder".to_owned()), is_overruled, "{locked}");
        assert_eq!(section.switched_keys().is_empty(), is_overruled, "{locked}");
    }
}

/// The key, whether it is locked, and whether only the global file may set it.
fn rights(entries: &[Entry], key: &str) -> (bool, bool) {
    let entry = entries.iter().find(|entry| entry.path.join(".") == key).unwrap();
    (entry.locked, entry.global_only)
}

#[test]
fn entries_say_who_may_set_them_and_that_every_hook_is_off() {
    let project = "enabled: true\nlocked: [stop-momentum]\n";
    let top = |global: &str| top_entries(&files_in([global, project, ""]).1);
    assert_eq!(rights(&top(""), "enabled"), (false, false));
    let locks = "enabled: true\nlocked: [stop-momentum.max_blocks]\n";
    assert_eq!(["enabled", "locked"].map(|key| rights(&top(locks), key)), [(true, false), (false, true)]);
    let entries = resolve([locks, project, ""]).entries();
    assert_eq!(rights(&entries, "stop-momentum.max_blocks"), (true, false));
    assert_eq!(rights(&entries, "stop-momentum.message_file"), (false, true));
    let entries = resolve(["enabled: false\nstop-momentum: {enabled: true}\n", "", ""]).entries();
    let is_off = |entry: &&Entry| entry.path.ends_with(&["enabled".to_owned()]) && entry.value == false;
    assert_eq!(entries.iter().filter(is_off).count(), 1);
}

#[test]
fn text_in_place_of_a_file_counts_for_its_layer_alone_within_its_bound() {
    let (_scratch, mut sources) = files_in(["", "project", "local"]);
    let mut with = |kind, text: &str| {
        sources.instead = Some((kind, text.to_owned()));
        [LayerKind::Project, LayerKind::Local].map(|kind| sources.text(kind))
    };
    assert_eq!(with(LayerKind::Project, "new"), [Ok("new".to_owned()), Ok("local".to_owned())]);
    let most = "a".repeat(64 * 1024);
    assert_eq!(with(LayerKind::Local, &most), [Ok("project".to_owned()), Ok(most.clone())]);
    let too_large = with(LayerKind::Local, &format!("{most}a"));
    assert_eq!(too_large, [Ok("project".to_owned()), Err(Refused::Because("too large"))]);
}

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
        let section = resolve([&text(global), &text(project), &text(local)]);
        prop_assert_eq!(section.settings.enforce_ack, local.0.or(project.0).or(global.0).unwrap_or(false));
        prop_assert_eq!(blocks(&section), local.1.or(project.1).or(global.1));
        prop_assert!(section.problems.is_empty());
    }

    #[test]
    fn no_text_at_all_makes_loading_fail(text in "\\PC{0,200}") {
        let text = format!("{text}\n");
        let section = resolve(["", &text, ""]);
        prop_assert!(section.settings.max_blocks.is_none() || text.contains("max_blocks"));
    }
}
