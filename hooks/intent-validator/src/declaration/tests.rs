//! Declarations in every form that is read, and the sets that were written for it.

use proptest::prelude::*;

use super::{Declaration, Heard, Judgement, Missing, TestLack, judge, judge_recorded, lines, values};

mod doubted;
mod scored;

/// What is heard about `src/auth.py`, which wants a test.
fn judged(own: &str, user: &[&str]) -> Judgement {
    let user: Vec<String> = user.iter().map(|said| (*said).to_owned()).collect();
    judge(&Heard {
        file: "src/auth.py",
        wants_test: true,
        own,
        before: &[],
        user: &user,
        user_is_whole: true,
    })
}

#[track_caller]
fn check(own: &str, user: &[&str], expected: &str) {
    assert_eq!(short(&judged(own, user)), expected, "{own}");
}

fn short(judgement: &Judgement) -> &'static str {
    match judgement {
        Judgement::Yes(_) => "yes",
        Judgement::No(_) => "no",
        Judgement::NoTdd(_) => "no test",
        Judgement::Undecidable => "undecidable",
    }
}

const HEAD: &str = "FILE: src/auth.py\nCHANGES: check the length\nGOAL: short passwords are refused\n";

#[test]
fn a_test_is_named_and_neither_promised_nor_denied() {
    for (value, expected) in [
        ("tests/test_auth.py", "yes"),
        ("tests/test_auth.py::test_length", "yes"),
        ("test_length_is_checked()", "yes"),
        ("AuthTests", "yes"),
        ("latest: contest.py", "undecidable"),
        ("src/auth.py", "undecidable"),
        ("n/a", "no test"),
        ("I'll add tests later", "no test"),
        ("tests/test_auth.py, to be written afterwards", "undecidable"),
        ("no tests, tests/test_auth.py is broken", "undecidable"),
    ] {
        check(&format!("{HEAD}TEST: {value}"), &[], expected);
    }
}

#[test]
fn a_permission_is_in_the_users_own_words_and_permits() {
    for (quote, user, expected) in [
        ("skip the tests", "skip the tests for this", "yes"),
        ("skip the  tests", "please skip the\ntests", "yes"),
        ("skip the tests", "please don't skip the tests", "undecidable"),
        ("skip the tests", "why did you skip the tests", "undecidable"),
        ("skip the tests", "skip the tests?", "undecidable"),
        ("skip the tests", "Skip the tests", "no test"),
        ("don’t bother with tests", "don't bother with tests.", "yes"),
        ("skip", "skip the tests", "no test"),
        ("keep it simple", "keep it simple", "undecidable"),
        ("run the tests", "run the tests", "undecidable"),
        ("no tests fail", "make sure no tests fail", "undecidable"),
        ("skip the tests", "if you skip the tests I leave", "undecidable"),
        ("without tests", "without tests I will never merge", "undecidable"),
    ] {
        check(&format!("{HEAD}USER PERMISSION: \"{quote}\""), &[user], expected);
    }
}

#[test]
fn prose_announces_this_file_now() {
    let test = " tests/test_auth.py::test_length covers it.";
    for (said, expected) in [
        ("I'll add a length check to src/auth.py so that short passwords are refused.", "yes"),
        ("In `auth.py` I'll add a length check, because short passwords get through.", "yes"),
        ("I won't add a length check to src/auth.py because it is slow.", "no"),
        ("Should I add a length check to src/auth.py so that short passwords are refused?", "no"),
        ("I'll add a link to src/auth.py in the README so that people find it.", "undecidable"),
        ("I'll update docs/auth.md to match src/auth.py so that readers are not misled.", "undecidable"),
        ("Later I'll add a length check to src/auth.py so that short ones are refused.", "no"),
        ("Changing src/auth.py to use bcrypt is risky because of the old hashes.", "undecidable"),
        ("I'll add a length check to lib/auth.py so that short passwords are refused.", "undecidable"),
        ("> I'll add a length check to src/auth.py so that short passwords are refused.", "undecidable"),
        (
            "```\nI'll add a length check to src/auth.py so that short passwords are refused.\n```",
            "undecidable",
        ),
        ("The user wants: \"I'll add a check to src/auth.py so that it is safe at last\".", "undecidable"),
    ] {
        check(&format!("{said}{test}"), &[], expected);
    }
}

