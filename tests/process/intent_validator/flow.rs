//! From a change of which nothing was said to one that passes: what is asked for once, what is read and where, and what two
//! edits at once share.

use serde_json::{Value, json};
use tests::payloads::{Payload, Session};
use tests::transcripts::Transcript;

use super::{NAME, finding, finds_fault, unasked};
use crate::driver::{context, denial, notice};
use crate::endpoint::Manner;
use crate::judge_api;
use crate::judged::{CALL, DECLARATION, FILE, Judged, PATIENT, REQUEST, approves, says, write};

const CONTENT: &str = "def greet():\n    return 1\n";

fn edit(session: &Session) -> Payload {
    write(session, FILE, CONTENT)
}

/// A line of our own that declares a file, as Claude has its shell run it.
fn declare(session: &Session, file: &str) -> Payload {
    let line = format!(
        "intent-validator declare --file {file} --changes 'add a function that greets' --goal 'visitors are greeted'"
    );
    session.bash_succeeded(&line, "intent-validator: declared")
}

#[test]
fn what_is_not_seen_is_asked_for_once_for_each_file_and_then_passes() {
    let judged = unasked("");
    for file in [FILE, "tools/other.py"] {
        let call = write(&judged.session, file, CONTENT);
        let reason = denial(judged.ask(&call).as_ref()).unwrap();
        assert!(reason.starts_with("intent-validator: nothing was seen to be declared"), "{reason}");
        assert_eq!(
            [judged.ask(&call), judged.ask(&call)].map(|answer| denial(answer.as_ref())),
            [None, None]
        );
    }
    assert_eq!(judged.texts("let-go"), ["declaration not seen"; 4]);
    let other = judged.ask(&edit(&judged.another(1)));
    assert!(denial(other.as_ref()).is_some(), "another session is asked for itself");
}

#[test]
fn a_declaration_in_prose_passes_and_what_was_read_is_what_the_model_is_shown() {
    for prose in [
        DECLARATION,
        "I'll add a function greet() to tools/greet.py so that visitors are greeted.",
        "Good.\n\n**FILE**: `tools/greet.py`\n**CHANGES**: add greet()\n**GOAL**: visitors are greeted\n\nNow the call.",
    ] {
        let judged = Judged::new(NAME, "stage1: local", PATIENT, [approves()]);
        says(&judged.session, REQUEST, prose);
        assert_eq!(judged.ask(&edit(&judged.session)), None, "{prose}: {}", judged.journal());
        let [asked] = &judged.api.requests()[..] else { panic!("{}", judged.journal()) };
        let material = crate::judged::Material::of(asked);
        assert!(material.part("declaration").contains("greeted"), "{material:?}");
        assert!(material.part("diff").contains("+def greet():"), "{material:?}");
        assert!(material.part("conversation").contains(REQUEST), "{material:?}");
        assert_eq!(material.part("file"), FILE);
    }
}

#[test]
fn what_was_said_before_the_prompt_or_to_a_tool_declares_nothing() {
    let judged = unasked("");
    let session = &judged.session;
    Transcript::of(session)
        .prompt(REQUEST)
        .text(DECLARATION)
        .prompt(REQUEST)
        .message("msg_own")
        .text("Now.")
        .call(CALL, "Write", &json!({ "content": DECLARATION }))
        .write();
    let question = write(session, FILE, &format!("'''\n{DECLARATION}\n'''\n"));
    assert!(denial(judged.ask(&question).as_ref()).is_some());
}

