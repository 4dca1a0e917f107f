//! What may not stand where it stands: global-only keys below the global file, what the global file locks, and
//! everything global of a project that does not inherit.

use figment::value::{Dict, Value};

use super::layer::LayerKind;
use super::problem::{Fault, Problem, Problems, full_path, problem};
use super::section::{Cleaned, SectionSpec};
use super::top_level::{Locks, TopLevel};
use super::tree::{get, keep, leaves, merge, remove};
use super::wrong::nearest_path;

/// Takes out of the layers what may not stand there.
pub(super) fn hold(spec: SectionSpec, top: &TopLevel, layers: &mut [Cleaned], problems: &mut Problems) {
    let standing: Dict = layers
        .iter()
        .filter(|cleaned| cleaned.layer.kind <= LayerKind::Global)
        .fold(Dict::new(), |below, cleaned| merge(below, cleaned.section.clone()));
    check_locks(spec, &top.locks, &standing, layers, problems);
    let is_global_only = |path: &[String]| spec.global_only.iter().any(|key| is_at_or_below(path, key));
    for Cleaned { layer, section } in layers {
        match layer.kind {
            LayerKind::Defaults => {}
            LayerKind::Global if top.inherit => {}
            LayerKind::Global => {
                // A locked rule must not be switched off by starting from the defaults, either.
                let stays = |path: &[String]| {
                    let is_switch = path == ["enabled"] && !top.locks.is_empty();
                    is_switch || is_global_only(path) || top.locks.holds(path)
                };
                *section = keep(section, &stays);
            }
            LayerKind::Project | LayerKind::Local | LayerKind::Switch => {
                for path in leaves(section) {
                    let fault = if is_global_only(&path) {
                        Fault::GlobalOnly
                    } else if is_locked(&top.locks, &path, get(section, &path), get(&standing, &path)) {
                        Fault::Locked
                    } else {
                        continue;
                    };
                    remove(section, &path);
                    problems.note(layer, &full_path(spec.name, &path), fault);
                }
            }
        }
    }
}

/// `path` is the key, or an entry of the map that stands there.
fn is_at_or_below(path: &[String], key: &str) -> bool {
    let path = path.join(".");
    path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The value changes what is locked, or switches off a section of which something is.
fn is_locked(locks: &Locks, path: &[String], value: Option<&Value>, standing: Option<&Value>) -> bool {
    let switches_off = path == ["enabled"] && value.and_then(Value::to_bool) == Some(false);
    (locks.holds(path) || (switches_off && !locks.is_empty())) && value != standing
}

/// So many misspelt locks are told.
const MAX_UNKNOWN_LOCKS: usize = 5;

/// A lock on a key that does not exist locks nothing, which its author would not expect.
fn check_locks(
    spec: SectionSpec,
    locks: &Locks,
    standing: &Dict,
    layers: &[Cleaned],
    problems: &mut Problems,
) {
    let Some(global) = layers.iter().find(|cleaned| cleaned.layer.kind == LayerKind::Global) else { return };
    let unknown = locks.paths().filter(|path| !path.is_empty() && get(standing, path).is_none());
    for path in unknown.take(MAX_UNKNOWN_LOCKS) {
        let fault = Fault::UnknownKey(nearest_path(spec.name, path, standing));
        let named = Problem {
            key: format!("locked: {}", full_path(spec.name, path).join(".")),
            ..problem(&global.layer, &["locked".to_owned()], fault)
        };
        problems.0.push(named);
    }
}

#[cfg(test)]
mod tests {
    use super::is_at_or_below;

    #[test]
    fn a_key_that_is_a_map_holds_its_entries_and_nothing_that_only_begins_like_it() {
        let holds = |path: &str| {
            let path: Vec<String> = path.split('.').map(ToOwned::to_owned).collect();
            is_at_or_below(&path, "judge.model")
        };
        for path in ["judge.model", "judge.model.small", "judge.model.small.name"] {
            assert!(holds(path), "{path}");
        }
        for path in ["judge", "judge.models", "model", "other.judge.model"] {
            assert!(!holds(path), "{path}");
        }
    }
}
