//! Prompts that Claude has scheduled and that read like our commands: they arrive as if typed, in this session or a later
//! one, so they are known by hash, for the whole machine.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::hook::Remembered;
use shared::state::Store;

use crate::wording::hash;

/// So many are remembered; whoever schedules more is refused none of them less.
const MAX: usize = 1000;

/// The envelope's session of a file that belongs to none.
const MACHINE: &str = "";

/// The prompts, by hash.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Scheduled(BTreeSet<u64>);

impl Remembered for Scheduled {
    fn file_name(_session: &str) -> Option<String> {
        Some("scheduled-prompts.json".to_owned())
    }
}

/// Somebody has scheduled this prompt.
pub(crate) fn is_scheduled(store: &Store, prompt: &str) -> bool {
    let file = store.session_file::<Scheduled>(MACHINE);
    let known = file.and_then(|file| store.peek::<Scheduled>(&file, MACHINE));
    known.is_some_and(|known| known.0.contains(&hash(prompt.trim())))
}

/// Remembers a scheduled prompt by its hash.
///
/// # Errors
/// If it cannot be remembered.
pub(crate) fn remember(store: &Store, prompt: u64) -> Result<(), String> {
    let Some(file) = store.session_file::<Scheduled>(MACHINE) else { return Ok(()) };
    let remembered = store.locked(&file, || {
        let mut known: Scheduled = store.load(&file, MACHINE).map_err(|error| error.to_string())?;
        if known.0.len() < MAX && known.0.insert(prompt) {
            store.save(&file, MACHINE, &known).map_err(|error| error.to_string())?;
        }
        Ok(())
    });
    remembered.map_err(|error| error.to_string())?
}
