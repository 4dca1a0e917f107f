//! The facts of each model that all sessions have learnt: `<state>/pause-recorder/models.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::state::{MACHINE, StateError, Store};

/// The models that are kept.
const MAX_MODELS: usize = 100;

/// The bytes of the longest name.
const MAX_NAME_BYTES: usize = 200;

/// The hook ignores a compaction below this percentage: the user set an early one, or the window was another.
const LEAST_BELIEVED_PERCENT: f64 = 20.0;

/// The models by their ids.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Models {
    /// Each of them.
    pub models: BTreeMap<String, Model>,
}

/// The facts of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// Tokens of the window, as the status line last reported.
    pub window: Option<u64>,
    /// Tokens at the last automatic compaction.
    pub compacted_at: Option<u64>,
}

impl Model {
    /// The percentage of the window at which Claude Code last compacted it by itself; `None` where that is unknown or too low.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
    pub fn compacted_at_percent(&self, window: u64) -> Option<f64> {
        let percent = self.compacted_at? as f64 * 100.0 / window.max(1) as f64;
        (percent >= LEAST_BELIEVED_PERCENT).then_some(percent)
    }

    fn with(self, learnt: Self) -> Self {
        Self {
            window: learnt.window.or(self.window),
            compacted_at: learnt.compacted_at.or(self.compacted_at),
        }
    }
}

impl Models {
    /// Adds what was learnt of a model; false where that is nothing new.
    fn add(&mut self, model: &str, learnt: Model) -> bool {
        let before = self.models.get(model).copied().unwrap_or_default();
        let after = before.with(learnt);
        if after == before {
            return false;
        }
        self.models.insert(model.to_owned(), after);
        // The first by name: as good as any, because nobody has as many.
        while self.models.len() > MAX_MODELS {
            let surplus = self.models.keys().find(|name| *name != model).cloned();
            surplus.and_then(|name| self.models.remove(&name));
        }
        true
    }
}

impl Remembered for Models {
    const MACHINE_WIDE: bool = true;

    fn file_name(_session: &str) -> Option<String> {
        Some("models.json".to_owned())
    }
}

/// Reads the facts of a model; none where the file has none or cannot be read.
#[must_use]
pub(crate) fn read(own: &Store, model: &str) -> Model {
    own.read::<Models>(MACHINE).and_then(|models| models.models.get(model).copied()).unwrap_or_default()
}

/// Keeps what was learnt of a model, beside what was known of it. Writes nothing where that is nothing new, and nothing over a
/// newer version's file.
///
/// # Errors
/// If it cannot be kept.
pub(crate) fn learn(own: &Store, model: &str, learnt: Model) -> Result<(), String> {
    if model.is_empty() || model.len() > MAX_NAME_BYTES {
        return Ok(());
    }
    let learned = own.change::<Models>(MACHINE, |models| models.add(model, learnt));
    // A process at the same file leaves it to be learnt again.
    learned.or_else(StateError::unless_anothers).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
