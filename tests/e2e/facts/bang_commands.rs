//! Question 8: `!command` in the terminal. What hooks get to know of it, and what the command itself could find out.

use super::stage::{SOON, Stage, ready};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tests::messages_api::{Reply, Script};
use tests::terminal::{Key, Terminal};

/// Every event that a command, a prompt or a tool could run.
const EVENTS: [&str; 15] = [
    "ConfigChange",
    "CwdChanged",
    "Notification",
    "PermissionRequest",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCreated",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

#[test]
fn no_hook_runs_before_it_and_its_stop_has_a_prompt_id_nobody_announced() {
    let stage = Stage::new(Script::new().reply("first answer").reply("second answer")).recording(&EVENTS);

    let mut terminal = ready(stage.client());
    bang(&mut terminal, "echo shown; echo to-stderr >&2");
    stage.wait_for_ends("Stop", 1);
    terminal.enter("typed words");
    stage.wait_for_ends("Stop", 2);

    assert_eq!(stage.order(), ["Stop", "UserPromptSubmit", "Stop"]);
    let own = stage.inputs("Stop", "prompt_id").remove(0);
    assert!(own.is_string() && own != stage.inputs("UserPromptSubmit", "prompt_id")[0]);
    let request = &stage.api.main_requests()[0];
    let (input, output) = (
        "<bash-input>echo shown; echo to-stderr >&2</bash-input>",
        "<bash-stdout>shown\nto-stderr</bash-stdout><bash-stderr></bash-stderr>",
    );
    assert!(request.shows(input) && request.shows(output), "{:#?}", request.shown_texts());
    for content in [input, output] {
        let line = stage.user_line(content);
        assert_eq!(line["promptId"], own);
        assert_eq!([&line["isMeta"], &line["origin"], &line["promptSource"]], [&Value::Null; 3], "{line}");
    }
}

#[test]
fn the_command_sees_what_a_command_of_the_model_sees() {
    let probe =
        "env | grep -v -e ^_= -e ^SHLVL= | sort > $0; ps -o tty= -p $$ >> $0; (: < /dev/tty) 2>> $0; true";
    let command = |name: &str| format!("sh -c '{probe}' {name}");
    let script =
        Script::new().reply("first answer").reply(Reply::bash(&command("of-the-model"))).reply("end");
    let stage = Stage::new(script).recording(&["Stop"]);

    let mut terminal = ready(stage.client());
    bang(&mut terminal, &command("of-the-user"));
    stage.wait_for_ends("Stop", 1);
    terminal.enter("typed words");
    stage.wait_for_ends("Stop", 2);

    let seen = |name: &str| read(&stage.sandbox.project().join(name)).replace(name, "NAME");
    assert_eq!(seen("of-the-user"), seen("of-the-model"));
    let seen = seen("of-the-user");
    for line in ["CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_ENTRYPOINT=cli", "?"] {
        assert!(seen.lines().any(|own| own == line), "`{line}` is not in {seen}");
    }
    assert!(seen.contains("/dev/tty: No such device or address"), "{seen}");
    assert!(!seen.contains("CLAUDE_PROJECT_DIR="), "{seen}");
}

/// Types `!`, which turns the input line into one for commands, and the command.
fn bang(terminal: &mut Terminal, command: &str) {
    terminal.type_text("!");
    terminal.wait_for_within("! for shell mode", SOON);
    terminal.type_text(command);
    let tail: String = command.chars().skip(command.chars().count().saturating_sub(12)).collect();
    terminal.wait_for(&tail);
    terminal.press(Key::Enter);
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
