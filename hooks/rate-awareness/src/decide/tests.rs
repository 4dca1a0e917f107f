//! The rules as tables: some calls of one session, and the report about each.

use std::path::Path;
use std::time::Duration;

use shared::blocks::BlockCount;
use shared::config::{self, Decimal, LayerKind, Origin, SectionSpec, Sources, ZeroOr};
use shared::hook::{Input, Memory, Outcome, ReactionKind, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, ToolCall};
use shared::switches::Position;

use super::decide;
use crate::observe::{Facts, skill_around};
use crate::settings::{Audience, Limits, Mode, Settings, SkillLimits};
use crate::state::State;

/// A session and its settings. Calls differ by a letter; time moves by hand.
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
        let spec = SectionSpec { name: "rate-awareness", ..SectionSpec::default() };
        Self {
            settings: config::load(spec, &Sources::default(), Position::Auto).unwrap().settings,
            state: State::default(),
            headless: false,
            now: Timestamp::from_secs(1_795_300_000),
            agent: None,
            prompt: 7,
            cwd: "/p",
        }
    }

    /// Without the signs of a loop, with so small a bucket.
    fn with_bucket(capacity: f64, refill: f64) -> Self {
        Self::with_loops(0, 0).with_limits(capacity, refill)
    }

    /// With these limits of loops, and without a bucket that could be empty.
    fn with_loops(repeat: u32, ping_pong: u32) -> Self {
        let mut world = Self::new().with_limits(1e6, 0.0);
        world.settings.repeat = ZeroOr::new(repeat).unwrap();
        world.settings.ping_pong = ZeroOr::new(ping_pong).unwrap();
        world
    }

    /// One token for everybody, so many under one skill.
    fn with_skill(name: &str, capacity: f64) -> Self {
        let mut world = Self::with_bucket(1.0, 0.5);
        let limits = SkillLimits { capacity: Decimal::new(capacity), refill_per_sec: None };
        world.settings.per_skill.insert(name.to_owned(), limits);
        world
    }

    fn with_limits(mut self, capacity: f64, refill: f64) -> Self {
        let (capacity, refill_per_sec) = (Decimal::new(capacity).unwrap(), Decimal::new(refill).unwrap());
        self.settings.global_default = Limits { capacity, refill_per_sec };
        self
    }

    fn denying(mut self) -> Self {
        self.settings.mode = Mode::Deny;
        self
    }

    fn decide(&self, session: Option<&str>, event: Event, facts: &Facts) -> Outcome<State> {
        let call = Call {
            session_id: session.map(ToOwned::to_owned),
            agent_id: self.agent.map(ToOwned::to_owned),
            ..Call::default()
        };
        decide(&Input {
            request: &Request { call, event },
            facts,
            state: &self.state,
            state_is_usable: true,
            settings: &self.settings,
            blocks: BlockCount::default(),
            started: self.now,
            now: self.now,
            headless: self.headless,
            switched_off: false,
            origin: &|key| {
                let origin = Origin { layer: LayerKind::Project, file: "a.yaml".to_owned(), line: Some(3) };
                (key == "mode").then_some(origin)
            },
        })
    }

    fn tool(&mut self, tool: &str, fingerprint: u64, skill: Option<&str>) -> Outcome<State> {
        let event = Event::PreToolUse(ToolCall { tool_name: tool.to_owned(), ..ToolCall::default() });
        let skill = skill.map(ToOwned::to_owned);
        let around = skill_around(Path::new(self.cwd)).map(ToOwned::to_owned);
        let facts = Facts { prompt: self.prompt, fingerprint: Some(fingerprint), skill, around };
        let outcome = self.decide(Some("s"), event, &facts);
        let Memory::Save(state) = &outcome.memory else { panic!("a call is always remembered") };
        self.state = state.clone();
        outcome
    }

    /// One call of a tool; the letter stands for its input.
    fn call(&mut self, letter: char) -> Outcome<State> {
        self.tool("Bash", letter.into(), None)
    }

    fn skill(&mut self, name: &str) -> Outcome<State> {
        self.tool("Skill", 0, Some(name))
    }

    /// The outcome of the last of these calls.
    fn last(&mut self, calls: &str) -> Outcome<State> {
        calls.chars().map(|letter| self.call(letter)).last().unwrap()
    }

    /// The numbers, counted from 1, of the calls with such an outcome.
    fn at(&mut self, calls: &str, is_it: impl Fn(&Outcome<State>) -> bool) -> Vec<usize> {
        let calls = calls.chars().zip(1..);
        calls.filter(|(letter, _)| is_it(&self.call(*letter))).map(|(_, number)| number).collect()
    }

    fn notices_at(&mut self, calls: &str) -> Vec<usize> {
        self.at(calls, |outcome| outcome.notice.is_some())
    }

    fn denied_at(&mut self, calls: &str) -> Vec<usize> {
        self.at(calls, |outcome| matches!(outcome.verdict, Verdict::Deny { .. }))
    }

    /// Silent calls until the first notice, six at most.
    fn silent(&mut self) -> usize {
        (0..6).take_while(|_| self.call('x').notice.is_none()).count()
    }
}

