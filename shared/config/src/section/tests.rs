//! The cascade as three texts in, settings and problems out; and as properties.

use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Section, SectionSpec, load, load_by_schema};
use crate::Position;
use crate::defaults::top_keys;
use crate::{Bounded, Fault, Problem, Sources, section_by_schema};

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

#[test]
fn older_names_of_keys_count_and_locks_hold_them() {
    let spec = SectionSpec { renamed: &[("blocks", "max_blocks")], ..SPEC };
    for (global, project, expected) in [
        ("stop-momentum: {blocks: 2}", "", Some(2)),
        ("stop-momentum: {blocks: 2, max_blocks: 3}", "", Some(3)),
        ("stop-momentum: {max_blocks: 2}", "stop-momentum: {blocks: 4}", Some(4)),
        (
            "stop-momentum: {max_blocks: 2}\nlocked: [stop-momentum.max_blocks]",
            "stop-momentum: {blocks: 4}",
            Some(2),
        ),
        (
            "stop-momentum: {blocks: 2}\nlocked: [stop-momentum.blocks]",
            "stop-momentum: {max_blocks: 4}",
            Some(2),
        ),
    ] {
        let (_scratch, sources) = files_in(&Files { global, project, ..Files::default() });
        let section: Section<Settings> = load(spec, &sources, Position::Auto).unwrap();
        assert_eq!(section.settings.max_blocks.map(Bounded::get), expected, "{global} {project}");
    }
    assert_eq!(section_by_schema("credit-pacer").unwrap().0.renamed.len(), 6);
}

/// The three files of a call, as texts.
#[derive(Default)]
struct Files<'a> {
    global: &'a str,
    project: &'a str,
    local: &'a str,
    switch: Position,
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

#[track_caller]
fn check_problems(files: &Files<'_>, expected: &[&str]) -> Section<Settings> {
    let section = resolve(files);
    let problems: Vec<String> = section.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, expected);
    section
}

#[test]
fn without_files_the_defaults_hold() {
    let section = check_problems(&Files::default(), &[]);
    assert!(!section.enabled && !section.headless);
    assert_eq!(
        section.settings,
        Settings { enforce_ack: false, max_blocks: None, only_when: OnlyWhen::Always, message_file: None }
    );
}

#[test]
fn later_layers_win_key_by_key_in_either_direction() {
    let section = check_problems(
        &Files {
            global: "stop-momentum: {enabled: true, enforce_ack: true, max_blocks: 2}",
            project: "stop-momentum: {max_blocks: 4}",
            local: "stop-momentum: {enforce_ack: false, only_when: unfinished}",
            switch: Position::Auto,
        },
        &[],
    );
    assert!(section.enabled);
    assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(4));
    assert_eq!((section.settings.enforce_ack, section.settings.only_when), (false, OnlyWhen::Unfinished));
    let off = check_problems(
        &Files {
            global: "stop-momentum: {enabled: true}",
            local: "stop-momentum: {enabled: false}",
            ..Files::default()
        },
        &[],
    );
    assert!(!off.enabled);
}

#[test]
fn a_wrong_value_falls_back_to_the_layer_below_and_its_neighbours_hold() {
    let section = check_problems(
        &Files {
            global: "stop-momentum:\n  max_blocks: 2\n",
            project: "stop-momentum:\n  enforce_ack: true\n  max_blocks: 7\n  only_when: sometimes\n  enabled: \"yes\"\n",
            ..Files::default()
        },
        &[
            "project.yaml:3: stop-momentum.max_blocks: expected a whole number from 1 to 6; the level below counts",
            "project.yaml:4: stop-momentum.only_when: expected one of: always, unfinished; the level below counts",
            "project.yaml:5: stop-momentum.enabled: expected true or false; the level below counts",
        ],
    );
    assert!(section.settings.enforce_ack && !section.enabled);
    assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(2));
}

#[test]
fn an_unknown_key_is_named_with_the_nearest_known_one() {
    let section = check_problems(
        &Files {
            local: "stop-momentum:\n  enforce_akc: true\n  enable: true\n  zzz: 1\n  max_blocks: 3\n",
            ..Files::default()
        },
        &[
            "local.yaml:2: stop-momentum.enforce_akc: no such key; did you mean enforce_ack?",
            "local.yaml:3: stop-momentum.enable: no such key; did you mean enabled?",
            "local.yaml:4: stop-momentum.zzz: no such key",
        ],
    );
    assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(3));
}

