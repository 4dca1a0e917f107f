//! From a change that was not declared to one that passes: how often the form is asked for, where it is read, and what two
//! edits at once share.

use serde_json::{Value, json};
use tests::payloads::{Payload, Session};
use tests::transcripts::Transcript;

use super::{NAME, unasked};
use crate::driver::{denial, notice};
use crate::judged::{CALL, DECLARATION, FILE, Judged, PATIENT, REQUEST, approves, says, write};

const CONTENT: &str = "def greet():\n    return 1\n";

fn edit(session: &Session) -> Payload {
    write(session, FILE, CONTENT)
}

#[test]
fn the_form_is_asked_for_twice_for_each_file_and_then_the_user_is_told_once() {
    for prose in [None, Some("I'll add greet() to tools/greet.py so that visitors are greeted.")] {
        let judged = unasked("");
        if let Some(prose) = prose {
            says(&judged.session, REQUEST, prose);
        }
        for file in [FILE, "tools/other.py"] {
            let call = write(&judged.session, file, CONTENT);
            let answers: Vec<Option<Value>> = (0..4).map(|_| judged.ask(&call)).collect();
            let refused: Vec<bool> = answers.iter().map(|answer| denial(answer.as_ref()).is_some()).collect();
            assert_eq!(refused, [true, true, false, false], "{prose:?}: {answers:?}");
            assert!(notice(answers[2].as_ref()).contains("without a declaration"), "{answers:?}");
            assert_eq!(notice(answers[3].as_ref()), "");
        }
        let other = judged.ask(&edit(&judged.another(1)));
        assert!(denial(other.as_ref()).is_some(), "another session is asked for itself");
    }
}

#[test]
fn the_form_passes_and_the_reviewer_is_shown_what_it_says() {
    let judged = Judged::new(NAME, "", PATIENT, [approves()]);
    says(&judged.session, REQUEST, DECLARATION);
    assert_eq!(judged.ask(&edit(&judged.session)), None, "{}", judged.journal());
    let [asked] = &judged.api.requests()[..] else { panic!("{}", judged.journal()) };
    let material = crate::judged::Material::of(asked);
    assert!(material.part("declaration").contains("greeted"), "{material:?}");
    assert!(material.part("diff").contains("+def greet():"), "{material:?}");
    assert!(material.part("conversation").contains(REQUEST), "{material:?}");
    assert_eq!(material.part("file"), FILE);
}

/// A plan, consecutive edits, silent messages and the command: whatever a day has.
#[test]
fn a_day_of_a_hundred_declared_edits_asks_nobody_whether_they_were_declared() {
    let judged = Judged::new(NAME, "stage2: \"off\"", PATIENT, [super::declared()]);
    let form = |number: usize| {
        format!(
            "FILE: src/part_{number}.py\nCHANGES: add the function part_{number}\nGOAL: the import reads it\nTEST: tests/test_part.py"
        )
    };
    for turn in 0..20 {
        let session = Session { prompt_id: format!("prompt-{turn}"), ..judged.session.clone() };
        let plan: Vec<String> = (0..3)
            .map(|step| format!("{}. {}", step + 1, form(5 * turn + step).replace('\n', "\n   ")))
            .collect();
        let edit = |step: usize, text: &str| {
            let call = format!("toolu_{turn}_{step}");
            Transcript::of(&session)
                .prompt(REQUEST)
                .message("msg_plan")
                .text(&format!("Three steps:\n\n{}", plan.join("\n")))
                .tool_call("Bash", &json!({ "command": "make test" }))
                .message("msg_own")
                .text(text)
                .call(&call, "Write", &json!({}))
                .write();
            let number = if step < 3 { 5 * turn + step } else { 5 * turn + 3 };
            let content = format!("def part_{number}():\n    return {step}\n");
            let call = write(&session, &format!("src/part_{number}.py"), &content).with("tool_use_id", call);
            assert_eq!(denial(judged.ask(&call).as_ref()), None, "{turn} {step}: {}", judged.journal());
        };
        edit(0, " ");
        edit(1, "The test is red, as it should be. Now the edit.");
        edit(2, "Now the third one.");
        edit(3, &format!("One more:\n\n```\n{}\n```", form(5 * turn + 3)));
        let declare = format!(
            "intent-validator declare --file src/part_{}.py --changes 'name it well' --goal 'people find it' --test tests/test_part.py",
            5 * turn + 3
        );
        assert_eq!(judged.ask(&session.bash_succeeded(&declare, "")), None);
        edit(4, " ");
    }
    assert_eq!(judged.api.requests().len(), 0, "{}", judged.journal());
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
}

#[test]
fn of_twenty_edits_at_once_of_a_file_nobody_spoke_of_two_are_refused() {
    let judged = unasked("");
    let calls: Vec<_> =
        (0..20).map(|number| edit(&judged.session).with("tool_use_id", format!("toolu_{number}"))).collect();
    let answers = judged.ask_at_once(&calls);
    let refused = answers.iter().filter(|answer| denial(answer.as_ref()).is_some()).count();
    assert_eq!(refused, 2, "{}", judged.journal());
}
