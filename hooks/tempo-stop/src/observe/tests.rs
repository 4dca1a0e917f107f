//! Observation of transcripts and state in scratch folders.

use std::path::{Path, PathBuf};
use std::time::Duration;

use judge::Backend;
use serde_json::{Value, json};
use shared::blocks;
use shared::config::{self, SectionSpec, Sources};
use shared::hook::{Context, Hook};
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::protocol::{Call, Event, Request, Stop};
use shared::state::Store;
use shared::switches::Position;
use transcript::TurnWork;

use super::{Facts, StopFacts, material, observe};
use crate::TempoStop;
use crate::question::Material;
use crate::settings::{Mode, Settings};

const NOW: Timestamp = Timestamp::from_secs(100_000);

/// A session in a scratch folder; the tests change what matters.
struct Scene {
    scratch: tempfile::TempDir,
    settings: Settings,
    entrypoint: &'static str,
    last_message: &'static str,
}

fn scene(lines: &[Value]) -> Scene {
    let scratch = tempfile::tempdir().unwrap();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(scratch.path().join("t.jsonl"), text.join("\n")).unwrap();
    let spec = SectionSpec {
        name: "tempo-stop",
        root_keys: &["judge"],
        costs_money: true,
        ..SectionSpec::default()
    };
    let settings = config::load(spec, &Sources::default(), Position::Auto).unwrap().settings;
    Scene { scratch, settings, entrypoint: "cli", last_message: "Done." }
}

