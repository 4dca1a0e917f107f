//! A day of all hooks, event by event through the real binaries. Every number in the table at the end is counted by hand
//! from the events above it.

use super::super::desk::{json_of, yes};
use super::Desk;
use crate::driver::{context, denial, documented, is_block};
use crate::gate::{self, WORDS};
use serde_json::{Value, json};
use shared::host::Timestamp;
use shared::journal::{self, Entry, Spent};
use shared::state::Store;
use std::fs;
use std::time::SystemTime;
use tests::binaries;
use tests::payloads::{Payload, Session};
use tests::process::Invocation;
use tests::sandbox::Level;

const GLOBAL: &str = "\
delegation-guard: {enabled: true, reminder: {enabled: false}}
stop-momentum: {enabled: true}
rate-awareness: {mode: deny, repeat: 3, ping_pong: 0}
requirements:
  not_on_release: {enabled: true, type: guard, guard_type: protected_branch, protected_branches: [release]}
  plan: {enabled: true, scope: permanent}
  tests_green: {enabled: true, type: evidence, command: ./run-tests}
";

struct Day(Desk);

impl Day {
    fn begin() -> Self {
        let day = Self(Desk::empty());
        day.0.sandbox.requirements(Level::User, GLOBAL);
        day.0.sandbox.commit("start");
        gate::worked(&day.0.session);
        day
    }

    /// Gives an event to a hook.
    #[track_caller]
    fn tell(&self, hook: &str, payload: &Payload) -> Option<Value> {
        self.give(hook, &payload.to_bytes())
    }

    #[track_caller]
    fn give(&self, hook: &str, bytes: &[u8]) -> Option<Value> {
        let hook = Invocation::new(binaries::path(hook), &self.0.sandbox)
            .env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CODE_SESSION_ID", self.session().id.as_str())
            .env("CLAUDE_PROJECT_DIR", self.0.sandbox.project().display().to_string());
        documented(&hook.stdin(bytes).run())
    }

    #[track_caller]
    fn refuses(&self, hook: &str, payload: &Payload) {
        let answer = self.tell(hook, payload);
        assert!(denial(answer.as_ref()).is_some(), "{hook}: {answer:?}");
    }

