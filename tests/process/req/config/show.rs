//! Reading: every section of every hook, as the hooks themselves read it.

use super::super::desk::{Desk, json_of, no, yes};
use super::{entry, value};
use serde_json::Value;
use shared::catalog::section_names;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tests::binaries;
use tests::process::Invocation;
use tests::sandbox::Level;

const LEVELS: [(Level, &str); 3] = [
    (Level::User, "stop-momentum: {enabled: true, max_blocks: 2}\nlocked: [stop-momentum.max_blocks]\n"),
    (Level::Project, "# ours\nrate-awareness:\n  repeat: 6\n"),
    (Level::Local, "rate-awareness:\n  # mine\n  repeat: 8\n"),
];

fn configured(levels: &[(Level, &str)]) -> Desk {
    let desk = Desk::empty();
    for (level, text) in levels {
        desk.sandbox.requirements(*level, text);
    }
    desk
}

fn sample(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn samples(folder: &str) -> Vec<std::path::PathBuf> {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config/samples");
    let mut files: Vec<_> =
        fs::read_dir(config.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// What the hook's own binary says of its section.
fn own_status(desk: &Desk, hook: &str) -> Value {
    let outcome = Invocation::new(binaries::path(hook), &desk.sandbox).args(["status", "--json"]).run();
    outcome.assert_exit(0);
    serde_json::from_slice(&outcome.stdout).unwrap()
}

/// `req` without the types of the other hooks says what each of them says by its types.
#[track_caller]
fn agrees_with_every_hook(desk: &Desk, what: &str) {
    let report = json_of(desk.script(&["config", "--json"]));
    let texts = |problems: &Value, key: &str| -> BTreeSet<String> {
        let list = problems.as_array().unwrap().iter();
        list.map(|one| if key.is_empty() { one } else { &one[key] }.as_str().unwrap().to_owned()).collect()
    };
    let mut by_hooks = BTreeSet::new();
    for hook in section_names() {
        let own = own_status(desk, hook);
        let enabled = entry(&report, &format!("{hook}.enabled"));
        assert_eq!(enabled["value"], own["enabled"], "{what}: {hook}");
        let place = match (enabled["file"].as_str(), enabled["line"].as_u64()) {
            (Some(file), Some(line)) => format!("{file}:{line}"),
            _ if enabled["layer"] == "switch" => "its switch".to_owned(),
            _ => "the defaults".to_owned(),
        };
        assert_eq!(place, own["set_by"], "{what}: {hook}");
        by_hooks.append(&mut texts(&own["problems"], ""));
    }
    assert_eq!(texts(&report["problems"], "text"), by_hooks, "{what}");
}

#[test]
fn every_sample_is_read_as_the_hooks_themselves_read_it() {
    let desk = configured(&[]);
    agrees_with_every_hook(&desk, "no file");
    let levels = [Level::User, Level::Project, Level::Local].into_iter().cycle();
    for (file, level) in samples("invalid").into_iter().chain(samples("unworkable")).zip(levels) {
        let desk = configured(&[(level, &sample(&file))]);
        agrees_with_every_hook(&desk, &format!("{} as {level:?}", file.display()));
    }
    let team: Vec<String> = samples("team").iter().map(|file| sample(file)).collect();
    let [global, local, project] = team.as_slice() else { panic!("three files") };
    let desk = configured(&[(Level::User, global), (Level::Project, project), (Level::Local, local)]);
    agrees_with_every_hook(&desk, "team");
}

#[test]
fn switches_locks_and_keys_that_count_elsewhere_are_read_as_the_hooks_read_them() {
    for (what, levels) in [
        ("locks", &LEVELS[..]),
        ("off", &[(Level::Project, "enabled: false\n")]),
        ("off under a lock", &[LEVELS[0], (Level::Project, "enabled: false\n")]),
        ("global only", &[(Level::Local, "stop-momentum: {message_file: x, enabled: true}\n")]),
        ("locked", &[LEVELS[0], (Level::Local, "stop-momentum: {max_blocks: 6}\n")]),
        ("defaults again", &[LEVELS[0], (Level::Project, "inherit: false\n")]),
        ("broken", &[(Level::Project, "stop-momentum: [\nrate-awareness: {repeat: 5}\n"), LEVELS[2]]),
        ("no sections", &[(Level::Project, "stop-momentum: 5\nrate-awareness: [1]\nlocked: [x]\n")]),
    ] {
        let desk = configured(levels);
        agrees_with_every_hook(&desk, what);
        let hook = binaries::path("rate-awareness");
        Invocation::new(hook, &desk.sandbox).args(["on"]).run().assert_exit(0);
        agrees_with_every_hook(&desk, &format!("{what}, switched on"));
    }
}

#[test]
fn the_compiled_in_schema_names_the_keys_that_each_hook_names() {
    let schema: Value = serde_json::from_str(shared::config::SCHEMA_TEXT).unwrap();
    let desk = Desk::empty();
    for hook in section_names() {
        let outcome = Invocation::new(binaries::path(hook), &desk.sandbox).args(["schema"]).run();
        let own: Value = serde_json::from_slice(&outcome.stdout).unwrap();
        for (key, described) in own["properties"].as_object().unwrap() {
            let is_root = described.get("x-root-key").is_some();
            let place =
                if is_root { &schema["properties"] } else { &schema["properties"][hook]["properties"] };
            for word in ["type", "minimum", "maximum", "oneOf", "anyOf", "x-global-only", "description"] {
                assert_eq!(
                    place[key][word], described[word],
                    "{hook}.{key} {word}: run `cargo xtask schema`"
                );
            }
        }
    }
}

#[test]
fn everything_is_listed_in_the_order_of_the_defaults_with_every_section() {
    let desk = configured(&LEVELS);
    let told = yes(desk.script(&["config"]));
    let keys: Vec<&str> = told.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
    let first_of = |section: &str| keys.iter().position(|key| key.split('.').next() == Some(section));
    let order: Vec<_> = ["version", "inherit", "locked"]
        .into_iter()
        .chain(section_names().filter(|name| *name != "requirements-check"))
        .chain(["requirements-check", "requirements", "hooks"])
        .map(first_of)
        .collect();
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{order:?} {told}");
    assert!(told.contains("\nstop-momentum.message_file: null\n"), "{told}");
    assert!(told.contains("\nrate-awareness.polling_tools: [TaskOutput, BashOutput"), "{told}");
}

#[test]
fn sources_name_layer_file_and_line_locks_and_what_is_overridden() {
    let desk = configured(&LEVELS);
    assert_eq!(
        yes(desk.script(&["config", "rate-awareness.repeat", "--sources"])),
        "rate-awareness.repeat: 8  # local, .claude/requirements.local.yaml:3\n  \
         # over 6  (project, .claude/requirements.yaml:3)\n  \
         # over 4  (defaults)"
    );
    assert_eq!(
        yes(desk.script(&["config", "stop-momentum.max_blocks", "--sources"])),
        "stop-momentum.max_blocks: 2  # global, ~/.claude/requirements.yaml:1, locked\n  # over null  (defaults)"
    );
    Invocation::new(binaries::path("rate-awareness"), &desk.sandbox).args(["on"]).run().assert_exit(0);
    assert_eq!(
        yes(desk.script(&["config", "rate-awareness.enabled", "--sources"])),
        "rate-awareness.enabled: true  # switch\n  # over true  (defaults)"
    );
}

#[test]
fn a_single_key_is_its_value_and_a_sub_directory_says_the_same_as_the_top() {
    let desk = configured(&[(
        Level::Project,
        "requirements:\n  plan: {message: \"a: b\", checklist: [x, y]}\n  \"v1.2\": {enabled: true}\nrate-awareness: {repeat: nine}\n",
    )]);
    for (key, expected) in [
        ("requirements.plan.message", "a: b"),
        ("requirements.plan.checklist", "[x, y]"),
        ("requirements.v1.2.enabled", "true"),
        ("requirements.\"v1.2\".enabled", "true"),
        ("rate-awareness.repeat", "4"),
        ("stop-momentum.message_file", ""),
    ] {
        assert_eq!(value(&desk, key), expected, "{key}");
    }
    desk.sandbox.write("deep/er/file", "");
    let below = desk.sandbox.project().join("deep/er");
    let [there, here] = [desk.script(&["config"]).cwd(below), desk.script(&["config"])].map(yes);
    assert_eq!(there, here);
    assert!(here.ends_with("\n\n.claude/requirements.yaml:4: rate-awareness.repeat: expected 0 or a whole number from 2 to 1000; the level below counts"), "{here}");
}

#[test]
fn an_unknown_key_is_told_with_the_one_that_was_meant() {
    let desk = configured(&[(Level::Project, "requirements: {commit_plan: {enabled: true}}\n")]);
    for (key, told) in [
        ("stop-momentum.maxblocks", "did you mean stop-momentum.max_blocks?"),
        ("stop-momentun.max_blocks", "did you mean stop-momentum.max_blocks?"),
        ("requirements.comit_plan.enabled", "did you mean requirements.commit_plan.enabled?"),
        ("requirements.commit_plan.enable", "did you mean requirements.commit_plan.enabled?"),
        ("requirements.commit_plan.scope", "is not set in any file; it would be one of: session, branch"),
        ("zzz", "req config lists them"),
        ("a..b", "is no key"),
    ] {
        let said = no(desk.script(&["config", key]));
        assert!(said.starts_with("req: ") && said.contains(told), "{key}: {said}");
    }
}

#[test]
fn without_files_git_project_or_home_the_defaults_are_told() {
    let desk = Desk::empty();
    let folder = desk.sandbox.root().join("plain");
    fs::create_dir_all(&folder).unwrap();
    for command in [
        desk.script(&["config", "--json"]),
        desk.script(&["config", "--json"]).cwd(&folder),
        desk.script(&["config", "--json"]).cwd(desk.sandbox.home()),
        desk.script(&["config", "--json"]).unset("HOME"),
    ] {
        let report = json_of(command);
        assert_eq!(entry(&report, "rate-awareness.repeat")["layer"], "defaults");
        assert_eq!(report["problems"], serde_json::json!([]));
        assert!(report["entries"].as_array().unwrap().len() > 20);
    }
}
