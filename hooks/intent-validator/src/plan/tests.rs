//! Who is asked when, and what settles a change: tables.

use judge::{Backend, OnFailure};
use shared::config::{self, SectionSpec, Sources};
use shared::host::Timestamp;
use shared::switches::Position;
use transcript::Words;

use super::{Allowed, Answers, Known, Local, Standing, local, standing};
use crate::change::Versions;
use crate::checks::Finding;
use crate::form::{Form, Heard, Lack, Part, Quotable};
use crate::review::{Announced, Reply, Review, key};
use crate::settings::{Settings, Stage1, Stage2};
use crate::state::{Cause, Place, State};

pub(crate) const NOON: Timestamp = Timestamp::from_secs(1_000_000);
const TEXT: &str = "FILE: src/a.py";

/// As compiled in, so that a new setting changes no test.
pub(crate) fn defaults() -> Settings {
    let spec = SectionSpec { name: "intent-validator", root_keys: &["judge"], ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

pub(crate) fn finding() -> Finding {
    Finding { rule: "scope-creep".into(), line: 3, why: "w.".into(), fix: "f.".into() }
}

pub(crate) fn declared() -> Local {
    Local::Declared { text: TEXT.into(), is_recorded: false }
}

/// A core file of which everything is declared; the tests change what matters.
pub(crate) fn known() -> Known {
    Known {
        place: Place { file: "src/a.py".into(), in_project: "src/a.py".into(), agent: None },
        prompt: Some("p".into()),
        wants_test: true,
        versions: Versions { before: Some("x\n".into()), after: "y\n".into(), is_fragment: false },
        local: declared(),
        words: Words { own: Some("said".into()), before: vec!["earlier".into()] },
        user: vec!["please change it".into()],
        program: "intent-validator".into(),
        ..Known::default()
    }
}

pub(crate) fn said<V>(verdict: V) -> Reply<V> {
    Reply { verdict: Ok(verdict), notice: None }
}

fn silent<V>(why: Option<&str>) -> Reply<V> {
    Reply { verdict: Err(why.map(ToOwned::to_owned)), notice: None }
}

struct Case {
    known: Known,
    answers: Answers,
    settings: Settings,
    state: State,
}

impl Case {
    fn blocked(&mut self, cause: Cause, times: u32) {
        for _ in 0..times {
            self.state.block(&self.known.place, self.known.prompt.as_deref(), cause);
        }
    }

    fn review_key(&self, declared: &str) -> String {
        key(&self.settings, "src/a.py", declared, &crate::change::diff("src/a.py", &self.known.versions))
    }
}

fn stands(change: impl FnOnce(&mut Case)) -> Standing {
    let mut case =
        Case { known: known(), answers: Answers::default(), settings: defaults(), state: State::default() };
    change(&mut case);
    standing(&case.known, &case.answers, &case.settings, &case.state, NOON)
}

fn passes(let_go: Option<Allowed>) -> Standing {
    Standing::Passes { let_go, approved: None }
}

fn asks_for_review(standing: &Standing) -> Option<&str> {
    match standing {
        Standing::AskForReview { declared, .. } => Some(declared),
        _ => None,
    }
}

/// A judge is there.
fn with_judge(case: &mut Case) {
    case.settings.judge.backend = Some(Backend::MessagesApi);
}

#[test]
fn what_is_plain_here_costs_nothing() {
    let parts = || Lack::Parts(vec![Part::Goal]);
    for (lack, asks_model) in [(parts(), false), (Lack::Test, false), (Lack::Quote("q".into()), false)] {
        let standing = stands(|case| case.known.local = lacks(lack.clone()));
        assert_eq!(standing == Standing::AskWhetherDeclared, asks_model);
        assert_eq!(standing, Standing::Lacks(lack));
    }
    assert_eq!(stands(|case| case.known.local = Local::default()), Standing::Lacks(Lack::Form));
    let found = stands(|case| case.known.findings = vec![finding()]);
    assert_eq!(found, Standing::Found(vec![finding()]), "what is found comes before a paid review");
    for (local, stage1) in [(unclear(), Stage1::LocalThenModel), (declared(), Stage1::Model)] {
        let found = |times| {
            stands(|case| {
                with_judge(case);
                case.settings.stage1 = stage1;
                (case.known.local, case.known.findings) = (local.clone(), vec![finding()]);
                case.blocked(Cause::Checks, times);
            })
        };
        assert_eq!(found(0), Standing::Found(vec![finding()]), "and before a paid reading");
        assert_eq!(found(2), Standing::AskWhetherDeclared, "unless it would be let go");
    }
}

#[test]
fn only_the_undecidable_is_asked_unless_a_model_decides_all() {
    let undecidable = |stage1| {
        stands(|case| {
            with_judge(case);
            case.settings.stage1 = stage1;
            case.known.local = unclear();
        })
    };
    assert_eq!(undecidable(Stage1::LocalThenModel), Standing::AskWhetherDeclared);
    assert_eq!(undecidable(Stage1::Model), Standing::AskWhetherDeclared);
    assert_eq!(undecidable(Stage1::Local), Standing::Lacks(Lack::Form));
    let model = |local: Local| {
        stands(|case| {
            with_judge(case);
            case.settings.stage1 = Stage1::Model;
            case.known.local = local;
        })
    };
    assert_eq!(model(declared()), Standing::AskWhetherDeclared);
    assert_eq!(model(lacks(Lack::Test)), Standing::AskWhetherDeclared);
    let recorded = Local::Declared { text: TEXT.into(), is_recorded: true };
    assert_eq!(asks_for_review(&model(recorded)), Some(TEXT), "what was recorded needs no reader");
    let forged = Lack::Quote("skip it".into());
    assert_eq!(model(lacks(forged.clone())), Standing::Lacks(forged), "a forged quote needs none either");
    assert_eq!(model(Local::default()), Standing::Lacks(Lack::Form), "there is nothing to read");
}

#[test]
fn the_models_word_on_a_declaration() {
    let answered = |reply: Reply<Announced>, wants_test| {
        stands(|case| {
            with_judge(case);
            case.known.local = unclear();
            case.known.wants_test = wants_test;
            case.answers.stage1 = Some(reply);
        })
    };
    assert_eq!(asks_for_review(&answered(said(Announced::Yes), true)), Some("earlier\n\nsaid"));
    assert_eq!(
        answered(said(Announced::No { missing: vec![Part::Goal] }), true),
        Standing::Lacks(Lack::Parts(vec![Part::Goal]))
    );
    assert_eq!(answered(said(Announced::No { missing: vec![] }), true), Standing::Lacks(Lack::Form));
    assert_eq!(answered(said(Announced::NoTest), true), Standing::Lacks(Lack::Test));
    assert!(asks_for_review(&answered(said(Announced::NoTest), false)).is_some(), "no test is wanted");
    assert_eq!(answered(silent(None), true), passes(None));
    assert_eq!(answered(silent(Some("late")), true), passes(None));
}

#[test]
fn without_a_judge_the_form_is_asked_for_twice_and_then_the_change_is_still_reviewed() {
    for (local, cause) in [
        (Local::default(), Cause::Declaration),
        (unclear(), Cause::Declaration),
        (lacks(Lack::Parts(vec![Part::Goal])), Cause::Declaration),
        (lacks(Lack::Test), Cause::Test),
    ] {
        let blocked = |times, other: Option<&str>| {
            stands(|case| {
                case.known.local = local.clone();
                case.blocked(cause, times);
                case.known.prompt = other.map(ToOwned::to_owned).or(case.known.prompt.take());
            })
        };
        assert!(asks_for_review(&blocked(1, None)).is_none(), "{local:?}");
        assert_eq!(asks_for_review(&blocked(2, None)), Some(""), "{local:?}");
        assert_eq!(
            asks_for_review(&blocked(2, Some("q"))),
            Some(""),
            "of the file, not of the prompt: {local:?}"
        );
    }
    let mixed = stands(|case| {
        case.known.local = lacks(Lack::Test);
        case.blocked(Cause::Declaration, 1);
        case.blocked(Cause::Test, 1);
    });
    assert_eq!(asks_for_review(&mixed), Some(""), "two are enough, whatever was missing");
    let unreviewed = stands(|case| {
        (case.known.local, case.settings.stage2) = (Local::default(), Stage2::Off);
        case.blocked(Cause::Declaration, 2);
    });
    assert_eq!(unreviewed, passes(Some(Allowed::Enough(Cause::Declaration))));
    let found = stands(|case| {
        case.known.local = Local::default();
        case.known.findings = vec![finding()];
        case.blocked(Cause::Declaration, 2);
    });
    assert_eq!(found, Standing::Found(vec![finding()]), "what is let go is still looked at for free");
}

#[test]
fn a_judge_is_asked_about_the_declaration_only_until_the_form_was_asked_for_often_enough() {
    let blocked = |times| {
        stands(|case| {
            with_judge(case);
            case.known.local = unclear();
            case.blocked(Cause::Declaration, times);
        })
    };
    assert_eq!(blocked(1), Standing::AskWhetherDeclared);
    assert_eq!(asks_for_review(&blocked(2)), Some(""));
}

#[test]
fn a_review_that_found_fault_often_enough_is_not_asked_again() {
    let reviewed = |times| stands(|case| case.blocked(Cause::Review, times));
    assert!(asks_for_review(&reviewed(1)).is_some());
    assert_eq!(reviewed(2), passes(Some(Allowed::Enough(Cause::Review))));
    let found = stands(|case| {
        case.known.findings = vec![finding()];
        case.blocked(Cause::Checks, 2);
    });
    assert!(asks_for_review(&found).is_some(), "a review may still find what the checks were wrong about");
}

#[test]
fn a_review_is_asked_for_what_was_declared_and_may_be_seen() {
    assert_eq!(asks_for_review(&stands(|_| ())), Some(TEXT));
    assert_eq!(stands(|case| case.settings.stage2 = Stage2::Off), passes(None));
    assert_eq!(stands(|case| case.known.is_private = true), passes(Some(Allowed::Private)));
    let unchanged = stands(|case| case.known.versions.before = Some("y\n".into()));
    assert_eq!(unchanged, passes(None));
    let private = stands(|case| (case.known.is_private, case.known.local) = (true, unclear()));
    assert_eq!(private, Standing::Lacks(Lack::Form), "what is said about such a file goes to nobody either");
}

#[test]
fn a_verdict_is_paid_once() {
    let cached = |findings: Vec<Finding>, secs: i64| {
        stands(|case| {
            let key = case.review_key(TEXT);
            case.state.reviewed(&key, &findings, Timestamp::from_secs(1_000_000 - secs));
        })
    };
    assert!(matches!(cached(vec![], 9_000), Standing::Passes { let_go: None, approved: Some(_) }));
    assert!(matches!(cached(vec![finding()], 599), Standing::Reviewed { .. }));
    assert!(asks_for_review(&cached(vec![finding()], 600)).is_some());
}

#[test]
fn a_word_on_a_declaration_is_paid_once() {
    let again = |verdict: &Announced, secs: i64, change: fn(&mut Known)| {
        stands(|case| {
            with_judge(case);
            case.known.local = unclear();
            let key = case.known.announced_key(&case.settings);
            let at = Timestamp::from_secs(1_000_000 - secs);
            case.state.answered(&key, verdict.clone(), at);
            change(&mut case.known);
        })
    };
    let no = Announced::No { missing: vec![Part::Goal] };
    let lacks = Standing::Lacks(Lack::Parts(vec![Part::Goal]));
    assert_eq!(again(&no, 599, |_| ()), lacks);
    assert_eq!(again(&no, 600, |_| ()), Standing::AskWhetherDeclared);
    assert_eq!(again(&Announced::NoTest, 1, |_| ()), Standing::Lacks(Lack::Test));
    assert_eq!(asks_for_review(&again(&Announced::Yes, 9_000, |_| ())), Some("earlier\n\nsaid"));
    let silent = again(&no, 1, |known| {
        known.words.before.extend(known.words.own.replace(String::new()));
    });
    assert_eq!(silent, lacks, "the same call made again without a word");
    let others: [fn(&mut Known); 4] = [
        |known| known.words.own = Some("said otherwise".into()),
        |known| known.user.push("yes".into()),
        |known| known.place.in_project = "sub/src/a.py".into(),
        |known| known.place.agent = Some("x".into()),
    ];
    for other in others {
        assert_eq!(again(&Announced::Yes, 1, other), Standing::AskWhetherDeclared);
    }
}

#[test]
fn the_models_word_on_a_change() {
    let answered = |reply, on_failure| {
        stands(|case| {
            case.settings.judge.on_judge_failure = on_failure;
            case.answers.stage2 = Some(reply);
        })
    };
    let approved = answered(said(Review(vec![])), OnFailure::Allow);
    assert!(matches!(approved, Standing::Passes { let_go: None, approved: Some(_) }));
    let Standing::Reviewed { findings, .. } = answered(said(Review(vec![finding()])), OnFailure::Allow)
    else {
        panic!("it is refused");
    };
    assert_eq!(findings, [finding()]);
    assert_eq!(answered(silent(Some("late")), OnFailure::Allow), passes(None));
    assert_eq!(answered(silent(Some("late")), OnFailure::Ask), Standing::UserDecides("late".into()));
    assert_eq!(
        answered(silent(None), OnFailure::Ask),
        passes(None),
        "a limit of the user's own is no failure"
    );
}

#[test]
fn the_form_counts_whether_it_was_said_or_recorded() {
    let names = ["src/a.py".to_owned()];
    let users = ["fine, skip the tests here".to_owned()];
    let user = Quotable { texts: &users, is_whole: true };
    let heard = Heard { names: &names, wants_test: false, own: "", before: &[], user };
    let form = |changes: &str, test: Option<&str>| Form {
        file: "src/a.py".into(),
        changes: changes.into(),
        goal: "visitors are greeted".into(),
        test: test.map(ToOwned::to_owned),
    };
    let whole = form("add a function that greets", None);
    let found = |recorded: Option<&Form>, own: Option<&str>, before: &str, wants_test| {
        let words = Words { own: own.map(ToOwned::to_owned), before: vec![before.to_owned()] };
        local(recorded, &words, &Heard { wants_test, ..heard })
    };
    let said = whole.lines();
    let declared = |is_recorded| Local::Declared { text: said.clone(), is_recorded };
    for own in [None, Some(""), Some(" \n")] {
        assert_eq!(found(None, own, "", false), Local::default(), "{own:?}");
        assert_eq!(found(None, own, &said, false), declared(false), "{own:?}");
        assert_eq!(found(Some(&whole), own, "", false), declared(true), "{own:?}");
    }
    assert_eq!(found(None, Some("Now."), "", false), unclear());
    assert_eq!(
        found(None, None, "Earlier.", false),
        Local::default(),
        "the form may stand in what is not written yet"
    );
    let lacking = form("rename", None);
    assert_eq!(found(Some(&lacking), Some(&said), "", false), declared(false));
    assert_eq!(found(Some(&lacking), Some("Now."), "", false), lacks(Lack::Parts(vec![Part::Changes])));
    let forged = form("add a function that greets", Some("none, the user said: \"no tests at all\""));
    assert_eq!(found(Some(&forged), None, "", true), lacks(Lack::Quote("no tests at all".into())));
    let real = form("add a function that greets", Some("none, the user said: \"skip the tests here\""));
    assert!(matches!(found(Some(&real), None, "", true), Local::Declared { is_recorded: true, .. }));
}

#[test]
fn a_form_that_may_be_completed_by_prose_goes_to_a_model_where_there_is_one() {
    let unclear = || Local::Lacks { lack: Lack::Test, is_certain: false };
    assert_eq!(stands(|case| case.known.local = unclear()), Standing::Lacks(Lack::Test));
    let judged = stands(|case| {
        with_judge(case);
        case.known.local = unclear();
    });
    assert_eq!(judged, Standing::AskWhetherDeclared);
}

/// Prose, and no form.
pub(crate) const fn unclear() -> Local {
    Local::Lacks { lack: Lack::Form, is_certain: false }
}

/// A form that certainly lacks something.
pub(crate) const fn lacks(lack: Lack) -> Local {
    Local::Lacks { lack, is_certain: true }
}
