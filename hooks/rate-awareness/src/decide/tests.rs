//! The rules as tables: some calls of one session, and what is said of each.

use std::path::PathBuf;

use shared::blocks::BlockCount;
use shared::config::{self, Decimal, LayerKind, Origin, SectionSpec, Sources, ZeroOr};
use shared::hook::{AuditEvent, Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, ToolCall};
use shared::switches::Position;

use super::decide;
use crate::observe::{CallFacts, Facts};
use crate::settings::{Audience, Limits, Mode, Settings};
use crate::state::State;

mod reactions;
mod skills;

/// As compiled in, so that a new setting changes no test.
fn defaults() -> Settings {
    let spec = SectionSpec { name: "rate-awareness", ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

fn limits(capacity: f64, refill_per_sec: f64) -> Limits {
    Limits {
        capacity: Decimal::new(capacity).unwrap(),
        refill_per_sec: Decimal::new(refill_per_sec).unwrap(),
    }
}

/// A session and its settings. Calls are told apart by a letter; time moves by hand.
struct World {
    settings: Settings,
    state: State,
    headless: bool,
    now: Timestamp,
    agent: Option<&'static str>,
    prompt: u64,
    cwd: &'static str,
}

impl World {
    fn new() -> Self {
        Self {
            settings: defaults(),
            state: State::default(),
            headless: false,
            now: Timestamp::from_secs(1_795_300_000),
            agent: None,
            prompt: 7,
            cwd: "/p",
        }
    }

    /// Without the signs of a loop, with so small a bucket.
    fn with_bucket(capacity: f64, refill_per_sec: f64) -> Self {
        let mut world = Self::new();
        world.settings.global_default = limits(capacity, refill_per_sec);
        world.settings.repeat = ZeroOr::new(0).unwrap();
        world.settings.ping_pong = ZeroOr::new(0).unwrap();
        world
    }

    /// Without a bucket that could be empty.
    fn with_loops() -> Self {
        let mut world = Self::new();
        world.settings.global_default = limits(1e6, 0.0);
        world
    }

    fn decide(&mut self, tool: &str, fingerprint: Option<u64>, skill: Option<&str>) -> Outcome<State> {
        let outcome = self.decide_in(Some("s"), tool, fingerprint, skill);
        let Memory::Save(state) = &outcome.memory else { panic!("a call is always remembered") };
        self.state = state.clone();
        outcome
    }

    fn decide_in(
        &self,
        session: Option<&str>,
        tool: &str,
        fingerprint: Option<u64>,
        skill: Option<&str>,
    ) -> Outcome<State> {
        let skill = skill.map(ToOwned::to_owned);
        let call = Call {
            session_id: session.map(ToOwned::to_owned),
            agent_id: self.agent.map(ToOwned::to_owned),
            cwd: Some(PathBuf::from(self.cwd)),
            ..Call::default()
        };
        let event = Event::PreToolUse(ToolCall { tool_name: tool.to_owned(), ..ToolCall::default() });
        decide(&Input {
            request: &Request { call, event },
            facts: &Facts::Call(Box::new(CallFacts { prompt: self.prompt, fingerprint, skill })),
            state: &self.state,
            state_is_usable: true,
            settings: &self.settings,
            blocks: BlockCount::default(),
            started: self.now,
            now: self.now,
            headless: self.headless,
            switched_off: false,
            origin: &|key| {
                (key == "mode").then(|| Origin {
                    layer: LayerKind::Project,
                    file: "a.yaml".to_owned(),
                    line: Some(3),
                })
            },
        })
    }

    /// One call of a tool; the letter stands for its input.
    fn call(&mut self, letter: char) -> Outcome<State> {
        self.decide("Bash", Some(u64::from(u32::from(letter))), None)
    }

    fn skill(&mut self, name: &str) -> Outcome<State> {
        self.decide("Skill", Some(0), Some(name))
    }

    /// The numbers, counted from 1, of the calls of which the user is told.
    fn told_at(&mut self, calls: &str) -> Vec<usize> {
        calls
            .chars()
            .enumerate()
            .filter(|(_, letter)| self.call(*letter).notice.is_some())
            .map(|(at, _)| at + 1)
            .collect()
    }

    /// The numbers, counted from 1, of the calls that are refused.
    fn denied_at(&mut self, calls: &str) -> Vec<usize> {
        let is_denied = |outcome: &Outcome<State>| matches!(outcome.verdict, Verdict::Deny { .. });
        calls
            .chars()
            .enumerate()
            .filter(|(_, letter)| is_denied(&self.call(*letter)))
            .map(|(at, _)| at + 1)
            .collect()
    }
}

/// The first line of a notice, in short: the rule, the bucket, calls in the last minute, capacity and calls a minute.
fn first_line(outcome: &Outcome<State>) -> String {
    let line = outcome.notice.as_deref().and_then(|notice| notice.lines().next()).unwrap_or_default();
    let line = line.trim_start_matches("rate-awareness.");
    [
        (": the bucket", ""),
        (" is empty:", ""),
        (" in the last minute; allowed are", ""),
        (" at once and", ""),
        (" a minute in the long run.", ";"),
    ]
    .iter()
    .fold(line.to_owned(), |line, (long, short)| line.replace(long, short))
}

#[track_caller]
fn passes(outcome: &Outcome<State>) {
    assert_eq!((&outcome.verdict, &outcome.notice, &outcome.audit_event), (&Verdict::Pass, &None, &None));
}

#[test]
fn sixty_calls_at_once_are_silent_and_the_sixty_first_is_told() {
    let mut world = World::new();
    for call in 0..60_u32 {
        passes(&world.call(char::from_u32(0x100 + call).unwrap()));
    }
    let outcome = world.call('x');
    assert_eq!(outcome.verdict, Verdict::Pass, "the call goes on");
    assert_eq!(
        outcome.notice.as_deref(),
        Some(
            "rate-awareness.global_default: the bucket `ungated` is empty: 61 calls in the last minute; allowed are 60 at once \
             and 60 a minute in the long run. The next token is back in 1 s.\n\
             Nothing was held up. To change that set rate-awareness.global_default in requirements.yaml; \
             `rate-awareness off`, typed in a terminal of your own, ends these messages."
        )
    );
    assert_eq!(outcome.audit_event, Some(AuditEvent::Advised("global_default".to_owned())));
}

#[test]
fn refused_calls_are_told_at_powers_of_two() {
    assert_eq!(World::with_bucket(1.0, 0.0).told_at(&"x".repeat(70)), [2, 3, 5, 9, 17, 33, 65]);
}

#[test]
fn the_same_call_in_a_row_is_told_from_the_fourth_on_at_doublings() {
    assert_eq!(World::with_loops().told_at(&"x".repeat(40)), [4, 5, 7, 11, 19, 35]);
    assert_eq!(World::with_loops().told_at("xxxyxxxyxxx"), [0; 0]);
    let mut world = World::with_loops();
    world.told_at("xxx");
    assert_eq!(
        first_line(&world.call('x')),
        "repeat: the main session called Bash 4 times in a row with the same input. Any other call ends the row."
    );
    world.call('y');
    assert_eq!(world.told_at("xxxx"), [4], "a new row is told anew");
}

#[test]
fn two_calls_in_turn_are_told_when_the_fourth_round_is_complete_and_at_doublings() {
    assert_eq!(World::with_loops().told_at(&"xy".repeat(40)), [8, 10, 14, 22, 38, 70]);
    assert_eq!(World::with_loops().told_at(&"xyz".repeat(20)), [0; 0]);
    let mut world = World::with_loops();
    world.told_at("xyxyxyx");
    assert!(first_line(&world.call('y')).contains("between Bash and one other call for 4 rounds"));
}

#[test]
fn limits_of_a_loop_are_settings_and_zero_is_none() {
    for (repeat, ping_pong, calls, expected) in [
        (2, 2, "xxx", &[2, 3][..]),
        (2, 2, "yzyz", &[4]),
        (0, 4, "xxxxxxxx", &[]),
        (4, 0, "xyxyxyxyxyxy", &[]),
    ] {
        let mut world = World::with_loops();
        world.settings.repeat = ZeroOr::new(repeat).unwrap();
        world.settings.ping_pong = ZeroOr::new(ping_pong).unwrap();
        assert_eq!(world.told_at(calls), expected, "{repeat} {ping_pong} {calls}");
    }
}

#[test]
fn another_prompt_or_another_agent_begins_a_row_of_its_own() {
    let mut world = World::with_loops();
    world.told_at("xxx");
    world.prompt = 8;
    assert_eq!(world.told_at("xxx"), [0; 0]);
    world.agent = Some("a1");
    assert_eq!(world.told_at("xxx"), [0; 0]);
    let outcome = world.call('x');
    assert!(first_line(&outcome).starts_with("repeat: this subagent called Bash 4 times"));
}

#[test]
fn each_agent_has_a_bucket_of_its_own() {
    let mut world = World::with_bucket(1.0, 0.0);
    for agent in [None, Some("a1"), Some("a2")] {
        world.agent = agent;
        passes(&world.call('x'));
    }
    let outcome = world.call('x');
    assert_eq!(
        first_line(&outcome),
        "global_default `ungated` of this subagent 2 calls 1 0; No token comes back, because refill_per_sec is 0."
    );
}

#[test]
fn the_model_is_told_where_it_is_the_audience() {
    let told = |audience, headless| {
        let mut world = World::with_bucket(1.0, 0.0);
        world.settings.audience = audience;
        world.headless = headless;
        world.call('x');
        let outcome = world.call('x');
        (
            outcome.notice.is_some(),
            matches!(outcome.verdict, Verdict::Advise { .. }),
            outcome.audit_event.is_some(),
        )
    };
    assert_eq!(told(Audience::User, false), (true, false, true));
    assert_eq!(told(Audience::Model, false), (false, true, false));
    assert_eq!(told(Audience::Both, false), (true, true, false));
    for audience in [Audience::User, Audience::Model, Audience::Both] {
        assert_eq!(
            told(audience, true),
            (true, false, true),
            "a script's result stays as it is: {audience:?}"
        );
    }
}

#[test]
fn deny_refuses_every_call_without_a_token_and_tells_the_user_at_doublings() {
    let mut world = World::with_bucket(2.0, 0.0);
    world.settings.mode = Mode::Deny;
    assert_eq!(world.denied_at("xxxxxx"), [3, 4, 5, 6]);
    let outcome = world.call('x');
    let Verdict::Deny { reason, rule } = &outcome.verdict else { panic!("denied") };
    assert!(reason.contains("is empty: 7 calls") && reason.contains("was not run"), "{reason}");
    assert_eq!((rule.as_ref(), &outcome.notice), ("global_default", &None));
    assert_eq!(outcome.audit.also, ["mode"]);
    assert_eq!(world.told_at("xxxxxxxx"), [3], "the eighth refused call");
    let mut world = World::with_bucket(1.0, 0.0);
    world.settings.mode = Mode::Deny;
    world.call('x');
    let notice = world.call('x').notice.unwrap();
    assert!(
        notice.contains("Such calls are refused.") && notice.contains("rate-awareness.mode in"),
        "{notice}"
    );
}

#[test]
fn deny_refuses_every_call_of_a_loop_until_it_ends() {
    let mut world = World::with_loops();
    world.settings.mode = Mode::Deny;
    assert_eq!(world.denied_at("xxxxxxyx"), [4, 5, 6]);
    let mut world = World::with_loops();
    world.settings.mode = Mode::Deny;
    assert_eq!(world.denied_at("xyxyxyxyxyzx"), [8, 9, 10]);
    let mut world = World::with_loops();
    world.settings.mode = Mode::Deny;
    world.denied_at("xxx");
    let Verdict::Deny { rule, .. } = world.call('x').verdict else { panic!("denied") };
    assert_eq!(rule, "repeat");
}

#[test]
fn a_refusal_names_what_refuses_and_what_lets_a_call_run_of_the_limit_at_hand() {
    let last_line = |mut world: World, calls: &str| {
        world.settings.mode = Mode::Deny;
        let last = calls.chars().map(|letter| world.call(letter)).last();
        let Some(Verdict::Deny { reason, .. }) = last.map(|outcome| outcome.verdict) else {
            panic!("denied")
        };
        reason.lines().last().unwrap().to_owned()
    };
    let because = "This call was not run, because mode is deny (rate-awareness.mode: a.yaml:3).";
    let tell = "tell the user that the limit stands in the way.";
    for (world, calls, instead) in [
        (World::with_bucket(1.0, 1.0), "xx", "wait until the token is back, or "),
        (World::with_bucket(1.0, 0.0), "xx", ""),
        (World::with_loops(), "xxxx", "make another call first, or "),
        (World::with_loops(), "xyxyxyxy", "make another call first, or "),
    ] {
        let line = last_line(world, calls);
        assert!(line.starts_with(because) && line.ends_with(&format!("otherwise {instead}{tell}")), "{line}");
    }
}

#[test]
fn a_call_refused_for_want_of_a_token_may_be_made_again_and_is_no_loop() {
    let mut world = World::with_bucket(1.0, 1.0);
    world.settings.repeat = ZeroOr::new(4).unwrap();
    world.settings.mode = Mode::Deny;
    assert_eq!(world.denied_at("xxxxxxxx"), [2, 3, 4, 5, 6, 7, 8]);
    world.now = world.now.plus(std::time::Duration::from_secs(1));
    assert_eq!(world.denied_at("x"), [0; 0]);
}

#[test]
fn a_call_refused_for_want_of_a_token_is_not_blamed_for_the_row_before_it() {
    let mut world = World::with_bucket(4.0, 0.0);
    world.settings.repeat = ZeroOr::new(4).unwrap();
    world.settings.mode = Mode::Deny;
    assert_eq!(world.denied_at("xxxx"), [4]);
    let Verdict::Deny { reason, .. } = world.call('y').verdict else { panic!("denied") };
    assert!(reason.contains("is empty") && !reason.contains("repeat:"), "{reason}");
}

#[test]
fn several_signs_on_one_call_are_one_message_and_each_stands_there_once() {
    let mut world = World::with_bucket(3.0, 0.0);
    world.settings.repeat = ZeroOr::new(4).unwrap();
    world.settings.audience = Audience::Both;
    world.told_at("xxx");
    let outcome = world.call('x');
    let notice = outcome.notice.unwrap();
    let lines: Vec<&str> = notice.lines().collect();
    assert_eq!(lines.len(), 3, "{notice}");
    assert!(lines[0].contains("is empty: 4 calls") && lines[1].contains("called Bash 4 times"), "{notice}");
    assert!(lines[2].contains("set rate-awareness.global_default, rate-awareness.repeat in"), "{notice}");
    let Verdict::Advise { text } = outcome.verdict else { panic!("advice") };
    assert_eq!(text.lines().collect::<Vec<_>>()[..2], lines[..2]);
}

#[test]
fn without_a_session_there_is_nothing_to_remember_and_nothing_to_say() {
    let world = World::with_bucket(1.0, 0.0);
    for _ in 0..3 {
        assert_eq!(world.decide_in(None, "Bash", Some(1), None), Outcome::pass());
    }
}

#[test]
fn the_end_of_the_session_forgets_everything_and_says_nothing() {
    let world = World::new();
    let outcome = decide(&Input {
        request: &Request {
            call: Call { session_id: Some("s".into()), ..Call::default() },
            event: Event::SessionEnd { reason: "other".into() },
        },
        facts: &Facts::SessionEnd,
        state: &world.state,
        state_is_usable: true,
        settings: &world.settings,
        blocks: BlockCount::default(),
        started: world.now,
        now: world.now,
        headless: false,
        switched_off: false,
        origin: &|_| None,
    });
    assert_eq!(outcome, Outcome::pass().remembering(Memory::Drop));
}
