//! The verbs of `req` that ask why, look at the configuration, loosen and pause, under the real client: what the user types
//! is answered without the model, and what loosens is the user's alone.

use super::{client, command, content, marks, outcomes, project, results, write};
use serde_json::json;
use tests::client::CLIENT_VERSION;
use tests::messages_api::{MessagesApi, Reply, Script};
use tests::sandbox::Level;
use tests::terminal::{DEADLINE, Key, Terminal};

const PLAN: &str = "requirements:
  commit_plan: {enabled: true}
";

/// Types a prompt and waits for the end of the turn: a command of ours typed before may be answered unseen.
#[track_caller]
fn turn(terminal: &mut Terminal, prompt: &str, answer: &str) {
    terminal.enter(prompt);
    wait_for_end(terminal, answer);
}

/// Waits for an answer and the line below it that says that the turn is over.
#[track_caller]
fn wait_for_end(terminal: &Terminal, answer: &str) {
    terminal.wait_until(&format!("the end of a turn after `{answer}`"), DEADLINE, |screen| {
        screen.rsplit_once(answer).is_some_and(|(_, below)| below.contains(" · done "))
    });
}

/// Types a command behind `!`, which the client runs in its shell.
#[track_caller]
fn bang(terminal: &mut Terminal, line: &str, answer: &str) {
    terminal.type_text("!");
    terminal.wait_for("! for shell mode");
    terminal.type_text(line);
    terminal.wait_for(line);
    terminal.press(Key::Enter);
    wait_for_end(terminal, answer);
}

#[test]
fn the_user_asks_why_pauses_resumes_and_disables_and_the_gate_follows() {
    let sandbox = project(PLAN);
    let try_it = |file: &str| write(&sandbox, file, "new\n");
    let script = Script::new().reply(try_it("one")).reply("it asks for a plan");
    let script = script.reply(try_it("two")).reply("now it went on");
    let script = script.reply("the hooks are back").reply(try_it("three")).reply("it asks again");
    let api = MessagesApi::start(script.reply(try_it("four")).reply("the end of it"));

    let mut terminal = client(&sandbox, &api).terminal();
    terminal.wait_for(CLIENT_VERSION.trim());
    turn(&mut terminal, "begin", "it asks for a plan");
    command(&mut terminal, "req why", "Rule: requirements.commit_plan");
    terminal.wait_for("requirements.yaml:2 (project)");
    command(
        &mut terminal,
        "req config requirements.commit_plan --sources",
        "# project, .claude/requirements.yaml:2",
    );
    command(&mut terminal, "req pause 10m", "every hook is off until");
    assert_eq!(api.main_requests().len(), 2, "no command reached the model");

    turn(&mut terminal, "go on", "now it went on");
    bang(&mut terminal, "req resume", "the hooks are back");
    turn(&mut terminal, "and again", "it asks again");
    command(&mut terminal, "req disable commit_plan --local", "requirements.commit_plan.enabled: false");
    turn(&mut terminal, "go on then", "the end of it");
    assert!(terminal.quit().success());

    assert_eq!(outcomes(&api), ["refused", "ran", "refused", "ran"], "{:#?}", results(&api));
    assert_eq!(
        ["one", "two", "three", "four"].map(|file| content(&sandbox, file)),
        ["", "new\n", "", "new\n"]
    );
    assert_eq!(api.main_requests().len(), 9);
    assert_eq!(content(&sandbox, ".claude/requirements.yaml"), PLAN);
}

#[test]
fn a_script_and_claude_loosen_nothing_and_are_told_the_line_for_the_user() {
    let sandbox = project(PLAN);
    let disable = "req disable commit_plan --local";
    let script = Script::new()
        .reply(Reply::bash(&format!("{disable} 2>&1")))
        .reply(Reply::bash("req pause 10m 2>&1"))
        .reply(Reply::bash("req config set requirements.commit_plan.enabled false --local 2>&1"))
        .reply(write(&sandbox, "new.txt", "new\n"))
        .reply("end");
    let api = MessagesApi::start(script);

    let asked = client(&sandbox, &api).ask(disable);
    assert!(asked.text().contains("req: refused") && asked.text().contains(disable), "{}", asked.text());
    assert_eq!(client(&sandbox, &api).ask("work").text(), "end");

    let results = results(&api);
    assert_eq!(outcomes(&api), ["failed", "failed", "failed", "refused"], "{results:#?}");
    for (result, line) in results.iter().zip([
        disable,
        ": req pause 10m",
        "req config set requirements.commit_plan.enabled false --local",
    ]) {
        assert!(result.text.contains("req: refused") && result.text.contains(line), "{result:?}");
    }
    assert!(!sandbox.requirements_path(Level::Local).exists() && !sandbox.state_dir().join("OFF").exists());
    assert_eq!((content(&sandbox, "new.txt"), marks(&sandbox)), (String::new(), json!({})));
}
