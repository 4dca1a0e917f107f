//! What comes with the hooks: every command, skill and agent reaches the model with its text, and a command brings the
//! permissions for the lines it tells Claude to run, and no other.

use super::{install_plugin, tree};
use crate::registered::newest_result;
use crate::requirements_check::{client, write};
use crate::typing::{SOON, ready};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tests::messages_api::{MessagesApi, Reply, Script, ToolResult};
use tests::sandbox::{Level, Sandbox};
use tests::terminal::Key;

/// Each command: what is typed behind it, and how that is told.
const TYPED: [(&str, &str, &str); 3] = [
    ("pace", "history", "The user typed: `pace-maker history`"),
    ("pause", "list", "They typed: `pause-recorder list`"),
    ("req", "status", "The user typed: `req status`"),
];

/// What lines need beside the words that are allowed.
const WORDS: [(&str, &str); 2] = [("req check", "--bash \"echo hi\""), ("req docs", "start")];

/// A text of the plugin: what stands above it, by key, and the text itself.
struct Text {
    front: BTreeMap<String, String>,
    body: String,
}

impl Text {
    fn read(file: &PathBuf) -> Self {
        let text = fs::read_to_string(file).unwrap();
        let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        let pairs = front.lines().map(|line| line.split_once(": ").unwrap());
        let front = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        Self { front, body: body.to_owned() }
    }

    /// A line by which it is known again: the first that says something.
    fn first_line(&self) -> &str {
        self.body.lines().find(|line| !line.is_empty() && !line.contains("$ARGUMENTS")).unwrap()
    }

    /// The lines it allows, as they would be typed.
    fn allowed(&self) -> Vec<String> {
        let rules = self.front["allowed-tools"].split(", ");
        let line = |rule: &str| {
            let line = rule.strip_prefix("Bash(").unwrap().strip_suffix("*)").unwrap().trim();
            let words = WORDS.iter().find(|(with, _)| *with == line).map_or("", |(_, words)| words);
            format!("{line} {words}").trim().to_owned()
        };
        rules.map(line).collect()
    }
}

/// The texts in a folder of the plugin, by their names.
fn texts(folder: &str) -> BTreeMap<String, Text> {
    let files = fs::read_dir(tree().join(folder)).unwrap().map(|file| file.unwrap().path());
    let text = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = if file.is_dir() { file.join("SKILL.md") } else { file };
        (name, Text::read(&file))
    };
    files.map(text).collect()
}

fn user() -> Sandbox {
    let sandbox = Sandbox::new();
    install_plugin(&sandbox);
    sandbox
}

/// Types the prompt, lets Claude run these lines where nothing is allowed, and returns what was shown first, and each result.
fn run(sandbox: &Sandbox, prompt: &str, lines: &[String]) -> (Vec<String>, Vec<ToolResult>) {
    let script = lines.iter().fold(Script::new(), |script, line| script.reply(Reply::bash(line)));
    let api = MessagesApi::start(script.reply("end"));
    client(sandbox, &api).allow(&[]).unset("CLAUDE_HOOK_STATE_DIR").ask(prompt).outcome.assert_exit(0);
    let requests = api.main_requests();
    (requests[0].shown_texts(), requests.last().unwrap().tool_results())
}

fn is_unpermitted(result: &ToolResult) -> bool {
    result.is_error && result.text.contains("approval")
}

#[test]
fn each_command_reaches_the_model_and_the_lines_it_names_need_no_question() {
    let commands = texts("commands");
    assert_eq!(commands.keys().map(String::as_str).collect::<Vec<_>>(), TYPED.map(|(name, ..)| name));
    for (name, words, told) in TYPED {
        let (sandbox, command) = (user(), &commands[name]);
        let mut lines = command.allowed();
        let (_, unasked) = run(&sandbox, "work", &lines);
        assert!(unasked.iter().all(is_unpermitted), "{name}: without the command: {unasked:#?}");

        lines.push("touch made".to_owned());
        let (shown, results) = run(&sandbox, &format!("/barbless:{name} {words}"), &lines);

        let all = [told, command.first_line()];
        assert!(all.iter().all(|part| shown.iter().any(|text| text.contains(part))), "{name}: {shown:#?}");
        let (other, own) = results.split_last().unwrap();
        for (line, result) in lines.iter().zip(own) {
            assert!(!is_unpermitted(result), "{name}: {line}: {result:?}");
        }
        assert!(is_unpermitted(other) && !sandbox.project().join("made").exists(), "{name}: {other:?}");
    }
}

