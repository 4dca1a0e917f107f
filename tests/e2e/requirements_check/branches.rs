//! Branches under the real client: the protected one, and sessions and work trees side by side.

use super::{Obeying, between, client, command, content, outcomes, project, results, to_mark, write};
use serde_json::json;
use std::thread;
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

/// One mark per session, one per branch.
const MARKS: &str = "requirements:
  own_plan: {enabled: true, scope: session}
  known_here: {enabled: true, scope: branch}
";

#[test]
fn two_sessions_in_two_work_trees_do_not_disturb_each_other() {
    let sandbox = project(MARKS);
    let side = sandbox.root().join("side");
    sandbox.git(&["worktree", "add", "--quiet", "-b", "side", side.to_str().unwrap()]);
    let file = |folder: &std::path::Path, name: &str| {
        Reply::tool("Write", json!({ "file_path": folder.join(name), "content": "new\n" }))
    };
    let meet = |own: &str, other: &str| {
        let (own, other) = (sandbox.temporary_dir().join(own), sandbox.temporary_dir().join(other));
        Reply::bash(&format!(
            "touch {}; until test -e {}; do sleep 0.05; done",
            own.display(),
            other.display()
        ))
    };
    // The one in the project marks first; the other one must still be refused, and mark for itself.
    let first = Script::new()
        .reply(file(&sandbox.project(), "one.txt"))
        .obey(to_mark)
        .reply(file(&sandbox.project(), "one.txt"))
        .reply(meet("first-has-marked", "second-has-marked"))
        .reply(file(&sandbox.project(), "two.txt"))
        .reply("end");
    let second = Script::new()
        .reply(meet("second-waits", "first-has-marked"))
        .reply(file(&side, "one.txt"))
        .obey(to_mark)
        .reply(file(&side, "one.txt"))
        .reply(meet("second-has-marked", "first-has-marked"))
        .reply("end");
    let (first, second) = (MessagesApi::start(first), MessagesApi::start(second));

    thread::scope(|scope| {
        let run = scope.spawn(|| client(&sandbox, &first).ask("work").text().to_owned());
        assert_eq!(client(&sandbox, &second).cwd(&side).ask("work").text(), "end");
        assert_eq!(run.join().unwrap(), "end");
    });

    assert_eq!(outcomes(&first), ["refused", "ran", "ran", "ran", "ran"], "{:#?}", results(&first));
    assert_eq!(outcomes(&second), ["ran", "refused", "ran", "ran", "ran"], "{:#?}", results(&second));
    let refused = &results(&second)[1].text;
    assert!(
        refused.contains("own_plan") && refused.contains("known_here") && refused.contains("side"),
        "{refused}"
    );

    // A third session on the first one's branch needs its own mark, and shares the branch's.
    let third = Script::new().reply(write(&sandbox, "three.txt", "new\n")).reply("end");
    let third = MessagesApi::start(third);
    assert_eq!(client(&sandbox, &third).ask("work").text(), "end");
    let refused = &results(&third)[0].text;
    assert!(
        outcomes(&third) == ["refused"] && refused.contains("own_plan") && !refused.contains("known_here"),
        "{refused}"
    );
}
