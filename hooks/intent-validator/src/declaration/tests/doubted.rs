//! Texts that look like a declaration, a test or a permission, and are none.

use super::short;
use crate::declaration::{Heard, judge};

const PROSE: &str = "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line.";
const LINES: &str = "FILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line";

/// `src/` wants a test.
#[track_caller]
fn check_doubted(file: &str, said: &[&str], user: &str) {
    let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
    let (own, before) = said.split_last().unwrap();
    let user = [user.to_owned()];
    let found = judge(&Heard {
        file,
        wants_test: file.starts_with("src/"),
        own,
        before,
        user: &user,
        user_is_whole: true,
    });
    assert_ne!(short(&found), "yes", "{said:?} {user:?}");
}

#[test]
fn what_follows_a_declaration_may_turn_away_from_it() {
    for first in [PROSE, LINES] {
        check_stands(first);
        for later in [
            &["Actually, scrap that: it belongs in the client.", "Now the edit."][..],
            &["Done.", "Next the colour of the search box."][..],
            &["Now I'll also rename the helper function to something clearer and shorter than it is today."]
                [..],
            &["Now I'll add a progress bar."][..],
            &["Finished with that one. On to the progress bar."][..],
            &["The user would rather have it in the client, so I leave scripts/a.py as it is."][..],
            &["On reflection this is the wrong place."][..],
            &["That won't work."][..],
            &["The retry is in. Let me turn to the logging."][..],
            &["The upload test passes now. Logging comes last."][..],
        ] {
            let said: Vec<&str> = [first].into_iter().chain(later.iter().copied()).collect();
            check_doubted("scripts/a.py", &said, "go ahead");
        }
    }
}

#[track_caller]
fn check_stands(first: &str) {
    for later in ["", "Now the edit.", "The test is red as expected."] {
        let before = [first.to_owned()];
        let found = judge(&Heard {
            file: "scripts/a.py",
            wants_test: false,
            own: later,
            before: &before,
            user: &[],
            user_is_whole: true,
        });
        assert_eq!(short(&found), "yes", "{later}");
    }
}

#[test]
fn a_change_that_is_weighed_or_over_is_not_declared() {
    for text in [
        "FILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line\n\nThat's what I'd do. OK for you?",
        "My first thought was: I'll modify `scripts/a.py` to cache the token, so that it's faster. Turns out the API forbids it.",
        "My first idea: I'll modify `scripts/a.py` to cache the token, so that it's faster. That doesn't work, sadly.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line. Or should we rather do it in the client?",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line, if that's fine with you.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line, provided you agree.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line, unless you object.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line, assuming you are okay with it.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line, pending your approval.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line, as soon as you confirm.",
        "**Option A**\nFILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line\n\n**Option B**\nFILE: scripts/b.py\nCHANGES: buffer on disk\nGOAL: the same\n\nWhich one do you prefer?",
        "**Option A**\nFILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line\n\n**Option B**\nFILE: scripts/b.py\nCHANGES: buffer on disk\nGOAL: the same\n\nI'd go with B.",
        "What I did:\n\nFILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line",
        "Summary of the work so far\n\nFILE: scripts/a.py\nCHANGES: made it retry three times\nGOAL: uploads survive a bad line",
        "FILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line\n\nThis is finished. Now something else.",
        "I'll modify `scripts/a.py` to do what you asked, so that it works.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line. Hmm, no: the client already does that.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line. But the client would be the better place.",
        "Instead of what I said before I'll leave `scripts/a.py` alone and add a queue, so that uploads survive.",
        "FILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line\n\nThat was yesterday's edit.",
        "Here's the declaration the previous agent used:\n\nFILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line",
        "You asked how I'd declare this:\n\nFILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line",
        "The commit message will be:\n\nFILE: scripts/a.py\nCHANGES: retry three times\nGOAL: uploads survive a bad line",
        "We'll modify `scripts/a.py` to retry three times, so that uploads survive a bad line. That's for the next sprint.",
        "When the API is ready I'll modify `scripts/a.py` to retry three times, so that uploads survive.",
        "I'll modify `scripts/a.py` to retry three times, so that uploads survive, in a follow-up.",
        "I'll ask the team before I modify `scripts/a.py` to retry, so that uploads survive.",
        "I'll propose a patch for `scripts/a.py` that retries, so that uploads survive.",
        "I'll add a note to the README about `scripts/a.py` so that people know it retries.",
        "I'll add a comment in the docs for `scripts/a.py`, so that people know it retries.",
        "I'll move the retry out of `scripts/a.py` into `scripts/b.py` so that both can use it.",
        "I'll write a script that patches `scripts/a.py` so that uploads survive.",
        "Let me make sure in `scripts/a.py` that the upload really retries, so I understand the bug.",
        "Let me set a breakpoint in `scripts/a.py` so that I can see the failing upload.",
        "Let me log in to the box and look in `scripts/a.py`, so that we know which version runs.",
        "Let me have a look in `scripts/a.py`, because the upload fails there.",
        "Let me turn to `scripts/a.py` because the upload fails there.",
        "Let me give you an overview of what happens in `scripts/a.py`, so that you can decide.",
        "Let me put it like this: in `scripts/a.py` there is no retry, so uploads die.",
        "Let me return to `scripts/a.py` now, because the upload bug is there.",
        "Let me make a list of what is wrong in `scripts/a.py`, so that we don't forget anything.",
        "Let me write down what happens in `scripts/a.py`, so that it's clear.",
        "Let me parse what goes on in `scripts/a.py`, because the flow is confusing.",
        "Let me pass over `scripts/a.py` because nothing is wrong there.",
    ] {
        check_doubted("scripts/a.py", &[text], "go ahead");
    }
}

