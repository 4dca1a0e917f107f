//! From a change that was not declared to one that passes: how often the form is asked for, where it is read, and what two
//! edits at once share.

use serde_json::Value;
use tests::payloads::{Payload, Session};

use super::{NAME, unasked};
use crate::driver::{denial, notice};
use crate::judged::{DECLARATION, FILE, Judged, PATIENT, REQUEST, approves, says, write};

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

#[test]
fn what_was_declared_by_command_holds_for_the_next_edit() {
    let judged = unasked("");
    let declare = "intent-validator declare --file tools/greet.py --changes 'add greet()' --goal 'visitors are greeted'";
    assert_eq!(judged.ask(&judged.session.bash_succeeded(declare, "")), None);
    says(&judged.session, REQUEST, "Now the edit.");
    assert_eq!(denial(judged.ask(&edit(&judged.session)).as_ref()), None, "{}", judged.journal());
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
