//! `req status`.

use serde_json::{Value, json};

use super::scene::{OTHER, SESSION, Scene};
use super::{CLAUDE, USER, no, yes};
use requirements_check::satisfactions::{By, Holder, Key};
use requirements_check::settings::{Kind, Terms};

const OWN: Holder<'_> = Holder::Session(SESSION);

fn scene() -> Scene {
    let mut scene = Scene::new(
        "plan: {}\n\
         adr: {scope: branch}\n\
         off: {}\n\
         size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n\
         not_on_main: {type: guard, guard_type: protected_branch}\n\
         tests: {type: evidence, command: cargo test, scope: branch}\n",
    );
    scene.settings.requirements.get_mut("off").unwrap().terms = Terms::Off(Kind::Blocking);
    scene.satisfy("adr", Holder::Everyone, By::User);
    scene
}

fn as_json(scene: &mut Scene, words: &str) -> Value {
    serde_json::from_str(&yes(scene, words, CLAUDE)).unwrap()
}

/// The states by name.
fn states(status: &Value) -> Vec<(&str, &str)> {
    let all = status["requirements"].as_array().unwrap().iter();
    all.map(|one| (one["name"].as_str().unwrap(), one["state"].as_str().unwrap())).collect()
}

#[test]
fn it_says_what_is_met_and_how_and_what_is_open_and_what_would_meet_it() {
    let text = yes(&mut scene(), "status", CLAUDE);
    for said in [
        "3 of 5 satisfied on feature; not satisfied: plan, tests",
        "session 5e55104e",
        "satisfied 0 s ago by user",
        "req satisfy plan",
        "cargo test",
        "; checked before edits\n",
        "; checked at the end of a turn with edits\n",
    ] {
        assert!(text.contains(said), "{said} in {text}");
    }
    assert!(!text.contains("off") && !text.contains("set in"), "{text}");
}

#[test]
fn all_of_it_has_what_is_off_and_where_everything_is_set() {
    let text = yes(&mut scene(), "status --all", CLAUDE);
    for said in [
        "its `enabled` is not true (/repo/tree/.claude/requirements.yaml:",
        "set in /repo/tree/.claude/requirements.yaml:",
    ] {
        assert!(text.contains(said), "{said} in {text}");
    }
}

#[test]
fn the_summary_is_one_line() {
    assert_eq!(
        yes(&mut scene(), "status --summary", CLAUDE),
        "3 of 5 satisfied on feature; not satisfied: plan, tests"
    );
    assert_eq!(yes(&mut Scene::new("{}\n"), "status --summary", USER), "nothing is required here");
    let mut skipped = scene();
    skipped.world.skipped = vec!["a.yaml: not valid YAML".to_owned()];
    assert_eq!(
        yes(&mut skipped, "status --summary", USER),
        "a file is skipped, so what it requires is not known; of the rest 3 satisfied on feature; not satisfied: plan, tests; \
         something is wrong, see req status"
    );
    let mut met = Scene::new("plan: {}\n");
    met.satisfy("plan", OWN, By::Agent);
    assert_eq!(yes(&mut met, "status --summary", USER), "1 of 1 satisfied on feature");
}

#[test]
fn notes_are_told_below_it() {
    let mut scene = scene();
    scene.world.notes = vec!["a file was damaged".to_owned()];
    assert!(yes(&mut scene, "status", USER).ends_with("\na file was damaged"));
    assert_eq!(as_json(&mut scene, "status --json")["notes"], json!(["a file was damaged"]));
}

#[test]
fn as_json_it_has_the_keys_that_are_documented() {
    let status = as_json(&mut scene(), "status --json");
    let keys: Vec<&String> = status.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["version", "place", "branch", "session", "requirements", "notes"]);
    assert_eq!(
        (&status["version"], &status["branch"], &status["session"]),
        (&json!(1), &json!("feature"), &json!(SESSION))
    );
    let expected =
        [("adr", "met"), ("not_on_main", "met"), ("plan", "open"), ("size", "met"), ("tests", "open")];
    assert_eq!(states(&status), expected);
    for one in status["requirements"].as_array().unwrap() {
        let keys: Vec<&String> = one.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["name", "type", "scope", "enabled", "state", "why", "checked", "remedy", "set_in"]);
        assert_eq!(one["remedy"].is_string(), one["state"] == "open", "{one}");
        assert!(one["why"].as_str().is_some_and(|why| !why.is_empty()), "{one}");
    }
    let types: Vec<&Value> =
        status["requirements"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(
        types,
        [&json!("blocking"), &json!("guard"), &json!("blocking"), &json!("dynamic"), &json!("evidence")]
    );
    let all = as_json(&mut scene(), "status --json --all");
    let off: Vec<&Value> =
        all["requirements"].as_array().unwrap().iter().filter(|one| one["enabled"] == false).collect();
    let names: Vec<&Value> = off.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("off")]);
}

