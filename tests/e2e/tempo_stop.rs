//! tempo-stop under the real client: which stops are held with what, which are let go, and which are worth a question.

use crate::judging::{self, Asked, approved, ask, assert_unpaid_in_one_of_five, part, questions};
use crate::registered::{background_agent, journal, ran, touch};
use serde_json::json;
use std::time::{Duration, Instant};
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::Sandbox;

/// On in `-p` too, because a run with nobody watching is what most of these tests can drive.
const ON: &str = "tempo-stop: {enabled: true, headless: true}\n";

const PROMPT: &str = "Add the two files";

/// How a held stop begins.
const HELD: &str = "Stop hook feedback:\ntempo-stop: The second file is missing.";

const FEEDBACK: &str = "The second file is missing.";

fn project(section: &str) -> Sandbox {
    judging::sandbox(&["tempo-stop"], "", section)
}

fn blocked() -> Reply {
    Reply::json(&json!({ "verdict": "BLOCKED", "feedback": FEEDBACK }))
}

/// A turn that works: one call first, then the given answers.
fn working() -> Script {
    Script::new().reply(touch("one"))
}

/// Says it, as no model does at once: what the last call came to is on disk by then.
fn says(text: &str) -> Reply {
    Reply::text(text).after(Duration::from_millis(300))
}

/// So often a stop was held, as the last request shows it.
fn held(asked: &Asked) -> usize {
    asked.last().shown_texts().iter().filter(|text| text.starts_with(HELD)).count()
}

#[test]
fn a_stop_with_work_left_is_held_with_what_is_missing_and_then_let_go() {
    let sandbox = project(ON);
    let script = working().reply(says("One file is there."));
    let script = script.reply(touch("two")).reply(says("Both are there.")).reply("more");

    let asked = ask(&sandbox, PROMPT, script.judge(blocked()).judge(approved()));

    assert_eq!(asked.run.text(), "Both are there.");
    assert_eq!(ran(&sandbox), ["one", "two"]);
    assert_eq!(held(&asked), 1);
    let requests = asked.api.main_requests();
    assert!(!requests[1].shows(FEEDBACK) && requests[2].shows(FEEDBACK), "{:?}", requests[2].shown_texts());
    assert!(requests[2].shows("Go on with it now."));
    let judged = asked.judged();
    assert_eq!(judged.len(), 2);
    for (request, name, expected) in [
        (0, "requests", PROMPT),
        (0, "last_message", "One file is there."),
        (0, "deeds", "Bash touch one: ok"),
        (0, "state", "sent back for this request already: 0 times"),
        (1, "requests", PROMPT),
        (1, "last_message", "Both are there."),
        (1, "deeds", "Bash touch one: ok\nBash touch two: ok"),
        (1, "state", "sent back for this request already: 1 times"),
    ] {
        let shown = part(&judged[request], name);
        assert!(shown.contains(expected), "question {request}, {name}: `{expected}` is not in {shown}");
    }
    assert_eq!(judged[0].model(), "claude-haiku-5-5");
    assert_eq!(questions(&sandbox), ["stop: answered", "stop: answered"]);
}

#[test]
fn the_session_hears_at_its_start_that_its_work_is_compared() {
    let asked = ask(&project(ON), PROMPT, Script::new().reply("Hello."));
    assert_eq!(asked.last().count("tempo-stop: when you end a turn in which you worked"), 1);
}

#[test]
fn while_something_works_in_the_background_a_stop_is_let_go() {
    let sandbox = project(ON);
    let script = Script::new()
        .reply(background_agent("sub"))
        .reply("It works in the background.")
        .reply("All is done.")
        .route("sub", [Reply::bash("until test -e main-stopped; do sleep 0.05; done"), Reply::text("done")]);
    // The subagent goes on when the stop is through, which the second request for the main session shows, or the journal.
    let stopped = sandbox.project().join("main-stopped");
    let seen = sandbox.state_dir().join("journal.jsonl");
    let api = MessagesApi::start(script.judge(blocked()));
    let run = std::thread::scope(|scope| {
        let client = crate::requirements_check::client(&sandbox, &api);
        let run = scope.spawn(move || client.ask(PROMPT));
        let until = Instant::now() + Duration::from_secs(30);
        let is_through = || std::fs::read_to_string(&seen).unwrap_or_default().contains("in flight");
        while !is_through() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::write(&stopped, "").unwrap();
        run.join().unwrap()
    });
    run.outcome.assert_exit(0);
    assert!(journal(&sandbox).contains("background work or a wake-up is in flight"), "{}", journal(&sandbox));
    assert!(api.judge_requests().is_empty(), "{}", journal(&sandbox));
}

#[test]
fn a_stop_that_another_hook_holds_is_not_paid_for() {
    let section = format!("{ON}stop-momentum: {{enabled: true, headless: true}}\n");
    // Whichever the client starts first.
    for hooks in [["tempo-stop", "stop-momentum"], ["stop-momentum", "tempo-stop"]] {
        assert_unpaid_in_one_of_five(|| {
            let sandbox = judging::sandbox(&hooks, "", &section);
            let script = working().reply(says("One.")).reply(says("Two.")).reply("Three.");
            let asked = ask(&sandbox, PROMPT, script.judge(approved()));
            // stop-momentum holds the first one; of the second it has had enough.
            assert_eq!(asked.run.text(), "Two.", "{}", journal(&sandbox));
            let judged: Vec<_> = asked.judged().iter().map(|request| part(request, "last_message")).collect();
            assert_eq!(judged.last().map(String::as_str), Some("Two."), "{}", journal(&sandbox));
            (judged.len() > 1).then(|| journal(&sandbox))
        });
    }
}

/// In a terminal: the user types the prompt, and later sees these last words.
#[track_caller]
fn in_the_terminal(section: &str, script: Script, last: &str) -> MessagesApi {
    let sandbox = project(section);
    let api = MessagesApi::start(script);
    let mut terminal = crate::requirements_check::client(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter(PROMPT);
    terminal.wait_for(last);
    // What ends the turn is the end of its stop.
    terminal.wait_until_gone("comparing the work with the request", tests::terminal::DEADLINE);
    assert!(terminal.quit().success());
    api
}

#[test]
fn in_the_terminal_a_stop_is_held_too() {
    let script = working().reply("One file.").reply("Both files.").reply("more");
    let section = "tempo-stop: {enabled: true}\n";
    let api = in_the_terminal(section, script.judge(blocked()).judge(approved()), "Both files.");
    assert_eq!(api.judge_requests().len(), 2);
    assert!(api.showed(2, FEEDBACK));
}

#[test]
fn in_the_terminal_the_user_reads_why_a_stop_went_unjudged() {
    let section = "tempo-stop: {enabled: true}\n";
    let overloaded = Reply::error(529, "overloaded_error", "scripted");
    let told = "gave no verdict: the model is overloaded; turns end unjudged";
    let api = in_the_terminal(section, working().reply("One file.").judge(overloaded), told);
    assert_eq!(api.main_requests().len(), 2);
}
