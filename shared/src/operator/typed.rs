//! Prompts, and whether a person typed them.
//!
//! A prompt that Claude has scheduled arrives as if typed, in this session or a later one. Those that read like our commands
//! are therefore known by hash, for the whole machine, in `<state>/scheduled-prompts.json`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Caller;
use crate::claude_code::{SCHEDULING_COMMANDS, SCHEDULING_TOOLS};
use crate::digest;
use crate::host::Host;
use crate::own_commands::own_commands;
use crate::protocol::{Event, ToolResult};
use crate::state::{MACHINE, Remembered, StateError, Store};

/// So many are remembered. Once there are as many, no prompt counts as typed any more: a forgotten one could come.
const MAX: usize = 1000;

/// The words of a line that is a command of ours, at most.
const MAX_COMMAND_WORDS: usize = 8;

/// The prompts, by hash.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Scheduled(BTreeSet<u64>);

impl Remembered for Scheduled {
    fn file_name(_session: &str) -> Option<String> {
        Some("scheduled-prompts.json".to_owned())
    }
}

/// Caller of a prompt that is one of our commands. `source` is Claude Code's word for its origin; older versions have none.
pub fn caller(host: &Host, store: Option<&Store>, prompt: &str, source: Option<&str>) -> Caller {
    let is_scheduled = || store.is_some_and(|store| is_scheduled(store, prompt));
    if comes_from_a_person(host, source) && !is_scheduled() { Caller::Typed } else { Caller::Untyped }
}

/// The prompt comes from where a person sits: no script (`claude -p`, an SDK), and nothing the client sent by itself.
pub fn comes_from_a_person(host: &Host, source: Option<&str>) -> bool {
    !host.environment.is_headless() && source.is_none_or(|source| source == "user")
}

/// The words of a single line whose first word is exactly `name`, without that.
pub fn words_after<'p>(name: &str, prompt: &'p str) -> Option<Vec<&'p str>> {
    let mut words = prompt.split_whitespace();
    let is_ours = words.next() == Some(name) && !prompt.trim().contains(['\n', '\r']);
    is_ours.then(|| words.collect())
}

/// The hashes of prompts that are scheduled by this event and begin like a command of ours: by a call of Claude's, by a slash
/// command, which comes to such a call, or before anybody looked, which shows at the end of a turn.
fn scheduled_in(event: &Event) -> Vec<u64> {
    match event {
        Event::PreToolUse(call) | Event::PostToolUse(ToolResult { call, .. })
            if SCHEDULING_TOOLS.contains(&call.tool_name.as_str()) =>
        {
            let input = call.tool_input.as_ref().map(|input| serde_json::from_str::<Value>(input.get()));
            input.into_iter().flatten().filter_map(|input| ours(input["prompt"].as_str()?)).collect()
        }
        Event::UserPromptSubmit { prompt, .. } => {
            let first = prompt.split_whitespace().next();
            let is_scheduling = first.is_some_and(|first| SCHEDULING_COMMANDS.contains(&first));
            ours(prompt).filter(|_| is_scheduling).into_iter().collect()
        }
        Event::Stop(stop) => stop.session_crons.iter().filter_map(|prompt| ours(prompt)).collect(),
        _ => Vec::new(),
    }
}

/// The hash of a scheduled prompt, or of what a slash command schedules, if it begins like a command of ours.
pub fn ours(prompt: &str) -> Option<u64> {
    let prompt = within_slash_command(prompt.trim());
    let first = prompt.split_whitespace().next()?;
    own_commands().any(|own| own.eq_ignore_ascii_case(first)).then(|| hash(prompt))
}

/// A prompt for a hook, not the model: `tempo-stop off`. A longer line that begins like a command is a sentence.
pub fn is_command_line(prompt: &str) -> bool {
    let line = prompt.trim();
    !line.contains(['\n', '\r'])
        && line.split_whitespace().nth(MAX_COMMAND_WORDS).is_none()
        && ours(line).is_some()
}

/// The prompt in a slash command, without the interval: `5m` before it or `every 5m` after it.
fn within_slash_command(prompt: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_interval = |word: &str| word.strip_suffix(['s', 'm', 'h', 'd']).is_some_and(is_number);
    let Some((_, words)) = prompt.split_once(char::is_whitespace).filter(|_| prompt.starts_with('/')) else {
        return prompt;
    };
    let words = words.trim();
    match (words.split_once(char::is_whitespace), words.rsplit_once(" every ")) {
        (Some((first, rest)), _) if is_interval(first) => rest.trim(),
        (_, Some((words, often))) if often.starts_with(|sign: char| sign.is_ascii_digit()) => words.trim(),
        _ => words,
    }
}