#[test]
fn labelled_lines_are_read_in_many_spellings() {
    for text in [
        "DATEI: src/auth.py\nÄNDERUNGEN: Länge prüfen\nZIEL: kurze Passwörter ablehnen\nTEST: tests/test_auth.py",
        "文件：src/auth.py\n修改：检查长度\n目标：拒绝过短的密码\n测试：tests/test_auth.py",
        "**File** - `src/auth.py`\n**What** - check the length\n**Why** - refuse short ones\n**Test** - `tests/test_auth.py`",
        "FILE: src/auth.py; CHANGES: check the length; GOAL: refuse short ones; TEST: tests/test_auth.py",
        "Fichier : ./src/auth.py\nModifications : vérifier la longueur\nBut : refuser les mots courts\nTests : tests/test_auth.py",
    ] {
        check(text, &[], "yes");
    }
}

#[test]
fn labelled_lines_that_are_an_example_or_a_later_plan_are_not_taken_for_one() {
    for lead in ["The README has this example:", "Later:", "I would not do this:", "My old plan was:"] {
        check(&format!("{lead}\n{HEAD}TEST: tests/test_auth.py"), &[], "undecidable");
    }
    check(&format!("{HEAD}TEST: tests/test_auth.py\n\nShall I go ahead?"), &[], "undecidable");
}

#[test]
fn the_nearest_message_before_counts_where_the_own_says_nothing() {
    let before = [format!("{HEAD}TEST: tests/test_auth.py"), "Let me look at the log.".to_owned()];
    let judged = |own| {
        judge(&Heard {
            file: "src/auth.py",
            wants_test: true,
            own,
            before: &before,
            user: &[],
            user_is_whole: true,
        })
    };
    assert_eq!(short(&judged("")), "yes");
    assert_eq!(short(&judged("Now the edit.")), "yes");
    assert_eq!(short(&judged("On second thought I would leave src/auth.py alone.")), "undecidable");
}

#[test]
fn a_long_text_without_an_end_is_read() {
    for piece in [
        ":",
        "so that ",
        "\"test \" ",
        "| FILE: ",
        "I'll add it to src/auth.py so ",
        "`",
        "> ",
        "- FILE: a.py\n",
        "{",
        "“",
    ] {
        let own = format!("I'll add a check to src/auth.py {}", piece.repeat(16_000 / piece.len()));
        judged(&own, &[&own]);
    }
}

#[test]
fn the_end_of_a_long_message_is_read() {
    let whole = format!("{HEAD}TEST: tests/test_auth.py");
    let filler = "The log goes on and on.\n".repeat(9_000);
    check(&format!("{filler}\n{whole}"), &[], "yes");
    check(&format!("{whole}\n\n{filler}"), &[], "undecidable");
    check(&filler, &[], "undecidable");
    check(&format!("```py\n{filler}\n{whole}\n```\n"), &[], "undecidable");
    check(&format!("```py\n{filler}\n```\n{whole}\n"), &[], "yes");
    check(&"x".repeat(200_000), &[], "undecidable");
}

#[test]
fn nothing_said_is_everything_missing() {
    assert_eq!(judged("", &[]), Judgement::No(vec![Missing::Everything]));
    assert_eq!(judged(HEAD, &[]), Judgement::NoTdd(TestLack::Nothing));
}

