//! The rules as tables: calls of some sessions at some times, and what becomes of each.

use std::time::Duration;

use shared::blocks::BlockCount;
use shared::config::{self, SectionSpec, Sources};
use shared::hook::{Input, Memory, Outcome, Verdict};
use shared::host::Timestamp;
use shared::protocol::{Call, Event, Request, ToolResult};
use shared::switches::Position;
use shared::usage::{Line, Source, Usage, Window};

use super::{Change, Facts, What, decide};
use crate::readings::Scene;
use crate::settings::Settings;
use crate::state::{Session, State};

/// Wednesday, 2026-11-25, 12:00 UTC.
const NOON: i64 = 1_795_608_000;

const HOUR: i64 = 3600;

/// As compiled in, with a zone that is the same everywhere.
fn defaults() -> Settings {
    let spec = SectionSpec { name: "credit-pacer", ..SectionSpec::default() };
    let mut settings: Settings = config::load(spec, &Sources::default(), Position::Auto).unwrap().settings;
    settings.timezone = serde_json::from_str("\"UTC\"").unwrap();
    settings
}

struct World {
    settings: Settings,
    /// Those of the user's own file, where a project's file has changed them.
    own: Option<Settings>,
    state: State,
    now: Timestamp,
    usage: Option<Usage>,
    session: u64,
    prompt: u64,
    headless: bool,
    switched_off: bool,
    poll: bool,
}

impl World {
    /// Four of five hours are over, and so much is used of them.
    fn used(used_percent: f64) -> Self {
        let mut world = Self {
            settings: defaults(),
            own: None,
            state: State::default(),
            now: Timestamp::from_secs(NOON),
            usage: None,
            session: 1,
            prompt: 1,
            headless: false,
            switched_off: false,
            poll: false,
        };
        world.read(used_percent, NOON + HOUR);
        world
    }

    fn without_alerts(mut self) -> Self {
        self.settings.alerts.clear();
        self
    }

    fn read(&mut self, used_percent: f64, resets_at: i64) {
        let observed_at = self.now.micros() / 1_000_000;
        let window = Window { used_percent, resets_at, observed_at };
        self.usage = Some(Usage {
            observed_at,
            source: Source::StatusLine,
            windows: [("five_hour".to_owned(), window)].into(),
        });
    }

    fn later(&mut self, millis: u64) -> &mut Self {
        self.now = self.now.plus(Duration::from_millis(millis));
        self
    }

    fn decide(&mut self, what: What, event: Event) -> Outcome<State, Change> {
        let facts = &Facts { session: self.session, poll: self.poll, event: what };
        let call = Call { session_id: Some("s".to_owned()), ..Call::default() };
        let outcome = decide(&Input {
            request: &Request { call, event },
            facts,
            state: &self.state,
            state_is_usable: true,
            settings: &self.settings,
            blocks: BlockCount::default(),
            started: self.now,
            now: self.now,
            headless: self.headless,
            switched_off: self.switched_off,
            origin: &|_| None,
        });
        if let Memory::Save(state) | Memory::Note(state) = &outcome.memory {
            self.state = state.clone();
        }
        outcome
    }

    fn scene(&self) -> Box<Scene> {
        let now = self.now.micros() / 1_000_000;
        Box::new(Scene::of(self.usage.clone(), &self.settings, now))
    }

    fn call_of(&mut self, is_exempt: bool) -> Outcome<State, Change> {
        let now = self.now.micros() / 1_000_000;
        let own = self.own.as_ref().map(|own| Box::new(Scene::of(self.usage.clone(), own, now)));
        let what = What::Call { scene: self.scene(), own, prompt: self.prompt, is_exempt };
        self.decide(what, Event::PostToolUse(ToolResult::default()))
    }

    fn call(&mut self) -> Outcome<State, Change> {
        self.call_of(false)
    }

    /// The delay of a call, in whole milliseconds from now; 0: none. It is slept to its end.
    fn waits(&mut self) -> u128 {
        let now = self.now;
        let session = self.session;
        match self.call().verdict {
            Verdict::Sleep { until, .. } if self.state.sessions[&session].batch == now => {
                self.state.book(session, until).unwrap().1.as_millis()
            }
            Verdict::Sleep { until, .. } => until.since(now).as_millis(),
            verdict => {
                assert_eq!(verdict, Verdict::Pass);
                0
            }
        }
    }

