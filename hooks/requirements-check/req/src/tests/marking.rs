//! `req satisfy`.

use shared::operator::Caller;

use super::scene::{OTHER, SESSION, Scene};
use super::{ALL, CLAUDE, SCRIPT, USER, no, yes};
use requirements_check::change::Change;
use requirements_check::satisfactions::{By, Key};
use requirements_check::settings::{Kind, Terms};

const ALL_SCOPES: &str = "\
plan: {}
adr: {scope: branch}
license: {scope: permanent}
pr: {scope: single_use}
review: {satisfied_by: user}
";

const OTHER_TYPES: &str = "\
size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}
not_on_main: {type: guard, guard_type: protected_branch}
tests: {type: evidence, command: cargo test}
";

#[test]
fn satisfaction_lands_where_its_scope_says() {
    for caller in ALL {
        for (name, whose) in [
            ("plan", "session 5e55104e on feature"),
            ("adr", "every session on feature"),
            ("license", "in this repository"),
            ("pr", "for one call of session 5e55104e on feature"),
        ] {
            let mut scene = Scene::new(ALL_SCOPES);
            let text = yes(&mut scene, &format!("satisfy {name}"), caller);
            assert!(text.contains(name) && text.contains(whose), "{text}");
            for other in ["plan", "adr", "license", "pr"] {
                assert_eq!(scene.is_met(other), other == name, "{name}: {other}");
            }
        }
    }
}

#[test]
fn wrong_line_satisfies_nothing_and_says_why() {
    let long = format!("satisfy {}", "x".repeat(3000));
    for (requirements, words, expected) in [
        (ALL_SCOPES, "satisfy plan licnse", "no requirement licnse; did you mean license?"),
        (ALL_SCOPES, "satisfy something_else", "in force are adr, license, plan, pr"),
        (ALL_SCOPES, &long, "there is no requirement xxx"),
        ("{}\n", "satisfy plan", "none is in force here"),
        (OTHER_TYPES, "satisfy size", "req approve size"),
        (OTHER_TYPES, "satisfy not_on_main", "git switch"),
        (OTHER_TYPES, "satisfy tests", "run alone on a line (no pipe): cargo test"),
        (ALL_SCOPES, "satisfy plan --branch featur", "did you mean feature?"),
        (ALL_SCOPES, "satisfy adr --branch nowhere", "there is no branch nowhere"),
        (ALL_SCOPES, "satisfy plan --session 0c4e7a11", "several sessions begin with 0c4e7a11"),
        (ALL_SCOPES, "satisfy plan --session 0c4e7", "at least 8 characters"),
        (ALL_SCOPES, "satisfy plan --session ffffffff", "no session's id begins with ffffffff"),
    ] {
        let mut scene = Scene::new(requirements).on("main");
        scene.world.known_sessions.push("0c4e7a11-ffff".to_owned());
        let text = no(&mut scene, words, USER);
        assert!(text.contains(expected) && text.ends_with("\nNothing was satisfied."), "{words}: {text}");
        assert!(text.len() < 400, "{text}");
        assert!(requirements != ALL_SCOPES || !scene.is_met("plan"), "{words}");
    }
    let mut scene = Scene::new("plan: {}\n");
    scene.settings.requirements.get_mut("plan").unwrap().terms = Terms::Off(Kind::Blocking);
    assert!(no(&mut scene, "satisfy plan", USER).contains("switched off here; see req status --all"));
}

#[test]
fn what_is_the_users_is_satisfied_by_the_user_alone() {
    for caller in ALL {
        let mut scene = Scene::new(ALL_SCOPES);
        let may = matches!(caller, USER | Caller::Typed);
        if may {
            yes(&mut scene, "satisfy review", caller);
        } else {
            let text = no(&mut scene, "satisfy review --branch", caller);
            assert!(text.contains("req satisfy review --branch"), "the line that was meant: {text}");
        }
        assert_eq!(scene.is_met("review"), may, "{caller:?}");
    }
    let mut scene = Scene::new(ALL_SCOPES);
    assert!(no(&mut scene, "satisfy plan --session 0c4e7a11", CLAUDE).contains("another session's"));
    assert!(yes(&mut scene, "satisfy plan --session 0c4e7a11", SCRIPT).contains("session 0c4e7a11"));
    assert!(!scene.is_met("plan"), "another session's satisfaction");
    scene.session = Some(OTHER.to_owned());
    assert!(scene.is_met("plan"));
}

