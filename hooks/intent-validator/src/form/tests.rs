//! Forms as models write them, near misses, and the sets that were labelled by hand.

use serde::Deserialize;
use transcript::{Quotable, Words};

use super::{Form, Heard, Judgement, Lack, Part, judge};
use crate::source::is_test_file;

const FILE: &str = "src/auth.py";
const NAMES: [&str; 2] = [FILE, "/srv/project/src/auth.py"];

fn judged_by(messages: &[&str], user: &Quotable, names: &[String], wants_test: bool) -> Judgement {
    let mut before: Vec<String> = messages.iter().map(|text| (*text).to_owned()).collect();
    let words = Words { own: before.pop(), before };
    judge(&Heard { names: names.to_vec(), wants_test, words, user: user.clone() })
}

fn users(texts: &[&str]) -> Quotable {
    Quotable { texts: texts.iter().map(|text| (*text).to_owned()).collect(), is_whole: true }
}

fn judged(messages: &[&str], user: &[&str], wants_test: bool) -> Judgement {
    judged_by(messages, &users(user), &NAMES.map(ToOwned::to_owned), wants_test)
}

const fn short(judgement: &Judgement) -> &'static str {
    match judgement {
        Judgement::Declared(_) => "YES",
        Judgement::Lacks { lack: Lack::Parts(_) | Lack::Form, is_certain: true } => "NO",
        Judgement::Lacks { is_certain: true, .. } => "NO_TDD",
        Judgement::Lacks { .. } => "",
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(short(&judged(&[text], &[], true)), expected, "{text}");
}

