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
fn text_says_what_is_satisfied_and_how_to_satisfy_the_rest() {
    let mut scene = scene();
    scene.measures("size", 399);
    let text = yes(&mut scene, "status", CLAUDE);
    for said in [
        "3 of 5 satisfied on feature; not satisfied: plan, tests (session 5e55104e)\n",
        "satisfied 0 s ago by user",
        "req satisfy plan",
        "cargo test",
        "399 changed lines against main, limit 400",
        "; checked before edits\n",
        "; checked at the end of a turn with edits\n",
    ] {
        assert!(text.contains(said), "{said} in {text}");
    }
    assert!(!text.contains("off") && !text.contains("set in"), "{text}");
    let all = yes(&mut scene, "status --all", CLAUDE);
    for said in [
        "its `enabled` is not true (/repo/tree/.claude/requirements.yaml:",
        "set in /repo/tree/.claude/requirements.yaml:",
    ] {
        assert!(all.contains(said), "{said} in {all}");
    }
}

#[test]
fn summary_is_one_line() {
    let line = "3 of 5 satisfied on feature; not satisfied: plan, tests";
    assert_eq!(yes(&mut scene(), "status --summary", CLAUDE), line);
    assert_eq!(yes(&mut Scene::new("{}\n"), "status --summary", USER), "nothing is required here");
    let mut skipped = scene();
    skipped.world.skipped = vec!["a.yaml: not valid YAML".to_owned()];
    assert_eq!(
        yes(&mut skipped, "status --summary", USER),
        "a file is skipped, so what it requires is not known; of the rest 3 satisfied on feature; not satisfied: plan, tests; \
         something is wrong, see req status"
    );
}

#[test]
fn json_has_the_keys_that_are_documented() {
    let mut scene = scene();
    scene.world.notes = vec!["a file was damaged".to_owned()];
    assert!(yes(&mut scene, "status", USER).ends_with("\na file was damaged"));
    let status = as_json(&mut scene, "status --json --all");
    assert_eq!(
        (&status["version"], &status["branch"], &status["session"], &status["notes"]),
        (&json!(1), &json!("feature"), &json!(SESSION), &json!(["a file was damaged"]))
    );
    let expected = [
        ("adr", "met"),
        ("not_on_main", "met"),
        ("plan", "open"),
        ("size", "met"),
        ("tests", "open"),
        ("off", "off"),
    ];
    assert_eq!(states(&status), expected);
    for one in status["requirements"].as_array().unwrap() {
        assert_eq!(one["remedy"].is_string(), one["state"] == "open", "{one}");
        assert_eq!(one["enabled"] == false, one["name"] == "off", "{one}");
        assert!(one["why"].as_str().is_some_and(|why| !why.is_empty()), "{one}");
    }
}

#[test]
fn skipped_file_is_reported_first_and_what_is_known_is_not_counted_as_all() {
    let mut scene = Scene::new("not_on_main: {type: guard, guard_type: protected_branch}\n");
    scene.world.skipped = vec!["a.yaml:3: not valid YAML; the file is skipped".to_owned()];
    let text = yes(&mut scene, "status", USER);
    assert!(
        text.starts_with("a.yaml:3: not valid YAML; the file is skipped\na file is skipped, so"),
        "{text}"
    );
    assert!(!text.contains("1 of 1"), "{text}");
    scene.settings.requirements.clear();
    let text = yes(&mut scene, "status", USER);
    assert!(text.ends_with("so what is required here is not known"), "{text}");
}

#[test]
fn where_nothing_is_required_the_first_step_is_named() {
    for (requirements, examples, expected) in [
        ("{}\n", None, "to begin: req init writes a first file"),
        ("{}\n", Some("a.yaml"), "to begin: take the `# ` away in a.yaml where you want something"),
        ("a: {}\n", None, "one requirement is described and switched off: req status --all"),
        ("a: {}\nb: {}\n", None, "2 requirements are described and switched off"),
    ] {
        let mut scene = Scene::new(requirements);
        for set in scene.settings.requirements.values_mut() {
            set.terms = Terms::Off(set.kind());
        }
        let text = scene.answer("status", USER, examples).unwrap().text;
        assert!(text.contains(&format!("nothing is required here\n{expected}")), "{text}");
    }
}

#[test]
fn without_a_session_each_sessions_own_is_open_or_unknown() {
    let mut scene = Scene::new("plan: {}\npr: {scope: single_use}\nadr: {scope: branch}\nwide: {}\n");
    scene.satisfy("plan", OWN, By::Agent);
    scene.satisfy("wide", Holder::Everyone, By::Agent);
    scene.session = None;
    let text = yes(&mut scene, "status", USER);
    let head = "1 of 4 satisfied on feature; not satisfied: adr, plan, pr (no session is live here)\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("every new session begins without it; checked before edits"), "{text}");
    assert!(text.contains("to satisfy it: Claude types req satisfy plan\n"), "{text}");
    scene.live(SESSION, 5);
    scene.live(OTHER, 5);
    let status = as_json(&mut scene, "status --json");
    assert_eq!(states(&status), [("adr", "open"), ("plan", "unknown"), ("pr", "unknown"), ("wide", "met")]);
    assert_eq!(status["session"], Value::Null);
    let text = yes(&mut scene, "status", USER);
    let head = "1 of 4 satisfied on feature; not satisfied: adr; unknown: plan, pr (live here: 5e55104e, 0c4e7a11; name one with --session)";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("req satisfy plan --session ID"), "{text}");
    let others = as_json(&mut scene, "status --json --session 0c4e7a11");
    assert_eq!((states(&others)[1], &others["session"]), (("plan", "open"), &json!(OTHER)));
    assert!(no(&mut scene, "status --session ffffffff", USER).contains("no session's id begins with"));
}

#[test]
fn files_of_a_branch_that_is_not_checked_out_are_unknown() {
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
    let text = no(&mut scene, "status --branch mian", USER);
    assert!(text.contains("there is no branch mian; did you mean main?"));
}

#[test]
fn detached_head_and_a_folder_without_git_are_places_too() {
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
