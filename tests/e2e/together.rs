//! All hooks at once under the real client: no refusal is lost to another hook, and each text stands alone.

use crate::registered::{newest_result, ran, sandbox, settings, touch};
use std::fs;
use tests::client::Client;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::{Level, Sandbox};
use tests::settings::Hook;

const ALL: [&str; 3] = ["delegation-guard", "stop-momentum", "rate-awareness"];

/// Everything speaks where it can.
const LOUD: &str = "delegation-guard: {enabled: true, headless: true, first_call: deny}
stop-momentum: {enabled: true, headless: true}
rate-awareness: {headless: true, audience: both, global_default: {capacity: 1, refill_per_sec: 0}}
";

#[test]
fn a_refusal_wins_over_advice_and_over_a_hook_that_allows() {
    let sandbox = Sandbox::new();
    let allow = Hook::shell(
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"fine"}}'"#,
    );
    sandbox.settings(Level::User, &settings(&ALL).hook("PreToolUse", &allow).json());
    sandbox.requirements(Level::User, LOUD);
    let script = Script::new()
        .reply(touch("refused"))
        .reply(touch("ran"))
        .reply(Reply::agent("sub", "the task"))
        .reply(touch("refused-again"))
        .reply("One.")
        .reply("Two.")
        .route("sub", [touch("sub"), Reply::text("done")]);
    let api = MessagesApi::start(script);

    let run = Client::new(&sandbox, &api).ask("do it");

    assert_eq!(ran(&sandbox), ["ran", "sub"]);
    let requests = api.main_requests();
    for request in [1, 4] {
        let refused = newest_result(&requests[request]);
        assert!(refused.is_error && refused.text.contains("delegation-guard refused"), "{refused:?}");
    }
    assert!(requests[2].shows("rate-awareness"), "the second call is past the bucket and goes on");
    assert_eq!(run.text(), "Two.", "the stop was blocked once");
    assert!(requests[5].shows("stop-momentum: you are about to stop"));
}

#[test]
fn of_two_refusals_one_is_shown_and_says_all_that_is_needed() {
    let deny = LOUD.replace("audience: both", "mode: deny").replace("capacity: 1", "capacity: 2");
    let sandbox = sandbox(&ALL, &deny);
    // The first call is refused by the guard, the second runs, the third has no token and follows a delegation.
    let script = Script::new()
        .reply(touch("one"))
        .reply(Reply::agent("sub", "the task"))
        .reply(touch("two"))
        .reply("One.")
        .reply("Two.")
        .route("sub", [Reply::text("done")]);
    let api = MessagesApi::start(script);

    Client::new(&sandbox, &api).ask("do it").outcome.assert_exit(0);

    let refused = newest_result(&api.main_requests()[3]);
    let shown = ["delegation-guard refused", "rate-awareness"]
        .iter()
        .filter(|name| refused.text.contains(**name))
        .count();
    assert!(refused.is_error && shown == 1, "{refused:?}");
    assert!(refused.text.contains("requirements.yaml:"), "it says where it is set: {refused:?}");
    assert_eq!(ran(&sandbox), [""; 0]);
    let journal = fs::read_to_string(sandbox.state_dir().join("journal.jsonl")).unwrap();
    assert_eq!(journal.matches(r#""what":"deny""#).count(), 3, "both are in the journal: {journal}");
}
