//! What programs rely on: each reading command's `--json` is what its committed schema says and nothing else, and the exit
//! status of every verb is 0, 1 or 64. The verbs and the commands are those that `req` names itself.

use super::desk::{Desk, TEAM, yes};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tests::process::Invocation;
use tests::sandbox::Level;

/// A command that `req schema` lists.
struct Reading {
    name: String,
    /// As it is typed after `req`.
    words: Vec<String>,
}

impl Reading {
    fn all() -> Vec<Self> {
        let list = yes(Desk::empty().script(&["schema"]));
        let reading = |line: &str| {
            let (name, command) = line.split_once(" req ").unwrap_or_else(|| panic!("{line}"));
            let words = command.split_whitespace().map(ToOwned::to_owned).collect();
            Self { name: name.trim().to_owned(), words }
        };
        list.lines().map(reading).collect()
    }

    fn committed(&self) -> String {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("config/req");
        let file = config.join(format!("{}.schema.json", self.name));
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Words that can be typed after it.
    fn ways(&self) -> &'static [&'static [&'static str]] {
        match self.name.as_str() {
            "status" => &[&["--all"], &["--branch", "main"]],
            "check" => &[&["--tool", "Edit", "--file", "a.rs"], &["--bash", "ls"]],
            "log" => &[&["-n", "1"]],
            "log-stats" => &[&[], &["--cost"]],
            "ci" => &[&[], &["--base", "nowhere"]],
            "config" => &[&["--sources"], &["requirements"]],
            "docs" => &[&[], &["evidence"]],
            _ => &[&[]],
        }
    }
}

/// A place to ask in.
struct Scene {
    name: &'static str,
    desk: Desk,
    folder: PathBuf,
    has_home: bool,
}

impl Scene {
    fn all() -> [Self; 4] {
        [Self::full(), Self::without_git(), Self::without_home(), Self::damaged()]
    }

    fn of(name: &'static str, desk: Desk) -> Self {
        let folder = desk.sandbox.project();
        Self { name, desk, folder, has_home: true }
    }

    /// Requirements of each type, marks, sessions, refusals, exceptions, files at every level.
    fn full() -> Self {
        let desk = Desk::new(TEAM);
        desk.sandbox.requirements(
            Level::User,
            "rate-awareness: {enabled: true}\nlocked: [requirements.release_notes]\n",
        );
        desk.sandbox
            .requirements(Level::Local, "requirements: {commit_plan: {ttl_secs: 60}, x: {typ: blocking}}\n");
        desk.sandbox.commit("what is required");
        desk.sandbox.git(&["switch", "--quiet", "-c", "feature"]);
        desk.starts(&desk.session);
        desk.starts(&desk.another());
        let edit = json!({ "file_path": desk.sandbox.project().join("a.rs") });
        assert!(desk.ask(&desk.session.pre_tool_use("Edit", edit)).is_some(), "a refusal in the journal");
        yes(desk.claude(&["satisfy", "commit_plan", "adr_reviewed", "license_checked", "--note", "done"]));
        for exception in
            ["approve branch_size --for 10m --note soon", "waive tests_green --for 10m --note why"]
        {
            assert_eq!(desk.user(exception).status, 0);
        }
        Self::of("full", desk)
    }

    fn without_git() -> Self {
        let desk = Desk::empty();
        desk.sandbox.requirements(Level::User, TEAM);
        let folder = desk.sandbox.root().join("plain");
        fs::create_dir_all(&folder).unwrap();
        yes(desk.claude(&["satisfy", "commit_plan"]).cwd(&folder));
        Self { name: "no git", desk, folder, has_home: true }
    }

    fn without_home() -> Self {
        Self { has_home: false, ..Self::of("no home", Desk::new(TEAM)) }
    }

    fn damaged() -> Self {
        let scene = Self::full();
        scene.desk.sandbox.requirements(Level::Project, "requirements: [\n");
        fs::write(scene.desk.marks_file("feature.json"), "{").unwrap();
        let journal = scene.desk.journal() + "{ torn\n";
        fs::write(scene.desk.state("journal.jsonl"), journal).unwrap();
        Self { name: "damaged", ..scene }
    }

