//! A session's start and its end.

use shared::hook::{Memory, Verdict};

use crate::change::Change;
use crate::satisfactions::{By, Holder};
use crate::scene::{Answer, OTHER, OWN, SESSION, Scene};

const TWO: &str = "plan: {description: The plan is written down.}\nadr: {scope: branch}\n";

#[track_caller]
fn told(scene: &mut Scene, source: &str) -> String {
    match scene.start(source).verdict {
        Verdict::Advise { text } => text,
        other => panic!("nothing is told: {other:?}"),
    }
}

#[test]
fn claude_is_told_what_is_required_how_it_stands_and_how_to_meet_it() {
    let mut scene = Scene::new(TWO);
    scene.mark("adr", Holder::Everyone, By::User);
    for source in ["startup", "clear", "resume", "compact", "fork"] {
        let text = told(&mut scene, source);
        for said in
            ["requirements-check", "feature", "plan (not satisfied", "adr (satisfied", "req satisfy plan"]
        {
            assert!(text.contains(said), "{source}: {said} in {text}");
        }
        let is_long = !matches!(source, "resume" | "compact");
        assert_eq!(text.contains("written down"), is_long, "{source}: {text}");
    }
}

#[test]
fn where_nothing_is_required_or_nothing_is_to_be_told_there_is_silence() {
    assert_eq!(Scene::new("{}\n").start("startup").verdict, Verdict::Pass);
    let mut scene = Scene::new(TWO);
    scene.settings.hooks.session_start.inject_context = false;
    assert_eq!(scene.start("startup").verdict, Verdict::Pass);
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
fn the_users_own_line_stands_above_it() {
    let mut scene = Scene::new(TWO);
    scene.settings.hooks.session_start.custom_header = Some("House rules".to_owned());
    assert!(told(&mut scene, "startup").starts_with("House rules\n"));
}

#[test]
fn what_is_met_needs_no_command_and_an_exception_is_shown() {
    let mut scene = Scene::new("size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n");
    scene.except("size", Holder::Everyone, By::Approval, 600);
    let text = told(&mut scene, "startup");
    assert!(
        !text.contains("req satisfy") && text.contains("exception: size, approved for 10 min more"),
        "{text}"
    );
}

#[test]
fn the_session_is_registered_where_it_is() {
    let answer = Scene::new(TWO).start("startup");
    let [Change::Register(entry)] = answer.effects.as_slice() else { panic!("{:?}", answer.effects) };
    assert_eq!((entry.session.as_str(), entry.branch.as_deref()), (SESSION, Some("feature")));
    assert_eq!(entry.project, std::path::Path::new(crate::scene::ROOT));
    let mut scene = Scene::new(TWO);
    scene.world.root = None;
    assert!(scene.start("startup").effects.is_empty(), "no project");
}

#[test]
fn what_was_noticed_on_the_way_is_told_the_user() {
    let mut scene = Scene::new("{}\n");
    scene.world.notes = vec!["git could not be read".to_owned()];
    assert_eq!(scene.start("startup").notice.as_deref(), Some("git could not be read"));
    assert_eq!(scene.start("resume").notice, None);
}

#[test]
fn marks_stay_for_a_resumed_session_unless_it_was_cleared_or_that_is_set() {
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
        scene.mark("plan", OWN, By::Agent);
        scene.mark("plan", Holder::Session(OTHER), By::Agent);
        scene.mark("adr", Holder::Everyone, By::User);
        scene.edited("t1");
        let answer = scene.end(reason);
        assert_eq!(answer.verdict, Verdict::Pass);
        assert!(matches!(&answer.effects[0], Change::Forget(session) if session == SESSION), "{reason}");
        assert_eq!(scene.is_met("plan"), expected, "{reason} {clears}");
        assert_eq!(answer.memory == Memory::Drop, !expected, "{reason} {clears}");
        assert!(scene.is_met("adr"), "the branch's marks are nobody's: {reason}");
        scene.session = Some(OTHER.to_owned());
        assert!(scene.is_met("plan"), "another session's marks stay: {reason}");
    }
}

#[test]
fn where_nothing_is_required_an_end_changes_no_marks() {
    let answer = Scene::new("{}\n").end("clear");
    assert_eq!(answer.effects.len(), 1, "{:?}", answer.effects);
}

#[test]
fn a_notice_that_is_given_once_is_remembered_and_waits_for_a_session_that_somebody_reads() {
    let start = |is_headless| {
        let mut scene = Scene::new("{}\n");
        scene.world.once.push(("new".to_owned(), Change::ToldOfClient("2.1.330".to_owned())));
        scene.world.reader.is_headless = is_headless;
        scene.start("resume")
    };
    let is_remembered =
        |answer: &Answer| answer.effects.iter().any(|change| matches!(change, Change::ToldOfClient(_)));
    let told = start(false);
    assert_eq!((&told.verdict, told.notice.as_deref()), (&Verdict::Pass, Some("new")));
    assert!(is_remembered(&told));
    let headless = start(true);
    assert!(headless.notice.is_none() && !is_remembered(&headless));
}
