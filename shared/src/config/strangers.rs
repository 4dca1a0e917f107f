//! Keys at the top of a file that nobody owns: a misspelt section does nothing, and no hook would miss it.

use super::defaults::top_keys;
use super::problem::{Fault, Problems};
use super::section::{Cleaned, SectionSpec};
use super::top_level;
use super::wrong::nearest;

/// Tells of what is left at the top of the files that were read whole.
pub(super) fn tell(spec: SectionSpec, layers: &[Cleaned], problems: &mut Problems) {
    let known: Vec<&str> = top_keys().chain(spec.root_keys.iter().copied()).chain(top_level::KEYS).collect();
    for Cleaned { layer, .. } in layers {
        for key in layer.values.keys().filter(|key| !known.contains(&key.as_str())) {
            if !problems.note(layer, std::slice::from_ref(key), Fault::UnknownKey(nearest(key, &known))) {
                break;
            }
        }
    }
}
