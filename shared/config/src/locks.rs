//! Entries that may not stand in their layer: global-only keys below the global file, locked keys, and everything global of a
//! project that does not inherit.

use figment::value::{Dict, Value};

use crate::check::nearest;
use crate::layer::Layer;
use crate::problem::{Fault, LayerKind, Problem, add};
use crate::spec::SectionSpec;
use crate::top::TopLevel;
use crate::tree::{flag, get, is_at_or_below, keys_on, leaves, leaves_where, merged, remove};

/// The rules on the layers that may set a key of a section.
pub(crate) struct Rights<'r> {
    pub(crate) spec: SectionSpec,
    /// Locked paths within the settings, dotted; an empty one is the whole section.
    pub(crate) locked: &'r [String],
}

impl Rights<'_> {
    pub(crate) fn is_global_only(&self, path: &[String]) -> bool {
        let path = path.join(".");
        self.spec.global_only.iter().any(|key| is_at_or_below(&path, key))
    }

    /// The key is locked, or switches on and off something that is locked, as a whole or in part.
    pub(crate) fn is_locked(&self, path: &[String]) -> bool {
        self.holds(&path.join(".")) || self.need_on(path)
    }

    fn holds(&self, path: &str) -> bool {
        self.locked.iter().any(|locked| is_at_or_below(path, locked) || is_at_or_below(locked, path))
    }

    fn need_on(&self, path: &[String]) -> bool {
        let Some((last, above)) = path.split_last() else { return false };
        let above = above.join(".");
        last == "enabled" && self.locked.iter().any(|locked| is_at_or_below(locked, &above))
    }

    /// A rule may concern the key, or something in the map that stands there.
    fn may_concern(&self, path: &[String]) -> bool {
        let dotted = path.join(".");
        let is_near = |key: &&str| is_at_or_below(&dotted, key) || is_at_or_below(key, &dotted);
        self.is_locked(path)
            || self.spec.global_only.iter().any(is_near)
            || self.spec.costs_money && path == ["enabled"]
    }

    /// Why the entry may not stand in this layer above the global file. `standing`: the section as the global file has it.
    fn fault(&self, kind: LayerKind, path: &[String], value: &Value, standing: &Dict) -> Option<Fault> {
        // The user's own file alone switches on a hook that spends money; any other may switch it off.
        let begins_to_spend = self.spec.costs_money
            && path == ["enabled"]
            && value.to_bool() == Some(true)
            && flag(standing, path) != Some(true);
        if begins_to_spend || self.is_global_only(path) {
            return Some(Fault::GlobalOnly);
        }
        let stands = get(standing, path);
        let is_empty_map =
            matches!((value, stands), (Value::Dict(_, new), Some(Value::Dict(..))) if new.is_empty());
        let switches_off = || self.need_on(path) && value.to_bool() == Some(false);
        // The section's switch would count later, once the global file says something else.
        let is_switch = kind == LayerKind::Switch && path == ["enabled"];
        let changes = is_switch || stands != Some(value) && !is_empty_map;
        (changes && (self.holds(&path.join(".")) || switches_off())).then_some(Fault::Locked)
    }
}

/// Removes from the layers what may not stand there. The answer: the keys whose switch a lock overrules.
pub(crate) fn enforce(
    spec: SectionSpec,
    top: &TopLevel,
    layers: &mut [Layer],
    problems: &mut Vec<Problem>,
) -> Vec<Vec<String>> {
    let rights = Rights { spec, locked: &top.locked };
    let concerned = |layer: &Layer| match layer.kind {
        LayerKind::Defaults | LayerKind::Global => Vec::new(),
        _ => leaves_where(&layer.section, &|path| rights.may_concern(path)),
    };
    let concerned: Vec<Vec<Vec<String>>> = layers.iter().map(concerned).collect();
    // Merging costs, and most files set nothing that is held.
    let is_needed = concerned.iter().any(|paths| !paths.is_empty());
    let standing = if is_needed { up_to_global(layers) } else { Dict::new() };
    let mut overruled = Vec::new();
    for (layer, paths) in layers.iter_mut().zip(concerned) {
        if layer.kind == LayerKind::Global && !top.inherit {
            start_from_defaults(&rights, layer);
        }
        for path in paths {
            let value = get(&layer.section, &path);
            let fault = value.and_then(|value| rights.fault(layer.kind, &path, value, &standing));
            let Some(fault) = fault else { continue };
            remove(&mut layer.section, &path);
            if layer.kind != LayerKind::Switch {
                add(problems, layer.problem(&spec.in_file(&path), fault));
            } else if fault == Fault::Locked {
                overruled.push(path);
            }
        }
    }
    overruled
}

/// Locked rules and the user's own programs, hosts and paths stay where a project starts from the defaults.
fn start_from_defaults(rights: &Rights<'_>, global: &mut Layer) {
    for path in leaves(&global.section) {
        if !rights.is_locked(&path) && !rights.is_global_only(&path) {
            remove(&mut global.section, &path);
        }
    }
}

fn up_to_global(layers: &[Layer]) -> Dict {
    merged(layers.iter().filter(|layer| layer.kind <= LayerKind::Global).map(|layer| &layer.section))
}

/// Reports locks on keys that do not exist: they lock nothing, which their author would not expect.
pub(crate) fn check_locks(rights: &Rights<'_>, layers: &[Layer], problems: &mut Vec<Problem>) {
    let Some(global) = layers.iter().find(|layer| layer.kind == LayerKind::Global) else { return };
    let is_known = |path: &str| {
        let mut below = layers.iter().filter(|layer| layer.kind <= LayerKind::Global);
        path.is_empty() || below.any(|layer| keys_on(&layer.section, path).is_some())
    };
    for path in rights.locked.iter().filter(|path| !is_known(path)) {
        let shown = rights.spec.dotted_in_file(path);
        let depth = shown.split('.').count();
        let cut = |leaf: Vec<String>| {
            rights.spec.in_file(&leaf).into_iter().take(depth).collect::<Vec<_>>().join(".")
        };
        let known: Vec<String> = leaves(&up_to_global(layers)).into_iter().map(cut).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let problem = global.problem(&["locked".to_owned()], Fault::UnknownKey(nearest(&shown, &known)));
        add(problems, Problem { key: format!("locked: {shown}"), ..problem });
    }
}
