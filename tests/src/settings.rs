//! The client's settings as a test writes them: which command stands on which event. It builds JSON only; where the file
//! lies is the sandbox's business. Registration by the product's own installer is tested through the installer, not here.

use serde_json::{Map, Value, json};
use std::path::Path;

#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// Registers a hook on an event, for the tools (or sources, reasons ...) that `matcher` names, or for all.
    pub fn hook(mut self, event: &str, matcher: Option<&str>, hook: &Hook) -> Self {
        let mut group = json!({ "hooks": [hook.0] });
        if let Some(matcher) = matcher {
            group["matcher"] = matcher.into();
        }
        let events = self.0.entry("hooks").or_insert_with(|| json!({}));
        let groups =
            events.as_object_mut().expect("hooks are an object").entry(event).or_insert_with(|| json!([]));
        groups.as_array_mut().expect("hooks of an event are a list").push(group);
        self
    }

    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    pub fn json(self) -> Value {
        Value::Object(self.0)
    }
}

/// One hook entry, in exec form (the program is started directly) unless it is made by [`Self::shell`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Hook(Value);

impl Hook {
    pub fn new(program: &Path, args: &[&str]) -> Self {
        Self(json!({ "type": "command", "command": program, "args": args }))
    }

    /// A command line that the client hands to a shell.
    pub fn shell(command_line: &str) -> Self {
        Self(json!({ "type": "command", "command": command_line }))
    }

    /// Sets any other key of the entry, such as `statusMessage`.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0[key] = value.into();
        self
    }
}