    fn starts(&mut self) -> Outcome<State, Change> {
        let event = Event::SessionStart { source: "startup".to_owned(), model: None };
        self.decide(What::Start(self.scene()), event)
    }
}

#[test]
fn calls_of_a_turn_within_two_seconds_or_during_a_delay_share_its_end() {
    let mut world = World::used(99.0).without_alerts();
    let mut until = |millis| match world.later(millis).call().verdict {
        Verdict::Sleep { until, .. } => until.since(Timestamp::from_secs(NOON)).as_secs(),
        verdict => panic!("{verdict:?}"),
    };
    for millis in [0, 100, 1_800, 100, 340_000] {
        assert_eq!(until(millis), 350, "{millis} ms later");
    }
    assert_eq!(until(9_000), 351 + 350, "the delay is over: a batch of its own");
    let mut world = World::used(99.0).without_alerts();
    world.waits();
    world.session = 2;
    assert_eq!(world.later(1_000).waits(), 350_000, "another session");
    (world.session, world.prompt) = (1, 2);
    assert_eq!(world.later(1_000).waits(), 350_000, "another turn: the old one was interrupted");
    world.later(2 * 3_600_000).call();
    assert_eq!(world.state.sessions.len(), 1, "silent sessions are forgotten");
}

#[test]
fn sleep_is_booked_for_what_was_slept() {
    let mut world = World::used(99.0).without_alerts();
    assert!(matches!(world.call().verdict, Verdict::Sleep { .. }));
    let before = world.state.learned.habit.calls();
    let (pending, slept) = world.state.book(1, world.now.plus(Duration::from_secs(16))).unwrap();
    assert_eq!(
        (pending.at, slept.as_secs(), pending.used_percent.to_bits()),
        (world.now, 16, 99.0_f64.to_bits())
    );
    assert_eq!(world.state.book(1, world.now), None, "once per batch");
    let gap = world.state.learned.gap_secs();
    assert!((world.state.learned.habit.calls() - before - 16.0 / gap).abs() < 0.5);
    assert_eq!(world.state.sessions[&1].delays, [(world.now, 16_000)]);
}

#[test]
fn calls_that_wait_for_the_user_count_and_are_not_delayed() {
    let mut world = World::used(99.0).without_alerts();
    let outcome = world.call_of(true);
    assert_eq!((outcome.verdict, outcome.effects), (Verdict::Pass, vec![]));
    assert_eq!(world.state.learned.habit.calls().to_bits(), 1.0_f64.to_bits());
    assert_eq!(world.later(100).waits(), 350_000, "what ran beside it is delayed all the same");
    let mut world = World::used(99.0).without_alerts();
    world.call();
    assert_eq!(world.later(100).call_of(true).verdict, Verdict::Pass, "it never waits beside a delay");
}

#[test]
fn delay_of_a_clock_that_was_set_back_does_not_count() {
    for (batch, until) in [(60, 61), (-1, 350)] {
        let mut world = World::used(50.0).without_alerts();
        let at = |secs| Timestamp::from_secs(NOON + secs);
        let session = Session { batch: at(batch), until: at(until), prompt: 1, ..Session::default() };
        world.state.sessions.insert(1, Session { since: world.now, last: world.now, ..session });
        world.call();
        assert_eq!(world.state.sessions[&1].batch, world.now, "{batch} {until}");
    }
}

#[test]
fn limits_of_a_delay() {
    type Change = fn(&mut World);
    let cases: [(&str, Change, u128); 4] = [
        ("as it is", |_| {}, 350_000),
        ("headless", |world| world.headless = true, 60_000),
        (
            "an hour holds less",
            |world| world.settings.max_total_delay_per_hour_secs = serde_json::from_str("30").unwrap(),
            30_000,
        ),
        (
            "an hour holds nothing",
            |world| world.settings.max_total_delay_per_hour_secs = serde_json::from_str("0").unwrap(),
            0,
        ),
    ];
    for (name, change, expected) in cases {
        let mut world = World::used(99.0).without_alerts();
        change(&mut world);
        assert_eq!(world.waits(), expected, "{name}");
    }
    let mut world = World::used(99.0).without_alerts();
    world.settings.max_total_delay_per_hour_secs = serde_json::from_str("400").unwrap();
    assert_eq!(
        [world.waits(), world.later(360_000).waits(), world.later(60_000).waits()],
        [350_000, 50_000, 0]
    );
    world.later(3_600_000);
    world.read(99.0, NOON + 2 * HOUR);
    assert_eq!(world.waits(), 350_000, "an hour later");
}

