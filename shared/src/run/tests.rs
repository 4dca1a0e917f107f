//! Whole invocations without a process: toy hooks on one state folder. They borrow the section of a real hook,
//! because every section has its defaults in the compiled-in file.

use std::fs;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::hook::NoEffect;
use crate::host::{Clock, Environment};
use crate::own_commands::is_scheduled;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the borrowed section has this key; the toys do not use it")]
struct Settings {
    enforce_ack: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Count(u32);

impl Remembered for Count {
    const FILE: &'static str = "count-*";
}

/// A toy: one of these kinds.
struct Toy<const KIND: char>;

/// Blocks every stop, and remembers how often.
type Blocker = Toy<'b'>;

/// Denies every tool call and remembers the last one, which its verdict does not depend on.
type Guard = Toy<'g'>;

/// Looks at nothing and says nothing, but reads the same files.
type Bystander = Toy<'x'>;

impl<const KIND: char> Hook for Toy<KIND> {
    const NAME: &'static str = "stop-momentum";
    const HEADLESS: Headless = if KIND == 'x' { Headless::Silent } else { Headless::Decides };
    const GLOBAL_ONLY: &'static [&'static str] = &[];
    type Settings = Settings;
    type State = Count;
    type Facts = ();
    type Effect = NoEffect;

    fn observe(context: &Context<'_, Settings>) -> Option<()> {
        let is_meant = match &context.request.event {
            Event::Stop(_) | Event::SessionEnd { .. } => KIND == 'b',
            Event::PreToolUse(_) => KIND == 'g',
            _ => false,
        };
        is_meant.then_some(())
    }

    fn decide(input: &Input<'_, Self>) -> Outcome<Count> {
        let (count, rule, blocks) = (input.state.0 + 1, "enabled".into(), input.blocks);
        let (verdict, memory) = match &input.request.event {
            Event::SessionEnd { .. } => (Verdict::Pass, Memory::Drop),
            Event::Stop(_) => {
                let reason = format!("block {count} of {}, {} by me", blocks.together, blocks.own);
                (Verdict::Block { reason, rule }, Memory::Save(Count(count)))
            }
            _ => {
                let reason = if input.state_is_usable { "denied" } else { "denied without state" };
                (Verdict::Deny { reason: reason.to_owned(), rule }, Memory::Note(Count(count)))
            }
        };
        Outcome { verdict, memory, ..Outcome::pass() }
    }
}

struct World {
    scratch: tempfile::TempDir,
    host: Host,
}

impl World {
    fn new(global: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().join("home");
        fs::create_dir_all(home.join(".claude")).unwrap();
        fs::write(home.join(".claude/requirements.yaml"), global).unwrap();
        fs::create_dir_all(scratch.path().join("project/.git")).unwrap();
        let environment = Environment { home: Some(home), ..Environment::default() };
        let started = Timestamp::from_secs(1_000_000);
        Self { host: Host { started, clock: Clock::Fixed(started), environment }, scratch }
    }

    fn state(&self, name: &str) -> PathBuf {
        self.scratch.path().join("home/.claude/hook-state").join(name)
    }

    fn send<H: Hook>(&self, event: &str, fields: &Value) -> Option<Value> {
        let mut input = json!({
            "session_id": "s", "prompt_id": "p", "cwd": self.scratch.path().join("project"), "hook_event_name": event,
        });
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        respond::<H>(&self.host, Ok(input.to_string().into_bytes()))
            .map(|text| serde_json::from_str(&text).unwrap())
    }

    fn stop<H: Hook>(&self) -> Option<Value> {
        self.send::<H>("Stop", &json!({}))
    }
}

const ON: &str = "stop-momentum: {enabled: true}\n";

#[test]
fn state_and_counts_go_from_one_call_to_the_next() {
    let world = World::new(ON);
    let reason = |answer: Option<Value>| answer.unwrap()["reason"].as_str().unwrap().to_owned();
    let first = "block 1 of 0, 0 by me\n(stop-momentum.enabled: ~/.claude/requirements.yaml:1)";
    assert_eq!(reason(world.stop::<Blocker>()), first);
    assert!(reason(world.stop::<Blocker>()).starts_with("block 2 of 1, 1 by me"));
    assert_eq!(world.send::<Blocker>("SessionEnd", &json!({"reason": "other"})), None);
    assert!(!world.state("count-s").exists() && !world.state("s-blocks.json").exists());
    assert_eq!(reason(world.stop::<Blocker>()), first);
}

