//! Who is asked when, and what settles a change: tables.

use shared::config::{self, Bounded, SectionSpec, Sources};
use shared::host::Timestamp;
use shared::judge::OnFailure;
use shared::switches::Position;
use shared::transcript::Words;

use super::{Answers, Known, Lack, LetGo, Local, Standing, local, standing};
use crate::change::Versions;
use crate::checks::Finding;
use crate::declaration::{Declaration, Heard, Missing};
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
        words: Words { own: Some("said".into()), before: vec!["earlier".into()], is_whole: true },
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
        key(&self.settings, declared, &crate::change::diff("src/a.py", &self.known.versions))
    }
}

fn stands(change: impl FnOnce(&mut Case)) -> Standing {
    let mut case =
        Case { known: known(), answers: Answers::default(), settings: defaults(), state: State::default() };
    change(&mut case);
    standing(&case.known, &case.answers, &case.settings, &case.state, NOON)
}

fn passes(let_go: Option<LetGo>) -> Standing {
    Standing::Passes { let_go, approved: None }
}

fn asks_for_review(standing: &Standing) -> Option<&str> {
    match standing {
        Standing::AskForReview { declared, .. } => Some(declared),
        _ => None,
    }
}

#[test]
fn what_is_plain_here_costs_nothing() {
    let parts = || Lack::Parts(vec![Missing::Goal]);
    for (lack, asks_model) in [(parts(), false), (Lack::Test, false), (Lack::Quote("q".into()), false)] {
        let standing = stands(|case| case.known.local = Local::Lacks(lack.clone()));
        assert_eq!(standing == Standing::AskWhetherDeclared, asks_model);
        assert_eq!(standing, Standing::Lacks(lack));
    }
    assert_eq!(stands(|case| case.known.local = Local::NotSeen), Standing::NotSeen);
    let found = stands(|case| case.known.findings = vec![finding()]);
    assert_eq!(found, Standing::Found(vec![finding()]), "what is found comes before a paid review");
    for (local, stage1) in [(Local::Undecidable, Stage1::LocalThenModel), (declared(), Stage1::Model)] {
        let found = |times| {
            stands(|case| {
                case.settings.stage1 = stage1;
                (case.known.local, case.known.findings) = (local.clone(), vec![finding()]);
                case.blocked(Cause::Checks, times);
            })
        };
        assert_eq!(found(0), Standing::Found(vec![finding()]), "and before a paid reading");
        assert_eq!(found(3), Standing::AskWhetherDeclared, "unless it would be let go");
    }
}

#[test]
fn only_the_undecidable_is_asked_unless_a_model_decides_all() {
    let undecidable = |stage1| {
        stands(|case| {
            case.settings.stage1 = stage1;
            case.known.local = Local::Undecidable;
        })
    };
    assert_eq!(undecidable(Stage1::LocalThenModel), Standing::AskWhetherDeclared);
    assert_eq!(undecidable(Stage1::Model), Standing::AskWhetherDeclared);
    assert_eq!(undecidable(Stage1::Local), Standing::Unclear);
    let model = |local: Local| {
        stands(|case| {
            case.settings.stage1 = Stage1::Model;
            case.known.local = local;
        })
    };
    assert_eq!(model(declared()), Standing::AskWhetherDeclared);
    assert_eq!(model(Local::Lacks(Lack::Test)), Standing::AskWhetherDeclared);
    let recorded = Local::Declared { text: TEXT.into(), is_recorded: true };
    assert_eq!(asks_for_review(&model(recorded)), Some(TEXT), "what was recorded needs no reader");
    let forged = Lack::Quote("skip it".into());
    assert_eq!(
        model(Local::Lacks(forged.clone())),
        Standing::Lacks(forged),
        "a forged quote needs none either"
    );
    assert_eq!(model(Local::NotSeen), Standing::NotSeen, "there is nothing to read");
}

#[test]
fn the_models_word_on_a_declaration() {
    let answered = |reply: Reply<Announced>, wants_test| {
        stands(|case| {
            case.known.local = Local::Undecidable;
            case.known.wants_test = wants_test;
            case.answers.stage1 = Some(reply);
        })
    };
    assert_eq!(asks_for_review(&answered(said(Announced::Yes), true)), Some("earlier\n\nsaid"));
    assert_eq!(
        answered(said(Announced::No(vec![Missing::Goal])), true),
        Standing::Lacks(Lack::Parts(vec![Missing::Goal]))
    );
    assert_eq!(
        answered(said(Announced::No(vec![])), true),
        Standing::Lacks(Lack::Parts(vec![Missing::Everything]))
    );
    assert_eq!(answered(said(Announced::NoTest), true), Standing::Lacks(Lack::Test));
    assert!(asks_for_review(&answered(said(Announced::NoTest), false)).is_some(), "no test is wanted");
    assert_eq!(answered(silent(None), true), passes(None));
    assert_eq!(answered(silent(Some("late")), true), passes(None));
}

#[test]
fn what_cannot_be_told_here_is_asked_for_once() {
    let unclear = |times| {
        stands(|case| {
            case.settings.stage1 = Stage1::Local;
            case.known.local = Local::Undecidable;
            case.blocked(Cause::Unclear, times);
        })
    };
    assert_eq!(unclear(0), Standing::Unclear);
    assert_eq!(unclear(1), passes(Some(LetGo::Unclear)));
    let asked = stands(|case| {
        case.known.local = Local::NotSeen;
        case.state.ask(&case.known.place);
    });
    assert_eq!(asked, passes(Some(LetGo::NotSeen)));
    let found = stands(|case| {
        case.known.local = Local::NotSeen;
        case.known.findings = vec![finding()];
        case.state.ask(&case.known.place);
    });
    assert_eq!(found, Standing::Found(vec![finding()]), "what is let go is still looked at for free");
}

