//! `req satisfy`, `req approve`, `req waive`, `req clear`.

use std::time::Duration;

use shared::operator::Caller;

use super::{ALL, CLAUDE, OTHER, SCRIPT, SESSION, Scene, USER};
use requirements_check::satisfactions::{By, Key, Satisfactions};
use requirements_check::settings::{Kind, Terms};

const SCOPES: &str = "\
plan: {}
adr: {scope: branch}
license: {scope: permanent}
pr: {scope: single_use}
review: {satisfied_by: user}
";

const OTHER_TYPES: &str = "\
size: {type: dynamic, calculator: branch_size, thresholds: {block: 400}}
short: {type: dynamic, calculator: branch_size, thresholds: {block: 400}, approval_ttl: 10}
not_on_main: {type: guard, guard_type: protected_branch}
tests: {type: evidence, command: cargo test}
plan: {}
";

/// A size past its limit, a protected branch, no evidence.
fn unsatisfied() -> Scene {
    let mut scene = Scene::new(OTHER_TYPES).on("main");
    scene.measures("size", 1000);
    scene.measures("short", 1000);
    scene
}

impl Scene {
    /// The requirements that are satisfied for a session.
    fn met(&mut self, session: &str) -> String {
        let own = self.session.replace(session.to_owned());
        let names = self.settings.requirements.keys().map(String::as_str);
        let met = names.filter(|name| self.is_met(name)).collect::<Vec<_>>().join(" ");
        self.session = own;
        met
    }
}

#[test]
fn satisfaction_lands_where_its_scope_or_the_line_says() {
    for caller in ALL {
        for (words, whose, met) in [
            ("plan", "session 5e55104e on feature", "plan"),
            ("plan --branch", "every session on feature", "plan"),
            ("plan --branch main", "every session on main", ""),
            ("adr", "every session on feature", "adr"),
            ("adr --branch main", "every session on main", ""),
            ("license", "every session of this repository", "license"),
            ("pr", "session 5e55104e on feature", "pr"),
        ] {
            let mut scene = Scene::new(SCOPES);
            let text = scene.yes(&format!("satisfy {words}"), caller);
            assert!(text.starts_with("satisfied: ") && text.ends_with(&format!(" ({whose})")), "{text}");
            assert_eq!(scene.met(SESSION), met, "{words}");
        }
    }
}

#[test]
fn wrong_line_satisfies_nothing_and_says_why() {
    let long = format!("satisfy {}", "x".repeat(3000));
    for (requirements, words, expected) in [
        (SCOPES, "satisfy plan licnse", "no requirement licnse; did you mean license?"),
        (SCOPES, "satisfy something_else", "there are adr, license, plan, pr"),
        (SCOPES, &long, "there is no requirement xxx"),
        ("{}\n", "satisfy plan", "there is no requirement plan here"),
        (OTHER_TYPES, "satisfy size", "req approve size"),
        (OTHER_TYPES, "satisfy not_on_main", "git switch"),
        (OTHER_TYPES, "satisfy tests", "run alone on a line (no pipe): cargo test"),
        (SCOPES, "satisfy plan --branch featur", "did you mean feature?"),
        (SCOPES, "satisfy adr --branch nowhere", "there is no branch nowhere"),
        (SCOPES, "satisfy plan --session 0c4e7", "at least 8 characters"),
    ] {
        let mut scene = Scene::new(requirements).on("main");
        let text = scene.no(words, USER);
        assert!(text.contains(expected) && text.ends_with("\nNothing was satisfied."), "{words}: {text}");
        assert!(text.len() < 400, "{text}");
        assert!(requirements != SCOPES || !scene.is_met("plan"), "{words}");
    }
    let mut scene = Scene::new("plan: {}\n");
    scene.settings.requirements.get_mut("plan").unwrap().terms = Terms::Off(Kind::Blocking);
    assert!(scene.no("satisfy plan", USER).contains("switched off here; see req status --all"));
}

#[test]
fn the_user_alone_satisfies_what_is_the_users_and_other_sessions() {
    for caller in ALL {
        let may = matches!(caller, USER | Caller::Typed);
        let mut scene = Scene::new(SCOPES);
        for line in ["satisfy review --branch", "satisfy plan --session 0c4e7a11"] {
            if may {
                scene.yes(line, caller);
            } else {
                let text = scene.no(line, caller);
                assert!(text.starts_with("denied, because ") && text.contains(line), "{text}");
            }
        }
        assert_eq!(scene.is_met("review"), may, "{caller:?}");
        assert!(!scene.is_met("plan"), "another session's satisfaction");
        scene.session = Some(OTHER.to_owned());
        assert_eq!(scene.is_met("plan"), may, "{caller:?}");
    }
}

#[test]
fn record_says_who_and_why_and_keeps_no_secret() {
    for (caller, by) in [(USER, By::User), (CLAUDE, By::Agent)] {
        let mut scene = Scene::new("plan: {}\n");
        let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345";
        scene.yes(&format!("satisfy plan --note '  in docs, key {secret} {}'", "x ".repeat(2500)), caller);
        let record = scene.view().satisfaction(&scene.rule("plan")).unwrap().clone();
        assert_eq!(record.satisfied_by, by, "{caller:?}");
        let note = record.metadata.note.unwrap();
        assert!(note.starts_with("in docs") && !note.contains("abcdefghij") && note.len() < 310, "{note}");
    }
}

#[test]
fn without_a_session_the_answer_asks_which() {
    let mut scene = Scene::new(SCOPES);
    scene.session = None;
    for words in ["satisfy plan", "clear plan", "clear --all"] {
        let text = scene.no(words, USER);
        assert!(text.contains("--session ID (none is live here), or add --branch"), "{text}");
    }
    scene.live(SESSION, 0);
    scene.live("ünïcödé-session", 0);
    assert!(scene.no("satisfy pr", USER).contains("live here: 5e55104e, ünïcödé-"));
    scene.yes("satisfy adr license", USER);
    scene.yes("satisfy plan --branch", USER);
    assert!(["adr", "license", "plan"].into_iter().all(|name| scene.is_met(name)));
}

