//! Every refusal is followed to the letter, and then the edit passes: its lines are written into the message as they stand,
//! or its command is run in a shell and told of.

use serde_json::json;
use tests::payloads::{Payload, Session};
use tests::process::Invocation;
use tests::transcripts::Transcript;

use super::{NAME, declared, finding, finds_fault, unasked};
use crate::driver::denial;
use crate::judge_api;
use crate::judged::{CALL, Judged, PATIENT, approves, write};

const CONTENT: &str = "def greet():\n    return 1\n";

/// A change that is refused for what was said about it.
struct Case {
    file: &'static str,
    user: &'static str,
    prose: &'static str,
    reason: &'static str,
}

const fn case(file: &'static str, user: &'static str, prose: &'static str, reason: &'static str) -> Case {
    Case { file, user, prose, reason }
}

const ASKED: &str = "Please greet the visitors.";
const IN_CORE: &str = "FILE: src/greet.py\nCHANGES: add greet()\nGOAL: visitors are greeted";

const CASES: [Case; 14] = [
    case("tools/greet.py", ASKED, "", "nothing was seen"),
    case("src/greet.py", ASKED, "", "nothing was seen"),
    case("lib/a b/greet's \"x\".ts", ASKED, "", "nothing was seen"),
    case("src/größe.go", "Grüße die Besucher — 'alle', \"sofort\" & für $5!", "", "nothing was seen"),
    case(
        "src/greet.rs",
        "Do it:\n\n```\nFILE: other.rs\n```\nGOAL: something else\n-- now",
        "",
        "nothing was seen",
    ),
    case("core/greet.js", "`rm -rf /` $(id) \\ ; exit 1 # \u{202e}gnp", "", "nothing was seen"),
    case("kernel/greet.c", "", "", "nothing was seen"),
    case("tools/greet.py", ASKED, "Now.", "is not declared"),
    case("tools/greet.py", ASKED, "FILE: tools/greet.py\nCHANGES: add greet()", "lacks GOAL"),
    case("tools/greet.py", ASKED, "FILE: tools/greet.py\nGOAL: visitors are greeted", "lacks CHANGES"),
    case("tools/greet.py", ASKED, "CHANGES: add greet()\nGOAL: visitors are greeted", "lacks FILE"),
    case("src/greet.py", ASKED, IN_CORE, "no test is named"),
    case(
        "src/greet.py",
        ASKED,
        "FILE: src/greet.py\nCHANGES: add greet()\nGOAL: visitors are greeted\nUSER PERMISSION: \"no tests please\"",
        "is not to be found",
    ),
    case(
        "src/greet.py",
        ASKED,
        "I may change src/greet.py or perhaps not, so that visitors might be greeted; it depends.",
        "",
    ),
];

/// A transcript of a turn in which this was said in the call's message, after that in another one.
fn said(session: &Session, user: &str, before: &str, prose: &str, call: &str) {
    let mut said = Transcript::of(session).prompt(user);
    for (message, text) in [("msg_before", before), ("msg_own", prose)] {
        said = said.message(message);
        if !text.is_empty() {
            said = said.text(text);
        }
        if message == "msg_before" {
            said = said.call(CALL, "Write", &json!({})).result(CALL, "refused", true);
        }
    }
    said.call(call, "Write", &json!({})).write();
}

/// The edit again, as another call.
const AGAIN: &str = "toolu_again";

fn edit(session: &Session, file: &str, call: &str) -> Payload {
    write(session, file, CONTENT).with("tool_use_id", call)
}

/// The refusal of a case.
#[track_caller]
fn refusal(judged: &Judged, case: &Case) -> String {
    let said = Transcript::of(&judged.session).prompt(case.user).message("msg_before");
    let said = if case.prose.is_empty() { said } else { said.text(case.prose) };
    said.call(CALL, "Write", &json!({})).write();
    let reason = denial(judged.ask(&edit(&judged.session, case.file, CALL)).as_ref());
    let reason = reason.unwrap_or_else(|| panic!("{} {:?} passes", case.file, case.prose));
    assert!(reason.contains(case.reason), "{reason}");
    reason
}

/// The lines it asks to be written: what stands between two blank lines.
fn lines(reason: &str) -> &str {
    reason.split("\n\n").nth(1).expect("lines to be written")
}

/// The command it asks to be run.
fn command(reason: &str) -> &str {
    let line = reason.lines().find(|line| line.starts_with("Or run this before it")).expect("a command");
    line.split_once(": ").expect("a command behind a colon").1
}

#[test]
fn the_lines_of_a_refusal_written_as_they_stand_pass() {
    for case in CASES {
        let judged = unasked("");
        let reason = refusal(&judged, &case);
        said(&judged.session, case.user, case.prose, lines(&reason), AGAIN);
        let answer = judged.ask(&edit(&judged.session, case.file, AGAIN));
        assert_eq!(denial(answer.as_ref()), None, "{reason}");
        assert!(
            judged.texts("let-go").is_empty(),
            "it is not let go, it passes: {reason}\n{}",
            judged.journal()
        );
    }
}

