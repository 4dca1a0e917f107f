//! The keys above all sections: `version`, `requires`, `inherit`, `enabled`, `locked`.

use figment::value::Value;
use semver::{Version, VersionReq};

use crate::check::nearest;
use crate::defaults::top_keys;
use crate::layer::Layer;
use crate::noted::Problems;
use crate::origin::{LayerKind, Origin};
use crate::problem::Fault;
use crate::spec::{SectionSpec, TOP_KEYS};
use crate::tree::is_at_or_below;

#[derive(Debug)]
pub(crate) struct TopLevel {
    /// No layer switches every hook off.
    pub(crate) enabled: bool,
    /// Layer that switches every hook off.
    pub(crate) off_at: Option<Origin>,
    /// The project builds on the global file.
    pub(crate) inherit: bool,
    /// Keys that the global file locks in this section.
    pub(crate) locks: Locks,
}

/// Locked paths of one section's settings, dotted; an empty one is the whole section.
#[derive(Debug, Default)]
pub(crate) struct Locks(Vec<String>);

impl Locks {
    /// These, as dotted paths within the settings.
    pub(crate) const fn of(paths: Vec<String>) -> Self {
        Self(paths)
    }

    /// Nothing is locked.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Deeper layers may not change `path`.
    pub(crate) fn holds(&self, path: &[String]) -> bool {
        let path = path.join(".");
        self.0.iter().any(|locked| is_at_or_below(&path, locked) || is_at_or_below(locked, &path))
    }

    /// `path` switches on and off something that is locked, as a whole or in part: a rule that can be switched off is
    /// not locked.
    pub(crate) fn need_on(&self, path: &[String]) -> bool {
        let Some((last, above)) = path.split_last() else { return false };
        let above = above.join(".");
        last == "enabled" && self.0.iter().any(|locked| is_at_or_below(locked, &above))
    }

    pub(crate) fn into_paths(self) -> Vec<String> {
        self.0
    }

    /// The locked paths.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Reads the keys above all sections.
pub(crate) fn read(spec: SectionSpec, layers: &[Layer], problems: &mut Problems) -> TopLevel {
    let mut top = TopLevel { enabled: true, off_at: None, inherit: true, locks: Locks::default() };
    for layer in layers {
        for (key, value) in &layer.values {
            let wrong = wrong(layer.kind, key, value).or_else(|| unmet_version(layer.kind, key, value));
            if let Some(fault) = wrong {
                problems.note(layer, std::slice::from_ref(key), fault);
            }
        }
        if layer.kind == LayerKind::Global {
            let list = layer.values.get("locked").and_then(Value::as_array).unwrap_or_default();
            let paths = list.iter().filter_map(Value::as_str).filter_map(|path| spec.in_settings(path));
            let of_now = |path: &str| {
                spec.renamed
                    .iter()
                    .find(|(old, _)| *old == path)
                    .map_or(path.to_owned(), |(_, new)| (*new).to_owned())
            };
            top.locks = Locks(paths.map(of_now).collect());
        }
        if let Some(inherit) = counting(layer, "inherit") {
            top.inherit = inherit.to_bool() != Some(false);
        }
        let enabled = counting(layer, "enabled").and_then(Value::to_bool);
        if enabled == Some(false) && layer.kind > LayerKind::Global && !top.locks.is_empty() {
            problems.note(layer, &["enabled".to_owned()], Fault::Locked);
        } else if let Some(enabled) = enabled {
            top.enabled = enabled;
            top.off_at = (!enabled).then(|| layer.origin(&["enabled".to_owned()]));
        }
    }
    top
}

/// Reports keys at the top of the files that no hook reads: a misspelt section does nothing, and no hook would miss it.
pub(crate) fn report_unknown_keys(layers: &[Layer], problems: &mut Problems) {
    let known: Vec<&str> = top_keys().chain(TOP_KEYS).collect();
    for layer in layers {
        for key in layer.values.keys().filter(|key| !known.contains(&key.as_str())) {
            if !problems.note(layer, std::slice::from_ref(key), Fault::UnknownKey(nearest(key, &known))) {
                break;
            }
        }
    }
}

/// The value of a key above all sections, where the layer may set it and its value is right.
pub(crate) fn counting<'l>(layer: &'l Layer, key: &str) -> Option<&'l Value> {
    let value = layer.values.get(key)?;
    let is_in_force = match key {
        "inherit" => matches!(layer.kind, LayerKind::Defaults | LayerKind::Project),
        "requires" => layer.kind == LayerKind::Project,
        _ => true,
    };
    (is_in_force && wrong(layer.kind, key, value).is_none()).then_some(value)
}

fn wrong(kind: LayerKind, key: &str, value: &Value) -> Option<Fault> {
    let (is_right, expected) = match key {
        "version" => (is_known_format(value), "\"1.0\""),
        "enabled" => (value.to_bool().is_some(), "true or false"),
        "inherit" if kind == LayerKind::Project => (value.to_bool().is_some(), "true or false"),
        "requires" if kind == LayerKind::Project => {
            (version_wanted(value).is_some(), "a version requirement such as \">=0.2\"")
        }
        "locked" if kind > LayerKind::Global => return Some(Fault::GlobalOnly),
        "locked" => {
            let is_paths = |list: &[Value]| list.iter().all(|path| path.as_str().is_some());
            (value.as_array().is_some_and(is_paths), "a list of key paths")
        }
        _ => return None,
    };
    (!is_right).then(|| Fault::Expected(expected.to_owned()))
}

fn is_known_format(value: &Value) -> bool {
    let is_one = |number: f64| (number - 1.0).abs() < f64::EPSILON;
    value.as_str() == Some("1.0") || value.to_u128() == Some(1) || value.to_f64().is_some_and(is_one)
}

fn version_wanted(value: &Value) -> Option<VersionReq> {
    VersionReq::parse(value.as_str()?).ok()
}

fn unmet_version(kind: LayerKind, key: &str, value: &Value) -> Option<Fault> {
    let ours = env!("CARGO_PKG_VERSION");
    let wanted = version_wanted(value).filter(|_| key == "requires" && kind == LayerKind::Project)?;
    let is_met = wanted.matches(&Version::parse(ours).ok()?);
    (!is_met).then(|| Fault::NeedsVersion { wanted: wanted.to_string(), ours })
}
