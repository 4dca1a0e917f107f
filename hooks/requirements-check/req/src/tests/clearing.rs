//! `req clear`: only the marks of the scope that is named go.

use shared::operator::Caller;

use super::scene::{OTHER, SESSION, Scene};
use super::{CLAUDE, SCRIPT, USER, no, yes};
use requirements_check::change::Change;
use requirements_check::satisfactions::{By, Holder, Key};
use requirements_check::settings::{Kind, Terms};

const OWN: Holder<'_> = Holder::Session(SESSION);
const OTHERS: Holder<'_> = Holder::Session(OTHER);

/// Everything is marked by everybody.
fn scene() -> Scene {
    let mut scene = Scene::new("plan: {}\nother: {}\nadr: {scope: branch}\nlicense: {scope: permanent}\n");
    for name in ["plan", "other"] {
        for holder in [OWN, OTHERS] {
            scene.satisfy(name, holder, By::Agent);
        }
    }
    for name in ["adr", "license"] {
        scene.satisfy(name, Holder::Everyone, By::User);
    }
    scene
}

/// What is met in the session and in the other one.
fn met(scene: &mut Scene) -> (Vec<&'static str>, Vec<&'static str>) {
    let names = ["plan", "other", "adr", "license"];
    let mut of = |session: &str| {
        let own = scene.session.replace(session.to_owned());
        let met = names.into_iter().filter(|name| scene.is_met(name)).collect();
        scene.session = own;
        met
    };
    (of(SESSION), of(OTHER))
}

const ALL_FOUR: &[&str] = &["plan", "other", "adr", "license"];

#[test]
fn whose_marks_go() {
    let rest = |gone: &[&str]| -> Vec<&str> {
        ALL_FOUR.iter().copied().filter(|name| !gone.contains(name)).collect()
    };
    for (words, own, others) in [
        ("clear plan", &["plan"][..], &[][..]),
        ("clear plan other", &["plan", "other"], &[]),
        ("clear --all", &["plan", "other"], &[]),
        ("clear adr", &["adr"], &["adr"]),
        ("clear license", &["license"], &["license"]),
        ("clear plan adr", &["plan", "adr"], &["adr"]),
        ("clear plan --session 0c4e7a11", &[], &["plan"]),
        ("clear --all --session 0c4e7a11", &[], &["plan", "other"]),
        ("clear adr --session 0c4e7a11", &[], &[]),
        ("clear adr --branch", &["adr"], &["adr"]),
        ("clear plan --branch", &[], &[]),
        ("clear --all --branch", &["adr"], &["adr"]),
        ("clear --all --branch feature", &["adr"], &["adr"]),
        ("clear --all --branch main", &[], &[]),
    ] {
        let mut scene = scene();
        yes(&mut scene, words, USER);
        assert_eq!(met(&mut scene), (rest(own), rest(others)), "{words}");
    }
}

#[test]
fn claude_takes_back_its_own_marks_and_no_others() {
    for caller in [CLAUDE, SCRIPT, Caller::Untyped] {
        for (words, gone) in [
            ("clear plan", &["plan"][..]),
            ("clear plan --session 5e55104e", &["plan"]),
            ("clear --all", &["plan", "other"]),
        ] {
            let mut scene = scene();
            yes(&mut scene, words, caller);
            let left: Vec<&str> = ALL_FOUR.iter().copied().filter(|name| !gone.contains(name)).collect();
            assert_eq!(met(&mut scene), (left, ALL_FOUR.to_vec()), "{words}");
        }
        for words in [
            "clear adr",
            "clear plan adr",
            "clear --all --session 0c4e7a11",
            "clear plan --branch main",
            "clear --all --branch feature",
        ] {
            let mut scene = scene();
            let text = no(&mut scene, words, caller);
            assert!(text.contains("refused") && text.ends_with(&format!("req {words}")), "{text}");
            assert_eq!(met(&mut scene), (ALL_FOUR.to_vec(), ALL_FOUR.to_vec()), "{words}");
        }
    }
}

#[test]
fn an_exception_is_the_users_to_take_back() {
    let mut scene = Scene::new("size: {type: dynamic, calculator: branch_size, thresholds: {block: 1}}\n");
    scene.measures("size", 9);
    for holder in [OWN, OTHERS, Holder::Everyone] {
        scene.except("size", holder, By::Approval, 60);
    }
    assert!(no(&mut scene, "clear size", CLAUDE).contains("refused"));
    yes(&mut scene, "clear size --session 5e55104e", USER);
    assert!(scene.is_met("size"), "everybody's still holds");
    yes(&mut scene, "clear size", USER);
    assert!(!scene.is_met("size"));
    scene.session = Some(OTHER.to_owned());
    assert!(scene.is_met("size"), "what was approved for another session stays");
}

#[test]
fn wrong_name_is_an_error_and_one_that_is_off_is_not() {
    assert!(no(&mut scene(), "clear pln", CLAUDE).contains("did you mean plan?"));
    let mut off = scene();
    off.settings.requirements.get_mut("plan").unwrap().terms = Terms::Off(Kind::Blocking);
    yes(&mut off, "clear plan", CLAUDE);
    assert!(!off.world.branch.requirements["plan"].sessions.contains_key(SESSION));
    for (words, expected) in [
        ("clear plan", "--session ID"),
        ("clear --all", "with --branch"),
        ("clear plan --session ffffffff", "no session's id"),
        ("clear --all --branch gone", "there is no branch gone"),
    ] {
        let mut nobody = scene();
        nobody.session = None;
        let text = no(&mut nobody, words, USER);
        assert!(text.contains(expected), "{words}: {text}");
    }
}

#[test]
fn branch_that_is_gone_is_cleared_while_it_has_satisfactions() {
    let mut scene = scene();
    scene.world.recorded = vec![requirements_check::satisfactions::Listed {
        key: Key::Branch("gone".to_owned()),
        requirements: 1,
        sessions: 0,
        updated_at: 0,
    }];
    let reply = scene.req("clear --all --branch gone", USER).unwrap();
    let [Change::Clear(target)] = reply.changes.as_slice() else { panic!("{:?}", reply.changes) };
    assert_eq!(target.key, Key::Branch("gone".to_owned()));
}

#[test]
fn end_of_a_waiver_names_whose_it_was_and_takes_no_evidence_away() {
    let mut scene = Scene::new("tests: {type: evidence, command: cargo test}\n");
    yes(&mut scene, "waive tests --note x", USER);
    let reply = scene.req("clear tests", USER).unwrap();
    assert_eq!(reply.text, "cleared: tests (every session of this repository)");
    assert_eq!(reply.ended, ["tests"], "for the journal");
    let is_of_branch =
        |change: &Change| matches!(change, Change::Clear(target) if target.key != Key::Permanent);
    assert!(!reply.changes.iter().any(is_of_branch), "{:?}", reply.changes);
    yes(&mut scene, "waive tests --note x --session 0c4e7a11", USER);
    assert_eq!(yes(&mut scene, "clear tests --session 0c4e7a11", USER), "cleared: tests (session 0c4e7a11)");
}