#[test]
fn a_problem_never_shows_the_value() {
    let secret = "sk-ant-very-secret";
    for value in [
        format!("max_blocks: {secret}"),
        format!("only_when: [{secret}]"),
        format!("enforce_ack: {{a: {secret}}}"),
    ] {
        let section = resolve(&Files { local: &format!("stop-momentum: {{{value}}}"), ..Files::default() });
        assert_eq!(section.problems.len(), 1, "{value}");
        assert!(!section.problems[0].to_string().contains(secret));
    }
}

#[test]
fn a_file_that_is_no_yaml_is_skipped_and_the_others_hold() {
    let section = check_problems(
        &Files {
            global: "stop-momentum: {enabled: true}",
            project: "a: [b\nc: d\n",
            local: "- list\n",
            switch: Position::Auto,
        },
        &[
            "project.yaml:2: not valid YAML (a `[` is not closed, or a comma is missing); the file is skipped",
            "local.yaml:1: not a map of settings; the file is skipped",
        ],
    );
    assert!(section.enabled);
}

#[test]
fn a_section_that_is_no_map_is_a_problem_and_an_empty_one_is_not() {
    check_problems(
        &Files { global: "stop-momentum: true\n", ..Files::default() },
        &["~/global.yaml:1: stop-momentum: expected a map of settings; the level below counts"],
    );
    check_problems(&Files { global: "stop-momentum:\ncredit-pacer: {a: b}\n", ..Files::default() }, &[]);
}

#[test]
fn global_only_keys_count_in_the_global_file_alone() {
    let section = check_problems(
        &Files {
            global: "stop-momentum: {message_file: mine.md}",
            project: "stop-momentum: {message_file: /etc/passwd}",
            local: "stop-momentum:\n  message_file: other.md\n",
            switch: Position::Auto,
        },
        &[
            "project.yaml:1: stop-momentum.message_file: counts only in your global requirements.yaml; ignored here",
            "local.yaml:2: stop-momentum.message_file: counts only in your global requirements.yaml; ignored here",
        ],
    );
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
            let (_scratch, sources) = files_in(&Files { project: &text, ..Files::default() });
            // No hook reads the whole of `judge` as its section.
            let Some(section) = load_by_schema(spec, schema, &sources, Position::Auto) else { continue };
            let faults: Vec<_> = section.problems.iter().map(|problem| &problem.fault).collect();
            assert_eq!(faults, [&Fault::GlobalOnly], "{text}");
            walked += 1;
        }
    }
    assert!(walked > 10, "{walked}");
}

#[test]
fn a_locked_key_stands_against_deeper_files_and_switches() {
    let global = "locked: [stop-momentum.enforce_ack]\nstop-momentum: {enabled: true, enforce_ack: true, max_blocks: 3}\n";
    let section = check_problems(
        &Files {
            global,
            project: "stop-momentum: {enforce_ack: false, max_blocks: 1}",
            local: "enabled: false\nstop-momentum: {enabled: false}",
            switch: Position::Off,
        },
        &[
            "project.yaml:1: stop-momentum.enforce_ack: is locked by your global requirements.yaml; ignored here",
            "local.yaml:1: enabled: is locked by your global requirements.yaml; ignored here",
            "local.yaml:2: stop-momentum.enabled: is locked by your global requirements.yaml; ignored here",
        ],
    );
    assert!(section.enabled && section.settings.enforce_ack);
    assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(1), "a key that is not locked can be set");
}

#[test]
fn a_locked_section_is_locked_as_a_whole_and_agreement_is_no_problem() {
    let global = "locked: [stop-momentum]\nstop-momentum: {enabled: true, max_blocks: 3}\n";
    let section = check_problems(
        &Files {
            global,
            project: "stop-momentum: {enabled: true, max_blocks: 3, only_when: always}",
            ..Files::default()
        },
        &[],
    );
    assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(3));
    let section = resolve(&Files { global, local: "stop-momentum: {max_blocks: 1}", ..Files::default() });
    assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(3));
}

#[test]
fn only_the_global_file_may_lock() {
    let section = check_problems(
        &Files {
            project: "locked: [stop-momentum]\nstop-momentum: {enabled: true}",
            local: "stop-momentum: {enabled: false}",
            ..Files::default()
        },
        &["project.yaml:1: locked: counts only in your global requirements.yaml; ignored here"],
    );
    assert!(!section.enabled);
}

#[test]
fn a_project_that_does_not_inherit_starts_from_the_defaults_but_locks_and_global_only_keys_stay() {
    let section = check_problems(
        &Files {
            global: "locked: [stop-momentum.enforce_ack]\nstop-momentum: {enforce_ack: true, max_blocks: 5, message_file: mine.md}",
            project: "inherit: false\nstop-momentum: {only_when: unfinished}",
            ..Files::default()
        },
        &[],
    );
    assert_eq!(
        section.settings,
        Settings {
            enforce_ack: true,
            max_blocks: None,
            only_when: OnlyWhen::Unfinished,
            message_file: Some("mine.md".to_owned()),
        }
    );
}

