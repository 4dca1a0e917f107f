//! A denied edit, and the way out of it that the denial names, for each who may take it.

use super::{project, to_branch, to_satisfy};
use crate::scene::{Scene, Session, between, obeying};
use serde_json::json;
use tests::client::Client;
use tests::messages_api::{Reply, Script};
use tests::script;

/// Two that `req satisfy` satisfies, so that one command must do for both.
const TWO: &str = "requirements:
  commit_plan:
    enabled: true
    message: Say in which commits the work will land.
    checklist: [each commit builds, each commit is tested]
  adr_reviewed: {enabled: true, scope: branch, description: The decisions that hold here are known.}
";

/// Reads, edits, does what the denial says, edits again.
fn obedient(scene: &Scene) -> Script {
    let change = || scene.edit("notes.txt", "before", "after");
    script![scene.read("notes.txt"), change(), obeying(to_satisfy), change(), "end"]
}

fn ask<'a>(scene: &'a Scene, with: impl FnOnce(Client<'a>) -> Client<'a>) -> Session {
    scene.ask_as("change the notes", obedient(scene), with)
}

#[track_caller]
fn assert_the_way_out_works(scene: &Scene, session: &Session) {
    assert_eq!(session.outcomes(), ["ran", "denied", "ran", "ran"], "{:#?}", session.results());
    assert_eq!(scene.content("notes.txt"), "after\n");
    let denial = &session.results()[1].text;
    for told in [
        "Say in which commits the work will land.",
        "each commit is tested",
        "adr_reviewed",
        ".claude/requirements.yaml:2",
        ".claude/requirements.yaml:6",
    ] {
        assert!(denial.contains(told), "{told} is not in {denial}");
    }
}

/// With permissions bypassed the denial stands; where nobody is there and Bash is not allowed it names what would allow it.
#[test]
fn its_command_opens_the_way_in_each_permission_mode() {
    let scene = project(TWO);
    assert_the_way_out_works(&scene, &ask(&scene, |client| client));
    let scene = project(TWO);
    // The client bypasses permissions for the superuser in a sandbox only.
    let bypassed =
        ask(&scene, |client| client.permission_mode("bypassPermissions").allow("").env("IS_SANDBOX", "1"));
    assert_the_way_out_works(&scene, &bypassed);

    let scene = project(TWO);
    let session = ask(&scene, |client| client.permission_mode("dontAsk").allow("Read,Edit"));
    assert_eq!(session.outcomes(), ["ran", "denied", "failed", "denied"], "{:#?}", session.results());
    let denial = &session.results()[1].text;
    let rule = between(denial, "can allow it: --allowedTools \"", "\")").expect("a rule to allow");
    let tools = format!("Read,Edit,{rule}");
    assert_the_way_out_works(&scene, &ask(&scene, |client| client.permission_mode("dontAsk").allow(&tools)));
}

#[test]
fn user_types_it_as_a_prompt_where_bash_is_not_allowed() {
    let scene = project(TWO);
    let change = || scene.edit("notes.txt", "before", "after");
    let script = script![scene.read("notes.txt"), change(), "now the user", change(), "the end of it"];

    let mut user = scene.user_as(script, |client| client.permission_mode("dontAsk").allow("Read,Edit"));
    user.asks("change the notes", "now the user");
    user.waits_for_end("now the user");
    let denied = user.results();
    let typed =
        between(&denied[1].text, "ask the user to type as a prompt: ", ")").expect("a prompt to type");
    user.commands(typed, "satisfied: ");
    user.asks("go on", "the end of it");

    assert_eq!(user.outcomes(), ["ran", "denied", "ran"], "{:#?}", user.results());
    assert_eq!(user.requests().len(), 5, "the prompt for `req` was no prompt for the model");
}

#[test]
fn line_from_the_sessions_start_saves_the_denial() {
    let scene = project(TWO);
    let session =
        scene.ask("make a new file", script![obeying(to_satisfy), scene.write("new.txt", "new\n"), "end"]);
    assert_eq!(session.outcomes(), ["ran", "ran"], "{:#?}", session.results());
}

#[test]
fn satisfaction_by_a_subagent_counts_for_the_session() {
    let scene = project(TWO);
    let new = |name: &str| scene.write(name, "new\n");
    let satisfies = Reply::bash("req satisfy commit_plan adr_reviewed");
    let script = script![Reply::agent("sub"), new("two.txt"), "end"];

    let session = scene.ask(
        "make two new files",
        script.agent("sub", [new("one.txt"), satisfies, new("one.txt"), Reply::text("done")]),
    );

    assert_eq!(session.of_agent("sub").pop().unwrap().outcomes(), ["denied", "ran", "ran"]);
    assert_eq!(session.outcomes(), ["ran", "ran"], "{:#?}", session.results());
}

#[test]
fn a_completed_skill_satisfies_what_names_it() {
    let scene = project("requirements: {reviewed: {enabled: true, satisfied_by_skill: review-it}}\n");
    let skill = "---\nname: review-it\ndescription: a review\n---\nReview it.\n";
    scene.sandbox.write(".claude/skills/review-it/SKILL.md", skill);
    let new = || scene.write("new.txt", "new\n");
    let skill = Reply::tool("Skill", &json!({ "skill": "review-it" }));

    let session = scene.ask("make a new file", script![new(), skill, new(), "end"]);

    assert_eq!(session.outcomes(), ["denied", "ran", "ran"], "{:#?}", session.results());
    assert!(session.results()[0].text.contains("review-it"), "{:#?}", session.results());
}

#[test]
fn an_edit_on_a_protected_branch_is_denied_and_after_the_command_it_names_it_goes_through() {
    let scene =
        project("requirements: {guard: {enabled: true, type: guard, guard_type: protected_branch}}\n");
    let new = || scene.write("new.txt", "new\n");
    let back = Reply::bash("git switch main");
    let more = scene.write("more.txt", "more\n");

    let session = scene.ask("make a new file", script![new(), obeying(to_branch), new(), back, more, "end"]);

    assert_eq!(session.outcomes(), ["denied", "ran", "ran", "ran", "denied"], "{:#?}", session.results());
    assert!(scene.sandbox.git(&["branch", "--format", "%(refname:short)"]).contains("my-change"));
}

#[test]
fn the_prompts_a_denial_names_except_what_only_the_user_may_except() {
    let scene = project(
        "requirements:
  guard: {enabled: true, type: guard, guard_type: protected_branch}
  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 1}}
",
    );
    scene.sandbox.write("notes.txt", "changed\n");
    let new = || scene.write("new.txt", "new\n");

    let mut user = scene.user(script![new(), "asking", new(), "the end of it"]);
    user.asks("work", "asking");
    let denial = user.results()[0].text.clone();
    let prompts =
        denial.lines().filter_map(|line| line.split_once("type this as a prompt (")?.1.split_once("): "));
    let prompts: Vec<&str> = prompts.map(|(_, prompt)| prompt).collect();
    assert_eq!(prompts, ["req waive guard --note \"the reason\"", "req approve size"], "{denial}");
    user.commands(prompts[0], "waived for 30 min");
    user.commands(prompts[1], "approved for 5 min");
    user.asks("go on", "the end of it");

    assert_eq!(user.outcomes(), ["denied", "ran"], "{:#?}", user.results());
}
