//! At the end of a turn: what holds it, how often, and what never does.

use std::time::Duration;

use shared::blocks::BlockCount;
use shared::hook::{Memory, Verdict};
use transcript::TurnWork;

use crate::satisfactions::By;
use crate::scene::{Answer, End, OWN, Scene, is_silent};
use crate::settings::Scope;
use crate::view::Freshness;

const TESTS: &str = "tests: {type: evidence, command: cargo test}\n";
const WORDS: &str = "All of it is done.";

fn stop(scene: &mut Scene) -> Answer {
    scene.stop(WORDS, TurnWork::ToolCalls)
}

#[track_caller]
fn held(scene: &mut Scene) -> String {
    match stop(scene).verdict {
        Verdict::Block { reason, .. } => reason,
        other => panic!("not held: {other:?}"),
    }
}

#[track_caller]
fn passes(scene: &mut Scene) {
    let answer = stop(scene);
    assert!(
        is_silent(&answer) && answer.memory == Memory::Keep && answer.audit_event.is_none(),
        "{answer:?}"
    );
}

#[test]
fn evidence_is_due_once_files_were_edited() {
    let mut scene = Scene::new(TESTS);
    passes(&mut scene);
    scene.bash_ended("t1", "cat src/a.rs", End::Succeeded);
    passes(&mut scene);
    scene.edited("t2");
    let reason = held(&mut scene);
    for said in ["requirements-check", "- tests: ", "cargo test", "once per prompt"] {
        assert!(reason.contains(said), "{said} in {reason}");
    }
    scene.mark("tests", OWN, By::Evidence);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    assert!(is_silent(&stop(&mut scene)), "that the block was followed is noted");
    passes(&mut scene);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Different(Vec::new()));
    held(&mut scene);
}

#[test]
fn everything_due_is_in_one_text_and_what_is_met_is_not() {
    let mut scene = Scene::new(
        "tests: {type: evidence, command: cargo test}\nreview: {enforce: stop}\nadr: {enforce: stop}\n",
    );
    scene.mark("adr", OWN, By::Agent);
    scene.edited("t1");
    let reason = held(&mut scene);
    assert!(reason.contains("- tests: ") && reason.contains("- review: "), "{reason}");
    assert!(!reason.contains("adr") && reason.contains("run in Bash: req satisfy review"), "{reason}");
}

#[test]
fn a_denied_and_abandoned_call_holds_nothing() {
    let mut scene = Scene::new("plan: {}\nboth: {enforce: both}\n");
    scene.edit("t1");
    passes(&mut scene);
}

#[test]
fn a_mark_that_was_there_when_the_call_ran_and_is_not_any_more_is_asked_for() {
    for (requirement, what) in [("plan: {}\n", "cleared"), ("plan: {ttl_secs: 60}\n", "expired")] {
        let mut scene = Scene::new(requirement);
        scene.mark("plan", OWN, By::Agent);
        assert!(is_silent(&scene.edit("t1")));
        scene.edited("t1");
        passes(&mut scene);
        match what {
            "cleared" => drop(scene.world.branch.clear("plan", OWN)),
            _ => scene.wait(Duration::from_secs(60)),
        }
        assert!(held(&mut scene).contains("plan"), "{what}");
    }
}

#[test]
fn a_size_that_grew_past_its_limit_is_told_and_below_it_never() {
    let mut scene =
        Scene::new("size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}\n");
    scene.edited("t1");
    for (lines, expected) in [(0, false), (399, false), (400, true)] {
        scene.measures("size", lines);
        assert_eq!(matches!(stop(&mut scene).verdict, Verdict::Block { .. }), expected, "{lines}");
    }
}

#[test]
fn what_a_guard_kept_out_and_a_mark_for_one_call_are_not_asked_for_again() {
    let mut scene = Scene::new(
        "not_on_main: {type: guard, guard_type: protected_branch}\n\
         pr: {scope: single_use, trigger_tools: [Edit]}\n",
    )
    .on("main");
    scene.edited("t1");
    passes(&mut scene);
    let mut scene =
        Scene::new("not_on_main: {type: guard, guard_type: protected_branch, enforce: both}\n").on("main");
    scene.edited("t1");
    assert!(held(&mut scene).contains("not_on_main"), "unless that is what is set");
}

#[test]
fn only_the_scopes_that_are_verified_are_looked_at() {
    for (scopes, expected) in [
        (&[Scope::Session][..], &["one"][..]),
        (&[Scope::Branch, Scope::Permanent], &["three", "two"]),
        (&[], &[]),
    ] {
        let mut scene = Scene::new(
            "one: {enforce: stop}\ntwo: {enforce: stop, scope: branch}\nthree: {enforce: stop, scope: permanent}\n",
        );
        scene.settings.hooks.stop.verify_scopes = scopes.to_vec();
        scene.edited("t1");
        let told = match stop(&mut scene).verdict {
            Verdict::Block { reason, .. } => reason,
            _ => String::new(),
        };
        let names: Vec<&str> = ["one", "three", "two"]
            .into_iter()
            .filter(|name| told.contains(&format!("- {name}: ")))
            .collect();
        assert_eq!(names, expected, "{scopes:?}");
    }
    let mut scene = Scene::new(TESTS);
    scene.edited("t1");
    scene.settings.hooks.stop.verify_requirements = false;
    passes(&mut scene);
}

#[test]
fn a_prompt_is_held_once() {
    let mut scene = Scene::new(TESTS);
    scene.edited("t1");
    held(&mut scene);
    scene.blocks = BlockCount { own: 1, together: 1, ..BlockCount::default() };
    let answer = stop(&mut scene);
    assert!(answer.verdict == Verdict::Pass && answer.audit_event.is_some(), "{answer:?}");
    scene.blocks = BlockCount { own: 0, together: 5, ..BlockCount::default() };
    held(&mut scene);
    scene.blocks = BlockCount { own: 0, together: 6, ..BlockCount::default() };
    assert_eq!(stop(&mut scene).verdict, Verdict::Pass, "together often enough");
}

#[test]
fn what_is_never_held_says_why() {
    let due = || {
        let mut scene = Scene::new(TESTS);
        scene.edited("t1");
        scene
    };
    let answers = [
        due().stop("Shall I go on?", TurnWork::ToolCalls),
        due().stop(WORDS, TurnWork::NoToolCall),
        {
            let mut scene = due();
            scene.headless = true;
            stop(&mut scene)
        },
        {
            let mut scene = due();
            scene.session = None;
            stop(&mut scene)
        },
    ];
    for (number, answer) in answers.iter().enumerate() {
        assert!(answer.verdict == Verdict::Pass && answer.audit_event.is_some(), "{number}: {answer:?}");
    }
    assert!(
        matches!(due().stop(WORDS, TurnWork::Unknown).verdict, Verdict::Block { .. }),
        "what is unknown is work"
    );
}

#[test]
fn the_first_unmet_requirement_is_the_rule_behind_the_block() {
    let mut scene = Scene::new(TESTS);
    scene.edited("t1");
    let Verdict::Block { rule, .. } = stop(&mut scene).verdict else { panic!() };
    assert_eq!(rule, "requirements.tests");
}
