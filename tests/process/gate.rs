//! Driving the real `stop-momentum` binary through a session whose turn has worked. What is the same for every hook is in
//! [`crate::driver`].

use crate::driver::{Driver, assert_documented, block_reason, documented};
use serde_json::Value;
use shared::host::{Clock, Environment, Host};
use std::ops::Deref;
use std::path::PathBuf;
use stop_momentum::StopMomentum;
use tests::payloads::Session;
use tests::transcripts::Transcript;

/// The hook is on; one block per prompt.
pub(crate) const ON: &str = "stop-momentum: {enabled: true}\n";

/// The hook is on and insists: three blocks per prompt.
pub(crate) const INSISTS: &str = "stop-momentum: {enabled: true, enforce_ack: true}\n";

/// How many inputs of a long series start the program itself.
const SPAWNS: usize = 10;

pub(crate) const WORDS: &str = "All of it is done.";

pub(crate) const GUIDANCE: &str = "stop-momentum: you are about to stop.";

/// The driver of stop-momentum, which it stands for wherever a question is not about stops.
pub(crate) struct Gate(Driver);

impl Deref for Gate {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Gate {
    /// With this global file, in a turn that made a tool call.
    pub(crate) fn new(global: &str) -> Self {
        Self::after_work(Driver::new("stop-momentum", global))
    }

    pub(crate) fn unconfigured() -> Self {
        Self::after_work(Driver::unconfigured("stop-momentum"))
    }

    fn after_work(driver: Driver) -> Self {
        worked(&driver.session);
        Self(driver)
    }

    /// The hook's answer to input number `round` of a series. The first ten start its program, the rest run in this process.
    #[track_caller]
    pub(crate) fn answer(&self, round: usize, bytes: &[u8]) -> Option<Value> {
        if round < SPAWNS { documented(&self.hook().stdin(bytes).run()) } else { self.respond(bytes) }
    }

    /// The hook's answer to these bytes, without a process.
    #[track_caller]
    pub(crate) fn respond(&self, bytes: &[u8]) -> Option<Value> {
        let environment = Environment {
            home: Some(self.sandbox.home()),
            project_dir: Some(self.sandbox.project()),
            state_dir: Some(self.sandbox.state_dir()),
            entrypoint: Some("cli".to_owned()),
            inside_claude: true,
            ..Environment::default()
        };
        let host = Host { started: Clock::System.now(), clock: Clock::System, environment };
        let text = shared::run::respond::<StopMomentum>(&host, Ok(bytes.to_vec()))?;
        let answer = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_documented(&answer, &text);
        Some(answer)
    }

    #[track_caller]
    pub(crate) fn stop(&self, message: &str) -> Option<Value> {
        self.ask(&self.session.stop(message))
    }

    #[track_caller]
    pub(crate) fn blocked(&self, message: &str) -> String {
        reason(self.stop(message).as_ref())
    }

    #[track_caller]
    pub(crate) fn passes(&self, message: &str) {
        assert_eq!(self.stop(message), None);
    }

    pub(crate) fn token_file(&self) -> PathBuf {
        self.state(&format!("stop-ack-{}", self.session.id))
    }
}

/// Writes the transcript of a turn that made a tool call which leaves nothing unfinished.
pub(crate) fn worked(session: &Session) {
    let input = serde_json::json!({ "command": "ls" });
    Transcript::of(session).prompt("do it").tool_call("Bash", &input).text(WORDS).write();
}

#[track_caller]
pub(crate) fn reason(answer: Option<&Value>) -> String {
    block_reason(answer).unwrap_or_else(|| panic!("the stop is not blocked: {answer:?}"))
}

#[track_caller]
pub(crate) fn token(reason: &str) -> String {
    let start = reason.rfind("ACK-").unwrap_or_else(|| panic!("no token in: {reason}"));
    reason[start..start + 8].to_owned()
}