#[test]
fn after_max_blocks_for_one_reason_a_change_is_let_go_unasked() {
    for (local, findings, cause) in [
        (Local::Lacks(Lack::Parts(vec![])), vec![], Cause::Declaration),
        (Local::Lacks(Lack::Test), vec![], Cause::Test),
        (Local::Undecidable, vec![], Cause::Declaration),
        (declared(), vec![], Cause::Review),
    ] {
        let blocked = |times| {
            stands(|case| {
                case.settings.max_blocks = Bounded::new(2).unwrap();
                (case.known.local, case.known.findings) = (local.clone(), findings.clone());
                case.blocked(cause, times);
            })
        };
        assert_ne!(blocked(1), passes(Some(LetGo::Enough(cause))), "{cause:?}");
        assert_eq!(blocked(2), passes(Some(LetGo::Enough(cause))), "{cause:?}");
    }
    let found = stands(|case| {
        case.known.findings = vec![finding()];
        case.blocked(Cause::Checks, 3);
    });
    assert!(asks_for_review(&found).is_some(), "a review may still find what the checks were wrong about");
}

#[test]
fn a_review_is_asked_for_what_was_declared_and_may_be_seen() {
    assert_eq!(asks_for_review(&stands(|_| ())), Some(TEXT));
    assert_eq!(stands(|case| case.settings.stage2 = Stage2::Off), passes(None));
    assert_eq!(stands(|case| case.known.is_private = true), passes(Some(LetGo::Private)));
    let unchanged = stands(|case| case.known.versions.before = Some("y\n".into()));
    assert_eq!(unchanged, passes(None));
    let private = stands(|case| (case.known.is_private, case.known.local) = (true, Local::Undecidable));
    assert_eq!(private, Standing::Unclear, "what is said about such a file goes to nobody either");
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
            case.known.local = Local::Undecidable;
            let key = case.known.announced_key(&case.settings);
            let at = Timestamp::from_secs(1_000_000 - secs);
            case.state.answered(key, verdict.clone(), at);
            change(&mut case.known);
        })
    };
    let no = Announced::No(vec![Missing::Goal]);
    let lacks = Standing::Lacks(Lack::Parts(vec![Missing::Goal]));
    assert_eq!(again(&no, 599, |_| ()), lacks);
    assert_eq!(again(&no, 600, |_| ()), Standing::AskWhetherDeclared);
    assert_eq!(again(&Announced::NoTest, 1, |_| ()), Standing::Lacks(Lack::Test));
    assert_eq!(asks_for_review(&again(&Announced::Yes, 9_000, |_| ())), Some("earlier\n\nsaid"));
    let silent = again(&no, 1, |known| {
        known.words.before.extend(known.words.own.replace(String::new()));
    });
    assert_eq!(silent, lacks, "the same call made again without a word");
    let others: [fn(&mut Known); 5] = [
        |known| known.words.own = Some("said otherwise".into()),
        |known| known.user.push("yes".into()),
        |known| known.versions.after = "y\nz\n".into(),
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

fn heard<'a>(user: &'a [String], before: &'a [String]) -> Heard<'a> {
    Heard { file: "src/a.py", wants_test: false, own: "", before, user, user_is_whole: true }
}

#[test]
fn silence_is_not_the_same_as_something_missing() {
    let words = |own: Option<&str>| Words { own: own.map(ToOwned::to_owned), before: vec![], is_whole: true };
    for own in [None, Some(""), Some(" \n")] {
        assert_eq!(local(None, &words(own), &heard(&[], &[])), Local::NotSeen, "{own:?}");
    }
    let whole = "FILE: src/a.py\nCHANGES: add a function that greets\nGOAL: visitors are greeted";
    assert!(matches!(
        local(None, &words(Some(whole)), &heard(&[], &[])),
        Local::Declared { is_recorded: false, .. }
    ));
    let lacking = "FILE: src/a.py\nCHANGES: add a function that greets";
    assert_ne!(local(None, &words(Some(lacking)), &heard(&[], &[])), Local::NotSeen);
    let before = [whole.to_owned()];
    let said = local(None, &words(Some("")), &heard(&[], &before));
    assert!(matches!(said, Local::Declared { .. }), "{said:?}");
}

#[test]
fn a_recorded_declaration_comes_first() {
    let recorded = Declaration {
        file: "a.py".into(),
        changes: "add a function that greets".into(),
        goal: "visitors are greeted".into(),
        ..Declaration::default()
    };
    let found = local(Some(&recorded), &Words::default(), &heard(&[], &[]));
    assert!(matches!(found, Local::Declared { is_recorded: true, .. }), "{found:?}");
    let forged = Declaration { user_permission: Some("skip the tests here".into()), ..recorded };
    let user = ["write tests for all of it".to_owned()];
    let heard = Heard { wants_test: true, ..heard(&user, &[]) };
    let found = local(Some(&forged), &Words::default(), &heard);
    assert_eq!(found, Local::Lacks(Lack::Quote("skip the tests here".into())));
    let user = ["fine, skip the tests here".to_owned()];
    let heard = Heard { wants_test: true, user: &user, ..heard };
    let found = local(Some(&forged), &Words::default(), &heard);
    assert!(matches!(found, Local::Declared { is_recorded: true, .. }), "{found:?}");
}
