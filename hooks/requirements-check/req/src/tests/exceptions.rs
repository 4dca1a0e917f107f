//! `req approve` and `req waive`: the user lets something pass, for a while.

use std::time::Duration;

use shared::operator::Caller;

use super::scene::{OTHER, SESSION, Scene};
use super::{ALL, CLAUDE, SCRIPT, USER, no, yes};

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
        ("approve size --for 1h", "size", 3600),
        ("approve short --for 90s", "short", 90),
        ("waive not_on_main --note why", "not_on_main", 1800),
        ("waive tests --for 10m --note why", "tests", 600),
    ] {
        for caller in [USER, Caller::Typed] {
            let mut scene = scene();
            assert!(!scene.is_met(name));
            yes(&mut scene, words, caller);
            scene.wait(SECOND * (secs - 1));
            assert!(scene.is_met(name), "{words}");
            scene.wait(SECOND);
            assert!(!scene.is_met(name), "{words}");
        }
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
    assert!(no(&mut scene(), "approve size --session ffffffff", USER).contains("no session's id"));
}

#[test]
fn only_the_user_excepts_and_everybody_else_gets_the_whole_line_to_type() {
    for caller in [CLAUDE, SCRIPT, Caller::Untyped] {
        let mut scene = scene();
        for (words, name) in [
            ("approve size --for 10m", "size"),
            ("approve size", "size"),
            ("waive not_on_main --note 'a hotfix'", "not_on_main"),
            ("waive tests --for 10m --session 5e55104e --note why", "tests"),
        ] {
            let text = no(&mut scene, words, caller);
            assert!(text.contains("refused") && text.ends_with(&format!("req {words}")), "{text}");
            assert!(!scene.is_met(name), "{words}");
        }
    }
}

#[test]
fn each_type_takes_its_own_word() {
    for caller in ALL {
        for (words, instead) in [
            ("approve plan", "req satisfy plan"),
            ("waive plan --note x", "req satisfy plan"),
            ("approve not_on_main", "req waive not_on_main --note \"the reason\""),
            ("approve tests", "req waive tests --note \"the reason\""),
            ("waive size --note x", "req approve size"),
        ] {
            assert!(no(&mut scene(), words, caller).ends_with(instead), "{words}");
        }
        assert!(no(&mut scene(), "approve sise", caller).contains("did you mean size?"));
        assert!(
            no(&mut scene(), "waive nothing_like_it --note x", caller).contains("there is no requirement")
        );
    }
}

#[test]
fn a_waiver_needs_its_reason() {
    for words in ["waive tests", "waive tests --note ''", "waive tests --note '  '"] {
        assert!(no(&mut scene(), words, USER).contains("--note \"the reason\""), "{words}");
    }
    let mut scene = scene();
    yes(&mut scene, "waive tests --note 'agreed with the team'", USER);
    assert!(
        scene.standing("tests").unwrap().ends_with(": agreed with the team"),
        "{:?}",
        scene.standing("tests")
    );
}

#[test]
fn an_exception_is_taken_back_with_the_line_it_names() {
    for (words, name) in [
        ("approve size", "size"),
        ("waive tests --note x", "tests"),
        ("approve size --session 5e55104e", "size"),
    ] {
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