impl Scene {
    fn store(&self) -> Store {
        Store::open(&self.scratch.path().join("state")).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn see<T>(&self, event: Event, look: impl FnOnce(&Context<'_, Settings>) -> T) -> T {
        let environment = Environment { entrypoint: Some(self.entrypoint.into()), ..Environment::default() };
        let host = Host { started: NOW, clock: Clock::Fixed(NOW), environment };
        let places = Places {
            config_dir: Some(self.scratch.path().to_owned()),
            state_dir: Some(self.file("state")),
            ..Places::default()
        };
        let call = Call {
            session_id: Some("s".into()),
            prompt_id: Some("p".into()),
            transcript_path: Some(self.file("t.jsonl")),
            ..Call::default()
        };
        let (store, request) = (self.store(), Request { call, event });
        look(&Context {
            request: &request,
            settings: &self.settings,
            places: &places,
            host: &host,
            locked: &[],
            set_in_project: false,
            store: Some(&store),
        })
    }

    fn stop_event(&self) -> Stop {
        Stop { last_assistant_message: Some(self.last_message.into()), ..Stop::default() }
    }

    fn stop(&self) -> StopFacts {
        match self.see(Event::Stop(self.stop_event()), observe) {
            Some(Facts::Stop(facts)) => facts,
            other => panic!("{other:?}"),
        }
    }

    fn material(&self) -> Material {
        let stop = self.stop_event();
        self.see(Event::Stop(stop.clone()), |context| {
            material(context, &stop, Path::new(&self.file("t.jsonl")), 1)
        })
    }

    fn prompt(&self, prompt: &str, source: Option<&str>) -> (Option<String>, bool) {
        let event = Event::UserPromptSubmit { prompt: prompt.into(), source: source.map(str::to_owned) };
        match self.see(event, observe) {
            Some(Facts::Prompt { answered, is_typed }) => (answered.map(|reply| reply.text), is_typed),
            other => panic!("{other:?}"),
        }
    }

    fn start(&self) -> (Option<String>, Option<String>) {
        match self.see(Event::SessionStart { source: "startup".into(), model: None }, observe) {
            Some(Facts::SessionStart { announcement, notice }) => (announcement, notice),
            other => panic!("{other:?}"),
        }
    }
}

fn prompt(text: &str) -> Value {
    json!({"type": "user", "promptId": "p", "message": {"content": text}})
}

fn call(id: &str, command: &str) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
    json!({"type": "assistant", "message": {"id": id, "content": [{"type": "text", "text": "Now."}, block]}})
}

fn result(id: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": id, "is_error": true});
    json!({"type": "user", "promptId": "p", "message": {"content": [block]}})
}

fn work() -> Vec<Value> {
    vec![prompt("make a and b"), call("1", "make a"), result("1")]
}

#[test]
fn the_material_is_what_was_asked_said_and_done() {
    let material = scene(&work()).material();
    assert_eq!(material.requests, ["make a and b"]);
    assert_eq!(material.conversation.len(), 2);
    assert_eq!(material.last_message, "Done.");
    assert_eq!((material.tool_calls.len(), material.tool_calls[0].failed), (1, Some(true)));
    assert_eq!(material.blocks, 1);
}

#[test]
fn no_question_without_a_known_request() {
    let compacted = json!({"type": "system", "subtype": "compact_boundary"});
    let lines = [prompt("make a"), compacted, call("1", "make a"), result("1")];
    assert_eq!(scene(&lines).stop().judged, Err("what the user asked for is not known"));
    let scene = scene(&[]);
    std::fs::remove_file(scene.file("t.jsonl")).unwrap();
    assert_eq!(scene.stop().judged, Err("what the user asked for is not known"));
}

#[track_caller]
fn check_not_asked(change: impl FnOnce(&mut Scene), work_seen: TurnWork) {
    let mut scene = scene(&work());
    change(&mut scene);
    let facts = scene.stop();
    assert_eq!((facts.judged, facts.work), (StopFacts::default().judged, work_seen));
}

#[test]
fn no_question_about_a_stop_that_is_allowed_anyway() {
    check_not_asked(|scene| scene.last_message = "Shall I?", TurnWork::Unknown);
    check_not_asked(|scene| scene.settings.mode = Mode::Off, TurnWork::Unknown);
    let blocked_three_times = |scene: &mut Scene| {
        let before = NOW.minus(Duration::from_secs(60));
        for _ in 0..3 {
            blocks::record_stop(&scene.store(), "s", Some("p"), None, TempoStop::NAME, before).unwrap();
        }
    };
    check_not_asked(blocked_three_times, TurnWork::Unknown);
    let of_words = scene(&[prompt("hello"), json!({"type": "assistant", "message": {"content": []}})]);
    let facts = of_words.stop();
    assert_eq!((facts.judged, facts.work), (StopFacts::default().judged, TurnWork::NoToolCall));
}

#[test]
fn a_prompt_counts_as_typed_where_a_person_can_type() {
    let terminal = scene(&[]);
    assert_eq!(terminal.prompt("do it", None), (None, true));
    assert!(terminal.prompt("tempo-stop status", None).0.is_some_and(|text| text.starts_with("tempo-stop")));
    assert_eq!(terminal.prompt("do it", Some("user")), (None, true));
    assert_eq!(terminal.prompt("do it", Some("system")), (None, false));
    assert_eq!(terminal.prompt("<task-notification>\n<task-id>x", None), (None, false));
    let script = Scene { entrypoint: "sdk-cli", ..scene(&[]) };
    assert_eq!(script.prompt("do it", None), (None, false));
}

#[test]
fn a_session_begins_with_the_announcement_unless_nothing_is_looked_at() {
    let mut scene = scene(&[]);
    assert_eq!(scene.start(), (None, None), "no model is chosen");
    scene.settings.judge.backend = Some(Backend::MessagesApi);
    let (announcement, notice) = scene.start();
    assert!(announcement.is_some_and(|text| text.starts_with("tempo-stop: ")) && notice.is_none());
    let own = scene.file("start.md");
    std::fs::write(&own, "é".repeat(401)).unwrap();
    scene.settings.message_files.insert("session_start_message".into(), own);
    assert_eq!(scene.start().0.map(|text| text.chars().count()), Some(400));
    scene.settings.mode = Mode::Off;
    assert_eq!(scene.start(), (None, None));
}
