//! The keys above all sections: `version`, `requires`, `inherit`, `enabled`, `locked`.

use figment::value::Value;
use semver::{Version, VersionReq};

use crate::check::nearest;
use crate::defaults::top_keys;
use crate::layer::Layer;
use crate::problem::{Fault, LayerKind, Origin, Problem, add};
use crate::spec::{SectionSpec, TOP_KEYS};

#[derive(Debug)]
pub(crate) struct TopLevel {
    /// The layer that switches every hook off.
    pub(crate) off_at: Option<Origin>,
    /// The project builds on the global file.
    pub(crate) inherit: bool,
    /// Keys that the global file locks in this section: dotted paths within the settings, an empty one is the whole section.
    pub(crate) locked: Vec<String>,
}

pub(crate) fn read(spec: SectionSpec, layers: &[Layer], problems: &mut Vec<Problem>) -> TopLevel {
    let mut top = TopLevel { off_at: None, inherit: true, locked: Vec::new() };
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
        if !enabled && layer.kind > LayerKind::Global && !top.locked.is_empty() {
            add(problems, layer.problem(&path, Fault::Locked));
        } else {
            top.off_at = (!enabled).then(|| layer.origin(&path));
        }
    }
    top
}

/// Reports keys at the top of the files that no hook reads: a misspelt section does nothing, and no hook would miss it.
pub(crate) fn report_unknown_keys(layers: &[Layer], problems: &mut Vec<Problem>) {
    let known: Vec<&str> = top_keys().chain(TOP_KEYS).collect();
    for layer in layers {
        let mut strangers = layer.values.keys().filter(|key| !known.contains(&key.as_str()));
        let _ = strangers.all(|key| {
            let fault = Fault::UnknownKey(nearest(key, &known));
            add(problems, layer.problem(std::slice::from_ref(key), fault))
        });
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
    (may_set && fault.is_none_or(|fault| matches!(fault, Fault::NeedsVersion { .. }))).then_some(value)
}

fn wrong(kind: LayerKind, key: &str, value: &Value) -> Option<Fault> {
    let expected =
        |is_right: bool, what: &str| if is_right { None } else { Some(Fault::Expected(what.to_owned())) };
    let is_flag = value.to_bool().is_some();
    match key {
        "version" => expected(is_known_format(value), "\"1.0\""),
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

fn is_known_format(value: &Value) -> bool {
    let is_one = |number: f64| (number - 1.0).abs() < f64::EPSILON;
    value.as_str() == Some("1.0") || value.to_u128() == Some(1) || value.to_f64().is_some_and(is_one)
}

fn unmet_version(wanted: &VersionReq) -> Option<Fault> {
    let ours = env!("CARGO_PKG_VERSION");
    let is_met = wanted.matches(&Version::parse(ours).ok()?);
    (!is_met).then(|| Fault::NeedsVersion { wanted: wanted.to_string(), ours })
}