/// The whole form with another line in the place of one.
fn with(label: &str, line: &str) -> String {
    let whole = format!(
        "FILE: {FILE}\nCHANGES: reject expired tokens\nGOAL: sessions end at logout\nTEST: tests/test_auth.py"
    );
    let line = |own: &str| if own.starts_with(label) { line.to_owned() } else { own.to_owned() };
    whole.lines().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn whole() -> String {
    with("none", "")
}

#[test]
fn file_holds_paths_only() {
    let paths = "src/auth.py | ./src/auth.py | src\\auth.py | `src/auth.py` | \"src/auth.py\" | /srv/project/src/auth.py | \
                 src/auth.py, src/user.py | `src/user.py`, `src/auth.py` | src/user.py and src/auth.py | \
                 src/user.py & src/auth.py | src/auth.py (new) | `src/auth.py` (new), src/user.py | \
                 \n- src/user.py\n- src/auth.py | \
                 src/user.py\nFILE: src/auth.py";
    let others = "auth.py | lib/src/auth.py | /elsewhere/src/auth.py | src/auth.py.bak | src/auth.py (old) | \
                  not src/auth.py | src/user.py (not src/auth.py) | everything but src/auth.py, src/user.py | \
                  src/user.py, everything but src/auth.py | src/auth.py and its tests | the file src/auth.py | <path> | ";
    for (files, expected) in [(paths, "YES"), (others, "")] {
        for file in files.split(" | ") {
            check(&with("FILE", &format!("FILE: {file}")), expected);
        }
    }
    for (label, end) in
        [("**FILE:**", ""), ("__FILE:__", ""), ("- _FILE:_", ""), ("__FILE__:", ""), ("__FILE:", "__")]
    {
        for file in [FILE, "__init__.py", "_a.py"] {
            let text = with("FILE", &format!("{label} {file}{end}"));
            let found = judged_by(&[&text], &users(&[]), &[file.to_owned()], true);
            assert_eq!(short(&found), "YES", "{text}");
        }
    }
}

#[test]
fn changes_and_goal_have_words_of_their_own() {
    let blank = Form::blank(FILE, true);
    let own = "reject tokens | 检查密码长度 | `validate()` is called first | the <T> of <U> | \
               \n- reject expired tokens\n- keep the others: they are fine";
    let others = " |    | refactoring | `validate_password()` | TBD | ... | - - | n/a | <what you change> | what you change | \
                  <why you change it> | why you change it. | `<why you change it>` | <anything in brackets> | [fill this in] | \
                  {the reason why} | round each line to whole cents | Invoices match the ledger.";
    for (values, expected) in [(own, "YES"), (others, "NO"), (blank.text(Part::Changes), "NO")] {
        for value in values.split(" | ") {
            for label in ["CHANGES", "GOAL"] {
                check(&with(label, &format!("{label}: {value}")), expected);
            }
        }
    }
}

#[test]
fn missing_parts_may_stand_beside_the_form() {
    let judgement = judged(&[&format!("FILE: {FILE}")], &[], true);
    let parts = Lack::Parts(vec![Part::Changes, Part::Goal]);
    assert_eq!(judgement, Judgement::Lacks { lack: parts, is_certain: true });
    check(&format!("Next:\n\n{}", with("GOAL", "GOAL: speed")), "NO");
    check(&format!("So that sessions end at logout:\n\n{}", with("GOAL", "")), "");
    check(&format!("{}\nWHY: sessions end", with("GOAL", "")), "");
}

#[test]
fn test_names_a_test_file_or_a_test() {
    let tests = "tests/test_auth.py | tests/test_auth.py::test_expired | `tests/test_auth.py` - test_expired() | \
                 tests\\test_auth.py (Expired) | src/auth.spec.ts | crates/auth/tests/expired.rs | \
                 core/auth_test.go: TestExpired, TestFresh | test_expired_is_refused | AuthTests.Expired | \
                 auth::tests::expired_is_refused | new test in tests/test_auth.py, written next | \
                 I'll extend tests/test_auth.py | spec/auth_spec.rb \"refuses expired tokens\"";
    let none = " | none | none, tests/test_auth.py is too slow | None. | n/a | no tests needed | not needed here | <test file or test> | \
                I'll add tests for this afterwards. | checked by hand in the browser | \
                the user knows that tests are not needed | cargo test";
    let unclear = "src/auth.py | later: contest.py | rejects_expired_tokens | \"refuses expired tokens\"";
    for (values, expected) in [(tests, "YES"), (none, "NO_TDD"), (unclear, "")] {
        for value in values.split(" | ") {
            check(&with("TEST", &format!("TEST: {value}")), expected);
        }
    }
}

#[test]
fn a_test_that_is_not_in_the_form_is_not_taken_for_one() {
    let without = with("TEST", "");
    check(&without, "NO_TDD");
    check(&format!("I found the cause.\n\n{without}"), "NO_TDD");
    check(&format!("The slowest tests are in tests/test_auth.py.\n\n{without}"), "");
    check(&format!("{without}\nUSER PERMISSION: \"skip the tests\""), "");
    assert_eq!(short(&judged(&[&without], &[], false)), "YES");
}

#[test]
fn a_quote_is_a_whole_sentence_or_clause_of_the_user() {
    let whole = "skip the tests | Log it. skip the tests | log it, skip the tests | log it; skip the tests, please | \
                 log it\n- skip the tests\n- be quick | log it - skip the tests - and be quick | (skip the tests)";
    let part = "skip the tests for now | don't skip the tests | never, ever skip the tests | please skip the tests | \
                Skip the tests | should I skip the tests? | Hm, skip the tests? | see x, skip the tests.py | no tests | ";
    let of =
        |sets: &'static str, expected| sets.split(" | ").map(move |said| (said, "skip the tests", expected));
    let others = [
        ("it's a spike, don't bother with tests", "don’t bother with tests", "YES"),
        ("skip the tests for now", "skip the tests.", "NO_TDD"),
        ("you can skip \"unit\" tests", "you can skip \"unit\" tests", "YES"),
        ("不用写测试。", "不用写测试", "YES"),
        ("skip the tests?", "skip the tests?", "NO_TDD"),
        ("For now:\nskip the tests\n  for this. Thanks", "skip the tests for this", "YES"),
        ("Should we\nskip the tests\nfor this?", "skip the tests for this", "NO_TDD"),
    ];
    for (said, quote, expected) in of(whole, "YES").chain(of(part, "NO_TDD")).chain(others) {
        for test in [
            format!("none, the user said: \"{quote}\""),
            format!("None - user: «{quote}»."),
            format!("none, the user said: '{quote}'"),
            format!("none: ‘{quote}’, it's the users' wish."),
        ] {
            let text = with("TEST", &format!("TEST: {test}"));
            assert_eq!(short(&judged(&[&text], &[said], true)), expected, "{said}: {text}");
        }
    }
    let quoting = with("TEST", "TEST: none, the user said: \"skip the tests\"");
    let unknown = Quotable { is_whole: false, ..users(&["one"]) };
    let found = judged_by(&[&quoting], &unknown, &[FILE.to_owned()], true);
    assert_eq!(short(&found), "", "the message may be one that cannot be read");
}

#[test]
fn a_form_holds_for_the_turn_until_the_file_is_spoken_of_again() {
    let form = whole();
    for (later, expected) in [
        (&["", ""][..], "YES"),
        (&["The new test fails as expected. Applying the change now."], "YES"),
        (&["On second thought I leave src/auth.py as it is."], ""),
        (&["FILE: src/user.py\nCHANGES: the same there\nGOAL: sessions end"], "YES"),
        (&[&with("GOAL", "GOAL: speed")], "NO"),
    ] {
        let messages: Vec<&str> = [form.as_str()].into_iter().chain(later.iter().copied()).collect();
        assert_eq!(short(&judged(&messages, &[], true)), expected, "{later:?}");
    }
    let fixed = [with("GOAL", "GOAL: speed"), form];
    assert_eq!(short(&judged(&[&fixed[0], &fixed[1]], &[], true)), "YES");
}

// Four sets of messages with the verdict of a careful reader. The form decides some of them, and every one of those right. The last one,
// 60 forms as models decorate them and 60 near misses, was written without a look at the reader.

const FROZEN: &str = include_str!("../../declarations/frozen.jsonl");
const LATER: &str = include_str!("../../declarations/later.jsonl");
const BLIND: &str = include_str!("../../declarations/blind.jsonl");
const FORM: &str = include_str!("../../declarations/form.jsonl");

#[derive(Deserialize)]
struct Case {
    id: String,
    file: String,
    said: Vec<String>,
    user: Vec<String>,
    verdict: String,
    #[serde(default)]
    note: String,
}

/// The verdict of the form; empty where there is none.
fn judged_case(case: &Case) -> &'static str {
    const CORE: [&str; 6] = ["src", "lib", "core", "source", "libraries", "kernel"];
    let folder = case.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let wants_test = folder.split('/').any(|part| CORE.contains(&part)) && !is_test_file(&case.file);
    let said: Vec<&str> = case.said.iter().map(String::as_str).collect();
    let texts = case.user[case.user.len().saturating_sub(5)..].to_vec();
    let names = [case.file.clone(), format!("/home/user/projects/fetchkit/{}", case.file)];
    short(&judged_by(&said, &Quotable { texts, is_whole: true }, &names, wants_test))
}

fn cases(set: &str) -> impl Iterator<Item = Case> {
    set.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn every_case_that_the_form_decides_is_right() {
    for (name, set, at_least) in
        [("frozen", FROZEN, 25), ("later", LATER, 12), ("blind", BLIND, 6), ("form", FORM, 60)]
    {
        let (mut decided, mut wrong) = (0, Vec::new());
        for case in cases(set) {
            let found = judged_case(&case);
            decided += usize::from(!found.is_empty());
            let is_right = found == case.verdict || found.is_empty() && !case.id.starts_with("plain");
            if !is_right {
                wrong.push(format!("{}: {found:?}, not {} ({})", case.id, case.verdict, case.note));
            }
        }
        assert!(wrong.is_empty() && decided >= at_least, "{name}: {decided} decided\n{}", wrong.join("\n"));
    }
}
