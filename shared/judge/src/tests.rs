//! A caller for tests: a scratch state folder and project, a clock that stands still.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Caller, Settings};
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::protocol::Call;
use shared::state::{MACHINE, Store};
use shared::usage::{Line, Usage, Window};

/// 2026-11-25, 12:00 UTC.
pub(super) const NOON: i64 = 1_795_608_000;

/// The defaults and a backend, with these keys changed.
pub(super) fn settings(changes: &Value) -> Settings {
    let mut section: Value = serde_json::from_str(shared::config::section_defaults("judge")).unwrap();
    section["judge"]["backend"] = "messages_api".into();
    section["judge"].as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    serde_json::from_value(section["judge"].take()).unwrap()
}

/// The world of a caller.
pub(super) struct Scene {
    _scratch: TempDir,
    pub(super) settings: Settings,
    pub(super) host: Host,
    pub(super) store: Store,
    pub(super) has_state: bool,
    pub(super) call: Call,
    pub(super) event: &'static str,
    pub(super) is_refused: bool,
}

impl Scene {
    /// Nothing stops a question.
    pub(super) fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let project = scratch.path().join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        let now = Timestamp::from_secs(NOON);
        let environment = Environment { home: Some(scratch.path().join("home")), ..Environment::default() };
        Self {
            settings: settings(&json!({})),
            host: Host { started: now, clock: Clock::Fixed(now), environment },
            store: Store::open(&scratch.path().join("state")).unwrap(),
            has_state: true,
            call: Call { session_id: Some("s".to_owned()), cwd: Some(project), ..Call::default() },
            event: "PreToolUse",
            is_refused: false,
            _scratch: scratch,
        }
    }

    pub(super) fn with<T>(&self, of: impl FnOnce(&Caller<'_>) -> T) -> T {
        let root = self.call.cwd.clone();
        let config_dir = self.host.environment.home.as_ref().map(|home| home.join(".claude"));
        of(&Caller {
            hook: "intent-validator",
            host: &self.host,
            places: &Places { config_dir, root, ..Places::default() },
            store: self.has_state.then_some(&self.store),
            call: &self.call,
            event: self.event,
            settings: &self.settings,
            is_refused_elsewhere: &|| self.is_refused,
        })
    }

    /// Usage is past its safe line.
    pub(super) fn past_the_line(&self) {
        let window = Window { used_percent: 90.0, resets_at: NOON + 3600, observed_at: NOON };
        let windows = [("five_hour".to_owned(), window)].into();
        let usage = Usage { windows, ..Usage::default() };
        let line = Line { at: NOON, past: [("five_hour".to_owned(), NOON + 3600)].into() };
        self.store.change(MACHINE, |there| std::mem::replace(there, usage) != *there).unwrap();
        self.store.change(MACHINE, |there| std::mem::replace(there, line) != *there).unwrap();
    }

    /// The journal's lines.
    pub(super) fn journal(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.store.dir().join("journal.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
