//! A toy hook, replayed. It borrows the section of a real one.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::scratch::Scratch;
use super::signals::Events;
use super::{Counts, Replay, Said, Told};
use crate::hook::{Effect, Given, Headless, Hook, Memory, Outcome, Remembered, Seen, Verdict};
use crate::host::{Clock, Environment, Host, Places, Timestamp};
use crate::protocol::Event;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the borrowed section has these keys; the toy does not use them")]
struct Settings {
    enforce_ack: bool,
    max_blocks: Option<u8>,
    only_when: String,
    message_file: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Count(u32);

impl Remembered for Count {
    fn file_name(session: &str) -> Option<String> {
        Some(format!("toy-{session}"))
    }
}

/// Leaves a file behind.
#[derive(Debug)]
enum Deed {
    InProject,
    InMemory,
}

impl Effect for Deed {
    fn carry_out(self, places: &Places, _now: Timestamp) -> Result<(), String> {
        let folder = match self {
            Self::InProject => places.root.clone(),
            Self::InMemory => places.state_dir.clone(),
        };
        fs::write(folder.unwrap().join("deed"), "").map_err(|error| error.to_string())
    }

    fn is_memory(&self) -> bool {
        matches!(self, Self::InMemory)
    }
}

/// Refuses Edits, waits ten minutes after each call, and tells at a stop what it remembers, sees and has done.
struct Toy;

impl Hook for Toy {
    const NAME: &'static str = "stop-momentum";
    const HEADLESS: Headless = Headless::Silent;
    const GLOBAL_ONLY: &'static [&'static str] = &["message_file"];
    type Settings = Settings;
    type State = Count;
    type Facts = String;
    type Effect = Deed;

    fn observe(seen: &Seen<'_, Settings>) -> Option<String> {
        let transcript = seen.input.call.transcript_path.as_deref();
        let shown = transcript.map(|path| fs::read_to_string(path).unwrap()).unwrap_or_default();
        let has_done = |folder: &Option<PathBuf>| folder.as_ref().unwrap().join("deed").exists();
        let (here, kept) = (has_done(&seen.places.root), has_done(&seen.places.state_dir));
        Some(format!("sees {} bytes at {}, done {here} {kept}", shown.len(), seen.host.now().rfc3339()))
    }

    fn decide(given: &Given<'_, Self>) -> Outcome<Count, Deed> {
        let memory = Memory::Save(Count(given.state.0 + 1));
        let rule = "enforce_ack".into();
        let verdict = match &given.input.event {
            Event::PreToolUse(call) if call.tool_name == "Edit" => {
                Verdict::Deny { reason: "not so".to_owned(), rule }
            }
            Event::PostToolUse(_) => Verdict::Sleep { until: given.now.plus(Duration::from_secs(600)), rule },
            Event::Stop(_) => {
                Verdict::Block { reason: format!("{} events, {}", given.state.0, given.facts), rule }
            }
            _ => Verdict::Pass,
        };
        let effects = vec![Deed::InProject, Deed::InMemory];
        Outcome { verdict, memory, effects, ..Outcome::pass() }
    }
}

struct World {
    place: tempfile::TempDir,
    host: Host,
}

impl World {
    fn new(global: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let (home, project) = (place.path().join("home"), place.path().join("project"));
        fs::create_dir_all(home.join(".claude")).unwrap();
        fs::create_dir_all(project.join(".git")).unwrap();
        fs::write(home.join(".claude/requirements.yaml"), global).unwrap();
        fs::write(place.path().join("t.jsonl"), "0123456789").unwrap();
        let environment =
            Environment { home: Some(home), project_dir: Some(project), ..Environment::default() };
        let clock = Clock::Fixed(Timestamp::from_secs(1));
        Self { host: Host { started: clock.now(), clock, environment }, place }
    }

    fn event(&self, event: &str, fields: &serde_json::Value) -> String {
        let mut input = json!({
            "hook_event_name": event, "session_id": "s", "prompt_id": "p", "cwd": self.place.path().join("project"),
            "transcript_path": self.place.path().join("t.jsonl"),
        });
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({ "at": "2026-11-21T05:00:00.000Z", "transcript_bytes": 4, "input": input }).to_string()
    }

    fn tool(&self, event: &str, tool: &str) -> String {
        let file = self.place.path().join("project/src/a.rs");
        self.event(
            event,
            &json!({ "tool_name": tool, "tool_use_id": tool, "tool_input": { "file_path": file } }),
        )
    }

