//! The window by whoever knows it, what share of it is used, and precedence of status line, transcript and settings, by event.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use shared::config::Bounded;
use shared::hook::Context;
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Subagent, ToolResult};
use shared::state::Store;
use shared::usage::{ContextWindow, SessionUsage};

use super::{LEVELS, LONG_WINDOW, Level, Reading, State, USUAL_WINDOW, full_name, is_of, reading, window};
use crate::settings::Settings;
use crate::step::Step;
use crate::tests::{World, defaults};

#[test]
fn first_source_that_knows_the_window_decides() {
    let mut settings = defaults();
    for (name, window) in [("by", 3_000), ("by-model", 4_000)] {
        settings.context_windows_tokens.insert(name.to_owned(), Bounded::new(window).unwrap());
    }
    for (reported, set, model, tokens, expected) in [
        (Some(1_000), 2_000, "by-model[1m]", 0, 1_000),
        (Some(0), 2_000, "by-model[1m]", 0, 2_000),
        (None, 0, "by-model[1m]", 0, LONG_WINDOW),
        (None, 0, "by-model-4", 0, 4_000),
        (None, 0, "by-another", 0, 3_000),
        (None, 0, "claude-opus-5-5-20260901", 0, LONG_WINDOW),
        (None, 0, "", 200_000, USUAL_WINDOW),
        // It is never smaller than what was seen in it.
        (None, 0, "claude-x", 200_001, LONG_WINDOW),
        (Some(100_000), 0, "claude-x", 150_000, LONG_WINDOW),
        (None, 2_000_000, "claude-x", 1_500_000, 2_000_000),
    ] {
        settings.context_window_tokens = Bounded::new(set);
        assert_eq!(
            window(&settings, model, reported, tokens),
            expected,
            "{reported:?} {set} {model} {tokens}"
        );
    }
}

