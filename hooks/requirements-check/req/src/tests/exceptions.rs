//! `req approve` and `req waive`: the user lets something pass, for a while.

use std::time::Duration;

use shared::operator::Caller;

use super::scene::{OTHER, SESSION, Scene};
use super::{CLAUDE, SCRIPT, USER, no, yes};

const SECOND: Duration = Duration::from_secs(1);

/// A size past its limit, a protected branch, no evidence.
fn scene() -> Scene {
    let mut scene = Scene::new(
        "size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n\
         short: {type: dynamic, calculator: branch_size, thresholds: {block: 400}, approval_ttl: 10}\n\
         not_on_main: {type: guard, guard_type: protected_branch}\n\
         tests: {type: evidence, command: cargo test}\n\
         plan: {}\n",
    )
    .on("main");
    for name in ["size", "short"] {
        scene.measures(name, 1000);
    }
    scene
}

#[test]
fn an_exception_holds_for_its_time_and_not_longer() {
    for (words, name, secs) in [
        ("approve size", "size", 300),
        ("approve short", "short", 10),
        ("approve short --for 90s", "short", 90),
        ("waive not_on_main --note why", "not_on_main", 1800),
        ("waive tests --for 10m --note why", "tests", 600),
    ] {
        let mut scene = scene();
        assert!(!scene.is_met(name));
        yes(&mut scene, words, USER);
        scene.wait(SECOND * (secs - 1));
        assert!(scene.is_met(name), "{words}");
        scene.wait(SECOND);
        assert!(!scene.is_met(name), "{words}");
    }
}

#[test]
fn an_exception_is_for_every_session_or_for_the_one_named() {
    for (reach, own, others) in
        [("", true, true), (" --session 5e55104e", true, false), (" --session 0c4e7a11", false, true)]
    {
        let mut scene = scene();
        yes(&mut scene, &format!("approve size{reach}"), USER);
        assert_eq!(scene.is_met("size"), own, "{reach}");
        scene.session = Some(OTHER.to_owned());
        assert_eq!(scene.is_met("size"), others, "{reach}");
    }
}

#[test]
fn only_the_user_excepts_and_others_get_the_line_to_type() {
    for caller in [CLAUDE, SCRIPT, Caller::Untyped] {
        for words in ["approve size --for 10m", "waive tests --for 10m --session 5e55104e --note 'a reason'"]
        {
            let text = no(&mut scene(), words, caller);
            assert!(text.contains("refused") && text.ends_with(&format!("req {words}")), "{text}");
        }
    }
}

#[test]
fn each_type_takes_its_own_word_and_a_waiver_its_reason() {
    for (words, instead) in [
        ("approve plan", "req satisfy plan"),
        ("approve not_on_main", "req waive not_on_main --note \"the reason\""),
        ("approve tests", "req waive tests --note \"the reason\""),
        ("waive size --note x", "req approve size"),
        ("waive tests", "req waive tests --note \"the reason\""),
        ("waive tests --note '  '", "req waive tests --note \"the reason\""),
        ("approve sise", "did you mean size?"),
        ("approve size --session ffffffff", "no session's id begins with ffffffff"),
    ] {
        let text = no(&mut scene(), words, USER);
        assert!(text.contains(instead), "{words}: {text}");
    }
    let mut scene = scene();
    yes(&mut scene, "waive tests --note 'agreed with the team'", USER);
    assert!(scene.standing("tests").unwrap().ends_with(": agreed with the team"));
}

#[test]
fn exception_is_taken_back_with_the_line_it_names() {
    for (words, name) in [("waive tests --note x", "tests"), ("approve size --session 5e55104e", "size")] {
        for session in [Some(SESSION), None] {
            let mut scene = scene();
            let text = yes(&mut scene, words, USER);
            scene.session = session.map(ToOwned::to_owned);
            let (_, line) = text.split_once("take it back with: req ").unwrap();
            yes(&mut scene, line, USER);
            scene.session = Some(SESSION.to_owned());
            assert!(!scene.is_met(name), "{words} {session:?}: {line}");
        }
    }
}
