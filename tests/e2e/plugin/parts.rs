//! What comes with the hooks: every command, skill and agent reaches the model with its text, and a command brings the
//! permissions for the lines it tells Claude to run, and no other.

use super::{install_plugin, tree};
use crate::scene::{Scene, names};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use tests::messages_api::{Reply, ToolResult};
use tests::script;
use tests::terminal::Key;

/// Each command: what is typed behind it, and how that is told.
const TYPED: [(&str, &str, &str); 3] = [
    ("pace", "history", "The user typed: `pace-maker history`"),
    ("pause", "list", "They typed: `pause-recorder list`"),
    ("req", "status", "The user typed: `req status`"),
];

/// What lines need beside the words that are allowed.
const WORDS: [(&str, &str); 2] = [("req check", "--bash \"echo hi\""), ("req docs", "start")];

/// A text of the plugin: what stands above it, by key, and the line by which it is known again: the first that says something.
struct Text {
    front: BTreeMap<String, String>,
    first_line: String,
}

/// A text of the plugin.
fn text(file: &str) -> Text {
    let text = fs::read_to_string(tree().join(file)).unwrap();
    let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let pairs = front.lines().map(|line| line.split_once(": ").unwrap());
    let front = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let mut lines = body.lines().filter(|line| !line.is_empty() && !line.contains("$ARGUMENTS"));
    Text { front, first_line: lines.next().unwrap().to_owned() }
}

/// The lines that a command allows, as they would be typed.
fn allowed(command: &Text) -> Vec<String> {
    let line = |rule: &str| {
        let line = rule.strip_prefix("Bash(").unwrap().strip_suffix("*)").unwrap().trim();
        let words = WORDS.iter().find(|(with, _)| *with == line).map_or("", |(_, words)| words);
        format!("{line} {words}").trim().to_owned()
    };
    command.front["allowed-tools"].split(", ").map(line).collect()
}

fn user() -> Scene {
    let scene = Scene::new();
    install_plugin(&scene);
    scene
}

fn is_unpermitted(result: &ToolResult) -> bool {
    result.is_error && result.text.contains("approval")
}

#[test]
fn each_command_reaches_the_model_and_the_lines_it_names_need_no_question() {
    let commands = names(&tree().join("commands"));
    assert_eq!(commands, TYPED.map(|(name, ..)| format!("{name}.md")));
    for (name, words, told) in TYPED {
        let (scene, command) = (user(), text(&format!("commands/{name}.md")));
        let lines = allowed(&command);
        let calls = || lines.iter().fold(script![], |script, line| script.reply(Reply::bash(line)));
        let unasked = scene.ask_as("work", calls().reply("end"), |client| client.allow(""));
        assert!(unasked.results().iter().all(is_unpermitted), "{name}: without the command");

        let script = calls().reply(Reply::bash("touch made")).reply("end");
        let prompt = format!("/barbless:{name} {words}");
        let session = scene.ask_as(&prompt, script, |client| client.allow(""));

        let first = &session.requests()[0];
        assert!(first.shows(told) && first.shows(&command.first_line), "{name}: {:#?}", first.shown_texts());
        let results = session.results();
        let (other, own) = results.split_last().unwrap();
        assert!(own.iter().all(|result| !is_unpermitted(result)), "{name}: {lines:?} {own:#?}");
        assert!(is_unpermitted(other) && scene.files().is_empty(), "{name}: {other:?}");
    }
}

#[test]
fn each_skill_and_each_agent_reaches_the_model() {
    let (skills, agents) = (names(&tree().join("skills")), names(&tree().join("agents")));
    let agents: Vec<&str> = agents.iter().map(|file| file.strip_suffix(".md").unwrap()).collect();
    let mut script = script![];
    for name in &skills {
        script = script.reply(Reply::tool("Skill", &json!({ "skill": format!("barbless:{name}") })));
    }
    for name in &agents {
        script = script
            .reply(Reply::agent_of(&format!("barbless:{name}"), name, false))
            .agent(name, ["I looked."]);
    }

    let session = user().ask("work", script.reply("end"));

    let requests = session.requests();
    for (at, name) in skills.iter().enumerate() {
        let line = text(&format!("skills/{name}/SKILL.md")).first_line;
        assert!(!requests[at].shows(&line) && requests[at + 1].shows(&line), "{name}");
    }
    for name in agents {
        let (agent, asked) = (text(&format!("agents/{name}.md")), session.of_agent(name));
        assert!(asked[0].body["system"].to_string().contains(&agent.first_line), "{name}");
        let (named, tools) = (agent.front["tools"].split(", ").collect::<Vec<_>>(), asked[0].tools());
        assert!(!tools.is_empty() && tools.iter().all(|tool| named.contains(tool)), "{name}: {tools:?}");
    }
    assert_eq!(session.last().count("I looked."), names(&tree().join("agents")).len());
}

#[test]
fn claude_finds_its_programs_and_a_command_typed_without_the_plugins_name_is_completed() {
    let scene = user().in_project("requirements: {commit_plan: {enabled: true}}\n");
    let session =
        scene.ask("work", script![Reply::bash("req status"), Reply::bash("credit-pacer status"), "end"]);
    assert_eq!(session.outcomes(), ["ran", "ran"], "{:?}", session.results());
    assert!(session.results()[0].text.contains("commit_plan"));

    // `claude plugin` has left no answers to the client's first questions.
    fs::remove_file(scene.sandbox.home().join(".claude.json")).unwrap();
    let mut user = scene.user(script!["it is met"]);
    user.terminal.type_text("/req");
    user.terminal.wait_for("/barbless:req");
    user.terminal.press(Key::Tab);
    user.terminal.wait_for("❯\u{a0}/barbless:req");
    user.terminal.type_text("status");
    user.terminal.press(Key::Enter);
    user.terminal.wait_for("it is met");
    assert!(user.last().shows("The user typed: `req status`"), "{:#?}", user.last().shown_texts());
}
