//! Lines and prompts of our own commands, and what only looks like one.

use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;
use crate::host::Environment;
use crate::protocol::{Event, Stop};
use crate::tests::store;

fn call(tool: &str, command: &str) -> ToolCall {
    let tool_input = to_raw_value(&json!({ "command": command, "description": "x" })).ok();
    ToolCall { tool_name: tool.to_owned(), tool_use_id: None, tool_input }
}

fn places() -> Places {
    Places { config_dir: Some(PathBuf::from("/home/me/.claude")), ..Places::default() }
}

fn is_own(tool: &str, command: &str) -> bool {
    is_own_call(&call(tool, command), &places())
}

#[test]
fn words_of_commands_that_surely_ran_lose_quotes_and_folders() {
    let joined = "cd '/a b' && /home/me/.claude/hooks/stop-momentum x --note 'it'\"'\"'s' --of=\"a b\" && stop-momentum status\n";
    for (line, expected) in [
        (joined, Some("stop-momentum|x|--note|it's|--of=a b\nstop-momentum|status")),
        ("stop-momentum a --note 'this || that'", Some("stop-momentum|a|--note|this || that")),
        ("stop-momentum a || stop-momentum b", None),
        ("stop-momentum a; stop-momentum b", None),
        ("stop-momentum a && stop-momentum b\nstop-momentum c", None),
    ] {
        let told = own_command_lines(&call("Bash", line), &places());
        let told = told.map(|told| told.iter().map(|words| words.join("|")).collect::<Vec<_>>().join("\n"));
        assert_eq!(told.as_deref(), expected, "{line:?}");
        assert!(is_own("Bash", line), "{line:?}");
    }
    assert_eq!(own_command_lines(&call("Bash", "ls"), &places()), None);
}

#[test]
fn a_line_of_our_own_commands_is_ours_and_anything_more_a_call_like_any_other() {
    for (command, expected) in [
        ("  stop-momentum   status --json  ", true),
        ("stop-momentum satisfy --note 'it is done; really $x'", true),
        ("stop-momentum x html --html5", true),
        ("'stop-momentum' status", true),
        ("cd /tmp", false),
        ("cd /tmp && ls && stop-momentum status", false),
        ("X=1 stop-momentum status", false),
        ("./stop-momentum status", false),
        ("/tmp/stop-momentum status", false),
        ("/home/me/.claude/hooks/../stop-momentum", false),
        ("stop-momentum2", false),
        ("stop-momentum report --html=file.html", false),
        ("stop-momentum report --days 3 '--ht'ml file.html", false),
        ("stop-momentum status && stop-momentum report \"--html=file.html\"", false),
    ] {
        assert_eq!(is_own("Bash", command), expected, "{command:?}");
    }
    for sign in "|&<>$`(){}[]*?!#^~\\'\"\r".chars() {
        assert!(!is_own("Bash", &format!("stop-momentum a{sign}b")), "{sign:?}");
    }
    for sign in "$`\\!".chars() {
        assert!(!is_own("Bash", &format!("stop-momentum \"a{sign}b\"")), "{sign:?} in quotes");
    }
    assert!(is_own("PowerShell", "stop-momentum status") && !is_own("Edit", "stop-momentum status"));
}

fn host(entrypoint: &str) -> Host {
    crate::tests::host(Environment { entrypoint: Some(entrypoint.to_owned()), ..Environment::default() })
}

#[test]
fn a_person_types_at_a_terminal_what_nobody_has_scheduled() {
    let (_scratch, store) = store();
    remember_scheduled(&store, "req disable plan ").unwrap();
    for (entrypoint, source, prompt, expected) in [
        ("cli", None, "req pause", Caller::Typed),
        ("cli", Some("user"), "req pause", Caller::Typed),
        ("cli", Some("schedule"), "req pause", Caller::Untyped),
        ("sdk-cli", None, "req pause", Caller::Untyped),
        ("sdk-ts", Some("user"), "req pause", Caller::Untyped),
        ("cli", None, "Req  disable\tplan", Caller::Untyped),
    ] {
        let caller = caller(&host(entrypoint), Some(&store), prompt, source);
        assert_eq!(caller, expected, "{entrypoint} {source:?} {prompt}");
    }
    // Files keep a prompt's hash for as long as the schedule lives.
    assert_eq!(hash(" req satisfy plan\n"), 0x50bb_2059_d531_d1f5);
}

#[test]
fn no_prompt_counts_as_typed_once_some_could_not_be_remembered() {
    let (_scratch, store) = store();
    let file = store.dir().join("scheduled-prompts.json");
    let full: Vec<u64> = (0..1000).collect();
    let full = format!(r#"{{"version":1,"session":"","state":{}}}"#, json!(full));
    for text in [&*full, "torn"] {
        std::fs::write(&file, text).unwrap();
        assert_eq!(caller(&host("cli"), Some(&store), "req disable plan", None), Caller::Untyped);
    }
}

#[test]
fn only_a_short_line_that_begins_with_our_command_is_for_a_hook() {
    for (prompt, is_ours, is_line) in [
        ("req status", true, true),
        (" tempo-stop off\n", true, true),
        ("Pace-Maker off", true, true),
        ("/loop 5m req", true, true),
        ("req status prints the wrong branch, please fix the parser and add a test", true, false),
        ("req status\rfix it", true, false),
        ("look at req", false, false),
        ("required: nothing", false, false),
        ("", false, false),
    ] {
        assert_eq!((ours(prompt).is_some(), is_command_line(prompt)), (is_ours, is_line), "{prompt:?}");
    }
}

#[test]
fn scheduled_prompt_of_a_slash_command_is_not_typed() {
    for (line, is_scheduled) in [
        ("/loop 5m pace-maker off", true),
        ("/loop pace-maker off", true),
        (" /loop  30s  pace-maker off\n", true),
        ("/loop pace-maker off every 2 hours", true),
        ("/schedule 1d pace-maker off", true),
        ("pace-maker off", false),
        ("/commit pace-maker off", false),
        ("/loop 5m", false),
        ("/loop look at it", false),
    ] {
        let expected = if is_scheduled { Vec::from_iter(ours("pace-maker off")) } else { Vec::new() };
        let scheduled = |event: Event| -> Vec<u64> {
            event.scheduled_prompts().iter().filter_map(|prompt| ours(prompt)).collect()
        };
        let typed = Event::UserPromptSubmit { prompt: line.to_owned(), source: None };
        assert_eq!(scheduled(typed), expected, "{line}");
        let tool_input = to_raw_value(&json!({ "prompt": line })).ok();
        let call = |tool: &str| {
            let (tool_name, tool_input) = (tool.to_owned(), tool_input.clone());
            Event::PreToolUse(ToolCall { tool_name, tool_input, ..ToolCall::default() })
        };
        assert!(!is_scheduled || scheduled(call("ScheduleWakeup")) == expected, "{line}");
        assert!(scheduled(call("Agent")).is_empty(), "a subagent's prompt is not scheduled");
        let stop = Stop { session_crons: vec![line.to_owned()], ..Stop::default() };
        assert!(!is_scheduled || scheduled(Event::Stop(stop)) == expected, "{line}");
    }
}