#[test]
fn exception_holds_for_its_time_and_not_longer() {
    for (words, name, secs) in [
        ("approve size", "size", 300),
        ("approve short", "short", 10),
        ("approve short --for 90s", "short", 90),
        ("waive not_on_main --note why", "not_on_main", 1800),
        ("waive tests --for 10m --note why", "tests", 600),
    ] {
        let mut scene = unsatisfied();
        assert!(!scene.is_met(name));
        scene.yes(words, USER);
        scene.wait(Duration::from_secs(secs - 1));
        assert!(scene.is_met(name), "{words}");
        scene.wait(Duration::from_secs(1));
        assert!(!scene.is_met(name), "{words}");
    }
}

#[test]
fn exception_is_for_every_session_or_the_one_named_and_is_taken_back_with_the_line_it_names() {
    for (reach, met) in
        [("", ["size", "size"]), (" --session 5e55104e", ["size", ""]), (" --session 0c4e7a11", ["", "size"])]
    {
        let mut scene = unsatisfied();
        let text = scene.yes(&format!("approve size{reach}"), USER);
        assert_eq!([SESSION, OTHER].map(|session| scene.met(session)), met, "{reach}");
        scene.session = None;
        scene.yes(text.split_once("take it back with: req ").unwrap().1, USER);
        assert_eq!([SESSION, OTHER].map(|session| scene.met(session)), ["", ""], "{reach}");
    }
}

#[track_caller]
fn denied(scene: &mut Scene, words: &str, caller: Caller) {
    let text = scene.no(words, caller);
    assert!(text.starts_with("denied, because ") && text.ends_with(&format!("req {words}")), "{text}");
}

#[test]
fn exception_has_its_verb_and_its_reason_and_is_the_users() {
    for (words, instead) in [
        ("approve plan", "req satisfy plan"),
        ("approve not_on_main", "req waive not_on_main --note \"the reason\""),
        ("waive size --note x", "req approve size"),
        ("waive tests --note '  '", "req waive tests --note \"the reason\""),
        ("approve sise", "did you mean size?"),
        ("approve size --session ffffffff", "no session's id begins with ffffffff"),
    ] {
        let text = unsatisfied().no(words, USER);
        assert!(text.contains(instead), "{words}: {text}");
    }
    for caller in [CLAUDE, SCRIPT, Caller::Untyped] {
        for words in ["approve size --for 10m", "waive tests --session 5e55104e --note why", "clear size"] {
            denied(&mut unsatisfied(), words, caller);
        }
    }
    let mut scene = unsatisfied();
    scene.yes("waive tests --note 'agreed with the team'", USER);
    assert!(scene.standing("tests").unwrap().ends_with(": agreed with the team"));
    // The end of a waiver takes no evidence away.
    assert_eq!(scene.yes("clear tests", USER), "cleared: tests (every session of this repository)");
}

/// Everybody has satisfied everything.
fn satisfied() -> Scene {
    let mut scene = Scene::new("plan: {}\nother: {}\nadr: {scope: branch}\nlicense: {scope: permanent}\n");
    for (name, holders) in [
        ("plan", &[Some(SESSION), Some(OTHER)][..]),
        ("other", &[Some(SESSION), Some(OTHER)]),
        ("adr", &[None]),
        ("license", &[None]),
    ] {
        for holder in holders {
            scene.satisfy(name, *holder, By::Agent);
        }
    }
    scene
}

#[test]
fn clear_takes_the_records_of_the_scope_that_is_named_and_from_claude_its_own_alone() {
    const ALL_MET: &str = "adr license other plan";
    for (words, is_own, own, others) in [
        ("clear plan", true, "adr license other", ALL_MET),
        ("clear plan --session 5e55104e", true, "adr license other", ALL_MET),
        ("clear --all", true, "adr license", ALL_MET),
        ("clear license", false, "adr other plan", "adr other plan"),
        ("clear plan adr", false, "license other", "license other plan"),
        ("clear plan --session 0c4e7a11", false, ALL_MET, "adr license other"),
        ("clear --all --session 0c4e7a11", false, ALL_MET, "adr license"),
        ("clear adr --branch", false, "license other plan", "license other plan"),
        ("clear plan --branch", false, ALL_MET, ALL_MET),
        ("clear --all --branch feature", false, "license other plan", "license other plan"),
        ("clear --all --branch main", false, ALL_MET, ALL_MET),
    ] {
        for caller in ALL {
            let (mut scene, mut left) = (satisfied(), [own, others]);
            if is_own || matches!(caller, USER | Caller::Typed) {
                scene.yes(words, caller);
            } else {
                denied(&mut scene, words, caller);
                left = [ALL_MET; 2];
            }
            assert_eq!([SESSION, OTHER].map(|session| scene.met(session)), left, "{words}");
        }
    }
    let mut scene = satisfied();
    scene.settings.requirements.get_mut("plan").unwrap().terms = Terms::Off(Kind::Blocking);
    scene.yes("clear plan", CLAUDE);
    assert!(!scene.world.branch.requirements["plan"].sessions.contains_key(SESSION), "one that is off");
    assert!(scene.no("clear pln", CLAUDE).contains("did you mean plan?"));
    assert!(scene.no("clear --all --branch gone", USER).contains("there is no branch gone"));
    scene.known.recorded.insert(Key::Branch("gone".to_owned()), Satisfactions::default());
    scene.yes("clear --all --branch gone", USER);
}