#[test]
fn record_says_who_and_why_and_keeps_no_secret() {
    for (caller, by, who) in [(USER, By::User, "user"), (CLAUDE, By::Agent, "agent")] {
        let mut scene = Scene::new("plan: {}\n");
        let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345";
        let words = format!("satisfy plan --note '  in docs, key {secret} {}'", "x ".repeat(2500));
        yes(&mut scene, &words, caller);
        let record = scene.view().satisfaction(&scene.rule("plan")).unwrap().clone();
        assert_eq!((record.satisfied_by, record.metadata.who.as_deref()), (by, Some(who)), "{caller:?}");
        assert_eq!(record.metadata.entrypoint.as_deref(), Some("cli"));
        let note = record.metadata.note.unwrap();
        assert!(note.starts_with("in docs") && !note.contains("abcdefghij"), "{note}");
        assert!(note.chars().count() <= 301);
    }
}

#[test]
fn satisfaction_can_be_widened_to_a_branch() {
    for words in ["satisfy plan --branch", "satisfy plan --branch feature"] {
        let mut scene = Scene::new(ALL_SCOPES);
        assert!(yes(&mut scene, words, CLAUDE).contains("every session on feature"));
        scene.session = Some(OTHER.to_owned());
        assert!(scene.is_met("plan"), "{words}");
    }
    for name in ["plan", "adr"] {
        let mut scene = Scene::new(ALL_SCOPES);
        let reply = scene.req(&format!("satisfy {name} --branch main"), CLAUDE).unwrap();
        let [Change::Set(target, _)] = reply.changes.as_slice() else { panic!() };
        assert_eq!((&target.key, &target.session), (&Key::Branch("main".to_owned()), &None), "{name}");
        assert!(!scene.is_met(name), "not on this branch: {name}");
    }
    let mut scene = Scene::new(ALL_SCOPES);
    scene.world.heads = None;
    yes(&mut scene, "satisfy license --branch nowhere", CLAUDE);
    assert!(scene.is_met("license"), "what holds on all branches holds there too");
}

#[test]
fn without_a_session_the_answer_asks_which() {
    let mut scene = Scene::new(ALL_SCOPES);
    scene.session = None;
    let text = no(&mut scene, "satisfy plan", USER);
    assert!(text.contains("--session ID (none is live here)"), "{text}");
    assert!(text.contains("for every session on this branch with --branch"), "{text}");
    scene.live(SESSION, 0);
    scene.live("ünïcödé-session", 0);
    let text = no(&mut scene, "satisfy pr", USER);
    assert!(text.contains("live here: 5e55104e, ünïcödé-"), "{text}");
    yes(&mut scene, "satisfy adr license", USER);
    yes(&mut scene, "satisfy plan --branch", USER);
    assert!(["adr", "license", "plan"].into_iter().all(|name| scene.is_met(name)));
    scene.world.here.key = Key::NoGit;
    assert!(no(&mut scene, "satisfy pr", USER).contains("for every session of this project with --branch"));
}

#[test]
fn on_a_protected_branch_the_way_out_is_named() {
    let on = |branch| Scene::new(&format!("plan: {{}}\n{OTHER_TYPES}")).on(branch);
    let text = yes(&mut on("main"), "satisfy plan", CLAUDE);
    assert!(
        text.contains("main is a protected branch") && text.contains("git switch -c my-change"),
        "{text}"
    );
    assert!(!yes(&mut on("feature"), "satisfy plan", CLAUDE).contains("git switch"));
}