#[test]
fn a_subagent_is_heard_in_its_own_transcript() {
    let judged = unasked("");
    let session = &judged.session;
    let call = edit(session).in_subagent("a1", "general-purpose");
    // The main session says it: that is somebody else.
    says(session, REQUEST, DECLARATION);
    assert!(denial(judged.ask(&call).as_ref()).is_some());
    for (agent, prose, passes) in [("a2", DECLARATION, true), ("a3", "Now.", false)] {
        Transcript::of_subagent(session, agent)
            .prompt("greet")
            .message("msg_sub")
            .text(prose)
            .call(CALL, "Write", &json!({}))
            .write();
        let answer = judged.ask(&edit(session).in_subagent(agent, "general-purpose"));
        assert_eq!(denial(answer.as_ref()).is_none(), passes, "{agent}: {answer:?}");
    }
    // What a subagent has declared is its own.
    assert_eq!(judged.ask(&declare(session, "tools/own.py").in_subagent("a2", "general-purpose")), None);
    let own = |call: Payload| denial(judged.ask(&call).as_ref()).is_none();
    let call = write(session, "tools/own.py", CONTENT);
    assert!(own(call.clone().in_subagent("a2", "general-purpose")) && !own(call));
}

#[test]
fn edits_of_one_message_share_what_it_declares() {
    let judged = unasked("");
    let session = &judged.session;
    let ids: Vec<String> = (0..20).map(|number| format!("toolu_{number}")).collect();
    let mut said = Transcript::of(session).prompt(REQUEST).message("msg_own").text(DECLARATION);
    for id in &ids {
        said = said.call(id, "Edit", &json!({}));
    }
    said.write();
    let calls: Vec<_> = ids.iter().map(|id| edit(session).with("tool_use_id", id.as_str())).collect();
    assert_eq!(judged.ask_at_once(&calls), vec![None; 20], "{}", judged.journal());
}

#[test]
fn twenty_edits_of_a_file_nobody_spoke_of_are_refused_once_all_together() {
    let judged = unasked("");
    let calls: Vec<_> =
        (0..20).map(|number| edit(&judged.session).with("tool_use_id", format!("toolu_{number}"))).collect();
    let answers = judged.ask_at_once(&calls);
    let refused = answers.iter().filter(|answer| denial(answer.as_ref()).is_some()).count();
    assert_eq!(refused, 1, "{}", judged.journal());
}

#[test]
fn what_is_declared_in_a_shell_holds_for_that_file_until_a_review_finds_fault() {
    let manners = [approves(), finds_fault(&[finding("too much", "less")])];
    let judged = Judged::new(NAME, "stage1: local", PATIENT, manners);
    let session = &judged.session;
    assert_eq!(judged.ask(&declare(session, FILE)), None);
    let edit = |number: usize| judged.ask(&write(session, FILE, &format!("a = {number}\n")));
    assert_eq!(edit(1), None, "{}", judged.journal());
    assert!(denial(edit(2).as_ref()).is_some_and(|reason| reason.contains("too much")));
    let reason = denial(edit(3).as_ref()).unwrap();
    assert!(reason.contains("nothing was seen to be declared"), "{reason}");
    assert_eq!(judged.api.requests().len(), 2);
    // One for another file declares nothing of this.
    judged.ask(&declare(session, "tools/other.py"));
    let other = write(session, "tools/other.py", CONTENT).with("tool_use_id", "toolu_other");
    assert!(denial(judged.ask(&other).as_ref()).is_some(), "it is reviewed: {}", judged.journal());
    assert_eq!(judged.api.requests().len(), 3);
}

#[test]
fn what_did_not_run_or_is_not_plain_declares_nothing() {
    for (event, is_told) in [
        (
            |session: &Session| {
                declare(session, FILE)
                    .with("tool_response", json!({ "stdout": "", "stderr": "", "interrupted": true }))
            },
            false,
        ),
        (
            |session: &Session| {
                let input = declare(session, FILE).get("tool_input").clone();
                session.post_tool_use_failure("Bash", input, "Exit code 1")
            },
            false,
        ),
        (
            |session: &Session| {
                let line = format!(
                    "intent-validator declare --file {FILE} --changes \"$(cat x)\" --goal 'they are greeted'"
                );
                session.bash_succeeded(&line, "")
            },
            true,
        ),
        (
            |session: &Session| {
                session.bash_succeeded(
                    &format!("echo 'intent-validator declare --file {FILE} --changes x --goal y' | sh"),
                    "",
                )
            },
            true,
        ),
    ] as [(fn(&Session) -> Payload, bool); 4]
    {
        let judged = unasked("");
        let answer = judged.ask(&event(&judged.session));
        assert_eq!(context(answer.as_ref()).is_some(), is_told, "{answer:?}");
        assert!(denial(judged.ask(&edit(&judged.session)).as_ref()).is_some());
    }
}

