//! What comes out of the presets: files that load without a problem and say what they should, whatever was found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use shared::config::{LayerKind, Section, Sources, read_typed};
use shared::hook::Hook;
use shared::run::configure;
use shared::switches::Position;

use super::{Begins, Draft, Need, Slot, advanced, render, scalar, text_of};
use crate::command::arguments::Preset;
use crate::init::found::{FALLBACK, Hosting, TestCommand};
use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use requirements_check::settings::Settings;

const PRESETS: [Preset; 5] =
    [Preset::Relaxed, Preset::Strict, Preset::Minimal, Preset::Advanced, Preset::Inherit];

/// A draft of a Rust project on GitHub.
fn draft(begins: Begins) -> Draft {
    Draft {
        level: LayerKind::Project,
        begins,
        schema: "./requirements.schema.json".to_owned(),
        commands: vec!["cargo test".to_owned()],
        also_found: Vec::new(),
        paths: ["src/**", "Cargo.toml"].map(ToOwned::to_owned).to_vec(),
        has_git: true,
        branches: ["main", "release/*"].map(ToOwned::to_owned).to_vec(),
        thresholds: (250, 400),
        ci: Some(Hosting::GitHub.in_ci()),
    }
}

/// That draft under everything that may have been found.
fn drafts(begins: &Begins) -> Vec<Draft> {
    let whole = draft(begins.clone());
    let npm = TestCommand { line: "npm test".to_owned(), file: "package.json".to_owned() };
    let odd = ["pytest( .*)?", "./run \"a b\": #x"].map(ToOwned::to_owned).to_vec();
    vec![
        Draft { commands: Vec::new(), paths: Vec::new(), ..whole.clone() },
        Draft { also_found: vec![npm], ..whole.clone() },
        Draft { commands: odd, paths: vec!["{a,b}/**".to_owned()], ..whole.clone() },
        Draft { has_git: false, branches: Vec::new(), ci: None, ..whole.clone() },
        Draft { has_git: false, branches: Vec::new(), ci: None, commands: Vec::new(), ..whole.clone() },
        Draft { branches: Vec::new(), ..whole.clone() },
        Draft { branches: vec!["true".to_owned(), "[a-z]*".to_owned()], thresholds: (1, 2), ..whole.clone() },
        Draft { level: LayerKind::Local, ..whole.clone() },
        Draft {
            level: LayerKind::Global,
            commands: Vec::new(),
            ci: None,
            paths: Vec::new(),
            ..whole.clone()
        },
        whole,
    ]
}

fn begins() -> Vec<Begins> {
    let all: Vec<String> = advanced().iter().map(|(name, _, _)| (*name).to_owned()).collect();
    let single = all.iter().map(|name| Begins::OneByOne(vec![name.clone()]));
    PRESETS.map(Begins::With).into_iter().chain(single).chain([Begins::OneByOne(all.clone())]).collect()
}

/// The file alone, read as the hook reads it.
fn loaded(draft: &Draft, text: &str, folder: &Path) -> Section<Settings> {
    let file = folder.join("requirements.yaml");
    fs::write(&file, text).unwrap();
    let mut sources = Sources { root: Some(folder.to_owned()), ..Sources::default() };
    match draft.level {
        LayerKind::Global => sources.global = Some(file),
        LayerKind::Local => sources.local = Some(file),
        _ => sources.project = Some(file),
    }
    let spec = shared::config::SectionSpec { tells_unknown_keys: true, ..RequirementsCheck::section() };
    configure::<RequirementsCheck>(spec, &sources, Position::Auto).unwrap()
}

#[test]
fn whatever_was_found_the_file_loads_without_a_problem_and_nothing_is_left_to_fill_in() {
    let folder = tempfile::tempdir().unwrap();
    for begins in begins() {
        for draft in drafts(&begins) {
            let text = render(&draft);
            let section = loaded(&draft, &text, folder.path());
            assert!(section.problems.is_empty(), "{draft:?}: {:?}\n{text}", section.problems);
            let first = format!("# yaml-language-server: $schema={}\n", draft.schema);
            assert!(text.starts_with(&first) && text.ends_with('\n') && !text.ends_with("\n\n"), "{text}");
            for left in ["{{", "}}", "#@", "\n\n\n"] {
                assert!(!text.contains(left), "{left} in {text}");
            }
        }
    }
}

#[test]
fn each_preset_requires_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let everything = [
        "adr_reviewed",
        "branch_size",
        "commit_plan",
        "pre_commit_review",
        "protected_branch",
        "single_session",
        "tests_green",
    ];
    for (preset, expected) in [
        (Preset::Relaxed, &["commit_plan"][..]),
        (Preset::Strict, &["commit_plan", "protected_branch", "tests_green"]),
        (Preset::Minimal, &[]),
        (Preset::Advanced, &everything),
        (Preset::Inherit, &[]),
    ] {
        let draft = draft(Begins::With(preset));
        let section = loaded(&draft, &render(&draft), folder.path());
        let names: Vec<&str> = Rule::all(&section.settings).map(|rule| rule.name).collect();
        assert_eq!(names, expected, "{preset:?}");
    }
    let draft = draft(Begins::With(Preset::Advanced));
    let section = loaded(&draft, &render(&draft), folder.path());
    assert!(!section.settings.requirements["github_ticket"].enabled, "described, and off");
    let kinds: BTreeSet<String> =
        Rule::all(&section.settings).map(|rule| format!("{:?}", rule.set.kind)).collect();
    assert_eq!(kinds.len(), 4, "one of every type: {kinds:?}");
}