/// The reason of a denial, and its rule.
fn denial(outcome: Outcome<State>) -> (String, String) {
    let Verdict::Deny { reason, rule } = outcome.verdict else { panic!("denied") };
    (reason, rule.into_owned())
}

#[test]
fn calls_past_a_limit_are_reported_at_doublings() {
    for (mut world, calls, expected) in [
        (World::with_bucket(1.0, 0.0), "x".repeat(34), &[2, 3, 5, 9, 17, 33][..]),
        (World::with_loops(4, 4), "x".repeat(20), &[4, 5, 7, 11, 19]),
        (World::with_loops(4, 4), "xxxyxxxyxxx".to_owned(), &[]),
        (World::with_loops(4, 4), "xxxxyxxxx".to_owned(), &[4, 9]),
        (World::with_loops(4, 4), "xy".repeat(12), &[8, 10, 14, 22]),
        (World::with_loops(4, 4), "xyz".repeat(20), &[]),
        (World::with_loops(2, 2), "xxxyzyz".to_owned(), &[2, 3, 7]),
        (World::with_loops(0, 4), "x".repeat(9), &[]),
        (World::with_loops(4, 0), "xy".repeat(9), &[]),
        (World::new(), ('\u{100}'..'\u{140}').collect(), &[61, 62, 64]),
    ] {
        assert_eq!(world.notices_at(&calls), expected, "{calls}");
    }
}

#[test]
fn each_limit_has_its_sentence() {
    let first_line = |mut world: World, calls: &str| {
        world.agent = calls.starts_with('s').then_some("a1");
        world.last(calls).notice.unwrap().lines().next().unwrap().to_owned()
    };
    for (world, calls, expected) in [
        (
            World::with_skill("a", 1.0),
            "xx",
            "global_default: the bucket `ungated` is empty: 2 calls in the last minute; allowed are 1 at once and 30 a minute in the long run. The next token is back in 2 s.",
        ),
        (
            World::with_loops(4, 4),
            "xxxx",
            "repeat: the main session called Bash 4 times in a row with the same input. Any other call ends the row.",
        ),
        (
            World::with_loops(4, 4),
            "xyxyxyxy",
            "ping_pong: the main session went back and forth between Bash and one other call for 4 rounds, with the same inputs each time. Any other call ends it.",
        ),
        (
            World::with_bucket(1.0, 0.0),
            "ss",
            "global_default: the bucket `ungated` of this subagent is empty: 2 calls in the last minute; allowed are 1 at once and 0 a minute in the long run. No token comes back, because refill_per_sec is 0.",
        ),
    ] {
        assert_eq!(first_line(world, calls), format!("rate-awareness.{expected}"));
    }
}

#[test]
fn another_prompt_and_another_agent_begin_anew() {
    let mut world = World::with_loops(4, 0).with_limits(9.0, 0.0);
    assert_eq!(world.notices_at("xxx"), [0; 0]);
    world.prompt = 8;
    assert_eq!(world.notices_at("xxx"), [0; 0]);
    world.agent = Some("a1");
    assert_eq!(world.notices_at("xxxy"), [0; 0]);
    world.agent = None;
    assert_eq!(world.notices_at("yzyz"), [4], "the bucket holds for all prompts of an agent");
}

#[test]
fn a_call_refused_for_want_of_a_token_is_no_loop_and_may_be_made_again() {
    let mut world = World::with_loops(4, 0).with_limits(1.0, 1.0).denying();
    assert_eq!(world.denied_at("xxxxxxxx"), [2, 3, 4, 5, 6, 7, 8]);
    world.now = world.now.plus(Duration::from_secs(1));
    assert_eq!(world.denied_at("x"), [0; 0]);
    let mut world = World::with_loops(4, 0).with_limits(4.0, 0.0).denying();
    let (reason, _) = denial(world.last("xxxxy"));
    assert!(reason.contains("is empty") && !reason.contains("repeat:"), "the row before it: {reason}");
}

#[test]
fn several_limits_on_one_call_are_one_message() {
    let mut world = World::with_loops(4, 0).with_limits(3.0, 0.0);
    world.settings.audience = Audience::Both;
    let outcome = world.last("xxxx");
    let notice = outcome.notice.unwrap();
    let lines: Vec<&str> = notice.lines().collect();
    assert!(lines[0].contains("is empty: 4 calls") && lines[1].contains("called Bash 4 times"), "{notice}");
    assert!(lines[2].contains("set rate-awareness.global_default, rate-awareness.repeat in"), "{notice}");
    let Verdict::Advise { text } = outcome.verdict else { panic!("advice") };
    assert_eq!(text.lines().collect::<Vec<_>>()[..2], lines[..2]);
}

#[test]
fn headless_session_gives_the_user_what_is_meant_for_claude() {
    for audience in [Audience::Model, Audience::Both] {
        let mut world = World::with_loops(4, 0);
        (world.settings.audience, world.headless) = (audience, true);
        let outcome = world.last("xxxx");
        assert!(outcome.notice.is_some() && outcome.verdict == Verdict::Pass, "{audience:?}");
    }
}

