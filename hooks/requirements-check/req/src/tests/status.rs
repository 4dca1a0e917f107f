//! `req status`.

use serde_json::{Value, json};

use super::{CLAUDE, Fixture, OTHER, SESSION, Scene, USER};
use requirements_check::satisfactions::{By, Key};
use requirements_check::settings::{Kind, Terms};

fn scene() -> Scene {
    let mut scene = Scene::new(
        "plan: {}\n\
         adr: {scope: branch}\n\
         off: {}\n\
         size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n\
         not_on_main: {type: guard, guard_type: protected_branch}\n\
         tests: {type: evidence, command: cargo test, scope: branch}\n",
    );
    switch_off(&mut scene);
    scene.satisfy("adr", None, By::User);
    scene.measures("size", 399);
    scene
}

fn switch_off(scene: &mut Scene) {
    scene.settings.requirements.get_mut("off").unwrap().terms = Terms::Off(Kind::Blocking);
}

/// The states by name.
fn states(status: &Value) -> String {
    let word = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let all = status["requirements"].as_array().unwrap().iter();
    all.map(|one| word(one, "name") + " " + &word(one, "state")).collect::<Vec<_>>().join(", ")
}

#[test]
fn text_says_what_is_satisfied_and_how_to_satisfy_the_rest() {
    let mut scene = scene();
    let text = scene.yes("status", CLAUDE);
    for said in [
        "3 of 5 satisfied on feature; not satisfied: plan, tests (session 5e55104e)\n",
        "satisfied 0 s ago by user",
        "req satisfy plan",
        "; checked before edits\n",
        "; checked at the end of a turn with edits\n",
    ] {
        assert!(text.contains(said), "{said} in {text}");
    }
    assert!(!text.contains("off") && !text.contains("set in"), "{text}");
    let all = scene.yes("status --all", CLAUDE);
    assert!(all.contains("  off  "), "{all}");
    let line = "3 of 5 satisfied on feature; not satisfied: plan, tests";
    assert_eq!(scene.yes("status --summary", CLAUDE), line);
    scene.world.notes = vec!["a file was damaged".to_owned()];
    assert!(scene.yes("status", USER).ends_with("\na file was damaged"));
    assert!(scene.yes("status --summary", USER).ends_with("; something is wrong, see req status"));
}

#[test]
fn json_has_the_keys_that_are_documented() {
    let mut scene = scene();
    let status = scene.json("status --json --all");
    assert_eq!((&status["branch"], &status["session"]), (&json!("feature"), &json!(SESSION)));
    let expected = "not_on_main met, adr met, plan open, size met, tests open, off off";
    assert_eq!(states(&status), expected);
    for one in status["requirements"].as_array().unwrap() {
        assert_eq!(one["remedy"].is_string(), one["state"] == "open", "{one}");
        assert!(one["why"].as_str().is_some_and(|why| !why.is_empty()), "{one}");
    }
    scene.known.is_turned = true;
    scene.world.key = Key::Branch("main".to_owned());
    let status = scene.json("status --json --branch main");
    let expected = "not_on_main open, adr met, plan open, size unknown, tests unknown";
    assert_eq!(states(&status), expected, "files of a branch that is not checked out");
    let text = scene.no("status --branch mian", USER);
    assert!(text.contains("there is no branch mian; did you mean main?"));
    scene.world.key = Key::Detached("1a2b3c4d5e6f".to_owned());
    let status = scene.json("status --json");
    assert_eq!((&status["place"], &status["branch"]), (&json!("commit 1a2b3c4d"), &Value::Null));
}

#[test]
fn skipped_file_is_reported_first_and_what_is_known_is_not_counted_as_all() {
    let mut scene = Scene::new("not_on_main: {type: guard, guard_type: protected_branch}\n");
    scene.known.skipped = vec!["a.yaml:3: the file is skipped".to_owned()];
    let text = scene.yes("status", USER);
    assert!(text.starts_with("a.yaml:3: the file is skipped\na file is skipped, so"), "{text}");
    assert!(!text.contains("1 of 1"), "{text}");
    scene.settings.requirements.clear();
    assert!(scene.yes("status", USER).ends_with("so what is required here is not known"));
}

#[test]
fn status_without_requirements_names_the_first_step() {
    let text = Scene::new("{}\n").yes("status", USER);
    assert_eq!(text, "nothing is required here\nto begin: req init writes a first file");
    let mut scene = Scene::new("off: {}\n");
    switch_off(&mut scene);
    let text = scene.yes("status", USER);
    assert!(text.ends_with("here\ndescribed and switched off: 1; req status --all lists them"), "{text}");
}

#[test]
fn line_that_sets_a_requirement_is_named_with_all() {
    let file = ("project/.claude/requirements.yaml", "requirements:\n  plan: {enabled: true}\n");
    let text = Fixture::new(&[file]).yes("status --all");
    assert!(text.contains("\n                       set in .claude/requirements.yaml:2"), "{text}");
}

#[test]
fn without_a_session_each_sessions_own_is_open_or_unknown() {
    let mut scene = Scene::new("plan: {}\npr: {scope: single_use}\nadr: {scope: branch}\nwide: {}\n");
    scene.satisfy("plan", Some(SESSION), By::Agent);
    scene.satisfy("wide", None, By::Agent);
    scene.session = None;
    let text = scene.yes("status", USER);
    let head = "1 of 4 satisfied on feature; not satisfied: adr, plan, pr (no session is live here)\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("to satisfy it: Claude types req satisfy plan\n"), "{text}");
    scene.live(SESSION, 5);
    scene.live(OTHER, 5);
    let status = scene.json("status --json");
    assert_eq!(states(&status), "adr open, plan unknown, pr unknown, wide met");
    assert_eq!(status["session"], Value::Null);
    let text = scene.yes("status", USER);
    let whose = "; unknown: plan, pr (live here: 5e55104e, 0c4e7a11; name one with --session)";
    assert!(text.contains(whose) && text.contains("req satisfy plan --session ID"), "{text}");
    let others = scene.json("status --json --session 0c4e7a11");
    assert_eq!(states(&others), "adr open, plan open, pr open, wide met");
    assert!(scene.no("status --session ffffffff", USER).contains("no session's id begins with"));
}