#[test]
fn what_is_chosen_one_by_one_is_required_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for (name, _, _) in advanced() {
        let draft = draft(Begins::OneByOne(vec![name.to_owned()]));
        let section = loaded(&draft, &render(&draft), folder.path());
        let names: Vec<&str> = section.settings.requirements.keys().map(String::as_str).collect();
        assert_eq!(names, [name]);
        assert!(Rule::named(&section.settings, name).is_some(), "{name} is on");
    }
}

#[test]
fn what_cannot_work_here_is_a_comment_that_says_why() {
    let strict = draft(Begins::With(Preset::Strict));
    let without = Draft { has_git: false, branches: Vec::new(), commands: Vec::new(), ..strict };
    let text = render(&without);
    for said in [
        "  # protected_branch is left out: there is no git repository here, so there are no branches.\n",
        "  #   protected_branches: [main, master]\n",
        "  # tests_green is left out: no command that runs the tests was found; put yours in.\n",
        "  #   command: the command that runs your tests",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let only = Draft { begins: Begins::OneByOne(vec!["branch_size".to_owned()]), ..without };
    assert!(render(&only).contains("\nrequirements: {}\n  # branch_size is left out"), "{}", render(&only));
}

#[test]
fn what_is_left_out_can_be_had_as_the_comment_says() {
    let folder = tempfile::tempdir().unwrap();
    let strict = draft(Begins::With(Preset::Strict));
    let without = Draft { has_git: false, branches: Vec::new(), commands: Vec::new(), ..strict };
    let mut is_below = false;
    let lines = render(&without);
    let taken = lines.lines().map(|line| {
        is_below = (is_below && !line.is_empty()) || line.contains("To have it, take the first `# `");
        match line.strip_prefix("  # ") {
            Some(line) if is_below && !line.starts_with("To have it") => format!("  {line}\n"),
            _ => format!("{line}\n"),
        }
    });
    let text: String = taken.collect();
    let section = loaded(&without, &text, folder.path());
    assert!(section.problems.is_empty(), "{:?}\n{text}", section.problems);
    let names: Vec<&str> = Rule::all(&section.settings).map(|rule| rule.name).collect();
    assert_eq!(names, ["commit_plan", "protected_branch", "tests_green"], "{text}");
}

#[test]
fn what_was_found_stands_in_its_place() {
    let npm = TestCommand { line: "npm test".to_owned(), file: "package.json".to_owned() };
    let draft = Draft {
        commands: vec!["cargo test".to_owned(), "make check".to_owned()],
        also_found: vec![npm],
        thresholds: (10, 20),
        ..draft(Begins::With(Preset::Advanced))
    };
    let text = render(&draft);
    for said in [
        "    command: [cargo test, make check, cargo nextest run]   # of several commands one is enough\n",
        "    # found as well: npm test (package.json)\n",
        "    paths: [\"src/**\", Cargo.toml]\n",
        "    protected_branches: [main, \"release/*\"]\n",
        "    thresholds: { warn: 10, block: 20 }",
        "\n# In a GitHub job, after actions/checkout with fetch-depth: 0, run: req ci\n",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let bare = Draft { also_found: Vec::new(), paths: Vec::new(), ci: None, ..draft };
    for gone in ["found as well", "paths:", "req ci"] {
        assert!(!render(&bare).contains(gone), "{gone}");
    }
}

#[test]
fn the_presets_name_only_slots_and_needs_that_there_are() {
    for preset in PRESETS {
        for line in text_of(preset).lines() {
            let slots = line.matches("{{").count();
            let known: usize = Slot::ALL.iter().map(|(word, _)| line.matches(word).count()).sum();
            assert_eq!(slots, known, "{preset:?}: {line}");
            let is_mark = line.contains("#@");
            assert_eq!(is_mark, Need::named(line).is_some(), "{preset:?}: {line}");
        }
    }
    assert_eq!(FALLBACK.len(), 2);
}

#[test]
fn the_comment_of_an_entry_is_as_wide_as_the_others() {
    for preset in PRESETS {
        for line in render(&draft(Begins::With(preset))).lines() {
            assert!(line.chars().count() <= 130, "{preset:?}: {line}");
        }
    }
}

#[test]
fn a_value_is_in_quotes_unless_it_is_plainly_text() {
    for (text, expected) in [
        ("cargo test", "cargo test"),
        ("/usr/bin/x", "/usr/bin/x"),
        ("./gradlew test", "\"./gradlew test\""),
        ("release/*", "\"release/*\""),
        ("true", "\"true\""),
        ("No", "\"No\""),
        ("12", "\"12\""),
        ("a: b", "\"a: b\""),
        ("a ", "\"a \""),
        ("", "\"\""),
        ("x\"y", "\"x\\\"y\""),
    ] {
        assert_eq!(scalar(text), expected);
    }
}

proptest! {
    #[test]
    fn a_value_is_read_back_as_it_was(text in "[ -~äöü]{0,30}") {
        let read: Vec<String> = read_typed(&format!("[{}, {}]", scalar(&text), scalar(&text))).unwrap();
        prop_assert_eq!(read, [text.clone(), text]);
    }
}