#[test]
fn delay_notifies_first_and_then_every_ten_minutes() {
    let mut world = World::used(99.0).without_alerts();
    world.read(99.0, NOON + HOUR);
    let reported: Vec<String> = (0..4)
        .map(|_| {
            let reported = world.call().notice.unwrap_or_default();
            world.later(351_000).read(99.0, NOON + HOUR);
            reported
        })
        .collect();
    let first = "credit-pacer: waited 350 s so that your usage limits last. 5-hour limit: 99 % used at 12:00, 76 % safe by \
                 now; at this pace it would end at Wed 12:15, 45 min before it resets (Wed 13:00). credit-pacer status says \
                 more, Esc ends a delay, credit-pacer off stops them.";
    let later = "credit-pacer: waited 350 s. 5-hour limit: 99 % used at 12:11, 79.7 % safe by now; at this pace it would end at \
                 Wed 12:15, 45 min before it resets (Wed 13:00).";
    assert_eq!(reported, [first, "", later, ""]);
    world.session = 2;
    assert!(world.call().notice.unwrap().contains("so that your usage limits last"), "another session");
}

#[test]
fn recorded_line_is_that_of_the_users_own_file() {
    for own_is_over in [true, false] {
        let mut world = World::used(99.0).without_alerts();
        let mut own = defaults();
        own.five_hour.enabled = own_is_over;
        world.settings.five_hour.enabled = !own_is_over;
        world.own = Some(own);
        let outcome = world.call();
        let records = outcome.effects.iter().any(|change| matches!(change, Change::Line(_)));
        let waits = matches!(outcome.verdict, Verdict::Sleep { .. });
        assert_eq!((records, waits), (own_is_over, !own_is_over));
    }
}

#[test]
fn window_past_its_line_is_recorded_on_change() {
    fn check(world: &mut World, expected: Option<&[(&str, i64)]>) {
        let written = world.call().effects.into_iter().find_map(|change| match change {
            Change::Line(line) => Some(line.past.into_iter().collect::<Vec<_>>()),
            _ => None,
        });
        let expected = expected.map(|past| past.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect());
        assert_eq!(written, expected, "{:?}", world.now);
    }
    const LATER: u64 = 6 * 60_000;
    let over: &[(&str, i64)] = &[("five_hour", NOON + HOUR)];
    let mut world = World::used(50.0).without_alerts();
    check(&mut world, None);
    world.later(LATER).read(99.0, NOON + HOUR);
    check(&mut world, Some(over));
    check(world.later(4 * 60_000), None);
    check(world.later(LATER), Some(over));
    world.later(LATER).settings.five_hour.enabled = false;
    check(&mut world, Some(&[]));
    check(world.later(LATER / 6), None);
    world.read(99.0, NOON + HOUR);
    world.settings.five_hour.enabled = true;
    check(world.later(LATER), Some(over));
    world.switched_off = true;
    check(world.later(500), Some(&[]));
    check(world.later(500), None);
    world.switched_off = false;
    check(world.later(LATER), Some(over));
    // The readings are too old by then.
    check(world.later(3 * LATER), Some(&[]));
}

