//! Prompts, and whether a person typed them.
//!
//! A prompt that Claude has scheduled arrives as if typed, in this session or a later one. Those that read like our commands
//! are therefore known by hash, for the whole machine, in `<state>/scheduled-prompts.json`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Caller;
use crate::catalog::own_commands;
use crate::claude_code::{SCHEDULING_COMMANDS, SCHEDULING_TOOLS};
use crate::digest;
use crate::host::Host;
use crate::protocol::{Event, ToolCall};
use crate::state::{MACHINE, Remembered, Store};

/// So many are remembered. Once there are as many, no prompt counts as typed any more: one of those that were not remembered could
/// come.
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
        Event::PreToolUse(call) => scheduled_by(call).into_iter().collect(),
        Event::PostToolUse(result) => scheduled_by(&result.call).into_iter().collect(),
        Event::UserPromptSubmit { prompt, .. } => {
            let first = prompt.split_whitespace().next();
            let is_scheduling = first.is_some_and(|first| SCHEDULING_COMMANDS.contains(&first));
            ours(prompt).filter(|_| is_scheduling).into_iter().collect()
        }
        Event::Stop(stop) => stop.session_crons.iter().filter_map(|prompt| ours(prompt)).collect(),
        _ => Vec::new(),
    }
}

/// The hash of a prompt that a call schedules, if it begins like a command of ours.
fn scheduled_by(call: &ToolCall) -> Option<u64> {
    #[derive(Deserialize)]
    struct Fields {
        prompt: String,
    }
    if !SCHEDULING_TOOLS.contains(&call.tool_name.as_str()) {
        return None;
    }
    let fields: Fields = serde_json::from_str(call.tool_input.as_ref()?.get()).ok()?;
    ours(&fields.prompt)
}

/// The hash of a scheduled prompt, if it begins like a command of ours. Of a slash command, as in `/loop 5m req pause`, what
/// it schedules is meant.
pub fn ours(prompt: &str) -> Option<u64> {
    let prompt = within_slash_command(prompt.trim());
    let first = prompt.split_whitespace().next()?;
    own_commands().any(|own| own.eq_ignore_ascii_case(first)).then(|| hash(prompt))
}

/// `req approve branch_size`, `tempo-stop off`: said to a hook, not to the model. A longer line that begins like one is a
/// sentence.
pub fn is_command_line(prompt: &str) -> bool {
    let line = prompt.trim();
    !line.contains(['\n', '\r'])
        && line.split_whitespace().nth(MAX_COMMAND_WORDS).is_none()
        && ours(line).is_some()
}

/// The prompt in a slash command, without the interval: `5m` before it or `every 5m` after it.
fn within_slash_command(prompt: &str) -> &str {
    let Some((_, words)) = prompt.split_once(char::is_whitespace).filter(|_| prompt.starts_with('/')) else {
        return prompt;
    };
    let words = words.trim();
    if let Some((first, rest)) = words.split_once(char::is_whitespace)
        && is_interval(first)
    {
        return rest.trim();
    }
    let often = words
        .rsplit_once(" every ")
        .filter(|(_, often)| often.starts_with(|sign: char| sign.is_ascii_digit()));
    often.map_or(words, |(words, _)| words.trim())
}

