//! delegation-guard under the real client: what is refused, what runs, and what the model was told.

use crate::registered::{background_agent, journal, newest_result, ran, sandbox, touch};
use tests::client::{CLIENT_VERSION, Client};
use tests::messages_api::{MessagesApi, Reply, Script};

/// On in `-p` too, because a run with nobody watching is what most of these tests can drive.
const ON: &str = "delegation-guard: {enabled: true, headless: true}\n";

const DENIAL: &str = "delegation-guard refused this call once";
const REMINDER: &str = "delegation-guard (reminder)";

fn advice(streak: u32) -> String {
    format!("delegation-guard (advice at streak {streak})")
}

#[test]
fn the_first_call_of_ones_own_is_refused_once_and_the_model_reads_why() {
    let sandbox = sandbox(
        &["delegation-guard"],
        "delegation-guard:\n  enabled: true\n  headless: true\n  first_call: deny\n",
    );
    let api = MessagesApi::start(Script::new().reply(touch("one")).reply(touch("two")).reply("end"));

    let run = Client::new(&sandbox, &api).ask("do it");

    assert_eq!(run.text(), "end");
    let requests = api.main_requests();
    let refused = newest_result(&requests[1]);
    assert!(refused.is_error && refused.text.contains(DENIAL), "{refused:?}");
    assert!(refused.text.contains("requirements.yaml:4"), "it says where it is set: {refused:?}");
    assert!(!newest_result(&requests[2]).is_error);
    assert_eq!(ran(&sandbox), ["two"]);
}

#[test]
fn a_delegation_arms_it_again_and_the_subagent_works_in_peace() {
    let sandbox = sandbox(&["delegation-guard"], ON);
    let script = Script::new()
        .reply(touch("refused-1"))
        .reply(touch("ran-1"))
        .reply(Reply::agent("sub", "the task"))
        .reply(touch("refused-2"))
        .reply(touch("ran-2"))
        .reply("end")
        .route("sub", [touch("sub-1"), touch("sub-2"), touch("sub-3"), Reply::text("done")]);
    let api = MessagesApi::start(script);

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    assert_eq!(ran(&sandbox), ["ran-1", "ran-2", "sub-1", "sub-2", "sub-3"]);
    for request in api.marked_requests("sub") {
        assert!(!request.shows("delegation-guard"), "{:?}", request.shown_texts());
    }
    assert_eq!(api.main_requests().last().unwrap().count(DENIAL), 2);
}

#[test]
fn while_a_subagent_works_in_the_background_the_main_session_stays_guarded() {
    let sandbox = sandbox(&["delegation-guard"], ON);
    let script = Script::new()
        .reply(background_agent("sub"))
        .reply(touch("refused"))
        .reply(touch("main-ran"))
        .reply("waiting")
        .reply("woken")
        // It is in the middle of its work while the main session makes both calls.
        .route(
            "sub",
            [
                touch("sub-began"),
                Reply::bash("until test -e main-ran; do sleep 0.05; done"),
                touch("sub-1"),
                Reply::text("done"),
            ],
        );
    let api = MessagesApi::start(script);

    Client::new(&sandbox, &api).ask("do it").outcome.assert_exit(0);

    assert_eq!(ran(&sandbox), ["main-ran", "sub-1", "sub-began"]);
    assert!(newest_result(&api.main_requests()[2]).text.contains(DENIAL));
    for request in api.marked_requests("sub") {
        assert!(!request.shows("delegation-guard"), "{:?}", request.shown_texts());
    }
}

#[test]
fn advice_at_doublings_and_a_reminder_at_every_fifth_call_never_close_to_it() {
    let sandbox = sandbox(&["delegation-guard"], ON);
    let calls = (0..=15).fold(Script::new(), |script, call| script.reply(touch(&format!("call-{call}"))));
    let api = MessagesApi::start(calls.reply("end"));

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    assert_eq!(ran(&sandbox).len(), 15, "all but the refused one");
    let requests = api.main_requests();
    // Request n is made after call n - 1, whose streak is n - 1.
    let new_in = |text: &str| -> Vec<usize> {
        let counts: Vec<usize> = requests.iter().map(|request| request.count(text)).collect();
        (1..counts.len())
            .filter(|&request| counts[request] > counts[request - 1])
            .map(|request| request - 1)
            .collect()
    };
    for streak in [2, 4, 8] {
        assert_eq!(new_in(&advice(streak)), [streak as usize], "{streak}");
    }
    assert_eq!(new_in("delegation-guard (advice").len(), 3);
    // The fifth and the tenth come within five calls after an advice.
    assert_eq!(new_in(REMINDER), [15]);
}

#[test]
fn of_parallel_first_calls_exactly_one_is_refused() {
    let sandbox = sandbox(&["delegation-guard"], ON);
    let calls = (1..6).fold(touch("call-0"), |reply, call| {
        reply.and_tool(
            "Bash",
            serde_json::json!({ "command": format!("touch call-{call}"), "description": "x" }),
        )
    });
    let api = MessagesApi::start(Script::new().reply(calls).reply("end"));

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    assert_eq!(ran(&sandbox).len(), 5);
    assert_eq!(api.main_requests()[1].count(DENIAL), 1);
}

#[test]
fn a_run_that_nobody_watches_is_left_alone_unless_the_section_opts_in() {
    let sandbox = sandbox(&["delegation-guard"], "delegation-guard: {enabled: true}\n");
    let api = MessagesApi::start(Script::new().reply(touch("one")).reply(touch("two")).reply("end"));

    assert_eq!(Client::new(&sandbox, &api).ask("do it").text(), "end");

    assert_eq!(ran(&sandbox), ["one", "two"]);
    assert!(!api.main_requests()[2].shows("delegation-guard"));
}

#[test]
fn in_the_terminal_the_first_call_is_refused_too() {
    let sandbox = sandbox(&["delegation-guard"], "delegation-guard: {enabled: true}\n");
    let api =
        MessagesApi::start(Script::new().reply(touch("one")).reply(touch("two")).reply("all at its end"));

    let mut terminal = Client::new(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("do it");
    terminal.wait_for("all at its end");
    assert!(terminal.quit().success());

    assert_eq!(ran(&sandbox), ["two"]);
    assert!(journal(&sandbox).contains(r#""what":"deny""#));
}