#[test]
fn a_file_that_is_only_mentioned_is_not_declared() {
    for text in [
        "I'll modify everything except `src/b.py` to use the new name, so that the plugin loads.",
        "I'll update everything importing `src/b.py` to use the new name, so that the plugin loads.",
        "I'll update all code around `src/b.py` to use the new name, so that the plugin loads.",
        "I'll change what imports `src/b.py` to use the new name, so that the plugin loads.",
    ] {
        check_doubted("src/b.py", &[&format!("{text} tests/test_b.py covers it.")], "go ahead");
    }
}

#[test]
fn a_test_that_does_not_serve_is_none() {
    for text in [
        "`tests/test_a.py` exists but doesn't cover this.",
        "tests/test_a.py has nothing about this, coverage there is poor.",
        "There's tests/test_a.py, which can't test the network.",
        "I deleted tests/test_a.py because it tested nothing.",
        "tests/test_a.py covers only the parser.",
        "I'd add a test in tests/test_a.py but the fixture is missing.",
        "tests/test_a.py hardly covers it.",
        "Ran tests/test_a.py: coverage is at 80 %.",
        "Please write tests/test_a.py to cover it yourself.",
        "A test like tests/test_b.py covers this kind of thing in other projects.",
        "Nobody wrote tests/test_a.py.",
    ] {
        let prose = PROSE.replace("scripts/", "src/");
        check_doubted("src/a.py", &[&format!("{prose} {text}")], "go ahead");
    }
    for value in [
        "tests/test_a.py is broken, ignoring it",
        "tests/test_a.py (will be deleted)",
        "tests/test_a.py doesn't cover this",
        "tests/test_a.py can't reach the network",
        "I did not write test_a.py",
        "I never wrote tests/test_a.py",
        "tests/test_a.py didn't get written",
        "tests/test_a.py gibt es nicht",
    ] {
        let lines = LINES.replace("scripts/", "src/");
        check_doubted("src/a.py", &[&format!("{lines}\nTEST: {value}")], "go ahead");
    }
}

#[test]
fn a_quote_out_of_a_report_a_question_or_a_name_permits_nothing() {
    for (quote, user) in [
        ("skip tests for prototypes", "I'd skip tests for prototypes, but this is production"),
        ("skip tests for this", "Can we skip tests for this, or is that bad?"),
        ("skip tests for this", "last time you wrote 'skip tests for this' without asking me"),
        ("skip tests", "add a skip tests option to the runner"),
        ("skip tests", "the button skip tests does nothing"),
        ("no tests needed", "no tests needed for the readme generator. fix src/a.py too"),
        ("skip the tests", "I will skip the tests meeting today. fix the uploads"),
        ("without tests", "last week somebody merged this without tests and it broke"),
        ("no tests", "there are no tests in this repo, start with some for a.py"),
        ("no tests", "how come we have no tests here? fix that"),
        ("skip the tests", "my colleague likes to skip the tests, we are better than that"),
        ("don't need tests", "only fools think they don't need tests"),
        ("without tests", "the last PR went without tests and it broke production"),
        ("skip the tests", "My colleague wants to skip the tests. I disagree."),
        ("skip the tests", "In legacy/ you can skip the tests for this one; src/a.py wants tests"),
        ("skip the tests", "you can skip the tests for this one; src/a.py wants tests"),
    ] {
        let lines = LINES.replace("scripts/", "src/");
        check_doubted("src/a.py", &[&format!("{lines}\nUSER PERMISSION: \"{quote}\"")], user);
    }
}

#[test]
fn what_the_user_said_later_of_tests_makes_one_doubt_a_permission() {
    let own = format!("{}\nUSER PERMISSION: \"skip the tests\"", LINES.replace("scripts/", "src/"));
    for (later, expected) in [
        ("from here on always write tests", "undecidable"),
        ("the tests matter to me", "undecidable"),
        ("now the colours, please", "yes"),
        ("skip the tests", "yes"),
    ] {
        let user = ["skip the tests for now".to_owned(), later.to_owned()];
        let heard = Heard {
            file: "src/a.py",
            wants_test: true,
            own: &own,
            before: &[],
            user: &user,
            user_is_whole: true,
        };
        assert_eq!(short(&judge(&heard)), expected, "{later}");
    }
}

#[test]
fn a_quote_that_may_stand_where_nobody_could_read_is_not_called_made_up() {
    let lines = LINES.replace("scripts/", "src/");
    for (own, is_whole, expected) in [
        ("USER PERMISSION: \"skip the tests\"", true, "no test"),
        ("USER PERMISSION: \"skip the tests\"", false, "undecidable"),
        ("USER PERMISSION: skip the tests", false, "undecidable"),
        ("TEST: n/a, the user said \"skip the tests\"", false, "undecidable"),
        ("TEST: n/a", false, "no test"),
        ("", false, "no test"),
    ] {
        let own = format!("{lines}\n{own}");
        let heard = Heard {
            file: "src/a.py",
            wants_test: true,
            own: &own,
            before: &[],
            user: &[],
            user_is_whole: is_whole,
        };
        assert_eq!(short(&judge(&heard)), expected, "{own}");
    }
}

#[test]
fn a_fence_declares_only_where_it_is_all_there_is() {
    let fence = format!("```\n{LINES}\n```");
    for lead in ["Here is what the contributing guide shows:", "Like this:", "The edit:"] {
        for text in [format!("{lead}\n{fence}"), format!("{fence}\n{lead}")] {
            let heard = Heard {
                file: "scripts/a.py",
                wants_test: false,
                own: &text,
                before: &[],
                user: &[],
                user_is_whole: true,
            };
            assert_eq!(short(&judge(&heard)), "undecidable", "{text}");
        }
    }
}