#[test]
fn model_has_the_name_it_was_chosen_by() {
    let table: [(&str, &[&str], &str); 5] = [
        ("claude-opus-4-8", &["claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
        ("claude-sonnet-4-5-20250929", &["sonnet[1m]"], "claude-sonnet-4-5-20250929[1m]"),
        // It was changed: the latest name counts, and one of another model's does not.
        ("claude-opus-4-8", &["claude-opus-4-8", "claude-opus-4-8[1m]"], "claude-opus-4-8"),
        ("claude-haiku-4-5", &["claude-opus-4-8[1m]", "opus[1m]"], "claude-haiku-4-5"),
        ("claude-opus-4-8", &["claude-haiku-4-5", "claude-opus-4-8[1m]"], "claude-opus-4-8[1m]"),
    ];
    for (reply, chosen, expected) in table {
        assert_eq!(full_name(reply, chosen), expected, "{reply} {chosen:?}");
    }
    assert!(!is_of("", "claude-opus-4-8") && !is_of("[1m]", "claude-opus-4-8"));
}

const NOW: i64 = 100_000;
const MODEL: &str = "claude-opus-4-8";

/// A session without readings.
struct Scene {
    world: World,
    state: State,
    event: Event,
    is_recorded: bool,
}

fn scene() -> Scene {
    let event = Event::PostToolUse(ToolResult::default());
    let world = World::new(Timestamp::from_secs(NOW));
    Scene { world, state: State::default(), event, is_recorded: false }
}

impl Scene {
    fn store(&self) -> Store {
        self.world.places.open_store().unwrap()
    }

    fn transcript(&self) -> PathBuf {
        self.world.at("t.jsonl")
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
    fn reported(self, secs: i64, model: &str, used_tokens: Option<u64>, size: Option<u64>) -> Self {
        let now = SessionUsage {
            written_at: NOW - secs,
            model: model.to_owned(),
            context: ContextWindow { size, used_tokens, used_percent: None },
            ..SessionUsage::default()
        };
        let write = |known: &mut SessionUsage| {
            *known = now;
            true
        };
        self.store().change("s", write).unwrap();
        self
    }

    fn learns(&self, model: &str, tokens: u64) {
        self.world.does(Step::Learn { model: model.into(), tokens }).unwrap();
    }

    fn see<T>(&self, look: impl FnOnce(&Context<'_, Settings>) -> T) -> T {
        let call = Call {
            session_id: Some("s".into()),
            transcript_path: Some(self.transcript()),
            ..Call::default()
        };
        self.world.see(call, self.event.clone(), look)
    }

    fn reading(&self) -> Option<Reading> {
        self.see(|context| reading(context, &self.state, self.is_recorded))
    }

    /// Tokens, window and model.
    #[track_caller]
    fn check(&self, expected: Option<(u64, u64, &str)>) {
        let found = self.reading();
        let found = found.as_ref().map(|it| (it.tokens, it.window, it.model.as_str()));
        assert_eq!(found, expected);
    }
}

#[test]
fn fresh_status_line_is_believed_and_else_the_transcript() {
    for secs in [0, 60] {
        let scene = scene().replied(MODEL, 7).reported(secs, "claude-x[1m]", Some(51_000), Some(1_000_000));
        scene.check(Some((51_000, 1_000_000, "claude-x[1m]")));
    }
    let transcript = Some((80_000, 200_000, MODEL));
    let replied = || scene().replied(MODEL, 80_000);
    replied().reported(61, MODEL, Some(51_000), Some(200_000)).check(transcript);
    scene().reported(61, MODEL, Some(51_000), Some(200_000)).check(None);
    // Before the first reply of a resumed session the status line reports nothing, or 0.
    replied().reported(0, MODEL, Some(0), Some(200_000)).check(transcript);
    scene().reported(0, MODEL, None, None).check(None);
}

#[test]
fn after_a_compaction_only_a_new_reply_counts() {
    let full = || scene().replied(MODEL, 167_000).reported(0, MODEL, Some(167_000), Some(200_000));
    let mut old = full().compacted();
    old.state.compacted = true;
    old.check(None);
    old.replied(MODEL, 20_000).check(Some((20_000, 200_000, MODEL)));
    for source in ["compact", "clear"] {
        let event = Event::SessionStart { source: source.into(), model: None };
        Scene { event, is_recorded: true, ..full() }.check(None);
    }
}

#[test]
fn it_is_looked_at_where_it_matters() {
    let start = |source: &str| Event::SessionStart { source: source.into(), model: None };
    let mut scene = scene().replied(MODEL, 80_000);
    for (event, always) in [
        (Event::PostToolUse(ToolResult::default()), true),
        (Event::PreCompact { trigger: "auto".into() }, true),
        (Event::SubagentStart(Subagent::default()), false),
        (Event::SubagentStop(Subagent::default()), false),
        (start("resume"), false),
        (Event::SessionEnd { reason: "other".into() }, false),
    ] {
        (scene.event, scene.is_recorded) = (event, false);
        assert_eq!(scene.reading().is_some(), always, "{}", scene.event.name());
        scene.is_recorded = true;
        assert!(scene.reading().is_some(), "{}", scene.event.name());
    }
}

#[test]
fn place_of_a_models_compaction_is_kept_for_all_sessions() {
    let mut scene = scene().replied(MODEL, 130_000);
    let percent = |scene: &Scene| scene.reading().unwrap().compaction_percent();
    assert_eq!(percent(&scene), None);
    for (model, tokens, expected) in
        [("claude-haiku-4-5", 167_000, None), (MODEL, 167_000, Some(83.5)), (MODEL, 39_000, None)]
    {
        scene.learns(model, tokens);
        assert_eq!(percent(&scene), expected, "{model} {tokens}");
    }
    scene.state.compacted_at = Some((MODEL.to_owned(), 100_000));
    assert_eq!(percent(&scene), Some(50.0), "the session remembers what it has looked up");
}

#[test]
fn level_is_reached_at_its_percentage_and_the_record_begins_before_a_compaction() {
    for (point, margin, expected) in [
        (None, 3, "90.0"),
        (Some(83.5), 3, "80.5"),
        (Some(83.5), 0, "83.5"),
        (Some(93.0), 3, "90.0"),
        (Some(20.0), 50, "1.0"),
    ] {
        let mut settings = defaults();
        settings.compaction_margin_points = Bounded::new(margin).unwrap();
        let found = LEVELS.map(|level: Level| level.percent(&settings, point));
        assert_eq!(found.map(|at| format!("{at:.1}")), ["70.0", "85.0", expected, "95.0"], "{point:?}");
    }
}
