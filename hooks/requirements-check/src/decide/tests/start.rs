//! A session's start, its prompts and its end.

use std::path::PathBuf;

use shared::hook::{Memory, Verdict};

use crate::change::Change;
use crate::satisfactions::By;
use crate::scene::{OTHER, OWN, SESSION, Scene};

const TWO: &str = "plan: {description: The plan is written down.}\nadr: {scope: branch}\n";

#[track_caller]
fn told(scene: &mut Scene, source: &str) -> String {
    match scene.start(source).verdict {
        Verdict::Advise { text } => text,
        other => panic!("nothing is told: {other:?}"),
    }
}

#[test]
fn session_start_lists_requirements_with_status_and_remedy() {
    let mut scene = Scene::new(TWO);
    scene.settings.hooks.session_start.custom_header = Some("House rules".to_owned());
    scene.satisfy("adr", None, By::User);
    for source in ["startup", "clear", "resume", "compact", "fork"] {
        let text = told(&mut scene, source);
        assert!(text.starts_with("House rules\n"), "{text}");
        for said in
            ["requirements-check", "feature", "plan (not satisfied", "adr (satisfied", "req satisfy plan"]
        {
            assert!(text.contains(said), "{source}: {said} in {text}");
        }
        let is_long = !matches!(source, "resume" | "compact");
        assert_eq!(text.contains("written down"), is_long, "{source}: {text}");
    }
    let mut scene = Scene::new("size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n");
    scene.except("size", None, By::Approval, 600);
    let text = told(&mut scene, "startup");
    assert!(!text.contains("To satisfy"), "{text}");
    assert!(text.contains("approved for 10 min more"), "{text}");
}

#[test]
fn tells_at_most_two_thousand_characters_whatever_is_required() {
    use std::fmt::Write as _;
    let mut yaml = String::new();
    for number in 0..300 {
        writeln!(yaml, "r{number}: {{description: '{}'}}", "ä".repeat(500)).unwrap();
    }
    let mut scene = Scene::new(&yaml);
    scene.settings.hooks.session_start.custom_header = Some("x".repeat(5_000));
    let text = told(&mut scene, "startup");
    assert!(text.chars().count() <= 2_000 && text.contains("more is required than fits here"), "{text}");
}

#[test]
fn the_session_is_registered_where_it_is_and_a_prompt_is_a_sign_of_life() {
    let mut scene = Scene::new(TWO);
    let answer = scene.start("startup");
    let [Change::Alive(entry)] = answer.effects.as_slice() else { panic!("{:?}", answer.effects) };
    assert_eq!((entry.session.as_str(), entry.branch.as_deref()), (SESSION, Some("feature")));
    assert_eq!(entry.project, std::path::Path::new(crate::scene::ROOT));
    let answer = scene.prompt("fix the bug", None);
    assert_eq!(answer.verdict, Verdict::Pass);
    assert!(matches!(answer.effects.as_slice(), [Change::Alive(_)]));
    let answer = scene.prompt("req status", Some("0 of 1 satisfied"));
    assert_eq!(answer.verdict, Verdict::Reply { text: "0 of 1 satisfied".to_owned() });
    assert!(matches!(answer.effects.as_slice(), [Change::Alive(_)]));
    scene.world.places.root = None;
    assert!(scene.start("startup").effects.is_empty(), "no project");
}

#[test]
fn one_time_notices_wait_for_an_interactive_session() {
    for is_headless in [false, true] {
        let mut scene = Scene::new("{}\n");
        scene.world.notes = vec!["git could not be read".to_owned()];
        scene.world.environment.entrypoint = is_headless.then(|| "sdk-cli".to_owned());
        let once = vec![("new".to_owned(), PathBuf::from("2.1.330"))];
        let answer = scene.start_with("startup", once);
        let expected = if is_headless { "git could not be read" } else { "git could not be read\nnew" };
        assert_eq!((answer.verdict, answer.notice.as_deref()), (Verdict::Pass, Some(expected)));
        let is_remembered = answer.effects.iter().any(|change| matches!(change, Change::Reported(_)));
        assert_eq!(is_remembered, !is_headless);
        assert_eq!(scene.start("resume").notice, None);
    }
}

#[test]
fn satisfactions_stay_for_a_resumed_session_unless_it_was_cleared_or_that_is_set() {
    for (reason, clears, expected) in [
        ("other", false, true),
        ("prompt_input_exit", false, true),
        ("logout", false, true),
        ("resume", false, true),
        ("clear", false, false),
        ("other", true, false),
    ] {
        let mut scene = Scene::new(TWO);
        scene.settings.hooks.session_end.clear_session_state = clears;
        scene.satisfy("plan", OWN, By::Agent);
        scene.satisfy("plan", Some(OTHER), By::Agent);
        scene.satisfy("adr", None, By::User);
        scene.edited("t1");
        let answer = scene.end(reason);
        assert_eq!(answer.verdict, Verdict::Pass);
        assert!(matches!(&answer.effects[0], Change::Forget(session) if session == SESSION), "{reason}");
        assert_eq!(scene.is_met("plan"), expected, "{reason} {clears}");
        assert_eq!(answer.memory == Memory::Drop, !expected, "{reason} {clears}");
        assert!(scene.is_met("adr"), "the branch's satisfactions are nobody's: {reason}");
        scene.session = Some(OTHER.to_owned());
        assert!(scene.is_met("plan"), "another session's satisfactions stay: {reason}");
    }
    let answer = Scene::new("{}\n").end("clear");
    assert_eq!(answer.effects.len(), 1, "nothing is required: {:?}", answer.effects);
}
