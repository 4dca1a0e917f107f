//! `req satisfy`.

use shared::operator::Caller;

use super::scene::{OTHER, SESSION, Scene};
use super::{ALL, CLAUDE, SCRIPT, USER, no, yes};
use requirements_check::satisfactions::{By, Key};
use requirements_check::settings::{Kind, Terms};

const ALL_SCOPES: &str = "\
plan: {}
adr: {scope: branch}
license: {scope: permanent}
pr: {scope: single_use}
";

#[test]
fn a_mark_lands_where_its_scope_says_whoever_sets_it() {
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
fn several_are_marked_at_once_and_one_that_is_wrong_spoils_all() {
    let mut scene = Scene::new(ALL_SCOPES);
    yes(&mut scene, "satisfy plan adr", CLAUDE);
    assert!(scene.is_met("plan") && scene.is_met("adr"));
    let mut scene = Scene::new(ALL_SCOPES);
    let text = no(&mut scene, "satisfy plan licnse", CLAUDE);
    assert!(
        text.contains("no requirement licnse; did you mean license?")
            && text.contains("Nothing was satisfied"),
        "{text}"
    );
    assert!(!scene.is_met("plan"));
}

#[test]
fn a_name_that_is_not_known_is_told_with_those_that_are() {
    for (requirements, name, expected) in [
        (ALL_SCOPES, "licence", "did you mean license?"),
        (ALL_SCOPES, "something_else", "in force are adr, license, plan, pr"),
        ("{}\n", "plan", "none is in force here"),
    ] {
        for caller in ALL {
            let text = no(&mut Scene::new(requirements), &format!("satisfy {name}"), caller);
            assert!(text.contains(expected), "{text}");
        }
    }
    let long = "x".repeat(3000);
    assert!(no(&mut Scene::new(ALL_SCOPES), &format!("satisfy {long}"), USER).len() < 400);
}

#[test]
fn what_is_off_is_said_to_be_off() {
    let mut scene = Scene::new(ALL_SCOPES);
    scene.settings.requirements.get_mut("plan").unwrap().terms = Terms::Off(Kind::Blocking);
    assert!(no(&mut scene, "satisfy plan", USER).contains("switched off here; see req status --all"));
}

#[test]
fn what_is_not_met_by_a_mark_says_what_would_meet_it() {
    let mut scene = Scene::new(
        "size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}\n\
         not_on_main: {type: guard, guard_type: protected_branch}\n\
         tests: {type: evidence, command: cargo test}\n",
    )
    .on("main");
    for caller in ALL {
        for (name, expected) in [
            ("size", "req approve size"),
            ("not_on_main", "git switch"),
            ("tests", "run alone on a line (no pipe): cargo test"),
        ] {
            let text = no(&mut scene, &format!("satisfy {name}"), caller);
            assert!(text.contains("not satisfied by hand") && text.contains(expected), "{text}");
        }
    }
}

#[test]
fn what_is_the_users_alone_is_marked_by_the_user_alone_and_others_get_the_line() {
    for (caller, may) in
        [(USER, true), (Caller::Typed, true), (CLAUDE, false), (SCRIPT, false), (Caller::Untyped, false)]
    {
        let mut scene = Scene::new("review: {satisfied_by: user}\n");
        if may {
            yes(&mut scene, "satisfy review", caller);
        } else {
            let text = no(&mut scene, "satisfy review --branch", caller);
            assert!(text.contains("req satisfy review --branch"), "the line that was meant: {text}");
        }
        assert_eq!(scene.is_met("review"), may, "{caller:?}");
    }
}

#[test]
fn a_mark_says_who_set_it_and_why_and_keeps_no_secret() {
    for (caller, by, who) in [
        (USER, By::User, "user"),
        (Caller::Typed, By::User, "user"),
        (CLAUDE, By::Agent, "agent"),
        (SCRIPT, By::Agent, "agent"),
        (Caller::Untyped, By::Agent, "agent"),
    ] {
        let mut scene = Scene::new("plan: {}\n");
        yes(
            &mut scene,
            "satisfy plan --note '  in docs, key sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345  '",
            caller,
        );
        let mark = scene.view().satisfaction(&scene.rule("plan")).unwrap().clone();
        assert_eq!((mark.satisfied_by, mark.metadata.who.as_deref()), (by, Some(who)), "{caller:?}");
        assert_eq!(mark.metadata.entrypoint.as_deref(), Some("cli"));
        let note = mark.metadata.note.unwrap();
        assert!(note.starts_with("in docs") && !note.contains("abcdefghij"), "{note}");
    }
    let mut scene = Scene::new("plan: {}\n");
    yes(&mut scene, &format!("satisfy plan --note {}", "x".repeat(5000)), CLAUDE);
    let mark = scene.view().satisfaction(&scene.rule("plan")).unwrap().clone();
    assert!(mark.metadata.note.unwrap().chars().count() <= 301);
}

#[test]
fn a_mark_can_be_widened_to_a_branch() {
    for (words, whose) in [
        ("satisfy plan --branch", "every session on feature"),
        ("satisfy plan --branch feature", "every session on feature"),
    ] {
        let mut scene = Scene::new(ALL_SCOPES);
        assert!(yes(&mut scene, words, CLAUDE).contains(whose));
        scene.session = Some(OTHER.to_owned());
        assert!(scene.is_met("plan"), "{words}");
    }
    for name in ["plan", "adr"] {
        let mut scene = Scene::new(ALL_SCOPES);
        let reply = scene.req(&format!("satisfy {name} --branch main"), CLAUDE).unwrap();
        assert!(reply.text.contains("every session on main"), "{}", reply.text);
        let [requirements_check::change::Change::Set(target, _)] = reply.changes.as_slice() else { panic!() };
        assert_eq!((&target.key, &target.session), (&Key::Branch("main".to_owned()), &None), "{name}");
        assert!(!scene.is_met(name), "not on this branch: {name}");
    }
    let mut scene = Scene::new(ALL_SCOPES);
    yes(&mut scene, "satisfy license --branch main", CLAUDE);
    assert!(scene.is_met("license"), "what holds on all branches holds there too");
}

#[test]
fn a_branch_that_is_not_there_is_a_slip() {
    for (words, expected) in [
        ("satisfy plan --branch featur", "did you mean feature?"),
        ("satisfy plan --branch adr", "there is no branch adr"),
        ("satisfy adr --branch nowhere", "there is no branch nowhere"),
    ] {
        assert!(no(&mut Scene::new(ALL_SCOPES), words, USER).contains(expected), "{words}");
    }
    let mut scene = Scene::new(ALL_SCOPES);
    scene.world.heads = None;
    yes(&mut scene, "satisfy plan --branch nowhere", USER);
}

#[test]
fn a_session_is_named_by_enough_of_its_id() {
    let mut scene = Scene::new(ALL_SCOPES);
    assert!(no(&mut scene, "satisfy plan --session 0c4e7a11", CLAUDE).contains("another session's"));
    assert!(yes(&mut scene, "satisfy plan --session 0c4e7a11", SCRIPT).contains("session 0c4e7a11"));
    assert!(!scene.is_met("plan"), "another session's mark");
    scene.session = Some(OTHER.to_owned());
    assert!(scene.is_met("plan"));
    let mut scene = Scene::new(ALL_SCOPES);
    scene.world.known_sessions.push("0c4e7a11-ffff".to_owned());
    for (prefix, expected) in [
        ("0c4e7a11", "several sessions begin with 0c4e7a11"),
        ("0c4e7", "at least 8 characters"),
        ("ffffffff", "no session's id begins with ffffffff"),
    ] {
        let text = no(&mut scene, &format!("satisfy plan --session {prefix}"), USER);
        assert!(text.contains(expected) && text.contains("Nothing was satisfied"), "{text}");
    }
    let own = format!("satisfy plan --session {SESSION}");
    let mut scene = Scene::new(ALL_SCOPES);
    scene.world.known_sessions.clear();
    yes(&mut scene, &own, CLAUDE);
    assert!(scene.is_met("plan"), "one's own id needs no register");
}

#[test]
fn without_a_session_what_is_marked_per_session_asks_which() {
    let mut scene = Scene::new(ALL_SCOPES);
    scene.session = None;
    let text = no(&mut scene, "satisfy plan", USER);
    assert!(text.contains("--session ID (none is live here)") && text.contains("--branch"), "{text}");
    assert!(text.contains("for every session on this branch with --branch"), "{text}");
    let mut plain = Scene::new(ALL_SCOPES);
    (plain.session, plain.world.here.key) = (None, Key::NoGit);
    let text = no(&mut plain, "satisfy plan", USER);
    assert!(text.contains("for every session of this project with --branch"), "{text}");
    yes(&mut plain, "satisfy plan --branch", USER);
    assert!(plain.is_met("plan"));
    scene.live(SESSION, 0);
    scene.live("ünïcödé-session", 0);
    let text = no(&mut scene, "satisfy pr", USER);
    assert!(text.contains("live here: 5e55104e, ünïcödé-"), "{text}");
    assert!(!text.contains(&OTHER[..8]), "one that has marks here and is not live: {text}");
    yes(&mut scene, "satisfy adr license", USER);
    yes(&mut scene, "satisfy plan --branch", USER);
    assert!(["adr", "license", "plan"].into_iter().all(|name| scene.is_met(name)));
}

#[test]
fn on_a_protected_branch_the_way_out_is_named() {
    let on = |branch| {
        Scene::new("plan: {}\nnot_on_main: {type: guard, guard_type: protected_branch}\n").on(branch)
    };
    let text = yes(&mut on("main"), "satisfy plan", CLAUDE);
    assert!(
        text.contains("main is a protected branch") && text.contains("git switch -c my-change"),
        "{text}"
    );
    assert!(!yes(&mut on("feature"), "satisfy plan", CLAUDE).contains("git switch"));
}
