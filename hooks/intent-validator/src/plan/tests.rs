//! The next step for a change, as tables.

use judge::{Asked, Backend, NoVerdict, OnFailure};
use shared::config::{self, SectionSpec, Sources};
use shared::host::Timestamp;
use shared::switches::Position;
use transcript::Words;

use super::{Allowed, Known, MAX_RULES, Scene, Standing, asked_rules, key, local};
use crate::change::Versions;
use crate::checks::Finding;
use crate::form::{Form, Heard, Judgement, Lack, Part, SILENT};
use crate::settings::{Settings, Stage1, Stage2};
use crate::state::{Announced, Cause, Place, State, Verdict};

pub(crate) const NOON: Timestamp = Timestamp::from_secs(1_000_000);

/// As compiled in, so that a new setting changes no test.
pub(crate) fn defaults() -> Settings {
    let spec = SectionSpec { name: "intent-validator", root_keys: &["judge"], ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

pub(crate) fn finding() -> Finding {
    Finding { rule: "scope-creep".into(), line: 3, why: "w.".into(), fix: "f.".into() }
}

pub(crate) fn form() -> Form {
    form_with("greet them all")
}

fn form_with(changes: &str) -> Form {
    Form::new([Some("src/a.py".into()), Some(changes.into()), Some("they are greeted".into()), None])
}

pub(crate) fn declared() -> Judgement {
    Judgement::Declared(form())
}

/// A core file with a whole declaration; the tests change what matters.
pub(crate) fn known() -> Known {
    Known {
        place: Place { file: "src/a.py".into(), agent: None },
        prompt: Some("p".into()),
        versions: Versions { before: Some("x\n".into()), after: "y\n".into(), is_fragment: false },
        local: declared(),
        heard: Heard {
            wants_test: true,
            words: Words { own: Some("said".into()), before: vec!["earlier".into()] },
            ..Heard::default()
        },
        program: "intent-validator".into(),
        ..Known::default()
    }
}

pub(crate) fn said<V>(verdict: V) -> Asked<V> {
    Asked { verdict: Ok(verdict), notice: None }
}

fn silent<V>(why: NoVerdict) -> Asked<V> {
    Asked { verdict: Err(why), notice: None }
}

/// Prose, and no form.
pub(crate) const fn unclear() -> Judgement {
    Judgement::Lacks { lack: Lack::Form, is_certain: false }
}

/// A form that certainly lacks something.
pub(crate) const fn lacks(lack: Lack) -> Judgement {
    Judgement::Lacks { lack, is_certain: true }
}

struct Case {
    known: Known,
    settings: Settings,
    state: State,
}

impl Case {
    fn blocked(&mut self, cause: Cause, times: u32) {
        for _ in 0..times {
            self.state.block(&self.known.place, self.known.prompt.as_deref(), cause);
        }
    }
}

fn stands(change: impl FnOnce(&mut Case)) -> Standing {
    let mut case = Case { known: known(), settings: defaults(), state: State::default() };
    change(&mut case);
    Scene { known: &case.known, settings: &case.settings, state: &case.state }.standing()
}

/// The same where there is a judge.
fn judged(change: impl FnOnce(&mut Case)) -> Standing {
    stands(|case| {
        case.settings.judge.backend = Some(Backend::MessagesApi);
        change(case);
    })
}

fn passes(why_allowed: Option<Allowed>) -> Standing {
    Standing::Passes { why_allowed, approved: None }
}

/// The declaration against which a model reviews.
fn reviewed(standing: &Standing) -> Option<&str> {
    match standing {
        Standing::AskForReview { declared, .. } => Some(declared),
        _ => None,
    }
}

#[test]
fn the_form_decides_alone_and_a_model_reads_the_rest() {
    let parts = || Lack::Parts(vec![Part::Goal]);
    let quote = || Lack::Quote("q".into());
    let uncertain_test = Judgement::Lacks { lack: Lack::Test, is_certain: false };
    for (local, lack, asks_without_form, asks_always) in [
        (lacks(parts()), Some(parts()), false, true),
        (lacks(Lack::Test), Some(Lack::Test), false, true),
        (lacks(quote()), Some(quote()), false, false),
        (SILENT, Some(Lack::Form), false, false),
        (unclear(), Some(Lack::Form), true, true),
        (uncertain_test, Some(Lack::Test), true, true),
        (declared(), None, false, true),
    ] {
        let with = |stage1| judged(|case| (case.known.local, case.settings.stage1) = (local.clone(), stage1));
        for (found, asks) in [
            (stands(|case| case.known.local = local.clone()), false),
            (with(Stage1::Local), false),
            (with(Stage1::LocalThenModel), asks_without_form),
            (with(Stage1::Model), asks_always),
        ] {
            match &lack {
                _ if asks => assert_eq!(found, Standing::AskWhetherDeclared, "{local:?}"),
                Some(lack) => assert_eq!(found, Standing::Lacks(lack.clone()), "{local:?}"),
                None => assert_eq!(reviewed(&found), Some(form().lines().as_str()), "{local:?}"),
            }
        }
    }
    let recorded = judged(|case| (case.known.is_recorded, case.settings.stage1) = (true, Stage1::Model));
    assert!(reviewed(&recorded).is_some(), "a recorded form needs no reader");
    let private = judged(|case| (case.known.is_private, case.known.local) = (true, unclear()));
    assert_eq!(private, Standing::Lacks(Lack::Form), "no model reads about a private file either");
}

#[test]
fn the_checks_come_before_every_paid_question() {
    for local in [declared(), unclear()] {
        let found = |times| {
            judged(|case| {
                (case.known.local, case.known.findings) = (local.clone(), vec![finding()]);
                case.blocked(Cause::Checks, times);
            })
        };
        assert_eq!(found(0), Standing::Found(vec![finding()]));
        let after = found(2);
        assert_eq!(reviewed(&after).is_some(), local == declared(), "a review may still find more");
        assert_eq!(after == Standing::AskWhetherDeclared, local == unclear());
    }
}

#[test]
fn the_models_answer_on_a_declaration() {
    let answered = |reply: Asked<Announced>, wants_test| {
        judged(|case| {
            (case.known.local, case.known.heard.wants_test) = (unclear(), wants_test);
            case.known.stage1 = Some(reply);
        })
    };
    let goal = || vec![Part::Goal];
    let no = |missing| said(Announced::No { missing });
    assert_eq!(reviewed(&answered(said(Announced::Yes), true)), Some("earlier\n\nsaid"));
    assert_eq!(answered(no(goal()), true), Standing::Lacks(Lack::Parts(goal())));
    assert!(reviewed(&answered(said(Announced::NoTdd), false)).is_some(), "no test is wanted");
    assert_eq!(
        answered(silent(NoVerdict::Failed("late".into())), true),
        passes(None),
        "a failing judge allows"
    );
    let limited = stands(|case| {
        case.settings.judge.on_judge_failure = OnFailure::Ask;
        case.known.stage2 = Some(silent(NoVerdict::Unwanted));
    });
    assert_eq!(limited, passes(None), "a limit of the user's is no failure");
}

#[test]
fn after_two_blocks_the_change_is_still_reviewed() {
    let mixed = |case: &mut Case| {
        case.known.local = lacks(Lack::Test);
        case.blocked(Cause::Declaration, 2);
    };
    assert_eq!(reviewed(&stands(mixed)), Some(""), "two are enough, whatever was missing");
    let found = stands(|case| {
        mixed(case);
        case.known.findings = vec![finding()];
    });
    assert_eq!(found, Standing::Found(vec![finding()]), "the checks still look at it");
}

#[test]
fn a_change_passes_without_a_review() {
    type Change = fn(&mut Case);
    let table: [(Change, Option<Allowed>); 4] = [
        (|case| case.settings.stage2 = Stage2::Off, None),
        (|case| case.known.is_private = true, Some(Allowed::Private)),
        (|case| case.known.versions.before = Some("y\n".into()), None),
        (|case| case.blocked(Cause::Review, 2), Some(Allowed::Enough(Cause::Review))),
    ];
    for (change, why_allowed) in table {
        assert_eq!(stands(change), passes(why_allowed));
    }
    assert!(reviewed(&stands(|case| case.blocked(Cause::Review, 1))).is_some());
}

#[test]
fn a_verdict_is_paid_once() {
    let review = |findings: Vec<Finding>| {
        stands(|case| {
            let diff = crate::change::diff("src/a.py", &case.known.versions);
            let key = key(&case.settings, &form().lines(), &diff);
            case.state.keep(key, Verdict::OfStage2(findings));
        })
    };
    assert!(matches!(review(vec![]), Standing::Passes { why_allowed: None, approved: Some(_) }));
    assert!(matches!(review(vec![finding()]), Standing::Reviewed { .. }));
    let again = |announced: Announced, change: fn(&mut Known)| {
        judged(|case| {
            case.known.local = unclear();
            let key = case.known.announced_key(&case.settings);
            case.state.keep(key, Verdict::OfStage1(announced));
            change(&mut case.known);
        })
    };
    let no = Announced::No { missing: vec![Part::Goal] };
    assert_eq!(again(no, |_| ()), Standing::Lacks(Lack::Parts(vec![Part::Goal])));
    assert_eq!(reviewed(&again(Announced::Yes, |_| ())), Some("earlier\n\nsaid"));
    let other: fn(&mut Known) = |known| known.heard.words.own = Some("said otherwise".into());
    assert_eq!(again(Announced::Yes, other), Standing::AskWhetherDeclared);
}

#[test]
fn the_form_counts_whether_it_was_said_or_recorded() {
    let found = |recorded: Option<&Form>, own: Option<&str>, before: &str| {
        let words = Words { own: own.map(ToOwned::to_owned), before: vec![before.to_owned()] };
        local(recorded, &Heard { names: vec!["src/a.py".to_owned()], words, ..Heard::default() })
    };
    let said = form().lines();
    for own in [None, Some(""), Some(" \n")] {
        assert_eq!(found(None, own, ""), (SILENT, false), "{own:?}");
        assert_eq!(found(None, own, &said), (declared(), false), "{own:?}");
        assert_eq!(found(Some(&form()), own, ""), (declared(), true), "{own:?}");
    }
    assert_eq!(found(None, Some("Now."), "").0, unclear());
    let lacking = form_with("rename");
    assert_eq!(found(Some(&lacking), Some(&said), ""), (declared(), false));
    let lack = lacks(Lack::Parts(vec![Part::Changes]));
    assert_eq!(found(Some(&lacking), Some("Now."), "").0, lack);
}

#[test]
fn a_rule_is_one_short_line_and_an_empty_text_removes_one() {
    let mut settings = defaults();
    let lines = |settings: &Settings| asked_rules(settings).lines().count();
    let all = lines(&settings);
    settings.rules.insert("magic-numbers".to_owned(), " ".to_owned());
    settings.rules.insert("ours".to_owned(), format!("a\nb{}", "ü".repeat(1_000)));
    assert_eq!(lines(&settings), all);
    let text = asked_rules(&settings);
    assert!(text.contains("\n- ours: a bü") && !text.contains("magic-numbers"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 320), "{text}");
    settings.rules.extend((0..99).map(|number| (format!("z{number}"), "more".to_owned())));
    assert!(lines(&settings) <= MAX_RULES);
}
