//! The table of hooks, config/hooks.yaml, as types: what installer, plugin, documentation and tests know of each hook.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use anyhow::anyhow;
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::config::read_typed;
use shared::own_commands::TABLE;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    pub hooks: Vec<HookEntry>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookEntry {
    /// Folder, crate, binary and section of the configuration.
    pub name: String,
    pub summary: String,
    pub events: Vec<EventEntry>,
    pub enabled: bool,
    /// The installer offers it as chosen.
    pub ticked: bool,
    pub costs_money: bool,
    /// Names to link into the user's path. One that no binary has is a second name of the hook's own binary.
    pub commands: Vec<String>,
    /// Permission rules under which Claude may run its harmless commands without asking; offered, never taken for granted.
    #[serde(default)]
    pub permissions: Vec<String>,
    /// Programs that are no hooks and that it starts where it needs what a hook must not have, as connections. They are
    /// installed beside it; without one of them it does the rest.
    #[serde(default)]
    pub helpers: Vec<String>,
    /// Status line that the hook prints. The installer offers it where none is configured.
    pub status_line: Option<PrintedStatusLine>,
    /// When the user will first hear of it.
    pub first_words: String,
    pub silence: String,
    pub proof: Proof,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedStatusLine {
    pub arguments: String,
    /// The key of its section, as a dotted path, that holds the command of the status line that was there before. It runs
    /// that one too.
    pub chain: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventEntry {
    pub event: String,
    /// Tools, sources or reasons; `None` means all.
    pub matcher: Option<String>,
    /// After how many seconds the client goes on without the hook.
    pub timeout_secs: u32,
    /// Message that Claude Code shows while it waits for the hook.
    pub status_message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The input as the client sends it. `{project}` in a text stands for the scratch project.
    pub event: Map<String, Value>,
    pub config: Map<String, Value>,
    /// Files of the state folder before the run: name to content. `{now}`, `{now+60}` and `{now-60}` in it stand for times, in
    /// whole seconds since the epoch.
    pub state: BTreeMap<String, String>,
    pub answer: Answer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Silence,
    /// For the user.
    Notice,
    /// For the model.
    Advise,
    Deny,
    Block,
}

impl Answer {
    /// The answer as a person reads it after "answered with".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Silence => "silence",
            Self::Notice => "a notice",
            Self::Advise => "advice",
            Self::Deny => "a denial",
            Self::Block => "a block",
        }
    }
}

impl Catalog {
    pub fn built_in() -> anyhow::Result<&'static Self> {
        static READ: OnceLock<Result<Catalog, String>> = OnceLock::new();
        let read = READ.get_or_init(|| read_typed(TABLE));
        read.as_ref().map_err(|error| anyhow!("config/hooks.yaml, as compiled in, cannot be read: {error}"))
    }

    pub fn names(&self) -> Vec<String> {
        self.hooks.iter().map(|hook| hook.name.clone()).collect()
    }

    pub fn helpers(&self) -> BTreeSet<&str> {
        self.hooks.iter().flat_map(|hook| &hook.helpers).map(String::as_str).collect()
    }

    pub fn hook(&self, name: &str) -> Option<&HookEntry> {
        self.hooks.iter().find(|hook| hook.name == name)
    }
}

impl PrintedStatusLine {
    /// Path of the key in a configuration file, for the hook of this name.
    pub fn chain_path(&self, hook: &str) -> Vec<String> {
        [hook].into_iter().chain(self.chain.split('.')).map(str::to_owned).collect()
    }
}

impl Proof {
    pub fn event_name(&self) -> &str {
        self.event.get("hook_event_name").and_then(Value::as_str).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