#[test]
fn a_recorded_declaration_is_judged_by_its_parts() {
    let whole = Declaration {
        file: "./src/auth.py".to_owned(),
        changes: "check the length".to_owned(),
        goal: "refuse short ones".to_owned(),
        test: Some("tests/test_auth.py".to_owned()),
        user_permission: None,
    };
    let heard =
        Heard { file: "src/auth.py", wants_test: true, own: "", before: &[], user: &[], user_is_whole: true };
    let check = |declaration: &Declaration, expected: &str| {
        assert_eq!(short(&judge_recorded(declaration, &heard)), expected, "{declaration:?}");
    };
    check(&whole, "yes");
    check(&Declaration { file: "src/other.py".to_owned(), ..whole.clone() }, "no");
    check(&Declaration { goal: "<why>".to_owned(), ..whole.clone() }, "no");
    check(&Declaration { test: None, ..whole.clone() }, "no test");
    check(
        &Declaration { test: None, user_permission: Some("no tests please".to_owned()), ..whole.clone() },
        "no test",
    );
    let user = ["Tests sind unnötig bei dieser Datei".to_owned(), "das sparen wir uns hier ganz".to_owned()];
    let heard = Heard { user: &user, ..heard };
    for quote in ["Tests sind unnötig", "\"Tests sind unnötig\"", "das sparen wir uns"] {
        let quoting = Declaration { test: None, user_permission: Some(quote.to_owned()), ..whole.clone() };
        assert_eq!(short(&judge_recorded(&quoting, &heard)), "undecidable", "{quote}");
    }
}

fn value() -> impl Strategy<Value = String> {
    "[^\r\n\u{85}\u{2028}\u{2029}]{1,60}"
        .prop_map(|value| value.trim().to_owned())
        .prop_filter("says nothing", |value| !values::is_empty(value))
}

fn file() -> impl Strategy<Value = String> {
    ("[\\p{L} '\"()&+-]{1,12}", "[\\p{L}0-9 '\"_.()\\[\\]-]{2,16}")
        .prop_map(|(folder, stem)| format!("src/{}/{}x7.py", folder.trim(), stem.trim()))
}

proptest! {
    #[test]
    fn the_lines_that_are_asked_for_pass(file in file(), changes in value(), goal in value()) {
        let declaration =
            Declaration { file: file.clone(), changes, goal, test: Some("tests/test_auth.py".to_owned()), user_permission: None };
        let text = lines(&declaration);
        let judgement = judge(&Heard { file: &file, wants_test: true, own: &text, before: &[], user: &[], user_is_whole: true });
        prop_assert!(matches!(judgement, Judgement::Yes(_)), "{text}\n{judgement:?}");
    }

    #[test]
    fn a_quoted_permission_in_those_lines_passes(goal in value()) {
        let quote = "you can skip \"unit\" tests".to_owned();
        for quote in [quote.clone(), quote.replace('"', "")] {
            let declaration = Declaration {
                file: "src/a.py".to_owned(), changes: "another way".to_owned(), goal: goal.clone(), test: None,
                user_permission: Some(quote.clone()),
            };
            let text = lines(&declaration);
            let judgement = judge(&Heard { file: "src/a.py", wants_test: true, own: &text, before: &[], user: &[quote], user_is_whole: true });
            prop_assert!(matches!(judgement, Judgement::Yes(_)), "{text}\n{judgement:?}");
        }
    }

    #[test]
    fn any_text_is_read(own in "\\PC{0,300}", before in proptest::collection::vec("(?s).{0,200}", 0..3), file in "\\PC{0,30}") {
        let user = before.clone();
        judge(&Heard { file: &file, wants_test: true, own: &own, before: &before, user: &user, user_is_whole: true });
    }

    #[test]
    fn any_mixture_of_its_own_marks_is_read(
        own in "(FILE|CHANGES|GOAL|TEST|: |\\||```|~~~|> |\n|\"|“|’|src/a\\.py|I'll add|so that|-|\\*\\*|1\\. |é|，|：| ){0,60}"
    ) {
        let user = [own.clone()];
        judge(&Heard { file: "src/a.py", wants_test: true, own: &own, before: &user, user: &user, user_is_whole: true });
    }

    #[test]
    fn unrelated_prose_before_labelled_lines_does_not_refuse_them(prose in "[a-z ,]{0,200}[.]") {
        let text = format!("{prose}\n\n{HEAD}TEST: tests/test_auth.py");
        prop_assert!(!matches!(judged(&text, &[]), Judgement::No(_) | Judgement::NoTdd(_)));
    }
}
