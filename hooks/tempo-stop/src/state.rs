//! The state: when the user last typed something, and prompts that may look typed. File `<session>-tempo.json`.

use serde::{Deserialize, Serialize};
use shared::digest;
use shared::hook::Remembered;
use shared::host::Timestamp;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) typed_at: Option<Timestamp>,
    /// The prompts that were scheduled at the last stop, by hash: they will arrive as if typed.
    #[serde(default)]
    pub(crate) scheduled: Vec<u64>,
}

impl Remembered for State {
    const FILE: &'static str = "*-tempo.json";
}

impl State {
    /// The same after a prompt: a person is there, unless it was scheduled.
    pub(crate) fn after_prompt(&self, prompt: &str, now: Timestamp) -> Option<Self> {
        let is_scheduled = self.scheduled.contains(&hash(prompt));
        (!is_scheduled).then(|| Self { typed_at: Some(now), ..self.clone() })
    }

    /// The same at a stop with these prompts scheduled; `None` where nothing is new.
    pub(crate) fn with_scheduled(&self, prompts: &[String]) -> Option<Self> {
        let scheduled: Vec<u64> = prompts.iter().map(|prompt| hash(prompt)).collect();
        (scheduled != self.scheduled).then(|| Self { scheduled, ..self.clone() })
    }
}

/// A prompt is known by its hash, never kept.
fn hash(prompt: &str) -> u64 {
    digest::number(prompt.trim())
}
