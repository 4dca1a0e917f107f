//! A denied edit, and the way out of it that the denial names, in each permission mode.

use super::{Obeying, between, client, content, edit, outcome, outcomes, project, read, results, take_back, to_mark};
use crate::registered::installed;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Script};
use tests::sandbox::{Level, Sandbox};

/// Two that are met by marks, so that one command must do for both.
const MARKS: &str = "requirements:
  commit_plan:
    enabled: true
    message: Say in which commits the work will land.
    checklist: [each commit builds, each commit is tested]
  adr_reviewed: {enabled: true, scope: branch, description: The decisions that hold here are known.}
";

/// The rule an installer offers.
const MAY_SATISFY: &str = "Bash(req satisfy *)";

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
    for told in ["commit_plan", "Say in which commits the work will land.", "each commit is tested", "adr_reviewed"] {
        assert!(denial.contains(told), "{told} is not in {denial}");
    }
    assert!(denial.contains(".claude/requirements.yaml:2") && denial.contains(".claude/requirements.yaml:6"), "{denial}");
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
fn in_accept_edits_mode_its_command_opens_the_way_under_the_rule_an_installer_offers() {
    let sandbox = project(MARKS);
    let api = MessagesApi::start(obedient(&sandbox));

    let client = client(&sandbox, &api).permission_mode("acceptEdits").allow(&[MAY_SATISFY]);
    assert_the_way_out_works(&sandbox, &api, client);

    assert!(to_mark(&results(&api)[1].text).unwrap().starts_with("req satisfy "));
}

#[test]
fn with_all_permissions_bypassed_the_denial_stands_and_its_command_opens_the_way() {
    let sandbox = project(MARKS);
    let api = MessagesApi::start(obedient(&sandbox));

    // The client bypasses permissions for the superuser in a sandbox only.
    let client = client(&sandbox, &api).permission_mode("bypassPermissions").allow(&[]).env("IS_SANDBOX", "1");
    assert_the_way_out_works(&sandbox, &api, client);
}

#[test]
fn where_nothing_is_asked_its_command_opens_the_way_under_the_rule_an_installer_offers() {
    let sandbox = project(MARKS);
    let api = MessagesApi::start(obedient(&sandbox));

    let client = client(&sandbox, &api).permission_mode("dontAsk").allow(&["Read", "Edit", MAY_SATISFY]);
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
    let typed = between(&refused[1].text, "ask the user to type as a prompt: ", ")").expect("a prompt to type");
    terminal.enter(typed);
    terminal.wait_for("marked as met: ");
    take_back(&mut terminal, typed);
    terminal.enter("go on");
    terminal.wait_for("the end of it");
    assert!(terminal.quit().success());

    let outcomes: Vec<_> = results(&api).iter().map(outcome).collect();
    assert_eq!(outcomes, ["ran", "refused", "failed", "ran"], "{:#?}", results(&api));
    assert_eq!(content(&sandbox, "notes.txt"), "after\n");
    assert_eq!(api.main_requests().len(), 6, "the prompt for `req` was no prompt for the model");
}
