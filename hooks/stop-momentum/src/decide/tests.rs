//! The rules as tables: one stop, one change, one verdict.

use std::time::Duration;

use shared::blocks::BlockCount;
use shared::config::{self, Bounded, SectionSpec, Sources};
use shared::hook::{AuditEvent, Input, Memory, Outcome, Reaction, ReactionKind, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, Stop};
use shared::switches::Position;
use transcript::TurnWork;

use super::decide;
use crate::observe::{Facts, StopFacts};
use crate::settings::{OnlyWhen, Settings};
use crate::state::{State, Token};
use crate::unfinished::Sign;

const SHOWN: &str = "ACK-AAAA";
const FRESH: &str = "ACK-BBBB";

/// A stop in the middle of things; the tests change what matters.
struct Case {
    call: Call,
    stop: Stop,
    facts: StopFacts,
    state: State,
    settings: Settings,
    blocks: BlockCount,
}

/// As compiled in, so that a new setting changes no test.
fn defaults() -> Settings {
    let spec = SectionSpec { name: "stop-momentum", ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

fn case() -> Case {
    Case {
        call: Call { session_id: Some("s".into()), prompt_id: Some("p".into()), ..Call::default() },
        stop: Stop { last_assistant_message: Some("Step one is done.".into()), ..Stop::default() },
        facts: StopFacts {
            work: TurnWork::ToolCalls,
            signs: Vec::new(),
            guidance: "Check first.".into(),
            unreadable_message: None,
            token: Token::from_text(FRESH),
        },
        state: State::default(),
        settings: defaults(),
        blocks: BlockCount::default(),
    }
}

fn decided(change: impl FnOnce(&mut Case)) -> Outcome<State> {
    let mut case = case();
    change(&mut case);
    let started = Timestamp::from_secs(1000);
    decide(&Input {
        request: &Request { call: case.call, event: Event::Stop(case.stop) },
        facts: &Facts::Stop(case.facts),
        state: &case.state,
        state_is_usable: true,
        settings: &case.settings,
        blocks: case.blocks,
        started,
        now: started.plus(Duration::from_millis(1)),
        headless: false,
        switched_off: false,
        origin: &|_| None,
    })
}

fn shown(case: &mut Case, message: &str) {
    case.state.token = Token::from_text(SHOWN);
    case.stop.last_assistant_message = Some(message.into());
    case.stop.stop_hook_active = true;
    case.blocks = BlockCount {
        own: 1,
        together: 1,
        own_last: Some(Timestamp::from_secs(999)),
        ..BlockCount::default()
    };
}

/// The reason and the rule of a block with this token.
#[track_caller]
fn blocks_with(token: &str, change: impl FnOnce(&mut Case)) -> (String, String) {
    let outcome = decided(change);
    let kept = Memory::Save(State { token: Token::from_text(token) });
    assert_eq!(outcome.memory, kept, "the token is kept before it is shown");
    let Verdict::Block { reason, rule } = outcome.verdict else {
        panic!("not blocked: {:?}", outcome.audit_event)
    };
    assert!(reason.contains(token), "{reason}");
    (reason, rule.into_owned())
}

#[track_caller]
fn blocks(change: impl FnOnce(&mut Case)) -> (String, String) {
    blocks_with(FRESH, change)
}

#[track_caller]
fn lets_go(change: impl FnOnce(&mut Case), why: &'static str, memory: &Memory<State>) {
    let outcome = decided(change);
    let audit_event = Some(AuditEvent::Allowed(why));
    assert_eq!((outcome.verdict, outcome.audit_event, &outcome.memory), (Verdict::Pass, audit_event, memory));
}

#[test]
fn a_stop_after_work_is_blocked_with_the_guidance_and_a_fresh_token() {
    let (reason, rule) = blocks(|_| ());
    assert!(reason.starts_with("Check first.\n\n"), "{reason}");
    assert_eq!(rule, "enabled");
    assert!(reason.contains(&decided(|_| ()).audit.next[0]), "the journal keeps what a block asks for");
    blocks(|case| case.facts.work = TurnWork::Unknown);
    blocks(|case| case.stop.last_assistant_message = None);
}

#[test]
fn a_second_block_asks_for_the_same_token_up_to_three_times() {
    let enforced = |own, message: &'static str| {
        move |case: &mut Case| {
            shown(case, message);
            case.settings.enforce_ack = true;
            case.blocks.own = own;
            case.blocks.together = own;
        }
    };
    for own in [1, 2] {
        let (reason, rule) = blocks_with(SHOWN, enforced(own, "Done."));
        let again = "stop-momentum: your message did not contain the token. Include ACK-AAAA in the message with which you stop.";
        assert_eq!((reason.as_str(), rule.as_str()), (again, "enforce_ack"));
        blocks_with(SHOWN, enforced(own, "Done. ACK-ZZZZ"));
    }
    lets_go(enforced(3, "Done."), "allowed without acknowledgement", &Memory::Drop);
    lets_go(enforced(2, "Done. ACK-AAAA"), "acknowledged", &Memory::Drop);
}

#[test]
fn with_only_when_unfinished_a_stop_without_a_sign_goes_through() {
    let (reason, rule) = blocks(|case| {
        case.settings.only_when = OnlyWhen::Unfinished;
        case.facts.signs = vec![Sign::OpenTasks(2), Sign::LastCommandFailed];
    });
    assert!(reason.contains("What looks unfinished: 2 tasks are open; the last command failed."), "{reason}");
    assert_eq!(rule, "only_when");
}

#[test]
fn unreadable_text_of_the_user_gives_a_notice() {
    let outcome = decided(|case| case.facts.unreadable_message = Some("~/mine.md".into()));
    assert_eq!(
        outcome.notice.as_deref(),
        Some("stop-momentum: message_file ~/mine.md cannot be read; the built-in text was used")
    );
    assert_eq!(decided(|_| ()).notice, None);
}

#[test]
fn journal_gets_the_outcome_of_a_block_once_with_its_last_rule() {
    let reactions = |own, message: &'static str, insists, max: Option<u32>| {
        let outcome = decided(|case| {
            shown(case, message);
            case.blocks.own = own;
            case.settings.enforce_ack = insists;
            case.settings.max_blocks = max.map(|max| Bounded::new(max).unwrap());
        });
        outcome.audit.reactions
    };
    let followed = |rule: &'static str| -> Vec<Reaction> { vec![ReactionKind::Followed.of(rule)] };
    let overridden = |rule: &'static str| -> Vec<Reaction> { vec![ReactionKind::Overridden.of(rule)] };
    assert_eq!(reactions(1, "ACK-AAAA", false, None), followed("enabled"));
    assert_eq!(reactions(0, "ACK-AAAA", false, None), followed("enabled"), "in the next turn");
    assert_eq!(reactions(2, "ACK-AAAA", true, None), followed("enforce_ack"));
    assert_eq!(reactions(1, "Done.", false, None), overridden("enabled"));
    assert_eq!(reactions(3, "Done.", true, None), overridden("enforce_ack"));
    assert_eq!(reactions(2, "Done.", true, Some(2)), overridden("max_blocks"));
    assert_eq!(reactions(1, "Done.", true, None), Vec::new(), "blocked again: not decided yet");
    assert_eq!(reactions(1, "Shall I go on?", false, None), Vec::new());
}

