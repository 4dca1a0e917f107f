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

/// The version of the file format this code reads.
const FORMAT: &str = "1.0";

/// The keys above all sections, for one section.
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
        check_version(layer, problems);
        if let Some(list) = layer.values.get("locked") {
            match layer.kind {
                LayerKind::Global => top.locks = locks(spec, layer, list, problems),
                _ => note(problems, layer, "locked", Fault::GlobalOnly),
            }
        }
        if layer.kind == LayerKind::Project {
            top.inherit = flag(layer, "inherit", problems).unwrap_or(true);
            check_requires(layer, problems);
        }
        match flag(layer, "enabled", problems) {
            Some(false) if layer.kind > LayerKind::Global && !top.locks.is_empty() => {
                note(problems, layer, "enabled", Fault::Locked);
            }
            Some(enabled) => {
                top.enabled = enabled;
                top.off_at = (!enabled).then(|| layer.origin(&["enabled".to_owned()]));
            }
            None => {}
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

/// The layer may set this key above all sections, and its value is right.
pub(crate) fn counts(layer: &Layer, key: &str) -> bool {
    let Some(value) = layer.values.get(key) else { return false };
    let is_default = layer.kind == LayerKind::Defaults;
    match key {
        "version" => is_known_format(value),
        "enabled" => value.to_bool().is_some(),
        "inherit" => value.to_bool().is_some() && (is_default || layer.kind == LayerKind::Project),
        "requires" => value.as_str().is_some() && layer.kind == LayerKind::Project,
        "locked" => matches!(value, Value::Array(..)) && (is_default || layer.kind == LayerKind::Global),
        _ => false,
    }
}

fn flag(layer: &Layer, key: &str, problems: &mut Problems) -> Option<bool> {
    let value = layer.values.get(key)?;
    let flag = value.to_bool();
    if flag.is_none() {
        note(problems, layer, key, Fault::Expected("true or false".to_owned()));
    }
    flag
}

fn locks(spec: SectionSpec, layer: &Layer, list: &Value, problems: &mut Problems) -> Locks {
    let Value::Array(_, entries) = list else {
        note(problems, layer, "locked", Fault::Expected("a list of key paths".to_owned()));
        return Locks::default();
    };
    let mut locks = Vec::new();
    for entry in entries {
        let Some(path) = entry.as_str() else {
            note(problems, layer, "locked", Fault::Expected("a list of key paths".to_owned()));
            continue;
        };
        locks.extend(spec.in_settings(path).map(ToOwned::to_owned));
    }
    Locks(locks)
}

fn is_known_format(value: &Value) -> bool {
    match value {
        Value::String(_, text) => text == FORMAT,
        Value::Num(_, number) => {
            let fraction = number.to_f64();
            value.to_u128() == Some(1) || fraction.is_some_and(|number| (number - 1.0).abs() < f64::EPSILON)
        }
        _ => false,
    }
}

fn check_version(layer: &Layer, problems: &mut Problems) {
    if layer.values.get("version").is_some_and(|value| !is_known_format(value)) {
        note(problems, layer, "version", Fault::Expected(format!("\"{FORMAT}\"")));
    }
}

fn check_requires(layer: &Layer, problems: &mut Problems) {
    let Some(value) = layer.values.get("requires") else { return };
    let ours = env!("CARGO_PKG_VERSION");
    let wanted = value.as_str().and_then(|text| VersionReq::parse(text).ok());
    match (wanted, Version::parse(ours)) {
        (Some(wanted), Ok(version)) if !wanted.matches(&version) => {
            let fault = Fault::NeedsVersion { wanted: wanted.to_string(), ours };
            note(problems, layer, "requires", fault);
        }
        (None, _) => {
            let fault = Fault::Expected("a version requirement such as \">=0.2\"".to_owned());
            note(problems, layer, "requires", fault);
        }
        _ => {}
    }
}

fn note(problems: &mut Problems, layer: &Layer, key: &str, fault: Fault) {
    problems.note(layer, &[key.to_owned()], fault);
}
