//! What is looked at when, and what a new session is told of the ones before it: each test in a project of its own.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, json};
use shared::config::{self, SectionSpec, Sources};
use shared::hook::{Context, Effect};
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::protocol::{Call, Event, Request, ToolResult};
use shared::switches::Position;

use super::start::MAX_DUE;
use super::{Facts, MAX_BYTES_AT_END, observe};
use crate::record::{Draft, Kind, Record, Sessions};
use crate::settings::Settings;
use crate::shelf;
use crate::step::{Start, Step};

const BEGUN: Timestamp = Timestamp::from_secs(1_000_000);
const NOW: Timestamp = Timestamp::from_secs(1_000_100);

struct World {
    scratch: tempfile::TempDir,
    places: Places,
    environment: Environment,
}

impl World {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("p");
        fs::create_dir_all(&root).unwrap();
        let places = Places {
            state_dir: Some(scratch.path().join("state")),
            project_claude_dir: Some(root.join(".claude")),
            root: Some(root),
            ..Places::default()
        };
        Self { scratch, places, environment: Environment::default() }
    }

    fn sessions(&self) -> Sessions {
        Sessions::of(&self.places).unwrap()
    }

    fn does(&self, step: Step) {
        step.carry_out(&self.places, BEGUN).unwrap();
    }

    fn begins(&self, session: &str) -> Record {
        self.does(Step::Start(Box::new(Start {
            session: session.into(),
            transcript: None,
            at: BEGUN,
            data: first(session),
            share: 0.9,
            then: Vec::new(),
        })));
        self.sessions().active(session).unwrap()
    }

    /// It has ended, and its record waits for the next start.
    fn left(&self, session: &str) {
        self.does(Step::LeaveForLater { session: session.into(), left_out: 0 });
    }

    fn observes(&self, session: &str, event: Event) -> Option<Facts> {
        let call = Call { session_id: Some(session.into()), ..Call::default() };
        self.observes_call(call, event)
    }

    fn observes_call(&self, call: Call, event: Event) -> Option<Facts> {
        let spec = SectionSpec { name: "pause-recorder", ..SectionSpec::default() };
        let settings: Settings = config::load(spec, &Sources::default(), Position::Auto).unwrap().settings;
        let host = Host { started: NOW, clock: Clock::Fixed(NOW), environment: self.environment.clone() };
        let store = self.places.open_store();
        observe(&Context {
            request: &Request { call, event },
            settings: &settings,
            places: &self.places,
            host: &host,
            locked: &[],
            store: store.as_ref(),
        })
    }

    fn starts(&self, session: &str) -> Facts {
        let event = Event::SessionStart { source: "startup".into(), model: None };
        self.observes(session, event).unwrap()
    }

    /// The only snapshot's JSON.
    fn json(&self) -> std::path::PathBuf {
        let id =
            shelf::read(&shelf::own_store(&self.places.open_store().unwrap()).unwrap()).entries[0].id.clone();
        self.sessions().files(&id).json
    }
}

fn silent_for_an_hour(record: &Record) {
    let file = fs::File::options().append(true).open(&record.path).unwrap();
    file.set_modified(NOW.minus(Duration::from_secs(3_600)).into()).unwrap();
}

fn first(session: &str) -> Map<String, serde_json::Value> {
    let data = json!({ "initial_state": { "claude_session_id": session }, "reason": "auto_pause" });
    data.as_object().unwrap().clone()
}

#[test]
fn a_new_session_is_told_of_what_was_written_just_now() {
    let world = World::new();
    world.begins("old");
    world.left("old");
    let facts = world.starts("new");
    assert_eq!(facts.left.faults, Vec::<String>::new());
    let tell = facts.left.tell.unwrap();
    assert!(world.json().is_file() && world.json().ends_with(Path::new(&tell.path)), "{}", tell.path);
    // It is taken.
    assert_eq!(world.starts("another").left.tell, None);
    world.does(Step::MarkRead { id: tell.id });
    assert_eq!(world.starts("another").left.tell, None);
}

#[test]
fn what_could_not_be_written_is_told_as_that_and_nothing_else() {
    let world = World::new();
    world.begins("old");
    world.left("old");
    fs::create_dir(world.json()).unwrap();
    for session in ["b", "c"] {
        let left = world.starts(session).left;
        assert_eq!((left.faults.len(), left.tell), (1, None));
    }
    fs::remove_dir(world.json()).unwrap();
    assert!(world.starts("d").left.tell.is_some());
}