#[test]
fn without_a_session_nothing_is_remembered_and_its_end_forgets_everything() {
    let world = World::with_bucket(1.0, 0.0);
    let facts = Facts { prompt: 7, fingerprint: Some(1), ..Facts::default() };
    let event = Event::PreToolUse(ToolCall::default());
    assert_eq!(world.decide(None, event, &facts), Outcome::pass());
    let end = Event::SessionEnd { reason: "other".to_owned() };
    assert_eq!(world.decide(Some("s"), end, &Facts::default()), Outcome::pass().remembering(Memory::Drop));
}

#[test]
fn a_row_that_ends_at_the_limit_was_followed_and_one_that_goes_on_overridden() {
    let reactions = |audience, mode, millis, calls: &str| {
        let mut world = World::with_loops(3, 0);
        (world.settings.audience, world.settings.mode) = (audience, mode);
        let mut found = Vec::new();
        for (letter, number) in calls.chars().zip(1..) {
            world.now = world.now.plus(Duration::from_millis(millis));
            found.extend(
                world.call(letter).audit.reactions.into_iter().map(|reaction| (number, reaction.how)),
            );
        }
        found
    };
    let (followed, overridden) = (ReactionKind::Followed, ReactionKind::Overridden);
    for (audience, mode, millis, calls, expected) in [
        (Audience::Model, Mode::Advise, 500, "aab", &[][..]),
        (Audience::Model, Mode::Advise, 500, "aaab", &[(4, followed)]),
        (Audience::Both, Mode::Advise, 500, "aaaaaab", &[(4, overridden)]),
        (Audience::User, Mode::Deny, 500, "aaabaaab", &[(4, followed), (8, followed)]),
        (Audience::User, Mode::Advise, 500, "aaab", &[]),
        (Audience::Model, Mode::Advise, 499, "aaab", &[]),
    ] {
        assert_eq!(reactions(audience, mode, millis, calls), expected, "{calls} {mode:?} {millis}");
    }
}

#[test]
fn denies_every_call_past_a_limit() {
    let because = "This call was not run, because mode is deny (rate-awareness.mode: a.yaml:3).";
    let tell = "tell the user that the limit stands in the way.";
    for (world, calls, expected, rule, instead) in [
        (
            World::with_bucket(2.0, 1.0),
            "xxxxxx",
            &[3, 4, 5, 6][..],
            "global_default",
            "wait until the token is back, or ",
        ),
        (World::with_bucket(2.0, 0.0), "xxx", &[3], "global_default", ""),
        (World::with_loops(4, 4), "xxxxxxyxxxx", &[4, 5, 6, 11], "repeat", "make another call first, or "),
        (
            World::with_loops(4, 4),
            "xyxyxyxyxyzxyxyxyxy",
            &[8, 9, 10, 19],
            "ping_pong",
            "make another call first, or ",
        ),
    ] {
        let mut world = world.denying();
        let last = calls.len() - 1;
        assert_eq!(world.denied_at(&calls[..last]), expected[..expected.len() - 1], "{calls}");
        let outcome = world.last(&calls[last..]);
        assert_eq!(outcome.audit.also, ["mode"]);
        let (reason, found) = denial(outcome);
        let line = reason.lines().last().unwrap();
        assert!(line.starts_with(because) && line.ends_with(&format!("otherwise {instead}{tell}")), "{line}");
        assert_eq!(found, rule);
    }
}

#[test]
fn calls_pay_from_the_bucket_of_their_skill() {
    // The entry of `per_skill` with five tokens, the folder, the skill that Claude names; then the silent calls after that.
    for (entry, cwd, named, expected) in [
        ("a", "/p", Some("a"), 5),
        ("tools:a", "/p", Some("tools:a"), 5),
        ("a", "/p", Some("b:tools:a"), 5),
        ("tools", "/p", Some("tools:a"), 1),
        ("ungated", "/p", None, 5),
        ("a", "/p/.claude/skills/a/scripts", None, 5),
        ("a", "/p/.claude/skills/a/scripts", Some("b"), 1),
    ] {
        let mut world = World::with_skill(entry, 5.0);
        world.cwd = cwd;
        if let Some(named) = named {
            world.skill(named);
        }
        assert_eq!(world.silent(), expected, "{entry} {cwd} {named:?}");
    }
    let mut world = World::with_skill("a", 3.0);
    assert_eq!(
        (world.skill("a").notice, world.silent()),
        (None, 3),
        "the Skill call paid from the bucket before it"
    );
    world.agent = Some("a1");
    assert_eq!(world.silent(), 3, "a subagent works under its parent's skill, with a bucket of its own");
    world.skill("b");
    (world.agent, world.prompt) = (None, 8);
    assert_eq!(world.silent(), 0, "a skill holds for its prompt");
    let mut denied = World::with_skill("a", 100.0).denying();
    denied.call('x');
    denial(denied.skill("a"));
    assert_eq!(denial(denied.call('x')).1, "global_default", "a denied Skill call starts no skill");
}