#[test]
fn each_skill_reaches_the_model() {
    let skills = texts("skills");
    let call = |name| Reply::tool("Skill", json!({ "skill": format!("barbless:{name}") }));
    let script = skills.keys().fold(Script::new(), |script, name| script.reply(call(name)));
    let (sandbox, api) = (user(), MessagesApi::start(script.reply("end")));

    client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("work").outcome.assert_exit(0);

    let requests = api.main_requests();
    for (at, (name, skill)) in skills.iter().enumerate() {
        assert!(!requests[at].shows(skill.first_line()), "{name}");
        assert!(requests[at + 1].shows(skill.first_line()), "{name}: {:#?}", requests[at + 1].shown_texts());
    }
    assert_eq!(requests.len(), skills.len() + 1);
}

#[test]
fn each_agent_is_told_what_it_is_and_has_the_tools_it_names_alone() {
    let agents = texts("agents");
    let call = |name| {
        let input = json!({ "description": "a look", "prompt": format!("[[route:{name}]] look"),
            "subagent_type": format!("barbless:{name}"), "run_in_background": false });
        Reply::tool("Agent", input)
    };
    let script = agents.keys().fold(Script::new(), |script, name| {
        script.reply(call(name)).route(name, [Reply::text("I have looked.")])
    });
    let (sandbox, api) = (user(), MessagesApi::start(script.reply("end")));

    client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("work").outcome.assert_exit(0);

    for (name, agent) in &agents {
        let requests = api.marked_requests(name);
        let system = requests[0].body["system"].to_string();
        assert!(system.contains(agent.first_line()), "{name}: {system}");
        let named: Vec<&str> = agent.front["tools"].split(", ").collect();
        let tools = requests[0].tools();
        assert!(!tools.is_empty() && tools.iter().all(|tool| named.contains(tool)), "{name}: {tools:?}");
    }
    let results = api.main_requests().pop().unwrap().tool_results();
    assert!(results.iter().all(|result| result.text.contains("I have looked.")), "{results:#?}");
}

#[test]
fn a_skill_meets_the_requirement_that_names_it() {
    let sandbox = user();
    let adr = "adr_reviewed: {enabled: true, scope: branch, satisfied_by_skill: adr-review}";
    sandbox.requirements(Level::Project, &format!("requirements: {{{adr}}}\n"));
    let script = Script::new()
        .reply(write(&sandbox, "too-early.txt", ""))
        .reply(Reply::tool("Skill", json!({ "skill": "barbless:adr-review" })))
        .reply(write(&sandbox, "reviewed.txt", ""));
    let api = MessagesApi::start(script.reply("end"));

    client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR").ask("work").outcome.assert_exit(0);

    let requests = api.main_requests();
    assert!(newest_result(&requests[1]).text.contains("adr-review"), "{:?}", newest_result(&requests[1]));
    let files = ["too-early.txt", "reviewed.txt"].map(|file| sandbox.project().join(file).exists());
    assert_eq!(files, [false, true], "the skill has met it");
}

#[test]
fn what_is_typed_without_the_plugins_name_is_completed() {
    let (sandbox, api) = (Sandbox::new(), MessagesApi::start(Script::new().reply("it is met")));
    // It answers the client's first questions, which the client would ask again after a command of its own.
    let client = client(&sandbox, &api).unset("CLAUDE_HOOK_STATE_DIR");
    install_plugin(&sandbox);
    let mut terminal = ready(client);
    terminal.type_text("/req");
    terminal.wait_for_within("/barbless:req", SOON);
    terminal.press(Key::Tab);
    terminal.wait_for_within("❯\u{a0}/barbless:req", SOON);
    terminal.type_text("status");
    terminal.press(Key::Enter);
    terminal.wait_for_within("it is met", SOON);
    assert!(api.showed(0, "The user typed: `req status`"), "{:#?}", api.main_requests()[0].shown_texts());
    assert!(terminal.quit().success());
}
