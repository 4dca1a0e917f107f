//! The rules as tables: an event, how full the context is, and what comes of it.

use serde_json::Value;
use shared::blocks::BlockCount;
use shared::config::{self, SectionSpec, Sources};
use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, Stop, Subagent, ToolCall, ToolFailure, ToolResult};
use shared::switches::Position;

use super::{NOT_RECORDED, decide};
use crate::command::Reply;
use crate::levels::{Level, Thresholds};
use crate::material::Material;
use crate::models::Model;
use crate::observe::start::Unread;
use crate::observe::{Active, Facts, Left, Orphan};
use crate::occupancy::{Reading, Source};
use crate::record::{Draft, Kind, Record, Recorded, Sessions};
use crate::settings::Settings;
use crate::snapshot::{End, Ending, build};
use crate::state::{Compacting, Learnt, State};
use crate::step::Step;

const NOW: Timestamp = Timestamp::from_secs(1_000_000);

/// A sentence.
const LIKE_A_COMMAND: &str = "req status prints the wrong branch, please fix the parser and add a test";

/// A tool call in a session that nothing is known of; the tests change what matters.
struct Case {
    call: Call,
    event: Event,
    facts: Facts,
    state: State,
    settings: Settings,
    headless: bool,
}

/// As compiled in, so that a new setting changes no test.
fn defaults() -> Settings {
    let spec = SectionSpec { name: "pause-recorder", ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

fn record() -> Record {
    Record { path: "/p/.claude/sessions/ACTIVE-PAUSE-s.jsonl".into(), bytes: 100, modified: NOW }
}

fn reading(percent: u64) -> Reading {
    Reading {
        tokens: percent * 2_000,
        window: 200_000,
        model: "m".into(),
        source: Source::Transcript,
        new_window: None,
    }
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

fn at(percent: u64) -> Case {
    let settings = defaults();
    Case {
        call: Call { session_id: Some("s".into()), ..Call::default() },
        event: tool_call(),
        facts: Facts {
            sessions: Some(Sessions { dir: "/p/.claude/sessions".into(), root: "/p".into() }),
            record: None,
            reading: Some(reading(percent)),
            learnt: None,
            thresholds: Thresholds::new(&settings, None),
            material: None,
            answered: None,
            left: Left::default(),
        },
        state: State::default(),
        settings,
        headless: false,
    }
}

/// The same while it is recorded.
fn recorded_at(percent: u64) -> Case {
    let mut case = at(percent);
    case.facts.record = Some(Active { record: record(), is_full: false });
    case.state.told = [Level::Caution, Level::Warning, Level::AutoPause].into();
    case
}

impl Case {
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
    fn drafts(&self) -> Vec<Draft> {
        let drafts = |step| match step {
            Step::Start(start) => start.then,
            Step::Append { drafts, .. } => drafts,
            _ => Vec::new(),
        };
        self.outcome().effects.into_iter().flat_map(drafts).collect()
    }

    fn kinds(&self) -> Vec<Kind> {
        self.drafts().into_iter().map(|draft| draft.kind).collect()
    }

    fn starts(&self) -> bool {
        self.outcome().effects.iter().any(|step| matches!(step, Step::Start(_)))
    }

    fn ends(&self) -> Vec<End> {
        let end = |step| if let Step::Finish(end) = step { Some(*end) } else { None };
        self.outcome().effects.into_iter().filter_map(end).collect()
    }
}

#[track_caller]
fn check_climb(from: &[u64], percent: u64, told: &str) {
    let mut case = at(0);
    for earlier in from {
        case.facts.reading = Some(reading(*earlier));
        case.state = case.state_after();
    }
    case.facts.reading = Some(reading(percent));
    let notice = case.notice();
    assert_eq!(told.is_empty(), notice.is_empty(), "{from:?} {percent}: {notice}");
    assert!(notice.contains(told), "{from:?} {percent}: {notice}");
}

#[test]
fn each_level_is_told_once_as_it_is_reached() {
    check_climb(&[], 69, "");
    check_climb(&[], 70, "70 % full (140,000 of 200,000 tokens)");
    check_climb(&[70], 71, "");
    check_climb(&[70, 84], 85, "/compact");
    check_climb(&[70, 85], 89, "");
    check_climb(&[70, 85], 90, "recorded in .claude/sessions");
    check_climb(&[70, 85, 90], 94, "");
    check_climb(&[70, 85, 90], 95, "next to nothing is left");
    check_climb(&[70, 85, 90, 95], 100, "");
}

#[test]
fn a_climb_begins_anew_when_the_context_was_emptied() {
    check_climb(&[75, 65], 75, "");
    check_climb(&[75, 59], 75, "75 % full");
}

#[test]
fn nothing_is_remembered_while_nothing_changes() {
    assert_eq!(at(30).outcome(), Outcome::pass());
    let mut case = at(75);
    case.state = case.state_after();
    assert_eq!(case.outcome(), Outcome::pass());
}

#[test]
fn the_record_begins_at_its_level_with_what_reached_it() {
    assert!(!at(89).starts());
    let case = at(90);
    assert!(case.starts());
    assert_eq!(case.kinds(), [Kind::SystemEvent, Kind::ToolCall]);
    let Some(Step::Start(start)) = case.outcome().effects.into_iter().next() else { panic!("no start") };
    assert_eq!(start.first.data["context_percentage"], 0.9);
    assert_eq!(start.first.data["reason"], "auto_pause");
    let initial = &start.first.data["initial_state"];
    assert_eq!(initial["claude_session_id"], "s");
    assert_eq!((&initial["tokens_used"], &initial["tokens_total"]), (&180_000.into(), &200_000.into()));
}

#[test]
fn without_a_place_for_it_nothing_is_recorded_and_that_is_said() {
    let mut case = at(90);
    case.facts.sessions = None;
    assert!(!case.starts());
    assert!(case.notice().contains("not recorded"), "{}", case.notice());
}

#[test]
fn a_window_that_is_news_is_learnt_and_what_else_happens_is_not_lost() {
    let mut case = at(40);
    let told = |window| Some(Reading { new_window: window, source: Source::StatusLine, ..reading(90) });
    case.facts.reading = told(None);
    assert!(!case.outcome().effects.iter().any(|step| matches!(step, Step::Learn { .. })));
    case.facts.reading = told(Some(200_000));
    case.facts.learnt = Some(Learnt { model: "m".into(), what: Model::default() });
    assert_eq!(case.state_after().learnt, None, "it is looked up anew");
    let learnt = Model { window: Some(200_000), compacted_at: None };
    assert!(case.outcome().effects.contains(&Step::Learn { model: "m".into(), learnt }));
    assert!(case.starts());
}

#[test]
fn what_happens_is_an_action_each() {
    let failure = ToolFailure { error: "Exit code 1".into(), ..ToolFailure::default() };
    let subagent = Subagent::default();
    for (event, kind, key, value) in [
        (tool_call(), Kind::ToolCall, "tool", "Read"),
        (tool_call(), Kind::ToolCall, "path", "/p/a.rs"),
        (prompt("go on"), Kind::UserMessage, "message", "go on"),
        (prompt(LIKE_A_COMMAND), Kind::UserMessage, "message", LIKE_A_COMMAND),
        (stop("done"), Kind::AssistantResponse, "summary", "done"),
        (Event::PostToolUseFailure(failure), Kind::SystemEvent, "event", "tool_failure"),
        (Event::StopFailure { error: "rate_limit".into() }, Kind::SystemEvent, "error", "rate_limit"),
        (Event::SubagentStart(subagent.clone()), Kind::SystemEvent, "event", "subagent_started"),
        (Event::SubagentStop(subagent), Kind::SystemEvent, "event", "subagent_stopped"),
        (compaction("manual"), Kind::SystemEvent, "trigger", "manual"),
        (start("resume"), Kind::SystemEvent, "source", "resume"),
        (Event::SessionEnd { reason: "other".into() }, Kind::SystemEvent, "reason", "other"),
    ] {
        let mut case = recorded_at(91);
        case.call.agent_type = Some("Explore".into());
        case.event = event;
        let drafts = case.drafts();
        assert_eq!(drafts.len(), 1, "{:?}", case.event);
        assert_eq!((drafts[0].kind, &drafts[0].data[key]), (kind, &Value::from(value)));
        assert_eq!((drafts[0].share, drafts[0].at), (0.91, NOW));
    }
}

#[test]
fn a_call_that_ends_while_another_begins_the_record_is_an_action_of_it() {
    let mut case = recorded_at(91);
    case.facts.record = None;
    assert_eq!((case.kinds(), case.starts()), (vec![Kind::ToolCall], false));
    case.facts.sessions = None;
    assert!(case.kinds().is_empty());
}

#[test]
fn names_and_words_are_texts_like_others() {
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    for event in [
        Event::SubagentStart(Subagent::default()),
        Event::SubagentStop(Subagent::default()),
        compaction(&secret),
        start(&secret),
        Event::SessionEnd { reason: secret.clone() },
    ] {
        let mut case = recorded_at(91);
        case.call.agent_type = Some(secret.clone());
        case.event = event;
        let drafts = format!("{:?}", case.drafts());
        assert!(drafts.contains("[masked") && !drafts.contains("ghp_"), "{drafts}");
    }
    let mut case = at(10);
    case.event = Event::SessionStart { source: "startup".into(), model: Some(secret) };
    assert!(!format!("{:?}", case.state_after()).contains("ghp_"));
}

#[test]
fn a_full_record_is_counted_on() {
    let mut case = recorded_at(91);
    case.facts.record = Some(Active { record: record(), is_full: true });
    assert!(case.kinds().is_empty());
    assert_eq!(case.state_after().left_out, 1);
}

#[test]
fn a_compaction_by_the_client_leaves_a_snapshot_and_the_record_goes_on() {
    for (mut case, starts) in [(at(60), true), (recorded_at(91), false)] {
        case.event = compaction("auto");
        case.facts.material = Some(Box::default());
        assert_eq!(case.starts(), starts);
        let ends = case.ends();
        assert_eq!(ends.len(), 1);
        assert_eq!(
            (ends[0].ending, ends[0].path.parent()),
            (Ending::GoesOn, Some("/p/.claude/sessions".as_ref()))
        );
    }
}

#[test]
fn where_the_client_compacted_is_learnt_once_it_has() {
    let mut case = at(83);
    case.event = compaction("auto");
    case.facts.material = Some(Box::default());
    let state = case.state_after();
    assert_eq!(state.compacting, Some(Compacting { model: "m".into(), tokens: 166_000 }));

    let mut case = recorded_at(83);
    case.state = state;
    case.facts.reading = None;
    case.event = start("compact");
    let learnt = Model { compacted_at: Some(166_000), ..Model::default() };
    let expected = Step::Learn { model: "m".into(), learnt };
    assert!(case.outcome().effects.contains(&expected));
    let after = case.state_after();
    assert!(after.compacting.is_none() && after.compacted && after.told.is_empty());
}

#[test]
fn a_compaction_that_was_only_announced_teaches_nothing() {
    let mut case = at(40);
    case.state.compacting = Some(Compacting { model: "m".into(), tokens: 1 });
    assert!(!case.outcome().effects.iter().any(|step| matches!(step, Step::Learn { .. })));
    assert_eq!(case.state_after().compacting, None);
}

#[test]
fn the_transcript_ends_the_time_in_which_older_numbers_count_for_nothing() {
    let mut case = at(10);
    case.state.compacted = true;
    assert!(!case.state_after().compacted);
    case.facts.reading = None;
    assert!(case.state_after().compacted);
}

#[test]
fn the_record_ends_with_its_session_if_there_is_time() {
    let mut case = recorded_at(91);
    case.event = Event::SessionEnd { reason: "other".into() };
    case.state.left_out = 3;
    assert!(case.ends().is_empty(), "the repository did not answer");
    assert_eq!(case.outcome().memory, Memory::Drop);
    // A full record gets this line, too: the next session finalizes a record that ends with it.
    case.facts.record = Some(Active { record: record(), is_full: true });
    assert_eq!(case.drafts()[0].data[NOT_RECORDED], 3);

    case.facts.material = Some(Box::default());
    let ends = case.ends();
    assert_eq!((ends[0].ending, ends[0].left_out, ends[0].commit), (Ending::Full, 3, false));
}

#[test]
fn a_record_begins_by_itself_once_until_the_context_falls() {
    // The user has finalized or discarded it.
    let mut case = recorded_at(92);
    case.facts.record = None;
    for event in [tool_call(), prompt("go on"), compaction("auto")] {
        case.event = event;
        assert!(!case.starts(), "{:?}", case.event);
    }
    case.facts.reading = Some(reading(20));
    case.state = case.state_after();
    case.facts.reading = Some(reading(90));
    assert!(case.starts());
    // A record that ended below the level does not count.
    let mut case = recorded_at(40);
    (case.facts.record, case.state) = (None, at(40).state_after());
    case.facts.reading = Some(reading(90));
    assert!(case.starts());
    case.facts.reading = Some(reading(60));
    case.event = compaction("auto");
    assert!(case.starts());
}

#[test]
fn a_stop_ends_no_record() {
    let mut case = recorded_at(99);
    case.event = stop("all done");
    case.facts.material = Some(Box::default());
    assert!(case.ends().is_empty());
}

#[test]
fn a_record_that_could_not_be_finalized_is_told_each_time() {
    let mut case = at(5);
    case.event = start("startup");
    case.facts.left.faults = vec!["full".into()];
    assert!(case.outcome().effects.contains(&Step::Fail { why: "full".into() }));
}

#[test]
fn records_that_may_be_over_are_named() {
    let mut case = at(5);
    case.event = start("startup");
    case.facts.left.orphans = vec![Orphan { id: "session-3".into(), silent_since: NOW }];
    let notice = case.notice();
    assert!(
        notice.contains("session-3: silent since") && notice.contains("pause-recorder finalize"),
        "{notice}"
    );
}

fn unread() -> Unread {
    let recorded = Recorded { id: "session-4".into(), ..Recorded::default() };
    let snapshot = build(&recorded, &Material::default(), 0, NOW);
    Unread { text: "earlier: {path}".into(), snapshot, path: ".claude/sessions/session-4.json".into() }
}

#[test]
fn a_new_session_is_told_of_a_snapshot_once() {
    let mut case = at(5);
    case.event = start("startup");
    case.facts.left.unread = Some(unread());
    let outcome = case.outcome();
    let text = "earlier: .claude/sessions/session-4.json".to_owned();
    assert_eq!(outcome.verdict, Verdict::Advise { text });
    assert!(outcome.effects.contains(&Step::MarkRead { id: "session-4".into() }));

    case.headless = true;
    assert_eq!(case.outcome(), Outcome::pass());
}

#[test]
fn a_typed_command_is_answered_and_not_recorded() {
    let mut case = recorded_at(91);
    case.event = prompt("pause-recorder status");
    let reply = Reply::yes("it is");
    case.facts.answered = Some(reply.clone());
    assert_eq!(case.outcome().verdict, Verdict::Reply { text: "it is".into() });
    assert!(case.kinds().is_empty());

    case.facts.answered = Some(Reply { for_model: Some("go on".into()), ..reply });
    assert_eq!(case.outcome().verdict, Verdict::Advise { text: "go on".into() });
    assert_eq!(case.outcome().notice.as_deref(), Some("it is"), "the user sees the message, too");
}

#[test]
fn a_level_that_is_told_stands_in_the_journal() {
    let told = at(75).outcome();
    assert_eq!(told.audit_event, Some(AuditEvent::Advised("levels".to_owned())));
    assert!(told.notice.is_some() && told.verdict == Verdict::Pass);
    assert_eq!(at(10).outcome().audit_event, None);
}

#[test]
fn a_jump_over_several_levels_is_told_once_with_what_follows() {
    check_climb(&[], 97, "next to nothing is left");
    check_climb(&[], 97, "recorded in .claude/sessions");
    check_climb(&[97], 98, "");
}

#[test]
fn a_compaction_ends_no_subagent() {
    let mut case = recorded_at(91);
    case.event = Event::SubagentStop(Subagent::default());
    assert!(case.kinds().is_empty());
}

#[test]
fn one_the_user_asks_for_begins_no_record() {
    let mut case = at(60);
    case.event = compaction("manual");
    assert!(!case.starts() && case.ends().is_empty());
}
