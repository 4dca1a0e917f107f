//! The tokens at which Claude Code last compacted each model by itself. All sessions share `<state>/pause-recorder/models.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::state::{MACHINE, StateError, Store};

use crate::occupancy::percent_of;

const MAX_MODELS: usize = 100;

const MAX_NAME_BYTES: usize = 200;

/// The hook ignores a compaction below this percentage: the user set an early one, or the window was another.
const LEAST_BELIEVED_PERCENT: f64 = 20.0;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Models {
    models: BTreeMap<String, Model>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Model {
    /// Tokens at the last automatic compaction.
    compacted_at: Option<u64>,
}

impl Remembered for Models {
    const MACHINE_WIDE: bool = true;

    fn file_name(_session: &str) -> Option<String> {
        Some("models.json".to_owned())
    }
}

/// The percentage of the window at which a model was compacted; `None` where that is too low to be believed.
pub(crate) fn believed_percent(tokens: u64, window: u64) -> Option<f64> {
    Some(percent_of(tokens, window)).filter(|percent| *percent >= LEAST_BELIEVED_PERCENT)
}

/// The tokens at the model's last compaction; `None` where none is known.
pub(crate) fn compacted_at(own: &Store, model: &str) -> Option<u64> {
    own.read::<Models>(MACHINE)?.models.get(model)?.compacted_at
}

/// Keeps the tokens at a model's compaction. Writes nothing over a newer version's file.
pub(crate) fn learn(own: &Store, model: &str, tokens: u64) -> Result<(), String> {
    if model.is_empty() || model.len() > MAX_NAME_BYTES {
        return Ok(());
    }
    let learnt = own.change::<Models>(MACHINE, |known| {
        let new = Model { compacted_at: Some(tokens) };
        let is_new = known.models.insert(model.to_owned(), new) != Some(new);
        // The first by name goes: as good as any, because nobody has as many.
        while known.models.len() > MAX_MODELS {
            let surplus = known.models.keys().find(|name| *name != model).cloned();
            surplus.and_then(|name| known.models.remove(&name));
        }
        is_new
    });
    // A process at the same file leaves it to be learnt again.
    learnt.or_else(StateError::unless_anothers).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use shared::state::{MACHINE, Store};

    use super::{MAX_MODELS, Models, believed_percent, compacted_at, learn};

    #[test]
    fn last_compaction_of_each_model_is_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let own = &Store::open(&scratch.path().join("own")).unwrap();
        for (model, tokens) in [("a", 1), ("b", 2), ("a", 3)] {
            learn(own, model, tokens).unwrap();
        }
        let known = ["a", "b", "c"].map(|model| compacted_at(own, model));
        assert_eq!(known, [Some(3), Some(2), None]);
        std::thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || learn(own, &format!("model-{number:03}"), 1).unwrap());
            }
        });
        assert_eq!(own.read::<Models>(MACHINE).unwrap().models.len(), 10, "none is lost");
        (8..=MAX_MODELS).for_each(|number| learn(own, &format!("model-{number:03}"), 1).unwrap());
        learn(own, "a", 4).unwrap();
        assert_eq!(own.read::<Models>(MACHINE).unwrap().models.len(), MAX_MODELS);
        assert_eq!(compacted_at(own, "a"), Some(4), "the new one is among them");
    }

    #[test]
    fn compaction_is_believed_from_a_fifth_of_the_window_on() {
        for (tokens, window, expected) in [
            (167_000, 200_000, Some(83.5)),
            (40_000, 200_000, Some(20.0)),
            (39_999, 200_000, None),
            (967_000, 200_000, Some(483.5)),
            (0, 0, None),
        ] {
            assert_eq!(believed_percent(tokens, window), expected, "{tokens} {window}");
        }
        assert!(believed_percent(u64::MAX, 0).is_some());
    }
}
