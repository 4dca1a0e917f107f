//! The rules on who may set what: the keys above all sections (`version`, `requires`, `inherit`, `enabled`, `locked`), and entries
//! that may not stand in their layer: global-only keys below the global file, locked keys, and everything global of a project that
//! does not inherit. Typed switches are the layer above the files. Where they are kept is the caller's business.

use std::collections::BTreeMap;

use figment::value::{Dict, Tag, Value};
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use crate::check::nearest;
use crate::layer::{
    Layer, flag, get, is_at_or_below, json, keys_on, leaves, leaves_where, merged, put, remove, top_keys,
};
use crate::{Fault, LayerKind, Origin, Problem, SectionSpec, TOP_KEYS, add};

#[derive(Debug)]
pub(crate) struct TopLevel {
    /// The layer that switches every hook off.
    pub(crate) off_at: Option<Origin>,
    /// The project builds on the global file.
    pub(crate) inherit: bool,
    /// Keys that the global file locks in this section: dotted paths within the settings, an empty one is the whole section.
    pub(crate) locked: Vec<String>,
}

pub(crate) fn read_top(spec: SectionSpec, layers: &[Layer], problems: &mut Vec<Problem>) -> TopLevel {
    let mut top = TopLevel { off_at: None, inherit: true, locked: Vec::new() };
    let mut is_off_by_user = false;
    for layer in layers {
        for (key, value) in &layer.values {
            if let Some(fault) = wrong(layer.kind, key, value) {
                add(problems, layer.problem(std::slice::from_ref(key), fault));
            }
        }
        if layer.kind == LayerKind::Global {
            let list = layer.values.get("locked").and_then(Value::as_array).unwrap_or_default();
            let paths = list.iter().filter_map(Value::as_str).filter_map(|path| spec.in_settings(path));
            top.locked = paths.map(|path| spec.present_name(path).to_owned()).collect();
        }
        if let Some(inherit) = counting(layer, "inherit") {
            top.inherit = inherit.to_bool() != Some(false);
        }
        let Some(enabled) = counting(layer, "enabled").and_then(Value::to_bool) else { continue };
        let path = ["enabled".to_owned()];
        let begins_to_spend = enabled && is_off_by_user && spec.costs_money && layer.kind > LayerKind::Global;
        is_off_by_user |= !enabled && layer.kind <= LayerKind::Global;
        if !enabled && layer.kind > LayerKind::Global && !top.locked.is_empty() {
            add(problems, layer.problem(&path, Fault::Locked));
        } else if begins_to_spend {
            add(problems, layer.problem(&path, Fault::GlobalOnly));
        } else {
            top.off_at = (!enabled).then(|| layer.origin(&path));
        }
    }
    top
}

/// Reports keys at the top of the files, and locks, of sections that no hook reads: no hook would miss them.
pub(crate) fn report_unknown_keys(layers: &[Layer], problems: &mut Vec<Problem>) {
    let known: Vec<&str> = top_keys().chain(TOP_KEYS).collect();
    for layer in layers {
        let mut strangers = layer.values.keys().filter(|key| !known.contains(&key.as_str()));
        let _ = strangers.all(|key| {
            let fault = Fault::UnknownKey(nearest(key, &known));
            add(problems, layer.problem(std::slice::from_ref(key), fault))
        });
        let locked = layer.values.get("locked").filter(|_| layer.kind == LayerKind::Global);
        for path in locked.and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str) {
            let section = path.split('.').next().unwrap_or_default();
            if !known.contains(&section) {
                let problem =
                    layer.problem(&["locked".to_owned()], Fault::UnknownKey(nearest(section, &known)));
                add(problems, Problem { key: format!("locked: {path}"), ..problem });
            }
        }
    }
}

/// The value of a key above all sections, where the layer may set it and its value is right.
pub(crate) fn counting<'l>(layer: &'l Layer, key: &str) -> Option<&'l Value> {
    let value = layer.values.get(key)?;
    let may_set = match key {
        "inherit" => matches!(layer.kind, LayerKind::Defaults | LayerKind::Project),
        "requires" => layer.kind == LayerKind::Project,
        _ => true,
    };
    let fault = wrong(layer.kind, key, value);
    // The version that a project asks for is right where ours is older.
    (may_set && fault.is_none_or(|fault| matches!(fault, Fault::Other(_)))).then_some(value)
}

