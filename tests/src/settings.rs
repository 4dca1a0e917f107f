//! The client's settings as a test writes them: which command stands on which event. It builds JSON only; where the file
//! lies is the sandbox's business. Registration by the product's own installer is tested through the installer, not here.

use serde_json::{Map, Value, json};
use std::path::Path;

/// The content of one settings file of the client.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// No settings at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a hook on an event, for the tools (or sources, reasons ...) that `matcher` names.
    pub fn hook_on(self, event: &str, matcher: &str, hook: &Hook) -> Self {
        self.push(event, json!({ "matcher": matcher, "hooks": [hook.0] }))
    }

    /// Registers a hook on every occurrence of an event.
    pub fn hook(self, event: &str, hook: &Hook) -> Self {
        self.push(event, json!({ "hooks": [hook.0] }))
    }

    /// Sets any other key.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    fn push(mut self, event: &str, group: Value) -> Self {
        let hooks = self.0.entry("hooks").or_insert_with(|| json!({}));
        let groups = &mut hooks[event];
        if groups.is_null() {
            *groups = json!([]);
        }
        groups.as_array_mut().expect("hooks of an event are a list").push(group);
        self
    }

    /// The settings as JSON, for [`crate::sandbox::Sandbox::settings`].
    pub fn json(self) -> Value {
        Value::Object(self.0)
    }
}

/// One hook entry, in exec form (the program is started directly) unless it is made by [`Self::shell`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Hook(Value);

impl Hook {
    /// A program with its arguments.
    pub fn new(program: &Path, args: &[&str]) -> Self {
        Self(json!({ "type": "command", "command": program, "args": args }))
    }

    /// A command line that the client hands to a shell.
    pub fn shell(command_line: &str) -> Self {
        Self(json!({ "type": "command", "command": command_line }))
    }

    /// Time limit in seconds, with fractions.
    pub fn timeout_secs(self, seconds: f64) -> Self {
        self.with("timeout", seconds)
    }

    /// Sets any other key of the entry, such as `statusMessage`.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0[key] = value.into();
        self
    }
}
