//! What programs rely on: each reading command's `--json` is what its committed schema says and nothing else, and the exit
//! status of every verb is 0, 1 or 64. The verbs and the commands are those that `req` names itself.

use crate::requirements_check::world::{TEAM, World, yes};
use serde_json::{Value, json};
use shared::config::fits;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tests::process::Invocation;
use tests::sandbox::Level;

/// The commands that `req schema` lists, by the names of their schemas, each as it is typed after `req`.
fn readings() -> BTreeMap<String, String> {
    let list = yes(World::empty().script(&["schema"]));
    let lines = list.lines().map(|line| line.split_once(" req ").unwrap_or_else(|| panic!("{line}")));
    lines.map(|(name, command)| (name.trim().to_owned(), command.to_owned())).collect()
}

/// Words that can be typed after a command.
fn ways(name: &str) -> &'static [&'static str] {
    match name {
        "status" => &["--all", "--branch main"],
        "check" => &["--tool Edit --file a.rs", "--bash ls"],
        "log" => &["-n 1"],
        "log-stats" => &["", "--cost"],
        "ci" => &["", "--base nowhere"],
        "config" => &["--sources", "requirements"],
        "docs" => &["", "evidence"],
        _ => &[""],
    }
}

/// A place to ask in.
struct Scene {
    world: World,
    folder: PathBuf,
}

impl Scene {
    /// Requirements of each type, satisfactions, sessions, a denial, exceptions, files at every level.
    fn full() -> Self {
        let world = World::new(TEAM);
        world.sandbox.requirements(
            Level::User,
            "rate-awareness: {enabled: true}\nlocked: [requirements.release_notes]\n",
        );
        world
            .sandbox
            .requirements(Level::Local, "requirements: {commit_plan: {ttl_secs: 60}, x: {typ: blocking}}\n");
        world.sandbox.commit("what is required");
        world.sandbox.git(&["switch", "--quiet", "-c", "feature"]);
        world.claude().starts("startup");
        world.another(2).starts("startup");
        let edit = json!({ "file_path": world.sandbox.project().join("a.rs") });
        assert!(world.ask(&world.session.pre_tool_use("Edit", edit)).is_some(), "a denial in the journal");
        yes(world.req(&["satisfy", "commit_plan", "adr_reviewed", "license_checked", "--note", "done"]));
        assert_eq!(world.user("waive tests_green --for 10m --note why").status, 0);
        Self { folder: world.sandbox.project(), world }
    }

    fn without_git() -> Self {
        let world = World::empty();
        world.sandbox.requirements(Level::User, TEAM);
        let folder = world.sandbox.root().join("plain");
        fs::create_dir_all(&folder).unwrap();
        Self { world, folder }
    }

    fn damaged() -> Self {
        let scene = Self::full();
        scene.world.sandbox.requirements(Level::Project, "requirements: [\n");
        fs::write(scene.world.marks_file("feature.json"), "{").unwrap();
        let journal = scene.world.journal() + "{ torn\n";
        fs::write(scene.world.state("journal.jsonl"), journal).unwrap();
        scene
    }

    fn asked(&self, line: &str) -> Invocation {
        self.world.req(&line.split_whitespace().collect::<Vec<_>>()).cwd(&self.folder)
    }
}

#[test]
fn printed_json_fits_the_committed_schema_exactly() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config/req");
    for (place, scene) in
        [("full", Scene::full()), ("no git", Scene::without_git()), ("damaged", Scene::damaged())]
    {
        for (name, command) in readings() {
            let schema = fs::read(config.join(format!("{name}.schema.json"))).unwrap();
            let schema: Value = serde_json::from_slice(&schema).unwrap();
            for way in ways(&name) {
                let outcome = scene.asked(&format!("{command} {way}")).run();
                let status = outcome.status.code();
                assert!(matches!(status, Some(0 | 1)), "{place}: {command} {way}: {outcome}");
                if outcome.stdout.is_empty() {
                    // Nothing was found to report, which is an error for people.
                    assert!(place == "no git" && !outcome.stderr.is_empty(), "{place}: {outcome}");
                    continue;
                }
                let mut printed: Value = serde_json::from_slice(&outcome.stdout).unwrap();
                assert!(fits(&schema, &printed), "{place}: {command} {way}: not its schema's\n{printed:#}");
                printed["undocumented"] = json!(1);
                assert!(!fits(&schema, &printed), "{name}: a key more goes unnoticed");
            }
        }
    }
}

/// The verbs that a help lists: lines with two spaces, a small word, and at least two spaces before what it does.
fn listed(help: &str) -> impl Iterator<Item = &str> {
    help.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("  ")?.split_once("  ")?;
        let is_word = !name.is_empty() && name.chars().all(|char| char.is_ascii_lowercase());
        (is_word && name != "help").then_some(name)
    })
}

#[test]
fn every_command_that_can_print_json_has_a_schema_and_no_verb_ends_with_two() {
    let scene = Scene::damaged();
    let (mut open, mut able, mut count) = (vec![String::new()], BTreeSet::new(), 0);
    while let Some(verb) = open.pop() {
        let help = yes(scene.asked(&format!("{verb} --help")));
        open.extend(listed(&help).map(|name| format!("{verb} {name}")));
        if help.lines().any(|line| line.trim_start().starts_with("--json")) {
            able.insert(verb.trim().to_owned());
        }
        for rest in ["--json", "a b c d"] {
            let outcome = scene.asked(&format!("{verb} {rest}")).run();
            assert!(matches!(outcome.status.code(), Some(0 | 1 | 64)), "{verb} {rest}: {outcome}");
        }
        count += 1;
    }
    assert!(count > 20, "the help has lost its verbs: {count}");
    let command = |words: String| words.split(" --").next().unwrap().to_owned();
    let described: BTreeSet<String> = readings().into_values().map(command).collect();
    assert_eq!(able, described);
}
