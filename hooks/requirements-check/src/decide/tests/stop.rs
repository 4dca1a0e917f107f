//! At the end of a turn: what blocks it, how often, and what never does.

use std::time::Duration;

use shared::blocks::BlockCount;
use shared::hook::{Memory, Verdict};
use transcript::TurnWork;

use crate::satisfactions::By;
use crate::scene::{Answer, End, OWN, Scene, is_silent};
use crate::settings::{Scope, Stop};
use crate::world::Freshness;

const TESTS: &str = "tests: {type: evidence, command: cargo test}\n";
const WORDS: &str = "All of it is done.";

fn stop(scene: &mut Scene) -> Answer {
    scene.stop(WORDS, TurnWork::ToolCalls)
}

/// The text with which a stop is blocked.
fn blocked(scene: &mut Scene) -> Option<String> {
    match stop(scene).verdict {
        Verdict::Block { reason, .. } => Some(reason),
        _ => None,
    }
}

#[track_caller]
fn passes(scene: &mut Scene) {
    let answer = stop(scene);
    let is_unnoticed = answer.memory == Memory::Keep && answer.audit_event.is_none();
    assert!(is_silent(&answer) && is_unnoticed, "{answer:?}");
}

/// A session that has edited a file.
fn edited(requirements: &str) -> Scene {
    let mut scene = Scene::new(requirements);
    scene.edited("t1");
    scene
}

#[test]
fn evidence_is_due_once_files_were_edited() {
    let mut scene = Scene::new(TESTS);
    passes(&mut scene);
    scene.bash_ended("t1", "cat src/a.rs", End::Succeeded);
    passes(&mut scene);
    scene.edited("t2");
    let answer = stop(&mut scene);
    let Verdict::Block { reason, rule } = &answer.verdict else { panic!("{answer:?}") };
    assert_eq!(rule, "requirements.tests");
    for said in ["requirements-check", "- tests: ", "cargo test", "once per prompt"] {
        assert!(reason.contains(said), "{said} in {reason}");
    }
    scene.satisfy("tests", OWN, By::Evidence);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Same);
    assert!(is_silent(&stop(&mut scene)), "that the block was followed is noted");
    passes(&mut scene);
    scene.world.evidence.insert("tests".to_owned(), Freshness::Different(Vec::new()));
    assert!(blocked(&mut scene).is_some());
}

#[test]
fn locked_requirement_is_verified_as_the_users_own_file_says() {
    for (own, locked, is_blocked) in [
        (true, "requirements.tests", true),
        (true, "requirements", true),
        (true, "requirements.other", false),
        (false, "requirements.tests", false),
    ] {
        let mut scene = edited(TESTS);
        let own = Stop { verify_requirements: own, ..scene.settings.hooks.stop.clone() };
        scene.world.own_stop = Some((own, vec![locked.to_owned()]));
        scene.settings.hooks.stop.verify_requirements = false;
        assert_eq!(blocked(&mut scene).is_some(), is_blocked, "{locked}");
    }
}

#[test]
fn everything_due_is_in_one_text_and_what_is_satisfied_or_was_denied_is_not() {
    let mut scene = Scene::new("plan: {}\nboth: {enforce: both}\n");
    scene.edit("t1");
    passes(&mut scene);
    let mut scene = edited(&format!("{TESTS}review: {{enforce: stop}}\nadr: {{enforce: stop}}\n"));
    scene.satisfy("adr", OWN, By::Agent);
    let reason = blocked(&mut scene).unwrap();
    assert!(reason.contains("- tests: ") && reason.contains("- review: "), "{reason}");
    assert!(!reason.contains("adr") && reason.contains("run in Bash: req satisfy review"), "{reason}");
}

#[test]
fn stop_asks_for_a_satisfaction_that_was_lost_since_the_call() {
    for (requirement, what) in [("plan: {}\n", "cleared"), ("plan: {ttl_secs: 60}\n", "expired")] {
        let mut scene = Scene::new(requirement);
        scene.satisfy("plan", OWN, By::Agent);
        assert!(is_silent(&scene.edit("t1")));
        scene.edited("t1");
        passes(&mut scene);
        match what {
            "cleared" => scene.world.branch.clear(Some("plan"), OWN),
            _ => scene.wait(Duration::from_secs(60)),
        }
        assert!(blocked(&mut scene).unwrap().contains("plan"), "{what}");
    }
}

#[test]
fn a_size_blocks_from_its_limit_on_a_guard_and_a_single_use_only_where_that_is_set() {
    let mut scene =
        edited("size: {type: dynamic, calculator: branch_size, thresholds: {warn: 250, block: 400}}\n");
    for (lines, expected) in [(0, false), (399, false), (400, true)] {
        scene.measures("size", lines);
        assert_eq!(blocked(&mut scene).is_some(), expected, "{lines}");
    }
    let guard = "not_on_main: {type: guard, guard_type: protected_branch";
    passes(&mut edited(&format!("{guard}}}\npr: {{scope: single_use, trigger_tools: [Edit]}}\n")).on("main"));
    assert!(blocked(&mut edited(&format!("{guard}, enforce: both}}\n")).on("main")).is_some());
}

#[test]
fn only_the_scopes_that_are_verified_are_looked_at() {
    let mut scene = edited("one: {enforce: stop}\ntwo: {enforce: stop, scope: branch}\n");
    scene.settings.hooks.stop.verify_scopes = vec![Scope::Branch, Scope::Permanent];
    let reason = blocked(&mut scene).unwrap();
    assert!(reason.contains("- two: ") && !reason.contains("- one: "), "{reason}");
    scene.settings.hooks.stop.verify_requirements = false;
    assert_eq!(blocked(&mut scene), None);
}

#[test]
fn a_prompt_is_blocked_once() {
    let mut scene = edited(TESTS);
    for (own, together, expected) in [(0, 0, true), (1, 1, false), (0, 5, true), (0, 6, false)] {
        scene.blocks = BlockCount { own, together, ..BlockCount::default() };
        let answer = stop(&mut scene);
        let is_blocked = matches!(answer.verdict, Verdict::Block { .. });
        assert_eq!((is_blocked, answer.audit_event.is_none()), (expected, expected), "{own} {together}");
    }
}

#[test]
fn stop_that_is_never_blocked_has_a_reason() {
    let mut headless = edited(TESTS);
    headless.headless = true;
    let mut nameless = edited(TESTS);
    nameless.session = None;
    let answers = [
        edited(TESTS).stop("Shall I go on?", TurnWork::ToolCalls),
        edited(TESTS).stop(WORDS, TurnWork::NoToolCall),
        stop(&mut headless),
        stop(&mut nameless),
    ];
    for (number, answer) in answers.iter().enumerate() {
        assert!(answer.verdict == Verdict::Pass && answer.audit_event.is_some(), "{number}: {answer:?}");
    }
    let unknown = edited(TESTS).stop(WORDS, TurnWork::Unknown);
    assert!(matches!(unknown.verdict, Verdict::Block { .. }), "what is unknown is work");
}
