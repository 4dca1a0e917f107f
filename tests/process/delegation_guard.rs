//! The life of delegation-guard through real processes: the streak of the main session, the one refusal, the reminder in
//! between, subagents of newer and older clients, the disk playing up, and what is said.

mod parallel;
mod reminder;
mod settings;
mod state;
mod streak;
mod subagents;
mod texts;

use crate::driver::{Driver, context, denial};
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::PathBuf;
use tests::payloads::Payload;

const ON: &str = "delegation-guard: {enabled: true}\n";

/// What a call was answered with, told by the first words of each text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Nothing,
    Denial,
    FirstCallAdvice,
    /// With the streak it names.
    Advice(u32),
    Reminder,
}

/// The driver of delegation-guard, which it stands for wherever a question is not about calls.
struct Guard(Driver);

impl Deref for Guard {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        &self.0
    }
}

impl Guard {
    /// With this global file.
    fn new(global: &str) -> Self {
        Self(Driver::new("delegation-guard", global))
    }

    /// A session in which the one refusal is spent.
    fn warmed_up(global: &str) -> Self {
        let guard = Self::new(global);
        assert_eq!(guard.call("Bash"), Said::Denial);
        guard
    }

    /// What is said before a call of this tool.
    #[track_caller]
    fn call(&self, tool: &str) -> Said {
        said(self.ask(&self.before(tool)).as_ref())
    }

    /// What is said before so many calls, one after the other.
    #[track_caller]
    fn calls(&self, count: usize) -> Vec<Said> {
        (0..count).map(|_| self.call("Bash")).collect()
    }

    /// What is said after a call of this tool.
    #[track_caller]
    fn ended(&self, tool: &str) -> Said {
        said(self.ask(&self.after(tool)).as_ref())
    }

    /// What is said after so many calls that nobody was asked about before.
    #[track_caller]
    fn ends(&self, count: usize) -> Vec<Said> {
        (0..count).map(|_| self.ended("Bash")).collect()
    }

    /// The event before a call of this tool.
    fn before(&self, tool: &str) -> Payload {
        self.session.pre_tool_use(tool, json!({ "command": "ls" }))
    }

    /// The event after a call of this tool.
    fn after(&self, tool: &str) -> Payload {
        self.session.post_tool_use(tool, json!({ "command": "ls" }), json!({}))
    }

    /// The state file of the session.
    fn file(&self) -> PathBuf {
        self.state(&self.file_name())
    }

    fn file_name(&self) -> String {
        format!("{}-delegation.json", self.session.id)
    }

    /// The streak that is remembered.
    #[track_caller]
    fn streak(&self) -> Value {
        self.state_of(&self.file_name())["state"]["streak"].clone()
    }
}

/// The answer in a word; fails on anything this hook never says.
#[track_caller]
fn said(answer: Option<&Value>) -> Said {
    // A notice is for the user alone.
    let Some(answer) = answer.filter(|answer| answer.get("hookSpecificOutput").is_some()) else {
        return Said::Nothing;
    };
    if let Some(reason) = denial(Some(answer)) {
        assert!(reason.starts_with("delegation-guard refused this call once"), "{answer}");
        return Said::Denial;
    }
    let text = context(Some(answer)).unwrap_or_else(|| panic!("neither a denial nor a text: {answer}"));
    if text.starts_with("delegation-guard (reminder)") {
        return Said::Reminder;
    }
    if text.starts_with("delegation-guard (first call, ") {
        return Said::FirstCallAdvice;
    }
    let streak =
        text.strip_prefix("delegation-guard (advice at streak ").and_then(|rest| rest.split(')').next());
    Said::Advice(streak.and_then(|streak| streak.parse().ok()).unwrap_or_else(|| panic!("{answer}")))
}
