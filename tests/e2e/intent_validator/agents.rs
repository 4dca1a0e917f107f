//! Subagents: their edits are judged on their own words, and so are the main session's.

use super::{
    DECLARED, PROMPT, RunsTheCommand, Says, Turn, WritesTheForm, assert_changed, edit, outcome, project,
    read, saying, shown, take,
};
use crate::judging::{Asked, approved, ask, ask_as};
use tests::client::Client;
use tests::messages_api::{Answer, Reply, Script};
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

#[test]
fn a_subagent_declares_with_the_command_too_and_for_itself_alone() {
    type With = for<'a> fn(Client<'a>) -> Client<'a>;
    let rule: With = |client| client.allow(&["Agent", "Read", "Edit", "Bash(intent-validator declare *)"]);
    let bypass: With = |client| client.allow(&[]).permission_mode("bypassPermissions").env("IS_SANDBOX", "1");
    for (what, with) in [("a rule", rule), ("bypassed", bypass)] {
        let sandbox = project();
        let script = delegated(&sandbox, &[Says(""), RunsTheCommand, Says("")]);
        let asked = ask_as(&sandbox, PROMPT, script, with);
        assert_eq!(outcomes(&asked), ["refused", "ran", "ran"], "{what}");
        assert_changed(what, &sandbox);
    }
}

#[test]
fn what_a_subagent_declares_is_not_the_main_sessions_word() {
    let sandbox = project();
    let script = Script::new()
        .reply(read(&sandbox))
        .reply(Reply::agent("sub", "look at the greeting"))
        .reply(saying("").and_tool("Edit", edit(&sandbox)))
        .reply("end")
        .route(
            "sub",
            [
                Reply::text(DECLARED)
                    .and_tool("Bash", serde_json::json!({ "command": "true", "description": "x" })),
                Reply::text("done"),
            ],
        );

    let asked = ask(&sandbox, PROMPT, script.judge(approved()));

    assert_eq!(super::outcomes(&asked), ["ran", "refused"], "{:#?}", asked.last().tool_results());
    assert!(asked.judged().is_empty());
}