/// Somebody has scheduled this prompt.
pub fn is_scheduled(store: &Store, prompt: &str) -> bool {
    let Some(file) = store.session_file::<Scheduled>(MACHINE) else { return false };
    match store.peek::<Scheduled>(&file) {
        Some(known) => known.0.len() >= MAX || known.0.contains(&hash(prompt)),
        // A file that cannot be read may name it.
        None => file.exists(),
    }
}

/// Remembers the prompts that this event schedules and that begin like a command of ours, by their hashes.
pub fn remember_scheduled(store: &Store, event: &Event) -> Result<(), StateError> {
    scheduled_in(event).into_iter().try_for_each(|prompt| {
        store.change::<Scheduled>(MACHINE, |known| known.0.len() < MAX && known.0.insert(prompt))
    })
}

/// The beginning of a hash of the prompt's words: prompts that differ in blanks or case are the same command.
fn hash(prompt: &str) -> u64 {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    digest::number(words.join(" ").to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{Caller, caller, hash, is_command_line, ours, remember_scheduled, scheduled_in, words_after};
    use crate::host::{Clock, Environment, Host, Timestamp};
    use crate::protocol::{Event, Stop, ToolCall};
    use crate::state::Store;

    fn host(entrypoint: &str) -> Host {
        let now = Timestamp::from_secs(1);
        let environment = Environment { entrypoint: Some(entrypoint.to_owned()), ..Environment::default() };
        Host { started: now, clock: Clock::Fixed(now), environment }
    }

    fn scheduling(prompt: &str) -> Event {
        Event::Stop(Stop { session_crons: vec![prompt.to_owned()], ..Stop::default() })
    }

    #[test]
    fn a_person_types_at_a_terminal_what_nobody_has_scheduled() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        remember_scheduled(&store, &scheduling("req disable plan ")).unwrap();
        for (entrypoint, source, prompt, expected) in [
            ("cli", None, "req pause", Caller::Typed),
            ("cli", Some("user"), "req pause", Caller::Typed),
            ("cli", Some("schedule"), "req pause", Caller::Untyped),
            ("sdk-cli", None, "req pause", Caller::Untyped),
            ("sdk-ts", Some("user"), "req pause", Caller::Untyped),
            ("cli", None, " req disable plan", Caller::Untyped),
            ("cli", None, "Req  disable\tplan", Caller::Untyped),
        ] {
            let caller = caller(&host(entrypoint), Some(&store), prompt, source);
            assert_eq!(caller, expected, "{entrypoint} {source:?} {prompt}");
        }
    }

    #[test]
    fn no_prompt_counts_as_typed_once_some_could_not_be_remembered() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        let file = scratch.path().join("scheduled-prompts.json");
        let full: Vec<u64> = (0..1000).collect();
        let full = format!(r#"{{"version":1,"session":"","state":{}}}"#, serde_json::json!(full));
        for text in [&*full, "torn"] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(caller(&host("cli"), Some(&store), "req disable plan", None), Caller::Untyped);
        }
    }

    #[test]
    fn the_hash_of_a_prompt_is_the_same_tomorrow() {
        // It is kept in files for as long as the schedule lives.
        assert_eq!(hash(" req satisfy plan\n"), 0x50bb_2059_d531_d1f5);
    }

    #[test]
    fn only_a_short_line_that_begins_with_a_command_of_ours_is_said_to_a_hook() {
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
        assert_eq!(words_after("req", " req  status --all \n"), Some(vec!["status", "--all"]));
        for prompt in ["Req status", "req: status", "please req", "req status\nnow", ""] {
            assert_eq!(words_after("req", prompt), None, "{prompt:?}");
        }
    }

    #[test]
    fn what_a_slash_command_schedules_is_not_typed_when_it_comes() {
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
            let typed = Event::UserPromptSubmit { prompt: line.to_owned(), source: None };
            assert_eq!(scheduled_in(&typed), expected, "{line}");
            let input = serde_json::json!({ "prompt": line }).to_string();
            let tool_input = serde_json::value::RawValue::from_string(input).ok();
            let call = ToolCall { tool_name: "ScheduleWakeup".to_owned(), tool_input, ..ToolCall::default() };
            assert!(!is_scheduled || scheduled_in(&Event::PreToolUse(call)) == expected, "{line}");
        }
    }
}