    /// As Claude's shell runs it.
    fn asked(&self, words: &[&str]) -> Invocation {
        let command = self.desk.claude(words).cwd(&self.folder);
        if self.has_home { command } else { command.unset("HOME").unset("CLAUDE_HOOK_STATE_DIR") }
    }
}

#[test]
fn what_is_printed_is_what_the_committed_schema_says_and_nothing_else() {
    let readings = Reading::all();
    let mut told = BTreeSet::new();
    for scene in Scene::all() {
        for reading in &readings {
            let schema: Value = serde_json::from_str(&reading.committed()).unwrap();
            let validator = jsonschema::validator_for(&schema).unwrap();
            for way in reading.ways() {
                let words: Vec<&str> =
                    reading.words.iter().map(String::as_str).chain(way.iter().copied()).collect();
                let outcome = scene.asked(&words).run();
                let status = outcome.status.code();
                assert!(matches!(status, Some(0 | 1)), "{}: {words:?}: {outcome}", scene.name);
                if outcome.stdout.is_empty() {
                    // Nothing was found to report: then that is an error for people.
                    assert!(status == Some(1) && !outcome.stderr.is_empty(), "{}: {outcome}", scene.name);
                    continue;
                }
                let mut printed: Value = serde_json::from_slice(&outcome.stdout)
                    .unwrap_or_else(|error| panic!("{}: {words:?}: {error}: {outcome}", scene.name));
                if let Err(error) = validator.validate(&printed) {
                    panic!("{}: {words:?}: {error} at {}\n{printed:#}", scene.name, error.instance_path());
                }
                printed["undocumented"] = json!(1);
                assert!(!validator.is_valid(&printed), "{}: a key more goes unnoticed", reading.name);
                told.insert(reading.name.clone());
            }
        }
    }
    let silent: Vec<&str> =
        readings.iter().map(|reading| reading.name.as_str()).filter(|name| !told.contains(*name)).collect();
    assert!(silent.is_empty(), "nowhere is anything printed by {silent:?}");
}

#[test]
fn every_command_that_can_print_json_has_a_schema() {
    let desk = Desk::empty();
    let described: BTreeSet<String> = Reading::all()
        .into_iter()
        .map(|reading| {
            reading.words.into_iter().take_while(|word| !word.starts_with('-')).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let can =
        |verb: &Vec<String>| help(&desk, verb).lines().any(|line| line.trim_start().starts_with("--json"));
    let able: BTreeSet<String> =
        verbs(&desk).iter().filter(|verb| can(verb)).map(|verb| verb.join(" ")).collect();
    assert_eq!(able, described);
}

#[track_caller]
fn help(desk: &Desk, verb: &[String]) -> String {
    let words: Vec<&str> = verb.iter().map(String::as_str).chain(["--help"]).collect();
    yes(desk.script(&words))
}

/// Every verb that the help lists, those below a verb among them.
fn verbs(desk: &Desk) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(verb) = open.pop() {
        let below = listed(&help(desk, &verb)).into_iter().map(|name| [verb.clone(), vec![name]].concat());
        open.extend(below);
        found.extend((!verb.is_empty()).then_some(verb));
    }
    assert!(found.len() > 20, "the help has lost its verbs: {found:?}");
    found
}

/// The verbs in a help: lines with two spaces, a small word, and at least two spaces before what it does.
fn listed(help: &str) -> Vec<String> {
    let verb = |line: &str| {
        let (name, _) = line.strip_prefix("  ")?.split_once("  ")?;
        let is_word = !name.is_empty() && name.chars().all(|char| char.is_ascii_lowercase());
        (is_word && name != "help").then(|| name.to_owned())
    };
    help.lines().filter_map(verb).collect()
}

#[test]
fn no_verb_ever_ends_with_two() {
    let scene = Scene::damaged();
    for verb in verbs(&scene.desk) {
        for rest in [&["--json"][..], &["a", "b", "c", "d"]] {
            let words: Vec<&str> = verb.iter().map(String::as_str).chain(rest.iter().copied()).collect();
            let outcome = scene.asked(&words).run();
            assert!(matches!(outcome.status.code(), Some(0 | 1 | 64)), "{words:?}: {outcome}");
        }
    }
}
