//! Precedence of status line, transcript and settings, by event.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use shared::config::{self, Bounded, SectionSpec, Sources};
use shared::hook::Context;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::protocol::{Call, Event, Request, Stop, Subagent, ToolFailure, ToolResult};
use shared::state::Store;
use shared::switches::Position;
use shared::usage::session::{self, ContextWindow, SessionUsage};

use super::{learnt, of, thresholds};
use crate::models::{self, Model};
use crate::occupancy::{Reading, Source};
use crate::registry;
use crate::settings::Settings;
use crate::state::State;

const NOW: i64 = 100_000;
const MODEL: &str = "claude-opus-4-8";

/// A session without readings.
struct Scene {
    scratch: tempfile::TempDir,
    settings: Settings,
    state: State,
    event: Event,
    is_recorded: bool,
}

fn scene() -> Scene {
    let spec = SectionSpec { name: "pause-recorder", ..SectionSpec::default() };
    let settings = config::load(spec, &Sources::default(), Position::Auto).unwrap().settings;
    let scratch = tempfile::tempdir().unwrap();
    let event = Event::PostToolUse(ToolResult::default());
    Scene { scratch, settings, state: State::default(), event, is_recorded: false }
}

impl Scene {
    fn store(&self) -> Store {
        Store::open(&self.scratch.path().join("state")).unwrap()
    }

    fn transcript(&self) -> PathBuf {
        self.scratch.path().join("t.jsonl")
    }

    /// The last reply was counted so.
    fn replied(self, model: &str, tokens: u64) -> Self {
        let usage = json!({"input_tokens": 0, "cache_read_input_tokens": tokens, "output_tokens": 0});
        let line = json!({"type": "assistant", "message": {"model": model, "content": [], "usage": usage}});
        fs::write(self.transcript(), format!("{line}\n")).unwrap();
        self
    }

    fn compacted(self) -> Self {
        let line = json!({"type": "system", "subtype": "compact_boundary"});
        let before = fs::read_to_string(self.transcript()).unwrap();
        fs::write(self.transcript(), format!("{before}{line}\n")).unwrap();
        self
    }

    /// A status-line report, `secs` ago.
    fn told(self, secs: i64, model: &str, used_tokens: Option<u64>, size: Option<u64>) -> Self {
        let now = SessionUsage {
            written_at: NOW - secs,
            model: model.to_owned(),
            context: ContextWindow { size, used_tokens, used_percent: None },
            ..SessionUsage::default()
        };
        session::record(&self.store(), "s", now, |_| ()).unwrap();
        self
    }

    fn learnt(self, model: &str, learnt: Model) -> Self {
        models::learn(&registry::own_store(&self.store()).unwrap(), model, learnt).unwrap();
        self
    }

