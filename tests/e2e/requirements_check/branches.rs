//! A protected branch under the real client, and the exceptions that the user types.

use super::{Obeying, between, client, command, content, outcomes, project, results, write};
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Reply, Script};

const GUARDED: &str = "requirements: {guard: {enabled: true, type: guard, guard_type: protected_branch}}\n";

#[test]
fn an_edit_on_a_protected_branch_is_refused_and_after_the_command_it_names_it_goes_through() {
    let sandbox = project(GUARDED);
    let new = || write(&sandbox, "new.txt", "new\n");
    let script = Script::new()
        .reply(new())
        .obey(|text| between(text, "as after ", "; or "))
        .reply(new())
        .reply(Reply::bash("git switch main"))
        .reply(write(&sandbox, "more.txt", "more\n"))
        .reply("end");
    let api = MessagesApi::start(script);

    assert_eq!(client(&sandbox, &api).ask("make a new file").text(), "end");

    assert_eq!(outcomes(&api), ["refused", "ran", "ran", "ran", "refused"], "{:#?}", results(&api));
    assert_eq!(
        (content(&sandbox, "new.txt"), content(&sandbox, "more.txt")),
        ("new\n".to_owned(), String::new())
    );
    assert!(sandbox.git(&["branch", "--format", "%(refname:short)"]).contains("my-change"));
}

#[test]
fn the_prompts_a_denial_names_except_what_only_the_user_may_except() {
    let sandbox = project(
        "requirements:
  guard: {enabled: true, type: guard, guard_type: protected_branch}
  size: {enabled: true, type: dynamic, calculator: branch_size, thresholds: {block: 1}}
",
    );
    sandbox.write("notes.txt", "changed\n");
    let new = || write(&sandbox, "new.txt", "new\n");
    let api =
        MessagesApi::start(Script::new().reply(new()).reply("asking").reply(new()).reply("the end of it"));

    let mut terminal = client(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("work");
    terminal.wait_for("asking");
    let denial = results(&api)[0].text.clone();
    let prompts: Vec<&str> = denial
        .lines()
        .filter_map(|line| line.split_once("type this as a prompt (")?.1.split_once("): "))
        .map(|(_, prompt)| prompt)
        .collect();
    assert_eq!(prompts, ["req waive guard --note \"the reason\"", "req approve size"], "{denial}");
    command(&mut terminal, prompts[0], "waived for 30 min");
    command(&mut terminal, prompts[1], "approved for 5 min");
    terminal.enter("go on");
    terminal.wait_for("the end of it");
    assert!(terminal.quit().success());

    assert_eq!(outcomes(&api), ["refused", "ran"], "{:#?}", results(&api));
    assert_eq!(content(&sandbox, "new.txt"), "new\n");
}