    #[track_caller]
    fn holds(&self, hook: &str, payload: &Payload) -> String {
        let answer = self.tell(hook, payload).unwrap_or_default();
        assert!(is_block(&answer), "{hook}: {answer}");
        answer["reason"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn advises(&self, hook: &str, payload: &Payload) {
        let answer = self.tell(hook, payload);
        assert!(context(answer.as_ref()).is_some(), "{hook}: {answer:?}");
    }

    #[track_caller]
    fn passes(&self, hook: &str, payload: &Payload) {
        assert_eq!(self.tell(hook, payload), None, "{hook}");
    }

    fn session(&self) -> &Session {
        &self.0.session
    }

    fn edit(&self) -> Payload {
        self.session().pre_tool_use("Edit", self.edit_input())
    }

    fn edit_input(&self) -> Value {
        let file = self.0.sandbox.project().join("src/a.rs").display().to_string();
        json!({ "file_path": file, "old_string": "a", "new_string": "b" })
    }

    fn bash(&self, line: &str) -> Payload {
        self.session().pre_tool_use("Bash", json!({ "command": line }))
    }

    /// Time passes for delegation-guard, as it does while a model thinks.
    fn thinks(&self) {
        let name = format!("{}-delegation.json", self.session().id);
        let mut file = self.0.state_of(&name);
        let at = file["state"]["open"]["at"].as_i64().expect("something was said");
        file["state"]["open"]["at"] = json!(at - 10_000_000);
        fs::write(self.0.state(&name), file.to_string()).unwrap();
    }

    /// The journal is as good as full: the next line begins a new file.
    fn fills(&self) {
        let file = self.0.state("journal.jsonl");
        let mut bytes = fs::read(&file).unwrap();
        bytes.resize(usize::try_from(journal::MAX_BYTES).unwrap(), b'\n');
        fs::write(file, bytes).unwrap();
    }

    /// A line of a hook that is not there yet.
    fn writes(&self, entry: &Entry<'_>) {
        journal::write(&Store::at(&self.0.sandbox.state_dir()), Timestamp::from(SystemTime::now()), entry);
    }
}

/// Refused three times, followed once, overridden twice; held once; two commands; one exception.
fn a_morning_of_requirements(day: &Day) {
    let hook = "requirements-check";
    day.refuses(hook, &day.edit());
    day.refuses(hook, &day.edit());
    yes(day.0.claude(&["satisfy", "plan"]));
    day.passes(hook, &day.edit());
    let edited = day.session().post_tool_use("Edit", day.edit_input(), json!({ "success": true }));
    day.passes(hook, &edited);
    day.holds(hook, &day.session().stop(WORDS));
    day.passes(hook, &day.session().stop_again(WORDS));
    day.0.sandbox.git(&["switch", "--quiet", "--create", "release"]);
    day.refuses(hook, &day.edit());
    let waiver = "req waive not_on_release --note 'agreed with the team'";
    assert!(day.tell(hook, &day.session().user_prompt_submit(waiver)).is_some());
    day.passes(hook, &day.edit());
    assert!(day.tell(hook, &day.session().user_prompt_submit("req status --summary")).is_some());
}

/// Refused once and overridden; advised once and followed.
fn a_noon_of_delegation(day: &Day) {
    let hook = "delegation-guard";
    day.refuses(hook, &day.bash("ls"));
    day.thinks();
    day.passes(hook, &day.bash("ls"));
    day.advises(hook, &day.bash("ls"));
    day.thinks();
    day.passes(hook, &day.session().pre_tool_use("Agent", json!({ "prompt": "do it" })));
}

/// Held twice, followed once, overridden once, let go three times: acknowledged, not acknowledged, a question.
fn an_afternoon_of_stops(day: &Day) {
    let hook = "stop-momentum";
    let token = gate::token(&day.holds(hook, &day.session().stop(WORDS)));
    day.passes(hook, &day.session().stop_again(&format!("Done. {token}")));
    let next = day.session().clone().with_prompt_id("another-turn");
    gate::worked(&next);
    day.passes(hook, &next.stop("Shall I go on?"));
    day.holds(hook, &next.stop(WORDS));
    day.passes(hook, &next.stop_again(WORDS));
}

/// Refused once; a problem told; an input that is none.
fn an_evening_of_loops(day: &Day) {
    let hook = "rate-awareness";
    day.passes(hook, &day.bash("ls"));
    day.passes(hook, &day.bash("ls"));
    day.refuses(hook, &day.bash("ls"));
    day.0.sandbox.requirements(Level::Project, "rate-awareness: {repeat: often}\n");
    assert!(day.tell(hook, &day.bash("something else")).is_some(), "the problem is told");
    assert_eq!(day.give(hook, b"no JSON at all"), None);
}

fn tally(of: &[(&str, u64)]) -> Value {
    let keys = [
        "denied",
        "asked",
        "blocked",
        "advised",
        "told",
        "followed",
        "overridden",
        "let_go",
        "exceptions",
        "commands",
        "problems",
        "errors",
        "slept_ms",
        "model_calls",
        "cost_micro_usd",
    ];
    let known = |key: &str| of.iter().find(|(name, _)| *name == key).map_or(0, |(_, count)| *count);
    assert!(of.iter().all(|(name, _)| keys.contains(name)));
    keys.into_iter().map(|key| (key.to_owned(), json!(known(key)))).collect::<serde_json::Map<_, _>>().into()
}

fn of_hook(hook: &str, of: &[(&str, u64)]) -> Value {
    let mut stats = tally(of);
    stats["hook"] = json!(hook);
    stats
}

/// Calls held up for 13.5 seconds; a model asked once.
fn a_night_of_hooks_to_come(day: &Day) {
    let sleep = Entry { hook: "credit-pacer", event: "PreToolUse", what: "sleep", ..Entry::default() };
    for slept_ms in [Some(1500), Some(12_000)] {
        day.writes(&Entry { spent: Spent { slept_ms, ..Spent::default() }, ..sleep });
    }
    let spent = Spent {
        took_ms: Some(900),
        input_tokens: Some(2000),
        output_tokens: Some(100),
        cost_micro_usd: Some(2500),
        ..Spent::default()
    };
    let judge =
        Entry { hook: "tempo-stop", event: "Stop", what: "judge", model: Some("small"), ..Entry::default() };
    day.writes(&Entry { spent, ..judge });
}

/// What each hook did, counted by hand.
fn of_each() -> Vec<Value> {
    vec![
        of_hook("credit-pacer", &[("slept_ms", 13_500)]),
        of_hook("delegation-guard", &[("denied", 1), ("advised", 1), ("followed", 1), ("overridden", 1)]),
        of_hook("rate-awareness", &[("denied", 1), ("problems", 1), ("errors", 1)]),
        of_hook(
            "requirements-check",
            &[
                ("denied", 3),
                ("blocked", 1),
                ("followed", 1),
                ("overridden", 2),
                ("let_go", 1),
                ("exceptions", 1),
                ("commands", 2),
            ],
        ),
        of_hook("stop-momentum", &[("blocked", 2), ("followed", 1), ("overridden", 1), ("let_go", 3)]),
        of_hook("tempo-stop", &[("model_calls", 1), ("cost_micro_usd", 2500)]),
    ]
}

/// What all of them did.
fn in_all() -> Value {
    tally(&[
        ("denied", 5),
        ("blocked", 3),
        ("advised", 1),
        ("followed", 3),
        ("overridden", 4),
        ("let_go", 4),
        ("exceptions", 1),
        ("commands", 2),
        ("problems", 1),
        ("errors", 1),
        ("slept_ms", 13_500),
        ("model_calls", 1),
        ("cost_micro_usd", 2500),
    ])
}

#[test]
fn a_scripted_day_is_counted_as_by_hand() {
    let day = Day::begin();
    a_morning_of_requirements(&day);
    a_noon_of_delegation(&day);
    day.fills();
    an_afternoon_of_stops(&day);
    fs::write(day.0.state("journal.jsonl"), day.0.journal() + "{\"at\":\"2026-11-2").unwrap();
    fs::write(day.0.state("journal.jsonl"), day.0.journal() + "\n").unwrap();
    an_evening_of_loops(&day);
    a_night_of_hooks_to_come(&day);

    assert!(day.0.state("journal.1.jsonl").exists(), "it was rotated in between");
    let stats = json_of(day.0.script(&["log", "--stats", "--json"]));
    let expected = of_each();
    for (found, expected) in stats["hooks"].as_array().unwrap().iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(stats["hooks"].as_array().unwrap().len(), expected.len());
    assert_eq!((&stats["total"], &stats["damaged"], &stats["since"]), (&in_all(), &json!(1), &Value::Null));

    let text = yes(day.0.script(&["log", "--stats"]));
    let all = "in all: spoke 9 times: followed 3, overridden 4, 2 without a known outcome; cost 13.5 s and 0.0025 USD";
    assert!(text.contains(all), "{text}");
    assert!(
        text.contains("requirements-check: refused 3, held 1, followed 1, overridden 2, let go 1, "),
        "{text}"
    );
    let cost = json_of(day.0.script(&["log", "--cost", "--json"]));
    assert_eq!((&cost["total"]["calls"], &cost["total"]["input_tokens"]), (&json!(1), &json!(2000)));
}