#[test]
fn those_that_wait_for_the_next_start_are_not_called_open() {
    let world = World::new();
    for number in 0..=MAX_DUE {
        world.begins(&format!("old-{number}"));
        world.left(&format!("old-{number}"));
    }
    world.sessions().actives().iter().for_each(silent_for_an_hour);
    let left = world.starts("new").left;
    assert_eq!((left.orphans, world.sessions().actives().len()), (Vec::new(), 1));
    assert_eq!(world.starts("another").left.orphans, Vec::new());
    assert!(world.sessions().actives().is_empty());
}

#[test]
fn a_record_that_nothing_can_be_called_by_waits_for_its_day() {
    let world = World::new();
    let own = shelf::own_store(&world.places.open_store().unwrap()).unwrap();
    let root = world.places.root.clone().unwrap();
    shelf::change(&own, |shelf| shelf.announce(&root, "old", None, BEGUN)).unwrap();
    let started = Record::start(&world.sessions(), "old", BEGUN, first("old"), 0.9).unwrap();
    fs::write(&started.record.path, "torn").unwrap();
    silent_for_an_hour(&started.record);
    assert_eq!(world.starts("new").left.orphans, Vec::new());
}

#[test]
fn of_sessions_that_start_at_once_one_is_told() {
    let world = World::new();
    world.begins("old");
    world.left("old");
    let told = std::thread::scope(|scope| {
        let start = |number: usize| world.starts(&format!("new-{number}")).left.tell.is_some();
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(move || start(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|told| *told).count()
    });
    assert_eq!(told, 1);
}

#[test]
fn a_session_nobody_watches_leaves_it_to_the_next() {
    let mut world = World::new();
    world.begins("old");
    world.left("old");
    world.environment.entrypoint = Some("sdk-cli".into());
    assert_eq!(world.starts("script").left.tell, None);
    world.environment = Environment::default();
    assert!(world.starts("new").left.tell.is_some());
}

#[test]
fn a_record_whose_process_was_killed_as_it_began_is_one_of_ours() {
    let world = World::new();
    let own = shelf::own_store(&world.places.open_store().unwrap()).unwrap();
    let root = world.places.root.clone().unwrap();
    shelf::change(&own, |shelf| shelf.announce(&root, "old", None, BEGUN)).unwrap();
    let started = Record::start(&world.sessions(), "old", BEGUN, first("old"), 0.9).unwrap();
    world.left("old");
    assert_eq!(world.starts("new").left.tell.map(|tell| tell.id), Some(started.id));
}

#[test]
fn a_compaction_of_a_subagent_is_none_of_ours() {
    let world = World::new();
    let event = Event::PreCompact { trigger: "auto".into() };
    let call = Call { session_id: Some("s".into()), agent_id: Some("a".into()), ..Call::default() };
    assert!(world.observes_call(call, event.clone()).is_none() && !world.sessions().dir.exists());
    let facts = world.observes("s", event).unwrap();
    assert_eq!(facts.hindrance, None);
    assert!(facts.material.is_some());
}

#[test]
fn that_nothing_can_begin_is_found_before_it_is_said() {
    let world = World::new();
    fs::create_dir(world.scratch.path().join("p/.claude")).unwrap();
    fs::write(world.sessions().dir, "in the way").unwrap();
    let facts = world.observes("s", Event::PreCompact { trigger: "auto".into() }).unwrap();
    assert!(facts.hindrance.unwrap().contains("is no folder"));
}

#[test]
fn a_long_record_is_left_for_later_at_a_sessions_end() {
    let world = World::new();
    let record = world.begins("s");
    let end = || world.observes("s", Event::SessionEnd { reason: "other".into() }).unwrap().material;
    assert!(end().is_some());
    let data = json!({ "message": "x".repeat(1000) }).as_object().unwrap().clone();
    let draft = Draft { kind: Kind::UserMessage, at: BEGUN, data, share: 0.9 };
    let many = usize::try_from(MAX_BYTES_AT_END / 1000).unwrap();
    record.append(&vec![draft; many]).unwrap();
    assert!(end().is_none());
}

#[test]
fn where_nothing_can_be_remembered_no_level_is_reached() {
    let mut world = World::new();
    let transcript = world.scratch.path().join("t.jsonl");
    let usage = json!({"input_tokens": 190_000, "output_tokens": 0});
    let line = json!({"type": "assistant", "message": {"model": "m", "content": [], "usage": usage}});
    fs::write(&transcript, format!("{line}\n")).unwrap();
    let call = Call { session_id: Some("s".into()), transcript_path: Some(transcript), ..Call::default() };
    let look = |world: &World| {
        world.observes_call(call.clone(), Event::PostToolUse(ToolResult::default())).unwrap().reading
    };
    assert!(look(&world).is_some());
    world.places.state_dir = None;
    assert!(look(&world).is_none());
}