    fn see<T>(&self, look: impl FnOnce(&Context<'_, Settings>) -> T) -> T {
        let now = Timestamp::from_secs(NOW);
        let host = Host { started: now, clock: Clock::Fixed(now), environment: Environment::default() };
        let call = Call {
            session_id: Some("s".into()),
            transcript_path: Some(self.transcript()),
            ..Call::default()
        };
        let request = Request { call, event: self.event.clone() };
        let (places, store) = (Places::default(), self.store());
        look(&Context {
            request: &request,
            settings: &self.settings,
            places: &places,
            host: &host,
            locked: &[],
            store: Some(&store),
        })
    }

    fn reading(&self) -> Option<Reading> {
        self.see(|context| of(context, &self.state, self.is_recorded))
    }

    /// Tokens, window and model, by whom.
    #[track_caller]
    fn check(&self, expected: Option<(u64, u64, &str, Source)>) {
        let found = self.reading();
        let found = found.as_ref().map(|it| (it.tokens, it.window, it.model.as_str(), it.source));
        assert_eq!(found, expected);
    }

    fn auto_pause(&self) -> f64 {
        let reading = self.reading();
        let learnt = self.see(|context| learnt(context, &self.state, reading.as_ref()));
        thresholds(&self.settings, reading.as_ref(), learnt.as_ref()).auto_pause
    }
}

use Source::{StatusLine, Transcript};

#[test]
fn a_status_line_that_was_just_told_is_believed() {
    for secs in [0, 1, 60] {
        let scene = scene().replied(MODEL, 7).told(secs, "claude-x[1m]", Some(51_000), Some(1_000_000));
        scene.check(Some((51_000, 1_000_000, "claude-x[1m]", StatusLine)));
    }
}

#[test]
fn else_the_transcript_is_read() {
    let transcript = Some((80_000, 200_000, MODEL, Transcript));
    let replied = || scene().replied(MODEL, 80_000);
    replied().check(transcript);
    for secs in [61, 100_000, -1, -3_600] {
        replied().told(secs, MODEL, Some(51_000), Some(200_000)).check(transcript);
    }
    // Before the first reply of a resumed session the status line reports nothing, or 0.
    replied().told(0, MODEL, Some(0), Some(200_000)).check(transcript);
    replied().told(0, MODEL, None, Some(200_000)).check(transcript);
}

#[test]
fn where_nobody_knows_nothing_is_known() {
    scene().check(None);
    scene().told(61, MODEL, Some(51_000), Some(200_000)).check(None);
    scene().told(0, MODEL, None, None).check(None);
    scene().replied("<synthetic>", 9).check(None);
}

#[test]
fn after_a_compaction_only_a_new_reply_counts() {
    let mut old = scene().replied(MODEL, 167_000).compacted().told(0, MODEL, Some(167_000), Some(200_000));
    old.state.compacted = true;
    old.check(None);
    old.replied(MODEL, 20_000).check(Some((20_000, 200_000, MODEL, Transcript)));
}

#[test]
fn a_session_that_begins_anew_has_nothing_of_before() {
    for source in ["compact", "clear"] {
        let mut scene = scene().replied(MODEL, 167_000).told(0, MODEL, Some(167_000), Some(200_000));
        scene.event = Event::SessionStart { source: source.into(), model: None };
        scene.is_recorded = true;
        scene.check(None);
    }
}

#[test]
fn it_is_looked_at_where_it_matters() {
    let prompt = Event::UserPromptSubmit { prompt: "go".into(), source: None };
    let always = [
        Event::PostToolUse(ToolResult::default()),
        Event::PostToolUseFailure(ToolFailure::default()),
        Event::Stop(Stop::default()),
        Event::StopFailure { error: String::new() },
        Event::PreCompact { trigger: "auto".into() },
        prompt,
    ];
    let recorded = [
        Event::SubagentStart(Subagent::default()),
        Event::SubagentStop(Subagent::default()),
        Event::SessionStart { source: "resume".into(), model: None },
        Event::SessionEnd { reason: "other".into() },
    ];
    let mut scene = scene().replied(MODEL, 80_000);
    let mut is_seen = |event: &Event, is_recorded: bool| {
        (scene.event, scene.is_recorded) = (event.clone(), is_recorded);
        scene.reading().is_some()
    };
    for event in &always {
        assert!(is_seen(event, false) && is_seen(event, true), "{}", event.name());
    }
    for event in &recorded {
        assert!(!is_seen(event, false) && is_seen(event, true), "{}", event.name());
    }
}

#[test]
fn the_window_of_a_transcripts_model() {
    let replied = || scene().replied(MODEL, 80_000);
    let window = |scene: Scene| scene.reading().unwrap().window;
    let learnt = Model { window: Some(300_000), compacted_at: None };
    assert_eq!(window(replied()), 200_000);
    // The status line told it, however long ago; of another model it says nothing.
    assert_eq!(window(replied().told(9_000, MODEL, Some(1), Some(400_000))), 400_000);
    assert_eq!(window(replied().told(9_000, "claude-haiku-4-5", Some(1), Some(400_000))), 200_000);
    assert_eq!(window(replied().learnt(MODEL, learnt)), 300_000);
    assert_eq!(window(replied().learnt("claude-opus-4", learnt)), 200_000);
    assert_eq!(window(scene().replied("claude-opus-5-5-20260901", 1)), 1_000_000);
    assert_eq!(window(scene().replied("claude-opus-5-5", 1).learnt("claude-opus-5-5", learnt)), 300_000);
    assert_eq!(window(scene().replied(MODEL, 300_000)), 1_000_000);
    let mut set = replied().learnt(MODEL, learnt);
    set.settings.context_window_tokens = Bounded::new(500_000);
    assert_eq!(window(set), 500_000);
}

#[test]
fn a_model_that_was_chosen_as_the_long_one_is_it() {
    let mut chosen = scene().replied(MODEL, 80_000);
    chosen.state.model = Some(format!("{MODEL}[1m]"));
    chosen.check(Some((80_000, 1_000_000, "claude-opus-4-8[1m]", Transcript)));
    // It was changed meanwhile.
    chosen.replied("claude-haiku-4-5", 80_000).check(Some((80_000, 200_000, "claude-haiku-4-5", Transcript)));
}

#[test]
fn the_record_begins_where_this_model_was_compacted() {
    let at = |tokens, learnt_of: &str, compacted_at| {
        let learnt = Model { window: None, compacted_at: Some(compacted_at) };
        scene().replied(MODEL, tokens).learnt(learnt_of, learnt).auto_pause()
    };
    let table = [
        (at(130_000, MODEL, 167_000), 80.5),
        (at(190_000, MODEL, 167_000), 80.5),
        (at(50_000, MODEL, 100_000), 47.0),
        (at(190_000, "claude-haiku-4-5", 167_000), 90.0),
        (at(190_000, MODEL, 39_000), 90.0),
        (at(190_000, MODEL, 967_000), 90.0),
        (scene().auto_pause(), 90.0),
    ];
    for (found, expected) in table {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

#[test]
fn at_a_turns_end_the_window_that_was_told_is_learnt_if_it_is_new() {
    let stop = || Scene { event: Event::Stop(Stop::default()), ..scene() };
    let told = |scene: Scene| scene.told(0, MODEL, Some(9), Some(400_000)).reading().unwrap().new_window;
    let learnt = |window| Model { window: Some(window), compacted_at: Some(1) };
    assert_eq!(told(stop()), Some(400_000));
    assert_eq!(told(stop().learnt(MODEL, learnt(200_000))), Some(400_000));
    assert_eq!(told(stop().learnt(MODEL, learnt(400_000))), None);
    assert_eq!(told(scene()), None);
    let stale = stop().replied(MODEL, 9).told(61, MODEL, Some(9), Some(400_000));
    assert_eq!(stale.reading().unwrap().new_window, None);
    assert_eq!(stop().told(0, "", Some(9), Some(400_000)).reading().unwrap().new_window, None);
    assert_eq!(stop().told(0, MODEL, Some(9), None).reading().unwrap().new_window, None);
}
