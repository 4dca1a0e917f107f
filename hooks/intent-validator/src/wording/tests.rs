//! What is said, to the letter; and that following it to the letter is enough.

use serde_json::json;
use serde_json::value::to_raw_value;
use shared::host::Places;
use shared::own_calls::own_command_lines;
use shared::protocol::ToolCall;
use shared::transcript::Words;

use super::{Refusal, cleaned, draft, found, lacks, not_seen, reviewed, test_of, unclear};
use crate::change::Versions;
use crate::checks::Finding;
use crate::declaration::{Heard, Missing};
use crate::declare;
use crate::plan::tests::{finding, known};
use crate::plan::{Known, Lack, LetGo, Local, local};
use crate::state::{Cause, Place};

fn every_request(known: &Known) -> Vec<Refusal> {
    vec![
        not_seen(known),
        unclear(known),
        lacks(known, &Lack::Parts(vec![Missing::Everything])),
        lacks(known, &Lack::Parts(vec![Missing::Changes, Missing::Goal])),
        lacks(known, &Lack::Test),
        lacks(known, &Lack::Quote("skip the tests".into())),
    ]
}

fn of(file: &str, request: &str, wants_test: bool) -> Known {
    Known {
        place: Place { file: file.into(), in_project: file.into(), agent: None },
        user: vec![request.to_owned()],
        wants_test,
        ..known()
    }
}

/// The lines it asks to write.
fn lines_in(text: &str) -> &str {
    text.split("\n\n").nth(1).unwrap()
}

/// The command it asks to run.
fn command_in(text: &str) -> &str {
    text.split_once("corrected the same way: ").unwrap().1.lines().next().unwrap()
}

fn heard(known: &Known) -> Heard<'_> {
    let Known { place, wants_test, user, .. } = known;
    Heard { file: &place.file, wants_test: *wants_test, own: "", before: &[], user, user_is_whole: true }
}

const FILES: [&str; 9] = [
    "src/a.py",
    "src/my file.py",
    "src/it's.py",
    "src/say \"hi\".rs",
    "a.sh",
    "web/größe.ts",
    "src/deep/er/Main.java",
    "src/[id]/page.tsx",
    "lib/$x`y`.rb",
];

const REQUESTS: [&str; 4] = [
    "please change it",
    "it's \"broken\":\n<why?> $HOME `ls` \\ fix it!",
    "",
    "FILE: other.py\nCHANGES: none\nTEST: none",
];

#[test]
fn writing_the_lines_verbatim_passes() {
    for (file, request) in FILES.iter().flat_map(|file| REQUESTS.map(|request| (*file, request))) {
        for known in [true, false].map(|wants_test| of(file, request, wants_test)) {
            for refusal in every_request(&known) {
                let own = format!("I see, here it is:\n\n{}\n", lines_in(&refusal.text));
                for own in [own.as_str(), lines_in(&refusal.text)] {
                    let words = Words { own: Some(own.to_owned()), before: vec![], is_whole: true };
                    let judged = local(None, &words, &heard(&known));
                    assert!(matches!(judged, Local::Declared { .. }), "{judged:?} of {own}");
                }
            }
        }
    }
}

#[test]
fn running_the_command_verbatim_passes() {
    for (file, request) in FILES.iter().flat_map(|file| REQUESTS.map(|request| (*file, request))) {
        for known in [true, false].map(|wants_test| of(file, request, wants_test)) {
            for refusal in every_request(&known) {
                let command = command_in(&refusal.text);
                assert_eq!(command, refusal.next);
                let call = ToolCall {
                    tool_name: "Bash".into(),
                    tool_use_id: None,
                    tool_input: Some(to_raw_value(&json!({ "command": command })).unwrap()),
                };
                let words = own_command_lines(&call, &Places::default()).expect(command).remove(0);
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let declaration = declare::parse(&words[2..]).expect(command);
                assert_eq!(declare::fault(&declaration, known.wants_test), None, "{command}");
                assert_eq!(declaration.file, *file);
                let judged = local(Some(&declaration), &Words::default(), &heard(&known));
                assert!(
                    matches!(judged, Local::Declared { is_recorded: true, .. }),
                    "{judged:?} of {command}"
                );
            }
        }
    }
}