fn wrong(kind: LayerKind, key: &str, value: &Value) -> Option<Fault> {
    let expected = |is_right: bool, what: &str| (!is_right).then(|| Fault::Expected(what.to_owned()));
    let is_flag = value.to_bool().is_some();
    match key {
        "version" => {
            expected(value.as_str() == Some("1.0") || json(value) == 1 || json(value) == 1.0, "\"1.0\"")
        }
        "enabled" => expected(is_flag, "true or false"),
        "inherit" if kind == LayerKind::Project => expected(is_flag, "true or false"),
        "requires" if kind == LayerKind::Project => {
            match value.as_str().and_then(|text| VersionReq::parse(text).ok()) {
                Some(wanted) => unmet_version(&wanted),
                None => expected(false, "a version requirement such as \">=0.2\""),
            }
        }
        "locked" if kind > LayerKind::Global => Some(Fault::GlobalOnly),
        "locked" => {
            let is_paths = |list: &[Value]| list.iter().all(|path| path.as_str().is_some());
            expected(value.as_array().is_some_and(is_paths), "a list of key paths")
        }
        _ => None,
    }
}

fn unmet_version(wanted: &VersionReq) -> Option<Fault> {
    let ours = env!("CARGO_PKG_VERSION");
    let is_met = wanted.matches(&Version::parse(ours).ok()?);
    let what = || format!("the project asks for Barbless {wanted}, this is {ours}; update Barbless");
    (!is_met).then(|| Fault::Other(what()))
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Position {
    /// Enabled, whatever the files say.
    On,
    /// Disabled, unless the files lock it.
    Off,
    /// The files decide.
    #[default]
    Auto,
}

impl Position {
    pub const fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Auto => "auto",
        }
    }

    /// The position of a word, in small letters; `None`: it is none of the three.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::On, Self::Off, Self::Auto].into_iter().find(|position| position.word() == word)
    }
}

/// The switches of one section: its own, and those of keys within it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SectionSwitches {
    pub own: Position,
    /// Those of keys that are turned, by the key's dotted path within the section.
    pub keys: BTreeMap<String, Position>,
}

impl From<Position> for SectionSwitches {
    fn from(own: Position) -> Self {
        Self { own, keys: BTreeMap::new() }
    }
}

/// Name of the layer in texts that name files.
const FILE: &str = "its switch";

impl SectionSwitches {
    /// The switches as a layer that sets `KEY.enabled`; `None`: none is turned. A key without a default `enabled` is skipped.
    pub(crate) fn layer(&self, spec: SectionSpec, below: &[Layer]) -> Option<Layer> {
        let of_key = |key: &str| key.split('.').chain(["enabled"]).map(str::to_owned).collect();
        let own = (vec!["enabled".to_owned()], self.own);
        let keys = self.keys.iter().map(|(key, position)| (of_key(key), *position));
        let mut section = Dict::new();
        for (path, position) in std::iter::once(own).chain(keys) {
            // A switch never starts what costs money and is off in the files.
            let is_on = || flag(&merged(below.iter().map(|layer| &layer.section)), &path) == Some(true);
            let may_begin = || path != ["enabled"] || !spec.costs_money || is_on();
            let is_wanted = position == Position::Off || position == Position::On && may_begin();
            if is_wanted && flag(&below.first()?.section, &path).is_some() {
                put(&mut section, &path, Value::Bool(Tag::Default, position == Position::On));
            }
        }
        let mut layer = Layer::of_values(LayerKind::Switch, FILE, Dict::new());
        layer.section = section;
        (!layer.section.is_empty()).then_some(layer)
    }
}

/// The rules on the layers that may set a key of a section.
pub(crate) struct Rights<'r> {
    pub(crate) spec: SectionSpec,
    /// Locked paths within the settings, dotted; an empty one is the whole section.
    pub(crate) locked: &'r [String],
}

impl SectionSpec {
    /// The key, a path within the settings, counts in the user's own file only.
    pub fn is_global_only(&self, path: &[String]) -> bool {
        let path = path.join(".");
        self.global_only.iter().any(|key| is_at_or_below(&path, key))
    }
}

impl Rights<'_> {
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
        if begins_to_spend || self.spec.is_global_only(path) {
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
        if !rights.is_locked(&path) && !rights.spec.is_global_only(&path) {
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
        let as_long = |leaf: &Vec<String>| {
            let path = rights.spec.in_file(leaf).into_iter();
            path.take(shown.split('.').count()).collect::<Vec<_>>().join(".")
        };
        let known: Vec<String> = leaves(&up_to_global(layers)).iter().map(as_long).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let problem = global.problem(&["locked".to_owned()], Fault::UnknownKey(nearest(&shown, &known)));
        add(problems, Problem { key: format!("locked: {shown}"), ..problem });
    }
}
