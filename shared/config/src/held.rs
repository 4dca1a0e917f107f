//! Entries that may not stand in their layer: global-only keys below the global file, locked keys, and everything global of a
//! project that does not inherit.

use figment::value::{Dict, Value};

use crate::check::nearest;
use crate::layer::Layer;
use crate::merge::merged;
use crate::noted::{Problems, problem};
use crate::origin::LayerKind;
use crate::problem::{Fault, Problem};
use crate::spec::SectionSpec;
use crate::top_level::{Locks, TopLevel};
use crate::tree::{get, is_at_or_below, keep, keys_on, leaves, leaves_where, remove};

/// Takes out of the layers what may not stand there.
pub(crate) fn hold(spec: SectionSpec, top: &TopLevel, layers: &mut [Layer], problems: &mut Problems) {
    check_locks(spec, &top.locks, layers, problems);
    let held: Vec<Vec<Vec<String>>> = layers.iter().map(|layer| held_in(spec, &top.locks, layer)).collect();
    // Merging costs, and most files set nothing that is held.
    let is_needed = held.iter().any(|paths| !paths.is_empty());
    let standing = if is_needed { up_to_global(layers) } else { Dict::new() };
    let is_global_only = |path: &[String]| is_any_of(spec.global_only, path);
    let is_on = |section: &Dict| get(section, &["enabled".to_owned()]).and_then(Value::to_bool) == Some(true);
    // The user's own file alone switches on a hook that spends money; any other may switch it off.
    let begins_to_spend = |path: &[String], section: &Dict| {
        spec.costs_money && path == ["enabled"] && is_on(section) && !is_on(&standing)
    };
    for (layer, paths) in layers.iter_mut().zip(held) {
        if layer.kind == LayerKind::Global && !top.inherit {
            // A locked rule must not be switched off by starting from the defaults, either.
            let stays =
                |path: &[String]| top.locks.holds(path) || top.locks.need_on(path) || is_global_only(path);
            layer.section = keep(&layer.section, &stays);
        }
        for path in paths {
            let fault = if is_global_only(&path) || begins_to_spend(&path, &layer.section) {
                Fault::GlobalOnly
            } else if is_locked(&top.locks, &path, get(&layer.section, &path), get(&standing, &path)) {
                Fault::Locked
            } else {
                continue;
            };
            problems.note(layer, &spec.in_file(&path), fault);
            remove(&mut layer.section, &path);
        }
    }
}

/// The entries of a layer above the global file that a lock or a global-only key may forbid.
fn held_in(spec: SectionSpec, locks: &Locks, layer: &Layer) -> Vec<Vec<String>> {
    if layer.kind <= LayerKind::Global {
        return Vec::new();
    }
    leaves_where(&layer.section, &|path| {
        let dotted = path.join(".");
        let is_near = |key: &&str| is_at_or_below(&dotted, key) || is_at_or_below(key, &dotted);
        locks.holds(path)
            || locks.need_on(path)
            || spec.global_only.iter().any(is_near)
            || spec.costs_money && path == ["enabled"]
    })
}

/// Values under the locks, as the global file and the defaults have them.
pub(crate) fn up_to_global(layers: &[Layer]) -> Dict {
    merged(layers.iter().filter(|layer| layer.kind <= LayerKind::Global))
}

/// The path is one of these dotted keys, or something below one.
pub(crate) fn is_any_of(keys: &[&str], path: &[String]) -> bool {
    let path = path.join(".");
    keys.iter().any(|key| is_at_or_below(&path, key))
}

/// The value changes a locked key, or switches off a section or a rule with a locked key.
pub(crate) fn is_locked(
    locks: &Locks,
    path: &[String],
    value: Option<&Value>,
    standing: Option<&Value>,
) -> bool {
    if locks.is_empty() || value == standing {
        return false;
    }
    let switches_off = locks.need_on(path) && value.and_then(Value::to_bool) == Some(false);
    // A map without entries changes nothing in a map.
    let is_void =
        matches!((value, standing), (Some(Value::Dict(_, new)), Some(Value::Dict(..))) if new.is_empty());
    (locks.holds(path) || switches_off) && !is_void
}

/// Maximum number of misspelt locks in the report.
const MAX_UNKNOWN_LOCKS: usize = 5;

/// A lock on a key that does not exist locks nothing, which its author would not expect.
fn check_locks(spec: SectionSpec, locks: &Locks, layers: &[Layer], problems: &mut Problems) {
    let Some(global) = layers.iter().find(|layer| layer.kind == LayerKind::Global) else { return };
    let is_known = |path: &str| {
        let mut below = layers.iter().filter(|layer| layer.kind <= LayerKind::Global);
        path.is_empty() || below.any(|layer| keys_on(&layer.section, path).is_some())
    };
    for path in locks.paths().filter(|path| !is_known(path)).take(MAX_UNKNOWN_LOCKS) {
        let fault = Fault::UnknownKey(nearest_path(spec, path, &up_to_global(layers)));
        let named = Problem {
            key: format!("locked: {}", spec.dotted_in_file(path)),
            ..problem(global, &["locked".to_owned()], fault)
        };
        problems.0.push(named);
    }
}

/// The known key path, as in a file, that was probably meant by `path`, dotted.
fn nearest_path(spec: SectionSpec, path: &str, known: &Dict) -> Option<String> {
    let depth = path.split('.').count();
    let cut = |leaf: Vec<String>| spec.in_file(&leaf[..depth.min(leaf.len())]).join(".");
    let known: Vec<String> = leaves(known).into_iter().map(cut).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    nearest(&spec.dotted_in_file(path), &known)
}
