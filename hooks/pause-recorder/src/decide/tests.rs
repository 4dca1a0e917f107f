//! The rules as tables: an event, how full the context is, and what comes of it.

use serde_json::{Value, json};
use shared::blocks::BlockCount;
use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, Stop, Subagent, ToolCall, ToolFailure, ToolResult};

use super::decide;
use crate::observe::Facts;
use crate::occupancy::{Level, Reading, State};
use crate::record::{Action, Kind, NOT_RECORDED, Record, Sessions};
use crate::settings::Settings;
use crate::step::{Ending, Step};
use crate::tests::defaults;

const NOW: Timestamp = Timestamp::from_secs(1_000_000);

/// A tool call in a session that nothing is known of; the tests change what matters.
struct Case {
    call: Call,
    event: Event,
    facts: Facts,
    state: State,
    settings: Settings,
    headless: bool,
}

fn reading(percent: u64) -> Reading {
    let (tokens, window) = (percent * 2_000, 200_000);
    Reading { tokens, window, model: "m".into(), compacted_at: 0 }
}

fn tool_call() -> Event {
    let tool_input = serde_json::value::RawValue::from_string(r#"{"file_path":"/p/a.rs"}"#.into()).ok();
    let call = ToolCall { tool_name: "Read".into(), tool_use_id: None, tool_input };
    Event::PostToolUse(ToolResult { call, ..ToolResult::default() })
}

fn stop(text: &str) -> Event {
    Event::Stop(Stop { last_assistant_message: Some(text.into()), ..Stop::default() })
}

fn prompt(text: &str) -> Event {
    Event::UserPromptSubmit { prompt: text.into(), source: None }
}

fn start(source: &str) -> Event {
    Event::SessionStart { source: source.into(), model: None }
}

fn compaction(trigger: &str) -> Event {
    Event::PreCompact { trigger: trigger.into() }
}

fn end() -> Event {
    Event::SessionEnd { reason: "other".into() }
}

fn at(percent: u64) -> Case {
    Case {
        call: Call { session_id: Some("s".into()), ..Call::default() },
        event: tool_call(),
        facts: Facts {
            sessions: Sessions { dir: "/p/.claude/sessions".into(), root: "/p".into() },
            reading: Some(reading(percent)),
            ..Facts::default()
        },
        state: State::default(),
        settings: defaults(),
        headless: false,
    }
}

/// The same while it is recorded.
fn recorded_at(percent: u64) -> Case {
    let mut case = at(percent);
    let path = "/p/.claude/sessions/ACTIVE-PAUSE-s.jsonl".into();
    case.facts.record = Some(Record { path, bytes: 100, modified: NOW });
    case.state.reported = [Level::Caution, Level::Warning, Level::AutoPause].into();
    case
}

impl Case {
    fn on(self, event: Event) -> Self {
        Self { event, ..self }
    }

    fn outcome(&self) -> Outcome<State, Step> {
        decide(&Input {
            request: &Request { call: self.call.clone(), event: self.event.clone() },
            facts: &self.facts,
            state: &self.state,
            state_is_usable: true,
            settings: &self.settings,
            blocks: BlockCount::default(),
            started: NOW,
            now: NOW,
            headless: self.headless,
            switched_off: false,
            origin: &|_| None,
        })
    }

    fn state_after(&self) -> State {
        match self.outcome().memory {
            Memory::Note(state) => state,
            Memory::Keep => self.state.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn notice(&self) -> String {
        self.outcome().notice.unwrap_or_default()
    }

    /// Everything that is written into the record, if it is.
    fn actions(&self) -> Vec<Action> {
        let actions = |step| match step {
            Step::Append { actions, .. } => actions,
            _ => Vec::new(),
        };
        self.outcome().effects.into_iter().flat_map(actions).collect()
    }

    fn kinds(&self) -> Vec<Kind> {
        self.actions().into_iter().map(|action| action.kind).collect()
    }

    fn starts(&self) -> bool {
        self.kinds().first() == Some(&Kind::PauseStarted)
    }

    fn does(&self, step: &Step) -> bool {
        self.outcome().effects.contains(step)
    }

    fn ending(&self) -> Option<Ending> {
        let ending = |step| if let Step::Finish(end) = step { Some(end.ending) } else { None };
        self.outcome().effects.into_iter().find_map(ending)
    }
}

#[test]
fn level_notifies_once_when_reached() {
    for (from, percent, reported) in [
        (&[][..], 69, &[][..]),
        (&[], 70, &["70 % full (140,000 of 200,000 tokens)"]),
        (&[70, 84], 85, &["/compact"]),
        (&[70, 85], 90, &["recorded in .claude/sessions"]),
        (&[70, 85, 90], 95, &["next to nothing is left"]),
        (&[70, 85, 90, 95], 100, &[]),
        // A jump over several levels gives one message.
        (&[], 97, &["next to nothing is left", "recorded in .claude/sessions"]),
        // The count of levels begins anew after the context was emptied.
        (&[75, 65], 75, &[]),
        (&[75, 59], 75, &["75 % full"]),
    ] {
        let mut case = at(0);
        for earlier in from {
            case.facts.reading = Some(reading(*earlier));
            case.state = case.state_after();
        }
        case.facts.reading = Some(reading(percent));
        let (notice, outcome) = (case.notice(), case.outcome());
        assert_eq!(reported.is_empty(), notice.is_empty(), "{from:?} {percent}: {notice}");
        assert!(reported.iter().all(|part| notice.contains(part)), "{from:?} {percent}: {notice}");
        let advised = (!reported.is_empty()).then(|| AuditEvent::Advised("levels".to_owned()));
        assert_eq!((outcome.audit_event, outcome.verdict), (advised, Verdict::Pass));
        case.state = case.state_after();
        assert_eq!(case.outcome().memory, Memory::Keep, "nothing is remembered while nothing changes");
    }
}

#[test]
fn record_begins_at_its_level_with_the_event_that_reached_it() {
    assert!(!at(89).starts());
    assert_eq!(at(90).kinds(), [Kind::PauseStarted, Kind::SystemEvent, Kind::ToolCall]);
    let first = at(90).actions().remove(0);
    let initial =
        json!({ "claude_session_id": "s", "model": "m", "tokens_used": 180_000, "tokens_total": 200_000 });
    let data = json!({ "context_percentage": 0.9, "initial_state": initial, "reason": "auto_pause" });
    assert_eq!(Value::Object(first.data), data);
}

#[test]
fn event_is_an_action() {
    let failure = ToolFailure { error: "Exit code 1".into(), ..ToolFailure::default() };
    let subagent = Subagent::default();
    for (event, kind, key, value) in [
        (tool_call(), Kind::ToolCall, "tool", "Read"),
        (tool_call(), Kind::ToolCall, "path", "/p/a.rs"),
        (prompt("go on"), Kind::UserMessage, "message", "go on"),
        (stop("done"), Kind::AssistantResponse, "summary", "done"),
        (Event::PostToolUseFailure(failure), Kind::SystemEvent, "event", "tool_failure"),
        (Event::StopFailure { error: "rate_limit".into() }, Kind::SystemEvent, "error", "rate_limit"),
        (Event::SubagentStart(subagent.clone()), Kind::SystemEvent, "event", "subagent_started"),
        (Event::SubagentStop(subagent.clone()), Kind::SystemEvent, "event", "subagent_stopped"),
        (compaction("manual"), Kind::SystemEvent, "trigger", "manual"),
        (start("resume"), Kind::SystemEvent, "source", "resume"),
        (end(), Kind::SystemEvent, "reason", "other"),
    ] {
        let mut case = recorded_at(91).on(event);
        case.call.agent_type = Some("Explore".into());
        let actions = case.actions();
        assert_eq!(actions.len(), 1, "{:?}", case.event);
        assert_eq!((actions[0].kind, &actions[0].data[key]), (kind, &Value::from(value)));
        assert_eq!((actions[0].share, actions[0].at), (0.91, NOW));
    }
    assert!(recorded_at(91).on(Event::SubagentStop(subagent)).kinds().is_empty(), "a compaction's own");
}

#[test]
fn full_record_counts_and_gets_its_last_line() {
    let mut case = recorded_at(91);
    case.facts.record.as_mut().unwrap().bytes = 10 * 1024 * 1024;
    assert!(case.kinds().is_empty());
    assert_eq!(case.state_after().left_out, 1);
    case.state.left_out = 3;
    for event in [compaction("manual"), end()] {
        case.event = event;
        assert_eq!(case.actions()[0].data[NOT_RECORDED], 3);
    }
}

#[test]
fn automatic_compaction_leaves_a_snapshot_and_the_record_goes_on() {
    for (case, trigger, starts, ending) in [
        (at(60), "auto", true, Some(Ending::GoesOn)),
        (recorded_at(91), "auto", false, Some(Ending::GoesOn)),
        (recorded_at(91), "manual", false, Some(Ending::GoesOn)),
        (at(60), "manual", false, None),
    ] {
        let case = case.on(compaction(trigger));
        assert_eq!((case.starts(), case.ending()), (starts, ending), "{trigger}");
    }
}

#[test]
fn compaction_teaches_its_place_and_the_levels_begin_anew() {
    let step = Step::Learn { model: "m".into(), tokens: 166_000 };
    assert!(at(83).on(compaction("auto")).does(&step) && !at(83).on(compaction("manual")).does(&step));
    let mut case = recorded_at(83).on(start("compact"));
    case.facts.reading = None;
    let after = case.state_after();
    assert!(after.compacted && after.reported.is_empty());
    // A new reply counts again.
    case.state = after;
    case.facts.reading = Some(reading(10));
    assert!(!case.on(tool_call()).state_after().compacted);
}

#[test]
fn record_ends_with_its_session() {
    let case = recorded_at(91).on(end());
    assert_eq!((case.outcome().memory, case.ending()), (Memory::Drop, Some(Ending::WithSession)));
    assert_eq!(at(60).on(end()).ending(), None);
}

#[test]
fn record_begins_by_itself_once_until_the_context_falls() {
    // The user has finalized or discarded it.
    let mut case = recorded_at(92);
    case.facts.record = None;
    for event in [tool_call(), compaction("auto")] {
        case.event = event;
        assert!(!case.starts(), "{:?}", case.event);
    }
    case.facts.reading = Some(reading(20));
    case.state = case.state_after();
    case.facts.reading = Some(reading(90));
    assert!(case.starts());
}

#[test]
fn new_session_gets_the_brief_once_and_a_headless_one_none() {
    let mut case = at(5).on(start("startup"));
    case.facts.unread = Some(("session-4".into(), "earlier".into()));
    case.facts.notices = vec!["left".into()];
    assert_eq!(case.notice(), "left");
    let outcome = case.outcome();
    assert_eq!(outcome.verdict, Verdict::Advise { text: "earlier".to_owned() });
    assert!(case.does(&Step::MarkRead { id: "session-4".into() }));
    case.headless = true;
    assert_eq!((case.outcome().verdict, case.outcome().effects), (Verdict::Pass, Vec::new()));
}