/// `30s`, `5m`, `2h`, `1d`.
fn is_interval(word: &str) -> bool {
    let number = word.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Somebody has scheduled this prompt.
pub fn is_scheduled(store: &Store, prompt: &str) -> bool {
    let Some(file) = store.session_file::<Scheduled>(MACHINE) else { return false };
    match store.peek::<Scheduled>(&file, MACHINE) {
        Some(known) => known.0.len() >= MAX || known.0.contains(&hash(prompt)),
        // A file that cannot be read may name it.
        None => file.exists(),
    }
}

/// Remembers the prompts that this event schedules and that begin like a command of ours.
pub fn remember_scheduled(store: &Store, event: &Event) -> Result<(), String> {
    scheduled_in(event).into_iter().try_for_each(|prompt| remember(store, prompt))
}

/// Remembers a scheduled prompt by its hash.
fn remember(store: &Store, prompt: u64) -> Result<(), String> {
    let remembered =
        store.change::<Scheduled>(MACHINE, |known| known.0.len() < MAX && known.0.insert(prompt));
    remembered.map_err(|error| error.to_string())
}

/// The beginning of a hash of the prompt's words: prompts that differ in blanks or case are the same command.
fn hash(prompt: &str) -> u64 {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    digest::number(words.join(" ").to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{Caller, caller, hash, is_command_line, ours, remember, scheduled_in, words_after};
    use crate::host::{Clock, Environment, Host, Timestamp};
    use crate::protocol::{Event, ToolCall};
    use crate::state::Store;

    fn host(entrypoint: &str) -> Host {
        let now = Timestamp::from_secs(1);
        let environment = Environment { entrypoint: Some(entrypoint.to_owned()), ..Environment::default() };
        Host { started: now, clock: Clock::Fixed(now), environment }
    }

    #[test]
    fn a_person_types_at_a_terminal_what_nobody_has_scheduled() {
        let scratch = tempfile::tempdir().unwrap();
        let store = Store::open(scratch.path()).unwrap();
        remember(&store, ours("req disable plan ").unwrap()).unwrap();
        for (entrypoint, source, prompt, expected) in [
            ("cli", None, "req pause", Caller::Typed),
            ("cli", Some("user"), "req pause", Caller::Typed),
            ("cli", Some("schedule"), "req pause", Caller::Untyped),
            ("sdk-cli", None, "req pause", Caller::Untyped),
            ("sdk-ts", Some("user"), "req pause", Caller::Untyped),
            ("cli", None, " req disable plan", Caller::Untyped),
            ("cli", None, "req  disable\tplan", Caller::Untyped),
            ("cli", None, "Req disable plan", Caller::Untyped),
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
        let text = format!(r#"{{"version":1,"session":"","state":{}}}"#, serde_json::json!(full));
        std::fs::write(&file, text).unwrap();
        let last = ours("req disable plan").unwrap();
        remember(&store, last).unwrap();
        assert_eq!(caller(&host("cli"), Some(&store), "req disable plan", None), Caller::Untyped);
        std::fs::write(&file, "torn").unwrap();
        assert_eq!(caller(&host("cli"), Some(&store), "req disable plan", None), Caller::Untyped);
    }

    #[test]
    fn the_hash_of_a_prompt_is_the_same_tomorrow() {
        // It is kept in files for as long as the schedule lives.
        assert_eq!(hash(" req satisfy plan\n"), 0x50bb_2059_d531_d1f5);
        assert_ne!(hash("a"), hash("b"));
    }

    #[test]
    fn only_what_begins_like_a_command_of_ours_is_remembered() {
        assert!(ours("stop-momentum off").is_some());
        assert!(ours("Pace-Maker off").is_some(), "a prompt in another case is a command as well");
        assert!(ours(" req status\nand more").is_some());
        assert_eq!(ours("/commit req status"), ours("req status"), "whatever the slash command is called");
        for prompt in ["look at req", "required: nothing", "", "  "] {
            assert_eq!(ours(prompt), None, "{prompt:?}");
        }
    }

    #[test]
    fn a_short_line_that_begins_with_a_command_of_ours_is_said_to_a_hook() {
        for line in
            ["req status", " tempo-stop off\n", "req approve branch_size for the rest of it", "/loop 5m req"]
        {
            assert!(is_command_line(line), "{line:?}");
        }
        for prompt in [
            "req status prints the wrong branch, please fix the parser and add a test",
            "req status\nfix it",
            "req status\rfix it",
            "look at req",
            "",
        ] {
            assert!(!is_command_line(prompt), "{prompt:?}");
        }
    }

    #[test]
    fn what_a_slash_command_schedules_is_not_typed_when_it_comes() {
        for line in [
            "/loop 5m pace-maker off",
            "/loop pace-maker off",
            " /loop  30s  pace-maker off\n",
            "/loop pace-maker off every 20m",
            "/loop pace-maker off every 2 hours",
            "/schedule 1d pace-maker off",
        ] {
            let typed = Event::UserPromptSubmit { prompt: line.to_owned(), source: None };
            assert_eq!(scheduled_in(&typed), Vec::from_iter(ours("pace-maker off")), "{line}");
            let input = serde_json::json!({ "prompt": line }).to_string();
            let input = serde_json::value::RawValue::from_string(input).unwrap();
            let call = ToolCall {
                tool_name: "ScheduleWakeup".to_owned(),
                tool_input: Some(input),
                ..ToolCall::default()
            };
            assert_eq!(
                scheduled_in(&Event::PreToolUse(call)),
                Vec::from_iter(ours("pace-maker off")),
                "{line}"
            );
        }
        for prompt in [
            "pace-maker off",
            "/commit pace-maker off",
            "/loop",
            "/loop 5m",
            "/loop look at it",
            "loop 5m req",
        ] {
            let typed = Event::UserPromptSubmit { prompt: prompt.to_owned(), source: None };
            assert!(scheduled_in(&typed).is_empty(), "{prompt}");
        }
    }

    #[test]
    fn a_command_is_a_single_line_that_begins_with_the_very_word() {
        assert_eq!(words_after("req", " req  status --all \n"), Some(vec!["status", "--all"]));
        assert_eq!(words_after("req", "req"), Some(Vec::new()));
        for prompt in ["Req status", "req: status", "please req", "req status\nnow", "req\rx", ""] {
            assert_eq!(words_after("req", prompt), None, "{prompt:?}");
        }
    }
}
