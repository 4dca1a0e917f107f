//! Stops under the real client: what holds one, once, and what never does.

use super::{Obeying, client, outcomes, project, read, results, to_pass, write};
use crate::registered::{journal, settings};
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Recorded, Reply, Script};
use tests::recording::{self, Behaviour, Recorder};
use tests::sandbox::{Level, Sandbox};

/// An edit makes the tests due; a plan is needed before the first one, where the plan is asked for.
const TESTS_GREEN: &str =
    "requirements: {tests_green: {enabled: true, type: evidence, command: ./run-tests, paths: [src/**]}}\n";
const HEADLESS: &str = "requirements-check: {headless: true}\n";

/// How a stop is held.
const HELD: &str = "Stop hook feedback:\nrequirements-check: ";

fn tested_project(more: &str) -> Sandbox {
    let sandbox = project(&format!("{TESTS_GREEN}{more}"));
    let tests = sandbox.write("run-tests", "#!/bin/sh\ntest -d src\n");
    fs::set_permissions(tests, fs::Permissions::from_mode(0o755)).unwrap();
    sandbox
}

fn code(sandbox: &Sandbox) -> Reply {
    write(sandbox, "src/code.txt", "new\n")
}

/// So often a stop was held, as the request shows it.
fn held(request: &Recorded) -> usize {
    request.shown_texts().iter().filter(|text| text.starts_with(HELD)).count()
}

#[track_caller]
fn last(api: &MessagesApi) -> std::sync::Arc<Recorded> {
    api.main_requests().pop().expect("the model was asked")
}

#[test]
fn a_stop_with_untested_edits_is_held_once_per_prompt() {
    let sandbox = tested_project(HEADLESS);
    let api =
        MessagesApi::start(Script::new().reply(code(&sandbox)).reply("One.").reply("Two.").reply("Three."));

    assert_eq!(client(&sandbox, &api).ask("work").text(), "Two.");

    assert_eq!(held(&last(&api)), 1, "{:#?}", last(&api).shown_texts());
    let journal = journal(&sandbox);
    assert_eq!(journal.matches(r#""what":"block""#).count(), 1, "{journal}");
}

#[test]
fn the_line_it_names_ends_the_matter() {
    let sandbox = tested_project(HEADLESS);
    let script =
        Script::new().reply(code(&sandbox)).reply("One.").obey(to_pass).reply("Two.").reply("Three.");
    let api = MessagesApi::start(script);

    let run = client(&sandbox, &api).ask("work");
    assert_eq!(run.text(), "Two.");
    let more =
        MessagesApi::start(Script::new().reply(read(&sandbox, "notes.txt")).reply("Four.").reply("Five."));
    let again = client(&sandbox, &more).args(&["--resume", run.session_id()]).ask("and read the notes");

    assert_eq!(again.text(), "Four.", "what was tested stays tested");
    assert_eq!((held(&last(&api)), outcomes(&api)), (1, vec!["ran", "ran"]));
}

#[test]
fn in_the_terminal_it_is_held_without_opting_in() {
    let sandbox = tested_project("");
    let script = Script::new()
        .reply(code(&sandbox))
        .reply("Step one is there.")
        .obey(to_pass)
        .reply("And it is tested.");
    let api = MessagesApi::start(script);

    let mut terminal = client(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    terminal.enter("work");
    terminal.wait_for("And it is tested.");
    assert!(terminal.quit().success());

    assert_eq!(
        (held(&last(&api)), outcomes(&api)),
        (1, vec!["ran", "ran"]),
        "{:#?}",
        last(&api).shown_texts()
    );
}

#[test]
fn of_three_that_hold_a_stop_at_once_each_is_heard_and_it_ends() {
    let sandbox = tested_project(HEADLESS);
    sandbox.requirements(Level::User, "stop-momentum: {enabled: true, headless: true}\n");
    let recorder = Recorder::new(&sandbox);
    let block = recording::Reply::stdout(json!({ "decision": "block", "reason": "a foreign reason" }));
    let foreign = recorder.hook("foreign", Behaviour::replying([block, recording::Reply::silent()]));
    let ours = settings(&["requirements-check", "stop-momentum"]);
    sandbox.settings(Level::User, &ours.hook("Stop", &foreign).json());
    let script =
        Script::new().reply(code(&sandbox)).reply("One.").obey(to_pass).reply("Two.").reply("Three.");
    let api = MessagesApi::start(script);

    assert_eq!(client(&sandbox, &api).ask("work").text(), "Two.");

    let shown = last(&api).shown_texts();
    let reasons: Vec<&str> =
        shown.iter().filter_map(|text| text.strip_prefix("Stop hook feedback:\n")).collect();
    assert_eq!(reasons.len(), 3, "{shown:#?}");
    for start in ["requirements-check: ", "stop-momentum: ", "a foreign reason"] {
        assert!(reasons.iter().any(|reason| reason.starts_with(start)), "{start} is not in {reasons:#?}");
    }
    let ours = reasons.iter().find(|reason| reason.starts_with("requirements-check: ")).unwrap();
    assert!(ours.contains("tests_green") && to_pass(ours) == Some("./run-tests"), "{ours}");
    assert_eq!(outcomes(&api), ["ran", "ran"], "{:#?}", results(&api));
}
