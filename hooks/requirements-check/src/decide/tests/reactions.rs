//! Outcomes of denials and blocks: the journal gets each once, when it is seen, and nothing before.

use serde_json::json;
use shared::blocks::BlockCount;
use shared::hook::{Reaction, ReactionKind, Verdict};
use transcript::TurnWork;

use crate::satisfactions::By;
use crate::scene::{Answer, End, OWN, Scene, denied};
use crate::settings::{Kind, Terms};
use crate::world::Freshness;

fn followed(name: &str) -> Vec<Reaction> {
    vec![ReactionKind::Followed.of(format!("requirements.{name}"))]
}

fn overridden(name: &str) -> Vec<Reaction> {
    vec![ReactionKind::Overridden.of(format!("requirements.{name}"))]
}

/// A scene in which an edit was refused for what these requirements ask.
#[track_caller]
fn refused(requirements: &str) -> Scene {
    let mut scene = Scene::new(requirements);
    let answer = scene.edit("t1");
    denied(&answer);
    assert_eq!(answer.audit.reactions, []);
    scene
}

/// The journal's records of the next edit; the edit after it leaves none.
#[track_caller]
fn told(scene: &mut Scene) -> Vec<Reaction> {
    let reactions = scene.edit("t2").audit.reactions;
    assert_eq!(scene.edit("t3").audit.reactions, [], "once");
    reactions
}

#[test]
fn a_denial_is_followed_when_it_is_satisfied_and_overridden_by_an_exception() {
    for by in [By::Agent, By::Skill, By::User] {
        let mut scene = refused("plan: {}\n");
        scene.satisfy("plan", OWN, by);
        assert_eq!(told(&mut scene), followed("plan"));
    }
    let on_main = || {
        let mut scene = Scene::new("guard: {type: guard, guard_type: protected_branch}\n").on("main");
        denied(&scene.edit("t1"));
        scene
    };
    assert_eq!(told(&mut on_main().on("feature")), followed("guard"));
    let mut scene = on_main();
    scene.except("guard", None, By::Waiver, 60);
    assert_eq!(told(&mut scene), overridden("guard"));
    let mut scene =
        refused("plan: {}\nfor_pushes: {trigger_tools: [{tool: Bash, command_pattern: git push}]}\n");
    assert_eq!(scene.bash("t2", "git push").audit.reactions, [], "this call does not need it");
    let mut scene = refused("plan: {}\nadr: {}\n");
    scene.settings.requirements.get_mut("adr").unwrap().terms = Terms::Off(Kind::Blocking);
    assert_eq!(scene.edit("t2").audit.reactions, overridden("adr"), "switched off meanwhile");
}

#[test]
fn a_line_that_is_taken_apart_was_followed() {
    let tests = "tests: {type: evidence, command: cargo test, enforce: both, trigger_tools: [{tool: Bash, command_pattern: git commit}]}\n";
    let mut scene = Scene::new(tests);
    scene.satisfy("tests", OWN, By::Evidence);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    let line = json!({ "command": "cargo fmt && git commit -m x" });
    let answer = scene.before("t1", "Bash", &line);
    denied(&answer);
    let [step] = answer.audit.next.as_slice() else { panic!("{:?}", answer.audit) };
    assert!(
        step.contains("a line of its own") && !step.contains("cargo fmt"),
        "nothing of the input: {step}"
    );
    assert_eq!(scene.bash("t2", "git commit -m x").audit.reactions, followed("tests"));
}

fn stop(scene: &mut Scene) -> Answer {
    scene.stop("All of it is done.", TurnWork::ToolCalls)
}

#[test]
fn a_held_stop_is_followed_by_one_with_evidence_or_given_up() {
    let held = || {
        let mut scene = Scene::new("tests: {type: evidence, command: cargo test}\n");
        scene.after("t1", "Edit", &crate::scene::edit_of("src/a.rs"), End::Succeeded);
        let answer = stop(&mut scene);
        assert!(matches!(answer.verdict, Verdict::Block { .. }), "{answer:?}");
        let [step] = answer.audit.next.as_slice() else { panic!("{:?}", answer.audit) };
        assert!(step.contains("cargo test"), "{step}");
        scene
    };
    let mut scene = held();
    scene.satisfy("tests", OWN, By::Evidence);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    assert_eq!(stop(&mut scene).audit.reactions, followed("tests"));
    assert_eq!(stop(&mut scene).audit.reactions, [], "once");
    let mut scene = held();
    scene.blocks = BlockCount { own: 1, together: 1, ..BlockCount::default() };
    let answer = stop(&mut scene);
    assert_eq!((answer.verdict, answer.audit.reactions), (Verdict::Pass, overridden("tests")));
    assert_eq!(stop(&mut scene).audit.reactions, [], "once");
}

#[test]
fn journal_keeps_the_next_steps_of_a_denial() {
    let mut scene = Scene::new(
        "plan: {}\nadr: {}\nmine: {satisfied_by: user}\nnot_on_main: {type: guard, guard_type: protected_branch}\n",
    )
    .on("main");
    let answer = scene.edit("t1");
    let (reason, next) = (denied(&answer), &answer.audit.next);
    assert_eq!(next.len(), 3, "{next:?}");
    assert!(next[0].contains("git switch"), "what changes the branch comes first: {next:?}");
    assert_eq!(next.last().unwrap(), "run in Bash: req satisfy adr plan");
    for step in next {
        assert!(reason.contains(step), "{step} in {reason}");
    }
}