#[test]
fn the_master_key_switches_off_at_its_level_and_a_deeper_one_can_switch_on_again() {
    let on = "stop-momentum: {enabled: true}";
    assert!(!resolve(&Files { global: &format!("enabled: false\n{on}"), ..Files::default() }).enabled);
    assert!(
        resolve(&Files {
            global: &format!("enabled: false\n{on}"),
            local: "enabled: true",
            ..Files::default()
        })
        .enabled
    );
    assert!(
        !resolve(&Files { global: on, project: "enabled: false", switch: Position::On, ..Files::default() })
            .enabled
    );
}

#[test]
fn a_switch_is_the_layer_above_the_files() {
    let on = Files { global: "stop-momentum: {enabled: true}", ..Files::default() };
    assert!(!resolve(&Files { switch: Position::Off, ..on }).enabled);
    assert!(resolve(&Files { switch: Position::On, ..Files::default() }).enabled);
}

#[test]
fn keys_above_the_sections_are_checked_too() {
    check_problems(
        &Files {
            global: "version: \"2.0\"\nenabled: perhaps\nlocked: stop-momentum\n",
            project: "requires: soon\n",
            ..Files::default()
        },
        &[
            "~/global.yaml:1: version: expected \"1.0\"; the level below counts",
            "~/global.yaml:2: enabled: expected true or false; the level below counts",
            "~/global.yaml:3: locked: expected a list of key paths; the level below counts",
            "project.yaml:1: requires: expected a version requirement such as \">=0.2\"; the level below counts",
        ],
    );
}

#[test]
fn a_project_that_needs_a_newer_version_says_so() {
    let problem = &resolve(&Files { project: "requires: \">=99.1\"\n", ..Files::default() }).problems[0];
    assert!(problem.to_string().contains("asks for Barbless >=99.1"), "{problem}");
    check_problems(&Files { project: "requires: \">=0.1\"\n", ..Files::default() }, &[]);
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
fn odd_values_elsewhere_take_nothing_down_and_a_huge_number_only_its_own_entry() {
    for odd in
        ["other: !env FOO\n", "other: 99999999999999999999\n", "[a, b]: c\n", "1: x\ntrue: y\n", "...\n"]
    {
        let section = resolve(&Files {
            global: &format!("stop-momentum: {{enabled: true}}\n{odd}"),
            ..Files::default()
        });
        let is_unknown = |problem: &Problem| matches!(problem.fault, Fault::UnknownKey(_));
        assert!(section.enabled && section.problems.iter().all(is_unknown), "{odd}: {:?}", section.problems);
    }
    let section = check_problems(
        &Files {
            global: "stop-momentum: {enabled: true, max_blocks: 99999999999999999999}\n",
            ..Files::default()
        },
        &[
            "~/global.yaml:1: stop-momentum.max_blocks: expected a whole number from 1 to 6; the level below counts",
        ],
    );
    assert!(section.enabled);
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
        let section = resolve(&Files {
            project: &project,
            local: "stop-momentum: {max_blocks: 2}",
            ..Files::default()
        });
        assert!((1..=20).contains(&section.problems.len()), "{}", section.problems.len());
        assert_eq!(section.settings.max_blocks.map(Bounded::get), Some(2));
    }
    check_problems(
        &Files { project: &aliases, ..Files::default() },
        &["project.yaml:2: more values than any configuration needs; the file is skipped"],
    );
    // Generous: this is an unoptimized build on a busy machine. It took minutes before there were bounds.
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

mod costs_money;
mod key_switches;
mod root_keys;

mod properties {
    use proptest::prelude::*;

    use super::{Files, Position, resolve};
    use crate::Bounded;

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
            let section = resolve(&Files { global: &text(global), project: &text(project), local: &text(local), switch: Position::Auto });
            prop_assert_eq!(section.settings.enforce_ack, local.0.or(project.0).or(global.0).unwrap_or(false));
            prop_assert_eq!(section.settings.max_blocks.map(Bounded::get), local.1.or(project.1).or(global.1));
            prop_assert!(section.problems.is_empty());
        }

        #[test]
        fn no_text_at_all_makes_loading_fail(text in "\\PC{0,200}") {
            let text = format!("{text}\n");
            let section = resolve(&Files { project: &text, ..Files::default() });
            prop_assert!(section.settings.max_blocks.is_none() || text.contains("max_blocks"));
        }
    }
}
