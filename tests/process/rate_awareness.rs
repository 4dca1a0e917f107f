//! rate-awareness through real processes: what a call costs and who is told, what goes in a circle, whose bucket pays, and
//! what the state folder holds afterwards. Where a test must not depend on how fast the machine is, no token comes back.

mod buckets;
mod loops;
mod readers;
mod remembered;
mod settings;
mod skills;

use crate::driver::{Driver, notice};
use serde_json::{Value, json};
use std::ops::Deref;
use std::time::SystemTime;
use tests::payloads::Payload;

/// Nothing goes in a circle and no token comes back: only the capacity counts.
fn only_capacity(capacity: u32) -> String {
    format!(
        "rate-awareness:\n  global_default: {{capacity: {capacity}, refill_per_sec: 0}}\n  repeat: 0\n  ping_pong: 0\n"
    )
}

/// No bucket is ever empty: only circles count.
const ONLY_LOOPS: &str = "rate-awareness:\n  global_default: {capacity: 1000000, refill_per_sec: 0}\n";

/// The driver of rate-awareness, and calls to drive it with.
struct Calls(Driver);

impl Deref for Calls {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Calls {
    fn new(global: &str) -> Self {
        Self(Driver::new("rate-awareness", global))
    }

    fn unconfigured() -> Self {
        Self(Driver::unconfigured("rate-awareness"))
    }

    /// The input of a call that differs from all with another text.
    fn bash(&self, text: &str) -> Payload {
        self.session.pre_tool_use("Bash", json!({ "command": format!("echo {text}"), "description": text }))
    }

    /// The answer to such a call.
    #[track_caller]
    fn call(&self, text: &str) -> Option<Value> {
        self.ask(&self.bash(text))
    }

    /// The answer to a call that starts a skill.
    #[track_caller]
    fn skill(&self, name: &str) -> Option<Value> {
        self.ask(&self.session.pre_tool_use("Skill", json!({ "skill": name, "args": "" })))
    }

    /// The numbers, counted from 1, of so many different calls of which the user is told; the others are silent.
    #[track_caller]
    fn told_at(&self, calls: usize) -> Vec<usize> {
        told(&(0..calls).map(|number| self.call(&number.to_string())).collect::<Vec<_>>())
    }

    /// How many different calls are silent before the user is told.
    #[track_caller]
    fn silent_calls(&self) -> usize {
        (0..1000).take_while(|number| self.call(&number.to_string()).is_none()).count()
    }

    /// The session's state file.
    fn file(&self) -> String {
        format!("{}-buckets.json", self.session.id)
    }

    /// The bucket of that name, as it is remembered.
    #[track_caller]
    fn bucket(&self, name: &str) -> Value {
        self.state_of(&self.file())["state"]["_buckets"][name].clone()
    }

    /// Remembers this bucket of the main session, outside of any skill.
    fn remember(&self, tokens: f64, last_micros: i64) {
        let slots = vec![0; 12];
        let bucket =
            json!({ "tokens": tokens, "last": last_micros, "minute": { "slot": 0, "calls": slots } });
        let state = json!({ "_buckets": { "main::ungated": bucket }, "agents": {} });
        let envelope = json!({ "version": 1, "session": self.session.id, "state": state });
        std::fs::write(self.state(&self.file()), envelope.to_string()).unwrap();
    }
}

/// The numbers, counted from 1, of the answers with a notice; the others are silence.
#[track_caller]
fn told(answers: &[Option<Value>]) -> Vec<usize> {
    let mut told = Vec::new();
    for (index, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.is_some()) {
        assert_ne!(notice(answer.as_ref()), "", "{answer:?}");
        told.push(index + 1);
    }
    told
}

/// Now, in microseconds since the epoch.
fn now_micros() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(elapsed.as_micros()).unwrap()
}
