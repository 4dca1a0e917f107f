//! Subagents: their edits are judged on their own words, and so are the main session's.

use super::{
    DECLARED, PROMPT, Says, Turn, WritesTheForm, assert_changed, edit, outcome, project, read, saying, shown,
    take,
};
use crate::judging::{Asked, approved, ask};
use tests::messages_api::{Answer, Script};
use tests::sandbox::Sandbox;

/// A main session that declares the edit and hands it over, and a subagent that takes these turns.
fn delegated(sandbox: &Sandbox, turns: &[Turn]) -> Script {
    let handed_over = saying(DECLARED).and_agent("sub", "make the greeting polite");
    let answers = turns.iter().map(|turn| {
        let (turn, edit) = (*turn, edit(sandbox));
        Answer::made_by(move |request| take(turn, edit.clone(), request))
    });
    let route: Vec<_> = [read(sandbox).into()].into_iter().chain(answers).chain(["done".into()]).collect();
    Script::new().reply(handed_over).reply("end").route("sub", route).judge(approved())
}

/// What came of the subagent's calls but its reading.
fn outcomes(asked: &Asked) -> Vec<&'static str> {
    let last = asked.api.marked_requests("sub").pop().expect("the subagent was asked");
    last.tool_results().iter().skip(1).map(outcome).collect()
}

#[test]
fn what_the_main_session_declares_is_not_the_subagents_word() {
    let sandbox = project();
    let asked = ask(&sandbox, PROMPT, delegated(&sandbox, &[Says(""), WritesTheForm]));
    assert_eq!(asked.run.text(), "end");
    assert_eq!(outcomes(&asked), ["refused", "ran"]);
    assert_changed("declared by the subagent", &sandbox);
    let judged = asked.judged();
    assert!(
        shown(&judged[0], "declaration").contains("CHANGES: say good day in place of hello"),
        "{judged:?}"
    );
    assert_eq!(judged.len(), 1);
}

#[test]
fn a_subagents_own_declaration_passes() {
    let sandbox = project();
    let asked = ask(&sandbox, PROMPT, delegated(&sandbox, &[Says(DECLARED)]));
    assert_eq!(outcomes(&asked), ["ran"]);
    assert_changed("declared at once", &sandbox);
}
