//! All hooks at once under the real client: no refusal is lost to another hook, and each text stands alone.

use crate::registered::{installed, newest_result, ran, sandbox, settings, touch};
use crate::requirements_check::{HOOKS, client, write};
use std::fs;
use tests::client::Client;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::{Level, Sandbox};
use tests::settings::Hook;

const ALL: [&str; 4] = ["delegation-guard", "stop-momentum", "rate-awareness", "requirements-check"];

/// Everything speaks where it can.
const LOUD: &str = "delegation-guard: {enabled: true, headless: true, first_call: deny}
stop-momentum: {enabled: true, headless: true}
rate-awareness: {headless: true, audience: both, global_default: {capacity: 1, refill_per_sec: 0}}
requirements-check: {headless: true}
requirements:
  plan: {enabled: true}
  tests: {enabled: true, type: evidence, command: ./run-tests}
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
        .reply(Reply::bash("echo words >ran"))
        .reply(write(&sandbox, "unplanned", ""))
        .reply(Reply::agent("sub", "the task"))
        .reply(touch("refused-again"))
        .reply("One.")
        .reply("Two.")
        .route("sub", [touch("sub"), Reply::text("done")]);
    let api = MessagesApi::start(script);

    let run = Client::new(&sandbox, &api).ask("do it");

    assert_eq!(ran(&sandbox), ["ran", "sub"]);
    let requests = api.main_requests();
    let refusals =
        [(1, "delegation-guard refused"), (3, "requirements-check: Write"), (5, "delegation-guard refused")];
    for (request, who) in refusals {
        let refused = newest_result(&requests[request]);
        assert!(refused.is_error && refused.text.contains(who), "{refused:?}");
    }
    assert!(requests[2].shows("rate-awareness"), "the second call is past the bucket and goes on");
    assert_eq!(run.text(), "Two.", "the stop was blocked once");
    for who in ["stop-momentum: you are about to stop", "requirements-check: "] {
        assert!(
            requests[6].shows(&format!("Stop hook feedback:\n{who}")),
            "{who}: {:#?}",
            requests[6].shown_texts()
        );
    }
}

#[test]
fn of_three_refusals_one_is_shown_and_says_all_that_is_needed() {
    let deny = LOUD.replace("audience: both", "mode: deny").replace("capacity: 1", "capacity: 2");
    let sandbox = sandbox(&ALL, &deny);
    // The first call is refused by the guard, the second runs, the third has no token, no plan, and follows a delegation.
    let script = Script::new()
        .reply(touch("one"))
        .reply(Reply::agent("sub", "the task"))
        .reply(write(&sandbox, "two", ""))
        .reply("One.")
        .reply("Two.")
        .route("sub", [Reply::text("done")]);
    let api = MessagesApi::start(script);

    Client::new(&sandbox, &api).ask("do it").outcome.assert_exit(0);

    let refused = newest_result(&api.main_requests()[3]);
    let shown = ["delegation-guard refused", "rate-awareness", "requirements-check: "]
        .iter()
        .filter(|name| refused.text.contains(**name))
        .count();
    assert!(refused.is_error && shown == 1, "{refused:?}");
    assert!(refused.text.contains("requirements.yaml:"), "it says where it is set: {refused:?}");
    assert_eq!(ran(&sandbox), [""; 0]);
    let journal = fs::read_to_string(sandbox.state_dir().join("journal.jsonl")).unwrap();
    assert_eq!(journal.matches(r#""what":"deny""#).count(), 4, "all three are in the journal: {journal}");
}

#[test]
fn no_other_hook_closes_the_way_out_of_a_requirement_or_counts_it() {
    let deny = LOUD.replace("audience: both", "mode: deny").replace("capacity: 1", "capacity: 2");
    let sandbox = installed(&ALL, HOOKS, &deny);
    let script = Script::new()
        .reply(Reply::bash("req satisfy plan"))
        .reply(Reply::bash("req status --summary"))
        .reply(write(&sandbox, "refused", ""))
        .reply(write(&sandbox, "ran", ""))
        .reply(write(&sandbox, "too-many", ""))
        .reply("One.")
        .reply("Two.");
    let api = MessagesApi::start(script);

    assert_eq!(client(&sandbox, &api).ask("do it").text(), "Two.");

    let results = api.main_requests().pop().unwrap().tool_results();
    let texts: Vec<_> = results.iter().map(|result| (result.is_error, result.text.as_str())).collect();
    let expected =
        ["satisfied: plan", "1 of 2 satisfied", "delegation-guard refused", "created", "rate-awareness"];
    for ((is_error, text), (expected, refused)) in
        texts.iter().zip(expected.iter().zip([false, false, true, false, true]))
    {
        assert!(text.contains(expected) && *is_error == refused, "{expected} is not in {texts:#?}");
    }
    assert_eq!(ran(&sandbox), ["ran"]);
}