#[test]
fn an_alert_comes_once_and_at_once_and_its_call_does_not_wait() {
    let five = "credit-pacer: 5-hour limit 99 % used; resets in 1 h (credit-pacer status)";
    let week = "credit-pacer: weekly limit 81 % used; resets in 3 d (credit-pacer status)";
    for (five_hour, seven_day, expected) in [
        (99.0, 10.0, five.to_owned()),
        (50.0, 81.0, week.to_owned()),
        (99.0, 81.0, format!("{five}\n{week}")),
    ] {
        let mut world = World::used(five_hour);
        let window = Window { used_percent: seven_day, resets_at: NOON + 72 * HOUR, observed_at: NOON };
        world.usage.as_mut().unwrap().windows.insert("seven_day".to_owned(), window);
        let outcome = world.call();
        assert_eq!((outcome.verdict, outcome.notice), (Verdict::Pass, Some(expected)));
        let again = world.later(2_000).call().notice.unwrap_or_default();
        assert!(!again.contains(" used; resets"), "{again}");
    }
    for (observed_at, resets_at) in [(NOON - 901, NOON + HOUR), (NOON, NOON)] {
        let mut world = World::used(50.0);
        let window = Window { used_percent: 99.0, resets_at, observed_at };
        world.usage.as_mut().unwrap().windows.insert("five_hour".to_owned(), window);
        assert_eq!(world.call().notice, None, "the reading is old, or the window is over");
    }
    let mut world = World::used(99.0);
    world.call();
    let window = Window { used_percent: 99.0, resets_at: NOON + HOUR, observed_at: NOON };
    world.usage.as_mut().unwrap().windows.insert("seven_day".to_owned(), window);
    assert!(world.later(2_000).call().notice.unwrap().contains("weekly limit 99 %"), "another window");
    let mut world = World::used(99.0);
    world.call();
    assert_eq!(world.later(10).waits(), 350_000, "the next one waits");
}

#[test]
fn switched_off_it_gives_alerts_and_counts_nothing() {
    let mut world = World::used(99.0);
    (world.switched_off, world.poll) = (true, true);
    let outcome = world.call();
    assert!(outcome.notice.is_some() && outcome.effects.is_empty());
    let outcome = world.later(10_000).call();
    assert_eq!(outcome, Outcome::pass());
    assert!(world.state.sessions.is_empty());
}

#[test]
fn session_start_reports_the_usage() {
    let mut world = World::used(20.0).without_alerts();
    world.poll = true;
    let outcome = world.starts();
    assert_eq!((outcome.notice, outcome.effects), (None, vec![Change::Poll]));
    world.read(94.0, NOON + HOUR);
    let reported = world.starts().notice.unwrap();
    let (until, rest) = reported.split_once(" s each for now. ").unwrap();
    let secs: u128 = until.strip_prefix("credit-pacer: calls wait about ").unwrap().parse().unwrap();
    let expected = "5-hour limit: 94 % used at 12:00, 76 % safe by now; at this pace it would end at Wed 12:30, 30 min before it resets (Wed 13:00) (credit-pacer status says more, credit-pacer off ends it)";
    assert_eq!(rest, expected);
    assert!(world.waits().abs_diff(secs * 1000) <= 500, "{secs}");
    world.switched_off = true;
    assert_eq!(world.starts().notice, None);
}

#[test]
fn missing_readings_are_reported_once_a_day_and_not_before_the_first_answer() {
    let mut world = World::used(20.0);
    world.usage = None;
    assert_eq!(world.starts().notice, None);
    assert_eq!(world.call().notice, None);
    assert!(world.later(60_000).call().notice.unwrap().contains("no usage readings"));
    assert_eq!(world.later(60_000).call().notice, None);
    assert_eq!(world.later(24 * 3_600_000 - 60_001).call().notice, None);
    assert!(world.later(60_000).call().notice.is_some(), "the session is a day older");
}

#[test]
fn the_line_is_written_when_it_changes_and_now_and_then_while_it_is_past() {
    let line = |at, past: &[(&str, i64)]| Line {
        at,
        past: past.iter().map(|(name, resets_at)| ((*name).to_owned(), *resets_at)).collect(),
    };
    let past = [("five_hour", 20_000)];
    for (before, found, expected) in [
        (line(0, &[]), line(9_000, &[]), false),
        (line(0, &[]), line(9_000, &past), true),
        (line(9_000, &past), line(9_001, &past), false),
        (line(9_000, &past), line(9_300, &past), true),
        (line(9_000, &past), line(8_000, &past), true),
        (line(9_000, &past), line(9_001, &[]), true),
        (line(9_000, &past), line(9_001, &[("five_hour", 40_000)]), true),
    ] {
        let mut state = State { line: before.clone(), ..State::default() };
        assert_eq!(state.report(found.clone()).is_some(), expected, "{before:?} {found:?}");
    }
}
