//! The verbs of `req` that ask why, look at the configuration, loosen and pause, under the real client: what the user types
//! is answered without the model, and what loosens is the user's alone.

use super::{project, satisfactions};
use serde_json::Value;
use tests::messages_api::Reply;
use tests::sandbox::Level;
use tests::script;

const PLAN: &str = "requirements:
  commit_plan: {enabled: true}
";

#[test]
fn the_user_asks_why_pauses_resumes_and_disables_and_the_gate_follows() {
    let scene = project(PLAN);
    let new = |file: &str| scene.write(file, "new\n");
    let paused =
        script![new("one"), "it asks for a plan", new("two"), "now it went on", "the hooks are back"];
    let script = paused.reply(new("three")).reply("it asks again").reply(new("four")).reply("the end of it");

    let mut user = scene.user(script);
    user.asks("begin", "it asks for a plan");
    user.commands("req why", "Rule: requirements.commit_plan");
    user.terminal.wait_for("requirements.yaml:2 (project)");
    user.commands("req config requirements.commit_plan --sources", "# project, .claude/requirements.yaml:2");
    user.commands("req pause 10m", "every hook is off until");
    assert_eq!(user.requests().len(), 2, "no command reached the model");

    user.asks("go on", "now it went on");
    user.waits_for_end("now it went on");
    user.bangs("req resume", "the hooks are back");
    user.waits_for_end("the hooks are back");
    user.asks("and again", "it asks again");
    user.waits_for_end("it asks again");
    user.commands("req disable commit_plan --local", "requirements.commit_plan.enabled: false");
    user.asks("go on then", "the end of it");

    assert_eq!(user.outcomes(), ["denied", "ran", "denied", "ran"], "{:#?}", user.results());
    assert_eq!(user.requests().len(), 9);
    assert_eq!(scene.content(".claude/requirements.yaml"), PLAN);
}

#[test]
fn script_and_claude_loosen_nothing_and_get_the_line_for_the_user() {
    let scene = project(PLAN);
    let lines = [
        "req disable commit_plan --local",
        "req pause 10m",
        "req config set requirements.commit_plan.enabled false --local",
    ];
    let calls =
        lines.iter().fold(script![], |script, line| script.reply(Reply::bash(&format!("{line} 2>&1"))));

    let asked = scene.ask(lines[0], script![]);
    assert!(
        asked.text().contains("req: denied, because ") && asked.text().contains(lines[0]),
        "{}",
        asked.text()
    );
    let session = scene.ask("work", calls.reply(scene.write("new.txt", "new\n")).reply("end"));

    assert_eq!(session.outcomes(), ["failed", "failed", "failed", "denied"], "{:#?}", session.results());
    for (result, line) in session.results().iter().zip(lines) {
        assert!(result.text.contains("req: denied, because ") && result.text.contains(line), "{result:?}");
    }
    assert!(!scene.sandbox.requirements_path(Level::Local).exists() && !scene.state("OFF").exists());
    assert_eq!(satisfactions(&scene), [] as [Value; 0]);
}