#[test]
fn a_skipped_file_is_told_first_and_what_is_known_is_not_counted_as_all() {
    let mut scene = Scene::new("not_on_main: {type: guard, guard_type: protected_branch}\n");
    scene.world.skipped = vec!["a.yaml:3: not valid YAML; the file is skipped".to_owned()];
    let text = yes(&mut scene, "status", USER);
    assert!(
        text.starts_with("a.yaml:3: not valid YAML; the file is skipped\na file is skipped, so"),
        "{text}"
    );
    assert!(!text.contains("1 of 1"), "{text}");
    assert_eq!(as_json(&mut scene, "status --json")["notes"], json!(scene.world.skipped));
    scene.settings.requirements.clear();
    let text = yes(&mut scene, "status", USER);
    assert!(text.ends_with("so what is required here is not known"), "{text}");
}

#[test]
fn where_nothing_is_required_the_first_step_is_named() {
    let text = |requirements: &str| {
        let mut scene = Scene::new(requirements);
        for set in scene.settings.requirements.values_mut() {
            set.terms = Terms::Off(set.kind());
        }
        yes(&mut scene, "status", USER)
    };
    assert_eq!(text("{}\n"), "nothing is required here\nto begin: req init writes a first file");
    assert!(text("a: {}\n").ends_with("\none requirement is described and switched off: req status --all"));
    assert!(text("a: {}\nb: {}\n").contains("\n2 requirements are described"));
}

#[test]
fn where_no_session_is_live_what_depends_on_one_is_open_for_the_next() {
    let mut scene = Scene::new("plan: {}\ntests: {type: evidence, command: cargo test}\nwide: {}\n");
    scene.satisfy("wide", Holder::Everyone, By::Agent);
    scene.session = None;
    assert_eq!(
        states(&as_json(&mut scene, "status --json")),
        [("plan", "open"), ("tests", "open"), ("wide", "met")]
    );
    let text = yes(&mut scene, "status", USER);
    assert!(
        text.starts_with(
            "1 of 3 satisfied on feature; not satisfied: plan, tests (no session is live here)\n"
        ),
        "{text}"
    );
    assert!(text.contains("every new session begins without it; checked before edits"), "{text}");
    assert!(text.contains("to satisfy it: Claude types req satisfy plan\n"), "{text}");
}

#[test]
fn where_several_sessions_are_live_and_none_is_named_what_depends_on_one_is_unknown() {
    let mut scene = Scene::new("plan: {}\npr: {scope: single_use}\nadr: {scope: branch}\nwide: {}\n");
    scene.satisfy("plan", OWN, By::Agent);
    scene.satisfy("wide", Holder::Everyone, By::Agent);
    scene.session = None;
    scene.live(SESSION, 5);
    scene.live(OTHER, 5);
    let status = as_json(&mut scene, "status --json");
    assert_eq!(states(&status), [("adr", "open"), ("plan", "unknown"), ("pr", "unknown"), ("wide", "met")]);
    assert_eq!(status["session"], Value::Null);
    let text = yes(&mut scene, "status", USER);
    let head = "1 of 4 satisfied on feature; not satisfied: adr; unknown: plan, pr (live here: 5e55104e, 0c4e7a11; name one with --session)";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("req satisfy plan --session ID"), "{text}");
}

#[test]
fn it_can_be_asked_for_another_session() {
    let mut scene = Scene::new("plan: {}\n");
    scene.satisfy("plan", Holder::Session(OTHER), By::Agent);
    assert_eq!(states(&as_json(&mut scene, "status --json")), [("plan", "open")]);
    let others = as_json(&mut scene, "status --json --session 0c4e7a11");
    assert_eq!((states(&others), &others["session"]), (vec![("plan", "met")], &json!(OTHER)));
    assert!(
        no(&mut scene, "status --session ffffffff", USER).contains("no session's id begins with ffffffff")
    );
}

#[test]
fn of_a_branch_that_is_not_checked_out_no_files_are_judged() {
    let mut scene = scene();
    scene.world.is_turned = true;
    scene.world.here.key = Key::Branch("main".to_owned());
    let status = as_json(&mut scene, "status --json --branch main");
    let expected = [
        ("adr", "met"),
        ("not_on_main", "open"),
        ("plan", "open"),
        ("size", "unknown"),
        ("tests", "unknown"),
    ];
    assert_eq!(states(&status), expected);
    assert!(
        no(&mut scene, "status --branch mian", USER).contains("there is no branch mian; did you mean main?")
    );
}

#[test]
fn a_detached_head_and_a_folder_without_git_are_places_too() {
    for (key, place) in
        [(Key::Detached("1a2b3c4d5e6f".to_owned()), "commit 1a2b3c4d"), (Key::NoGit, "this project (no git)")]
    {
        let mut scene = Scene::new("plan: {}\n");
        scene.world.here.key = key;
        let status = as_json(&mut scene, "status --json");
        assert_eq!((&status["place"], &status["branch"]), (&json!(place), &Value::Null));
        assert!(yes(&mut scene, "status --summary", USER).contains(place));
    }
}

#[test]
fn a_requirement_with_a_size_shows_it() {
    let mut scene = scene();
    scene.measures("size", 399);
    assert!(yes(&mut scene, "status", USER).contains("399 changed lines against main, limit 400"));
}

#[test]
fn the_first_step_is_the_one_that_is_left() {
    let mut scene = Scene::new("{}\n");
    assert!(yes(&mut scene, "status", USER).ends_with("to begin: req init writes a first file"));
    let text = scene.answer("status", USER, Some(".claude/requirements.yaml")).unwrap().text;
    assert!(text.contains("take the `# ` away in .claude/requirements.yaml"), "{text}");
}