#[test]
fn what_is_refused_often_enough_in_one_prompt_is_let_go_and_told() {
    let judged = unasked("max_blocks: 2");
    let session = &judged.session;
    says(session, REQUEST, "Now I change something in here, wherever that is.");
    let core = write(session, "src/greet.py", CONTENT);
    let said = Transcript::of(session).prompt(REQUEST).message("msg_own");
    said.text("FILE: src/greet.py\nCHANGES: add greet()\nGOAL: visitors are greeted")
        .call(CALL, "Write", &json!({}))
        .write();
    let answers: Vec<Option<Value>> = (0..4).map(|_| judged.ask(&core)).collect();
    let refused: Vec<bool> = answers.iter().map(|answer| denial(answer.as_ref()).is_some()).collect();
    assert_eq!(refused, [true, true, false, false], "{answers:?}");
    assert!(notice(answers[2].as_ref()).contains("without a test or your permission"), "{answers:?}");
    assert_eq!(notice(answers[3].as_ref()), "");
    let next = session.clone().with_prompt_id("another-turn");
    Transcript::of(&next)
        .prompt(REQUEST)
        .message("msg_own")
        .text("FILE: src/greet.py\nCHANGES: add greet()\nGOAL: visitors are greeted")
        .call(CALL, "Write", &json!({}))
        .write();
    assert!(
        denial(judged.ask(&write(&next, "src/greet.py", CONTENT)).as_ref()).is_some(),
        "a new prompt counts anew"
    );
}

#[test]
fn the_same_change_is_reviewed_once() {
    let judged = Judged::new(NAME, "stage1: local", PATIENT, [approves()]);
    says(&judged.session, REQUEST, DECLARATION);
    for _ in 0..3 {
        assert_eq!(judged.ask(&edit(&judged.session)), None);
    }
    assert_eq!(judged.api.requests().len(), 1);
}

#[test]
fn a_model_decides_what_the_rules_cannot_tell() {
    let missing =
        |parts: &[&str]| -> Manner { judge_api::verdict(&json!({ "verdict": "NO", "missing": parts })) };
    for (manner, lacking) in [(missing(&["GOAL"]), Some("lacks GOAL")), (super::declared(), None)] {
        let judged = Judged::new(NAME, "stage1: model, stage2: \"off\"", PATIENT, [manner]);
        says(&judged.session, REQUEST, "I touch tools/greet.py, somehow.");
        let reason = denial(judged.ask(&edit(&judged.session)).as_ref());
        match lacking {
            Some(words) => assert!(reason.is_some_and(|reason| reason.contains(words))),
            None => assert_eq!(reason, None),
        }
        let material = crate::judged::Material::of(&judged.api.requests()[0]);
        assert_eq!(material.names(), ["file", "change", "said_before", "said", "user"]);
    }
}

#[test]
fn the_end_of_a_session_leaves_nothing_of_it() {
    let judged = unasked("");
    judged.ask(&declare(&judged.session, FILE));
    judged.ask(&write(&judged.session, "tools/other.py", CONTENT));
    judged.ask(&judged.session.session_end("other"));
    let own: Vec<_> = judged
        .state_names()
        .into_iter()
        .filter(|name| name.contains(&judged.session.id) && !name.contains(".lock"))
        .collect();
    assert_eq!(own, [""; 0]);
}