#[test]
fn what_is_asked_for() {
    let known = of("src/auth.py", "make it greet", true);
    let draft = draft(&known);
    assert_eq!(
        (draft.goal.as_str(), draft.test.as_deref()),
        ("as asked: make it greet", Some("tests/test_auth.py"))
    );
    let changes = draft.changes;
    let expected = format!(
        "intent-validator: nothing was seen to be declared about this change of src/auth.py. Write these lines in the message \
         that makes the edit, corrected where something is not so, and make it again:\n\n\
         FILE: src/auth.py\nCHANGES: {changes}\nGOAL: as asked: make it greet\nTEST: tests/test_auth.py\n\n\
         Or run this before it, corrected the same way: intent-validator declare --file src/auth.py --changes '{changes}' --goal \
         'as asked: make it greet' --test tests/test_auth.py"
    );
    assert_eq!(not_seen(&known).text, expected);
}

#[test]
fn what_is_missing_is_named() {
    let known = known();
    for (lack, why) in [
        (Lack::Parts(vec![]), "this change of src/a.py is not declared."),
        (
            Lack::Parts(vec![Missing::File, Missing::Goal]),
            "the declaration of this change of src/a.py lacks FILE and GOAL.",
        ),
        (Lack::Test, "src/a.py is core code, and no test is named for this change."),
        (
            Lack::Quote("skip\nthem".into()),
            "\"skip them\" is not to be found in the user's last five messages, and src/a.py is core code: it wants a test.",
        ),
    ] {
        let text = lacks(&known, &lack).text;
        assert!(text.starts_with(&format!("intent-validator: {why} Write these lines")), "{text}");
        assert_eq!(text.contains("USER PERMISSION:"), lack.cause() == Cause::Test, "{text}");
    }
}

#[test]
fn findings_are_told_in_a_line_each_and_bounded() {
    let many: Vec<Finding> = (1..=7).map(|line| Finding { line, ..finding() }).collect();
    let text = found(&known(), &many).text;
    let expected = "intent-validator: this change of src/a.py is not clean.\n\
                    - line 1, scope-creep: w. Fix: f.\n- line 2, scope-creep: w. Fix: f.\n- line 3, scope-creep: w. Fix: f.\n\
                    - line 4, scope-creep: w. Fix: f.\n- line 5, scope-creep: w. Fix: f.\n- and 2 more\n\
                    Mend that, and make the edit again.";
    assert_eq!(text, expected);
    let wild = Finding {
        rule: "a\u{1b}[2Jb".into(),
        line: 0,
        why: "x".repeat(5_000),
        fix: "one\ntwo\u{202e}three".into(),
    };
    let text = reviewed(&known(), &[wild]).text;
    assert!(text.contains("\n- a [2Jb: xxx") && text.contains("… Fix: one two three.\n"), "{text}");
    assert!(text.len() < 1_000);
}

#[test]
fn a_test_is_guessed_by_the_convention_of_the_language() {
    for (file, expected) in [
        ("src/a.py", "tests/test_a.py"),
        ("src/a b's.py", "tests/test_a_b_s.py"),
        ("src/a.rs", "tests/a.rs"),
        ("pkg/a.go", "a_test.go"),
        ("src/a.tsx", "tests/a.test.tsx"),
        ("src/A.java", "tests/ATest.java"),
        ("lib/a.rb", "spec/a_spec.rb"),
        ("src/a.c", "tests/test_a.c"),
    ] {
        assert_eq!(test_of(file), expected);
    }
}

#[test]
fn the_user_is_told_what_was_let_go_after_refusals() {
    assert_eq!(
        LetGo::Enough(Cause::Test).notice("src/a.py", 3).unwrap(),
        "intent-validator: src/a.py is changed without a test or your permission: let go after max_blocks (3) refusals"
    );
    assert_eq!(LetGo::NotSeen.notice("src/a.py", 3), None);
}

#[test]
fn texts_of_others_stay_in_their_line() {
    assert_eq!(cleaned(" a\n\tb\u{1b}c\u{202e}d ", 99), "a b c d");
    assert_eq!(cleaned("äöüx", 3), "äöü…");
    assert_eq!(cleaned("", 3), "");
}

#[test]
fn a_new_file_has_a_draft_as_well() {
    let known = Known { versions: Versions { after: "print(1)\n".into(), ..Versions::default() }, ..known() };
    assert!(!draft(&known).changes.is_empty());
}
