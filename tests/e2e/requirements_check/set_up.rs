//! A repository in which nothing is set up yet, under the real client: the hint, and a first file made by Claude.

use super::{HOOKS, Obeying, client, content, outcomes, results, to_mark, write};
use crate::registered::installed;
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::Sandbox;
use tests::terminal::Terminal;

const HINT: &str = "nothing is required";

/// A repository with a remote and nothing of ours in it.
fn cloned() -> Sandbox {
    let sandbox = installed(&["requirements-check"], HOOKS, "");
    sandbox.git(&["remote", "add", "origin", "git@github.com:owner/name.git"]);
    sandbox
}

#[test]
fn the_hint_is_shown_once_and_the_model_does_not_see_it() {
    let sandbox = cloned();
    let api = MessagesApi::start(Script::new().reply("first answer").reply("second answer"));
    let session = |prompt: &str, answer: &str| {
        let mut terminal: Terminal = client(&sandbox, &api).terminal();
        terminal.wait_for(CLIENT_VERSION.trim());
        terminal.enter(prompt);
        terminal.wait_for(answer);
        let screen = terminal.screen();
        assert!(terminal.quit().success());
        screen
    };

    let first = session("hello", "first answer");
    assert!(first.contains(HINT) && first.contains("req init"), "{first}");
    let second = session("hello again", "second answer");
    assert!(!second.contains(HINT), "{second}");
    assert!(!api.main_requests().iter().any(|request| request.shows(HINT)));
}

#[test]
fn a_first_file_made_by_claude_holds_in_the_same_session() {
    let sandbox = cloned();
    let new = || write(&sandbox, "new.txt", "new\n");
    let script = Script::new()
        .reply(Reply::bash("req init --project --preset relaxed --yes"))
        .reply(new())
        .obey(to_mark)
        .reply(new())
        .reply("end");
    let api = MessagesApi::start(script);

    assert_eq!(client(&sandbox, &api).ask("set it up").text(), "end");

    assert_eq!(outcomes(&api), ["ran", "refused", "ran", "ran"], "{:#?}", results(&api));
    assert!(content(&sandbox, ".claude/requirements.yaml").contains("requirements:"));
    assert_eq!(content(&sandbox, "new.txt"), "new\n");
}