#[test]
fn problem_notifies_once_per_session_over_all_hooks() {
    let world = World::new("stop-momentum: {enabled: true, enforce_ack: 7}\n");
    let notice = "Barbless: ~/.claude/requirements.yaml:1: stop-momentum.enforce_ack: expected true or false; the level below counts";
    assert_eq!(world.stop::<Bystander>().unwrap(), json!({ "systemMessage": notice }));
    assert_eq!(world.stop::<Blocker>().unwrap().get("systemMessage"), None);
    assert_eq!(world.stop::<Bystander>(), None);
    let other = world.send::<Bystander>("Stop", &json!({"session_id": "t"}));
    assert_eq!(other.unwrap()["systemMessage"], notice);
}

#[test]
fn gives_no_block_that_cannot_be_counted() {
    let world = World::new(ON);
    fs::create_dir_all(world.state("s-blocks.json/in-the-way")).unwrap();
    let answer = world.stop::<Blocker>().unwrap();
    assert_eq!(answer.get("decision"), None);
    assert!(answer["systemMessage"].as_str().unwrap().contains("s-blocks.json"), "{answer}");
    assert!(fs::read_to_string(world.state("journal.jsonl")).unwrap().contains(r#""what":"error""#));
}

#[cfg(unix)]
#[test]
fn reports_unusable_state_once_and_blocks_only_what_needs_no_state() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    let world = World::new(ON);
    fs::create_dir_all(world.state("")).unwrap();
    mkfifoat(CWD, world.state("count-s"), Mode::RUSR | Mode::WUSR).unwrap();
    let notice = world.stop::<Blocker>().unwrap();
    assert_eq!(notice.get("decision"), None, "it cannot count its blocks");
    let text = notice["systemMessage"].as_str().unwrap();
    assert!(text.contains("count-s") && text.contains("the session's state is not used"), "{text}");
    assert_eq!(world.stop::<Blocker>(), None, "reported once");
    let denied = world.send::<Guard>("PreToolUse", &json!({"tool_name": "Bash"})).unwrap();
    let reason = denied["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.starts_with("denied without state"), "{reason}");
    assert_eq!(denied.get("systemMessage"), None, "reported once");
    let journal = fs::read_to_string(world.state("journal.jsonl")).unwrap();
    assert!(journal.contains(r#""what":"error""#), "{journal}");
}

#[test]
fn without_a_session_or_a_state_folder_nothing_is_blocked() {
    let mut world = World::new(ON);
    assert_eq!(world.send::<Blocker>("Stop", &json!({"session_id": 7})), None);
    world.host.environment.home = None;
    assert_eq!(world.stop::<Blocker>(), None);
}

#[test]
fn headless_run_silences_hooks_that_would_change_its_result() {
    let mut world = World::new("stop-momentum: {enabled: true, enforce_ack: 7}\n");
    world.host.environment.entrypoint = Some("sdk-cli".to_owned());
    assert_eq!(world.stop::<Blocker>().unwrap()["decision"], "block", "this one decides for itself");
    let started =
        world.send::<Bystander>("SessionStart", &json!({"session_id": "t", "source": "startup"})).unwrap();
    let context = started["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("stop-momentum.enforce_ack"), "{context}");
    assert_eq!(started.get("systemMessage"), None);
}

#[test]
fn off_and_a_fresh_nonce_end_everything_first_thing() {
    let mut world = World::new(ON);
    fs::create_dir_all(world.state("nonce")).unwrap();
    fs::write(world.state("OFF"), "").unwrap();
    assert_eq!(world.stop::<Blocker>(), None);
    fs::remove_file(world.state("OFF")).unwrap();
    world.host.environment.nonce = Some("n".to_owned());
    assert!(world.stop::<Blocker>().is_some(), "a variable alone switches nothing off");
    fs::write(world.state("nonce/n"), "").unwrap();
    assert_eq!(world.stop::<Blocker>(), None);
}

#[test]
fn a_scheduled_prompt_is_remembered_though_the_hook_is_off() {
    for (event, fields) in [
        ("PreToolUse", json!({"tool_name": "CronCreate", "tool_input": {"prompt": "req pause"}})),
        ("UserPromptSubmit", json!({"prompt": "/loop 5m req pause"})),
        ("Stop", json!({"session_crons": [{"prompt": "go on"}, {"prompt": "req pause"}]})),
    ] {
        for everything in [false, true] {
            let world = World::new("stop-momentum: {enabled: false}\n");
            let store = Store::open(&world.state("")).unwrap();
            if everything {
                fs::write(world.state("OFF"), "").unwrap();
            }
            assert!(!is_scheduled(&store, "req pause"));
            assert_eq!(world.send::<Bystander>(event, &fields), None);
            assert!(is_scheduled(&store, "req pause"), "{event} {everything}");
        }
    }
}