    fn replay(&self, lines: &[String]) -> Vec<Told> {
        let mut told = Vec::new();
        let mut replay = Replay::<Toy>::new(&self.host, Scratch::of(&self.host).unwrap());
        replay.all(Cursor::new(lines.join("\n")), &mut told, &AtomicBool::new(false)).unwrap();
        String::from_utf8(told).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn said(&self, lines: &[String]) -> Vec<Said> {
        let said = |told| if let Told::Said(said) = told { Some(said) } else { None };
        self.replay(lines).into_iter().filter_map(said).collect()
    }

    /// Every file, with its content.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut found, mut open) = (BTreeMap::new(), vec![self.place.path().to_path_buf()]);
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                found.insert(path, Vec::new());
            } else {
                let content = fs::read(&path).unwrap();
                found.insert(path, content);
            }
        }
        found
    }
}

const OFF: &str = "stop-momentum: {enabled: false}\n";

#[test]
fn it_remembers_sees_what_was_there_then_and_leaves_nothing_behind() {
    let world = World::new(OFF);
    let before = world.files();
    let lines = [world.event("SessionStart", &json!({})), world.event("Stop", &json!({}))];
    let said = world.said(&lines);
    let text = said[0].text.as_deref().unwrap();
    assert!(
        text.starts_with("1 events, sees 4 bytes at 2026-11-21T05:00:00.000Z, done false true"),
        "{text}"
    );
    assert_eq!((said.len(), said[0].what.as_str(), said[0].event.as_str()), (1, "block", "Stop"));
    assert_eq!(world.files(), before);
}

#[test]
fn it_waits_for_nothing_and_says_for_how_long_it_would_have() {
    let world = World::new(OFF);
    let said = world.said(&[world.tool("PostToolUse", "Bash")]);
    assert_eq!((said[0].what.as_str(), said[0].wait_ms), ("sleep", Some(600_000)));
    assert_eq!(said[0].rule.as_deref(), Some("stop-momentum.enforce_ack"));
    assert_eq!(said[0].about.as_deref(), Some("src/a.rs"));
}

#[test]
fn a_call_that_it_refuses_has_not_run() {
    let world = World::new(OFF);
    let lines = [
        world.tool("PreToolUse", "Edit"),
        world.tool("PostToolUse", "Edit"),
        world.tool("PreToolUse", "Bash"),
        world.tool("PostToolUse", "Bash"),
    ];
    let what: Vec<String> = world.said(&lines).into_iter().map(|said| said.what).collect();
    assert_eq!(what, ["deny", "sleep"]);
}

#[test]
fn it_says_how_the_hook_is_set_and_what_it_could_not_read() {
    let world = World::new("stop-momentum: {enabled: false, enforce_ack: 7}\n");
    let start = world.event("SessionStart", &json!({}));
    let timeless = start.replace("2026-11-21T05:00:00.000Z", "yesterday");
    let nameless = start.replace("hook_event_name", "event");
    let told = world.replay(&["no json".to_owned(), timeless, nameless, start]);
    let [Told::Settings(set), Told::End(counts)] = told.as_slice() else { panic!("{told:?}") };
    assert!(!set.enabled && set.set_by.as_deref() == Some("~/.claude/requirements.yaml:1"), "{set:?}");
    assert_eq!(set.problems.len(), 1);
    assert_eq!(*counts, Counts { events: 1, unread: 3, questions: 0 });
}

#[test]
fn switches_of_today_are_not_looked_at() {
    let world = World::new("stop-momentum: {enabled: true}\n");
    let state = world.place.path().join("home/.claude/hook-state");
    crate::state::Store::open(&state).unwrap();
    fs::write(state.join("OFF"), "").unwrap();
    assert_eq!(world.said(&[world.event("Stop", &json!({}))]).len(), 1);
}

#[test]
fn told_to_end_it_waits_for_no_further_event() {
    let world = World::new("");
    let mut replay = Replay::<Toy>::new(&world.host, Scratch::of(&world.host).unwrap());
    let is_told = Arc::new(AtomicBool::new(true));
    let events = std::io::BufReader::new(Events(Arc::clone(&is_told)));
    assert!(replay.all(events, Vec::new(), &is_told).is_err());
}
