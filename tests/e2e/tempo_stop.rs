//! tempo-stop under the real client: which stops are held with what, which are let go, and which are worth a question.

use crate::judging::{self, Asked, approved, ask, assert_unpaid_in_one_of_five, hanging, part, questions};
use crate::registered::{background_agent, journal, ran, touch};
use serde_json::json;
use std::time::{Duration, Instant};
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Recorded, Reply, Script};
use tests::sandbox::{Level, Sandbox};

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
fn one_acknowledgement_is_enough_with_stop_momentum_beside_it() {
    let section = format!("{ON}stop-momentum: {{enabled: true, headless: true, enforce_ack: true}}\n");
    let sandbox = judging::sandbox(&["tempo-stop", "stop-momentum"], "", &section);
    let acknowledges = |request: &Recorded| {
        let texts = request.shown_texts().join("\n");
        let token = texts.rfind("ACK-").map_or("", |at| &texts[at..at + 8]);
        says(&format!("One file is there, and that is all. {token}"))
    };
    let script = working().reply(says("One file is there.")).reply_with(acknowledges);
    let script = script.reply(touch("two")).reply(says("Both are there.")).reply("more");

    let asked = ask(&sandbox, PROMPT, script.judge(blocked()).judge(approved()));

    assert_eq!(asked.run.text(), "Both are there.");
    assert_eq!(asked.judged().len(), 2, "the first stop was the other hook's");
    let journal = journal(&sandbox);
    assert_eq!(journal.matches("another hook blocks this stop").count(), 1, "{journal}");
    assert_eq!(journal.matches("acknowledged before in this prompt").count(), 1, "{journal}");
}

#[test]
fn the_session_hears_at_its_start_that_its_work_is_compared() {
    let asked = ask(&project(ON), PROMPT, Script::new().reply("Hello."));
    assert_eq!(asked.last().count("tempo-stop: when you end a turn in which you worked"), 1);
}

#[test]
fn a_prompts_stop_is_held_three_times_at_most() {
    let sandbox = project(ON);
    let script = ["One.", "Two.", "Three.", "Four.", "Five."].into_iter().fold(working(), Script::reply);

    let asked = ask(&sandbox, PROMPT, script.judge(blocked()));

    assert_eq!(asked.run.text(), "Four.");
    assert_eq!((held(&asked), asked.judged().len()), (3, 3));
    assert!(journal(&sandbox).contains("held often enough for this prompt"), "{}", journal(&sandbox));
}

/// A stop that no model is asked about, and that ends the turn.
#[track_caller]
fn check_let_go(what: &str, section: &str, script: Script, last: &str, reason: &str) {
    let sandbox = project(section);
    let asked = ask(&sandbox, PROMPT, script.reply("held").judge(blocked()));
    assert_eq!(asked.run.text(), last, "{what}");
    assert_eq!(asked.judged().len(), 0, "{what}: it costs nothing");
    assert_eq!(held(&asked), 0, "{what}");
    assert!(journal(&sandbox).contains(reason), "{what}: {}", journal(&sandbox));
}

#[test]
fn stops_that_are_not_worth_a_question_cost_none() {
    let asking = "One file is there. Which name shall the second one have?";
    check_let_go("no tool", ON, Script::new().reply("Hello."), "Hello.", "the turn made no tool call");
    check_let_go("a question", ON, working().reply(asking), asking, "the last message ends in a question");
    let auto = "tempo-stop: {enabled: true, headless: true, mode: auto}\n";
    check_let_go("nobody is away", auto, working().reply("One."), "One.", "the user is not away");
    let off = "tempo-stop: {enabled: true, headless: true, mode: off}\n";
    check_let_go("off", off, working().reply("One."), "One.", "the mode is off");
    check_let_go("nobody watches", "tempo-stop: {enabled: true}\n", working().reply("One."), "One.", "");
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

struct Case {
    judge: Reply,
    requests: usize,
    why: &'static str,
}

#[test]
fn a_judge_that_gives_no_verdict_holds_no_stop_and_the_user_hears_of_it_once() {
    let error = |status, kind| Reply::error(status, kind, "scripted");
    for (what, deadline_secs, case) in [
        (
            "429",
            5,
            Case { judge: error(429, "rate_limit_error"), requests: 2, why: "the model is limited for now" },
        ),
        (
            "529",
            5,
            Case { judge: error(529, "overloaded_error"), requests: 2, why: "the model is overloaded" },
        ),
        (
            "401",
            5,
            Case {
                judge: error(401, "authentication_error"),
                requests: 1,
                why: "the key or the login is refused",
            },
        ),
        (
            "nonsense",
            5,
            Case { judge: Reply::text("BLOCKED"), requests: 2, why: "the model's answer is no verdict" },
        ),
        ("hanging", 1, Case { judge: hanging(), requests: 1, why: "the model did not answer in time" }),
    ] {
        let sandbox = judging::sandbox(&["tempo-stop"], &format!("deadline_secs: {deadline_secs}"), ON);
        let asked = ask(&sandbox, PROMPT, working().reply("One.").reply("held").judge(case.judge));
        assert_eq!(asked.run.text(), "One.", "{what}");
        assert_eq!(asked.judged().len(), case.requests, "{what}");
        assert_eq!(questions(&sandbox), vec![format!("stop: {}", case.why); case.requests], "{what}");
        let told = format!("gave no verdict: {}; turns end unjudged", case.why);
        assert_eq!(asked.told(&sandbox, &told), 1, "{what}");
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
fn in_the_terminal_somebody_who_has_just_typed_is_there() {
    let section = "tempo-stop: {enabled: true, mode: auto}\n";
    let api = in_the_terminal(section, working().reply("One file.").judge(blocked()), "One file.");
    assert_eq!((api.judge_requests().len(), api.main_requests().len()), (0, 2));
    let away = "tempo-stop: {enabled: true, mode: auto, away_secs: 1}\n";
    let script = Script::new().reply(Reply::bash("sleep 1.5")).reply("One file.").reply("Both files.");
    let api = in_the_terminal(away, script.judge(blocked()).judge(approved()), "Both files.");
    assert_eq!(api.judge_requests().len(), 2, "who has typed nothing for a second is away");
}

#[test]
fn in_the_terminal_the_user_reads_why_a_stop_went_unjudged() {
    let section = "tempo-stop: {enabled: true}\n";
    let overloaded = Reply::error(529, "overloaded_error", "scripted");
    let told = "gave no verdict: the model is overloaded; turns end unjudged";
    let api = in_the_terminal(section, working().reply("One file.").judge(overloaded), told);
    assert_eq!(api.main_requests().len(), 2);
}

#[test]
fn nobody_is_asked_where_no_way_to_a_model_is_chosen() {
    let sandbox = project(ON);
    sandbox.requirements(Level::User, ON);
    let asked = ask(&sandbox, PROMPT, working().reply("One.").reply("held").judge(blocked()));
    assert_eq!(asked.run.text(), "One.");
    assert!(asked.judged().is_empty());
    assert_eq!(asked.told(&sandbox, "no backend is chosen"), 1);
}