#[test]
fn the_command_of_a_refusal_run_as_it_stands_passes() {
    for case in CASES {
        let judged = unasked("");
        let reason = refusal(&judged, &case);
        let line = command(&reason);
        let shell = Invocation::new("/bin/sh", &judged.sandbox).args(["-c", line]);
        let outcome = shell.env("CLAUDE_PROJECT_DIR", judged.sandbox.project().display().to_string()).run();
        outcome.assert_exit(0);
        assert!(outcome.stdout_text().contains("declared, for edits of this file"), "{reason}\n{outcome}");
        let ran = judged.session.bash_succeeded(line, &outcome.stdout_text());
        assert_eq!(judged.ask(&ran), None, "{reason}");
        said(&judged.session, case.user, case.prose, "", AGAIN);
        let answer = judged.ask(&edit(&judged.session, case.file, AGAIN));
        assert_eq!(denial(answer.as_ref()), None, "{reason}");
        assert!(
            judged.texts("let-go").is_empty(),
            "it is not let go, it passes: {reason}\n{}",
            judged.journal()
        );
    }
}

#[test]
fn a_quote_of_the_user_in_place_of_the_test_passes() {
    let judged = unasked("");
    let user = "Greet the visitors. No tests needed for this one.";
    let reason = refusal(&judged, &case("src/greet.py", user, IN_CORE, "USER PERMISSION:"));
    let lines: Vec<&str> = lines(&reason).lines().filter(|line| !line.starts_with("TEST:")).collect();
    let quoted = format!("{}\nUSER PERMISSION: \"No tests needed for this one.\"", lines.join("\n"));
    said(&judged.session, user, IN_CORE, &quoted, AGAIN);
    assert_eq!(judged.ask(&edit(&judged.session, "src/greet.py", AGAIN)), None, "{}", judged.journal());
}

#[test]
fn a_change_that_is_mended_as_the_checks_ask_passes() {
    let judged = unasked("");
    let prose = "FILE: tools/greet.py\nCHANGES: add a key\nGOAL: visitors are greeted";
    said(&judged.session, ASKED, prose, prose, CALL);
    let secret = ["AK", "IA", "IOSFODNN7EXAMPLQ"].concat();
    let reason = denial(
        judged.ask(&write(&judged.session, "tools/greet.py", &format!("KEY = \"{secret}\"\n"))).as_ref(),
    );
    assert!(reason.as_ref().is_some_and(|reason| reason.contains("from the environment")), "{reason:?}");
    let mended = "KEY = os.environ[\"KEY\"]\n";
    assert_eq!(judged.ask(&write(&judged.session, "tools/greet.py", mended)), None);
}

#[test]
fn a_change_declared_anew_after_a_review_passes_when_the_model_has_no_more_to_say() {
    let judged = Judged::new(
        NAME,
        "",
        PATIENT,
        [finds_fault(&[finding("it is not declared", "declare it")]), approves()],
    );
    let prose = "FILE: tools/greet.py\nCHANGES: add a number\nGOAL: visitors are greeted";
    said(&judged.session, ASKED, "", prose, CALL);
    let call = edit(&judged.session, "tools/greet.py", CALL);
    let reason = denial(judged.ask(&call).as_ref()).unwrap();
    assert!(reason.contains("with its declaration in the same message"), "{reason}");
    // The very same once more has the very same verdict, for nothing.
    assert!(denial(judged.ask(&call).as_ref()).is_some());
    assert_eq!(judged.api.requests().len(), 1);
    said(&judged.session, ASKED, prose, &prose.replace("a number", "a function that greets"), AGAIN);
    assert_eq!(judged.ask(&edit(&judged.session, "tools/greet.py", AGAIN)), None);
}

/// What a model finds missing is asked for in the same words.
#[test]
fn the_lines_asked_for_after_a_models_verdict_pass() {
    for parts in [&["FILE"][..], &["CHANGES", "GOAL"], &[]] {
        let no = judge_api::verdict(&json!({ "verdict": "NO", "missing": parts }));
        let judged =
            Judged::new(NAME, "stage1: local_then_model, stage2: \"off\"", PATIENT, [no, declared()]);
        let prose =
            "I may change tools/greet.py or perhaps not, so that visitors might be greeted; it depends.";
        said(&judged.session, ASKED, "", prose, CALL);
        let answer = judged.ask(&edit(&judged.session, "tools/greet.py", CALL));
        assert_eq!(judged.api.requests().len(), 1, "the rules cannot tell: {answer:?}");
        let reason = denial(answer.as_ref()).unwrap();
        said(&judged.session, ASKED, prose, lines(&reason), AGAIN);
        assert_eq!(judged.ask(&edit(&judged.session, "tools/greet.py", AGAIN)), None, "{reason}");
        assert_eq!(judged.api.requests().len(), 1, "it is decided without a model");
    }
}
