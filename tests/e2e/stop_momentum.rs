//! stop-momentum under the real client: what is blocked, what is let go, and what the model was told.

use std::path::Path;

use tests::binaries;
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Recorded, Reply, Script};
use tests::sandbox::{Level, Sandbox};
use tests::settings::{Hook, Settings};

/// On in `-p` too, because a run with nobody watching is what most of these tests can drive.
const ENFORCED: &str = "stop-momentum: {enabled: true, headless: true, enforce_ack: true}\n";
/// The first line of the built-in guidance.
fn guidance() -> &'static str {
    include_str!("../../config/messages/stop-momentum.md").lines().next().unwrap()
}

fn sandbox(requirements: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let hook = Hook::new(&binaries::for_client("stop-momentum"), &[]).timeout_secs(10.0);
    let settings = Settings::new().hook("Stop", &hook).hook("SessionEnd", &hook);
    sandbox.settings(Level::User, &settings.json());
    sandbox.requirements(Level::User, requirements);
    sandbox
}

/// A turn that works: one Bash call first, then the given answers.
fn working() -> Script {
    Script::new().reply(Reply::bash("echo worked"))
}

/// The newest token the model was shown.
fn token(request: &Recorded) -> String {
    let texts = request.shown_texts().join("\n");
    let start = texts.rfind("ACK-").expect("the model was shown a token");
    texts[start..start + 8].to_owned()
}

fn acknowledge(request: &Recorded) -> Reply {
    Reply::text(&format!("Everything is done. {}", token(request)))
}

/// Files of ended sessions in the state folder that belong to the hook.
fn leftovers(state_dir: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(state_dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("stop-ack-") || name.ends_with("-blocks.json")).collect()
}

#[test]
fn a_missing_and_a_wrong_token_are_blocked_and_the_right_one_lets_go() {
    let sandbox = sandbox(ENFORCED);
    let script = working()
        .reply("Step one is done.")
        .reply("Still done.")
        .reply("Done, ACK-0000.")
        .reply_with(acknowledge)
        .reply("asked too often");
    let api = MessagesApi::start(script);

    let run = Client::new(&sandbox, &api).ask("do it");

    run.outcome.assert_exit(0);
    assert!(run.text().starts_with("Everything is done. ACK-"), "{}", run.text());
    assert_eq!(api.main_requests().len(), 5, "the stop after the token went through");
    assert!(api.showed(2, guidance()), "the first block says what to check");
    for request in 3..=4 {
        assert!(api.showed(request, "your message did not contain the token"), "request {request}");
    }
    assert_eq!(leftovers(&sandbox.state_dir()), Vec::<String>::new());
}

#[test]
fn an_answer_without_tools_and_an_answer_that_asks_are_not_blocked() {
    let talking = sandbox(ENFORCED);
    let api = MessagesApi::start(Script::new().reply("Hello.").reply("blocked"));
    assert_eq!(Client::new(&talking, &api).ask("say hello").text(), "Hello.");

    let asking = sandbox(ENFORCED);
    let api = MessagesApi::start(working().reply("Which of the two do you want?").reply("blocked"));
    assert_eq!(Client::new(&asking, &api).ask("do it").text(), "Which of the two do you want?");
}

#[test]
fn saying_hello_gives_the_same_result_with_and_without_the_hook() {
    let with = sandbox("stop-momentum: {enabled: true, enforce_ack: true}\n");
    let without = Sandbox::new();
    let results: Vec<_> = [&with, &without]
        .map(|sandbox| {
            let api = MessagesApi::start(Script::new().reply("Hello.").reply("more"));
            let run = Client::new(sandbox, &api).ask("say hello");
            run.outcome.assert_exit(0);
            (
                run.text().to_owned(),
                run.is_error(),
                run.result()["num_turns"].clone(),
                api.main_requests().len(),
            )
        })
        .into();
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0].0, "Hello.");
}

#[test]
fn a_headless_run_that_works_is_left_alone_unless_the_section_opts_in() {
    let sandbox = sandbox("stop-momentum: {enabled: true, enforce_ack: true}\n");
    let api = MessagesApi::start(working().reply("One.").reply("Two."));
    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "One.");
}

#[test]
fn in_the_terminal_a_stop_is_blocked_and_the_token_ends_the_turn() {
    let sandbox = sandbox("stop-momentum: {enabled: true, enforce_ack: true}\n");
    let api = MessagesApi::start(
        working().reply("Step one is done.").reply_with(acknowledge).reply("asked too often"),
    );

    let mut terminal = Client::new(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("do it");
    terminal.wait_for("Everything is done. ACK-");
    assert!(terminal.quit().success());

    assert_eq!(api.main_requests().len(), 3);
    assert!(api.showed(2, guidance()));
}