#[test]
fn a_stop_passes_for_these_reasons() {
    type Change = fn(&mut Case);
    let cases: [(Change, &str, Memory<State>); 8] = [
        (|case| shown(case, "All done. ACK-AAAA"), "acknowledged", Memory::Drop),
        // The token holds for the session, whatever the prompt.
        (
            |case| {
                shown(case, "ACK-AAAA");
                case.blocks = BlockCount::default();
            },
            "acknowledged",
            Memory::Drop,
        ),
        (|case| shown(case, "Done. ACK-ZZZZ"), "allowed without acknowledgement", Memory::Drop),
        (
            |case| {
                shown(case, "Done.");
                (case.settings.enforce_ack, case.settings.max_blocks) = (true, Bounded::new(1));
            },
            "allowed without acknowledgement",
            Memory::Drop,
        ),
        (
            |case| {
                shown(case, "Now it is done.");
                (case.settings.enforce_ack, case.blocks.is_followed) = (true, true);
            },
            "acknowledged before in this prompt",
            Memory::Keep,
        ),
        // The cases that are never blocked come first and keep the token.
        (|case| shown(case, "Shall I go on?"), "the last message ends in a question", Memory::Keep),
        (|case| case.facts.work = TurnWork::NoToolCall, "the turn made no tool call", Memory::Keep),
        (|case| case.settings.only_when = OnlyWhen::Unfinished, "nothing looks unfinished", Memory::Keep),
    ];
    for (change, why, memory) in cases {
        lets_go(change, why, &memory);
    }
}
