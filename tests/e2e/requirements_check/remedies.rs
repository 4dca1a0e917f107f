//! A denied edit, and the way out of it that the denial names, in each permission mode.

use super::{
    Obeying, between, client, command, content, edit, outcome, outcomes, project, read, results, to_mark,
    write,
};
use crate::registered::installed;
use serde_json::json;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::{Level, Sandbox};

/// Two that `req satisfy` satisfies, so that one command must do for both.
const MARKS: &str = "requirements:
  commit_plan:
    enabled: true
    message: Say in which commits the work will land.
    checklist: [each commit builds, each commit is tested]
  adr_reviewed: {enabled: true, scope: branch, description: The decisions that hold here are known.}
";

/// Reads, edits, does what the denial says, edits again.
fn obedient(sandbox: &Sandbox) -> Script {
    let change = || edit(sandbox, "notes.txt", "before", "after");
    Script::new().reply(read(sandbox, "notes.txt")).reply(change()).obey(to_mark).reply(change()).reply("end")
}

#[track_caller]
fn assert_the_way_out_works(sandbox: &Sandbox, api: &MessagesApi, client: Client<'_>) {
    let run = client.ask("change the notes");

    assert_eq!(run.text(), "end");
    assert_eq!(outcomes(api), ["ran", "refused", "ran", "ran"], "{:#?}", results(api));
    assert_eq!(content(sandbox, "notes.txt"), "after\n");
    let denial = &results(api)[1].text;
    for told in
        ["commit_plan", "Say in which commits the work will land.", "each commit is tested", "adr_reviewed"]
    {
        assert!(denial.contains(told), "{told} is not in {denial}");
    }
    assert!(
        denial.contains(".claude/requirements.yaml:2") && denial.contains(".claude/requirements.yaml:6"),
        "{denial}"
    );
}

#[test]
fn in_default_mode_its_command_opens_the_way_by_its_path_where_the_name_is_not_found() {
    let sandbox = installed(&["requirements-check"], "my hooks", "");
    sandbox.requirements(Level::Project, MARKS);
    sandbox.write("notes.txt", "before\n");
    let api = MessagesApi::start(obedient(&sandbox));

    assert_the_way_out_works(&sandbox, &api, Client::new(&sandbox, &api));

    let program = sandbox.root().join("my hooks/req");
    let denial = &results(&api)[1].text;
    assert!(to_mark(denial).unwrap().starts_with(&format!("'{}' satisfy ", program.display())), "{denial}");
}

#[test]
fn with_all_permissions_bypassed_the_denial_stands_and_its_command_opens_the_way() {
    let sandbox = project(MARKS);
    let api = MessagesApi::start(obedient(&sandbox));

    // The client bypasses permissions for the superuser in a sandbox only.
    let client =
        client(&sandbox, &api).permission_mode("bypassPermissions").allow(&[]).env("IS_SANDBOX", "1");
    assert_the_way_out_works(&sandbox, &api, client);
}

#[test]
fn where_nobody_is_there_and_bash_is_not_allowed_it_names_what_would_allow_it() {
    let sandbox = project(MARKS);
    let api = MessagesApi::start(obedient(&sandbox));
    let client_of = |api: &MessagesApi| client(&sandbox, api).permission_mode("dontAsk");

    assert_eq!(client_of(&api).allow(&["Read", "Edit"]).ask("change the notes").text(), "end");

    assert_eq!(outcomes(&api), ["ran", "refused", "failed", "refused"], "{:#?}", results(&api));
    let denial = results(&api)[1].text.clone();
    let rule = between(&denial, "can allow it: --allowedTools \"", "\")").expect("a rule to allow");
    let api = MessagesApi::start(obedient(&sandbox));
    assert_the_way_out_works(&sandbox, &api, client_of(&api).allow(&["Read", "Edit", rule]));
}

#[test]
fn where_neither_is_asked_nor_bash_allowed_the_user_types_it_as_a_prompt() {
    let sandbox = project(MARKS);
    let change = || edit(&sandbox, "notes.txt", "before", "after");
    let script = Script::new()
        .reply(read(&sandbox, "notes.txt"))
        .reply(change())
        .obey(to_mark)
        .reply("now the user")
        .reply(change())
        .reply("the end of it");
    let api = MessagesApi::start(script);

    let mut terminal = client(&sandbox, &api).permission_mode("dontAsk").allow(&["Read", "Edit"]).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("change the notes");
    terminal.wait_for("now the user");
    let refused = results(&api);
    let typed =
        between(&refused[1].text, "ask the user to type as a prompt: ", ")").expect("a prompt to type");
    command(&mut terminal, typed, "satisfied: ");
    terminal.enter("go on");
    terminal.wait_for("the end of it");
    assert!(terminal.quit().success());

    assert_eq!(outcomes(&api), ["ran", "refused", "failed", "ran"], "{:#?}", results(&api));
    assert_eq!(content(&sandbox, "notes.txt"), "after\n");
    assert_eq!(api.main_requests().len(), 6, "the prompt for `req` was no prompt for the model");
}

#[test]
fn the_line_told_at_the_sessions_start_saves_the_denial() {
    let sandbox = project(MARKS);
    let script = Script::new().obey(to_mark).reply(write(&sandbox, "new.txt", "new\n")).reply("end");
    let api = MessagesApi::start(script);

    assert_eq!(client(&sandbox, &api).ask("make a new file").text(), "end");

    assert_eq!(outcomes(&api), ["ran", "ran"], "{:#?}", results(&api));
}

#[test]
fn what_a_subagent_satisfies_counts_for_the_session() {
    let sandbox = project(MARKS);
    let new = |name: &str| write(&sandbox, name, "new\n");
    let mark = Reply::bash("req satisfy commit_plan adr_reviewed");
    let script = Script::new()
        .reply(Reply::agent("sub", "the task"))
        .reply(new("two.txt"))
        .reply("end")
        .route("sub", [new("one.txt"), mark, new("one.txt"), Reply::text("done")]);
    let api = MessagesApi::start(script);

    assert_eq!(client(&sandbox, &api).ask("make two new files").text(), "end");

    let of_the_subagent = api.marked_requests("sub").pop().expect("the subagent was asked").tool_results();
    let outcomes_there: Vec<_> = of_the_subagent.iter().map(outcome).collect();
    assert_eq!(outcomes_there, ["refused", "ran", "ran"], "{of_the_subagent:#?}");
    assert_eq!(outcomes(&api), ["ran", "ran"], "{:#?}", results(&api));
}

#[test]
fn a_completed_skill_satisfies_what_names_it() {
    let sandbox = project("requirements: {reviewed: {enabled: true, satisfied_by_skill: review-it}}\n");
    sandbox.write(
        ".claude/skills/review-it/SKILL.md",
        "---\nname: review-it\ndescription: a review\n---\nReview it.\n",
    );
    let new = || write(&sandbox, "new.txt", "new\n");
    let skill = Reply::tool("Skill", json!({ "skill": "review-it" }));
    let api = MessagesApi::start(Script::new().reply(new()).reply(skill).reply(new()).reply("end"));

    assert_eq!(client(&sandbox, &api).ask("make a new file").text(), "end");

    assert_eq!(outcomes(&api), ["refused", "ran", "ran"], "{:#?}", results(&api));
    assert!(results(&api)[0].text.contains("review-it"), "{:#?}", results(&api));
}
