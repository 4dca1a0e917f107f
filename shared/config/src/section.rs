//! One hook's section out of all layers: merged key by key, wrong entries left out, locked and global-only keys held.
//!
//! The usual case (nothing wrong anywhere) merges and reads once. Only when that fails each layer is checked against the
//! schema, and its wrong entries are left out.

use figment::error::Kind;
use figment::value::{Dict, Value};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::check::{at, describe_in_full, known_keys, schema_of, wrong_entries};
use crate::held::hold;
use crate::layer::{Layer, Sources};
use crate::merge::merged;
use crate::noted::Problems;
use crate::origin::{LayerKind, Origin};
use crate::problem::{Fault, Problem, sort_problems};
use crate::spec::{COMMON_KEYS, SectionSpec};
use crate::switch::{Position, SectionSwitches};
use crate::tree::{get, keys_on, put, remove};
use crate::{switched, top_level};

/// Mistake in settings that can be read: a rule that cannot work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFault {
    /// Path within the settings.
    pub path: Vec<String>,
    /// Mistake and consequence; never a value.
    pub what: String,
}

/// A section as it is in force.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "facts of one section, independent of each other")]
pub struct Section<S> {
    /// The hook is switched on.
    pub enabled: bool,
    /// It also speaks in sessions nobody watches.
    pub headless: bool,
    pub settings: S,
    /// Mistakes in the files, for this section and the keys above all sections.
    pub problems: Vec<Problem>,
    /// Provenance of `enabled` beside the section's own key: the switch, or the key above all sections.
    decided_elsewhere: Option<Origin>,
    /// Keys that the global file locks, as dotted paths within the settings; an empty one is the whole section.
    pub locked: Vec<String>,
    /// Value of `enabled` in the files alone.
    enabled_by_files: bool,
    /// The switch stands otherwise than the section, because the global file locks it.
    pub overruled_switch: bool,
    /// Keys whose switch counts for nothing, because the global file locks them: dotted, within the settings.
    pub overruled_keys: Vec<String>,
    spec: SectionSpec,
    /// The layers, lowest first; where a value comes from is looked up when it is needed.
    layers: Vec<Layer>,
}

impl<S> Section<S> {
    /// Provenance of `key` (a dotted path within the settings): the highest layer that sets it.
    pub fn origin(&self, key: &str) -> Option<Origin> {
        if key == "enabled" && self.decided_elsewhere.is_some() {
            return self.decided_elsewhere.clone();
        }
        let mut setters = self.layers.iter().rev();
        setters.find_map(|layer| Some(layer.origin(&self.spec.in_file(&keys_on(&layer.section, key)?))))
    }

    /// It is a switch that has it off; the files would have it on.
    pub fn is_switched_off(&self) -> bool {
        !self.enabled
            && self.enabled_by_files
            && self.decided_elsewhere.as_ref().is_some_and(|origin| origin.layer == LayerKind::Switch)
    }

    /// The keys that a switch has turned, and where to: dotted, within the settings.
    pub fn switched_keys(&self) -> Vec<(String, Position)> {
        let layer = self.layers.iter().find(|layer| layer.kind == LayerKind::Switch);
        layer.map(|layer| switched::keys(&layer.section)).unwrap_or_default()
    }

    /// The dotted path `key` of the settings as it is in a file.
    pub fn in_file(&self, key: &str) -> String {
        self.spec.dotted_in_file(key)
    }

    /// Adds what the hook finds wrong, each where the highest layer sets the deepest part of its path that is there.
    pub fn add_faults(&mut self, faults: Vec<SettingFault>) {
        let mut problems = Problems(std::mem::take(&mut self.problems));
        for SettingFault { path, what } in faults {
            let mut depths = (1..=path.len()).rev();
            let setter = depths.find_map(|depth| self.setter_of(&path[..depth]));
            if let Some(setter) = setter.or_else(|| self.layers.first()) {
                problems.note(setter, &self.spec.in_file(&path), Fault::Unworkable(what));
            }
        }
        self.problems = problems.0;
        sort_problems(&mut self.problems);
    }

    pub(crate) const fn spec(&self) -> &SectionSpec {
        &self.spec
    }

    pub(crate) fn layers(&self) -> &[Layer] {
        &self.layers
    }

    pub(crate) const fn decided_elsewhere(&self) -> Option<&Origin> {
        self.decided_elsewhere.as_ref()
    }

    fn setter_of(&self, path: &[String]) -> Option<&Layer> {
        self.layers.iter().rev().find(|layer| get(&layer.section, path).is_some())
    }
}

/// Reads a section from the files of a call. `switches` are the layer above them.
///
/// `None` only if the compiled defaults could not be read, which a test rules out.
pub fn load<S>(
    spec: SectionSpec,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<S>>
where
    S: DeserializeOwned + JsonSchema,
{
    let own = |own: Dict| {
        Value::from(own).deserialize().map_err(|error| Refused {
            why: if let Kind::Message(why) = error.kind { Some(why) } else { None },
            path: error.path,
        })
    };
    load_as(spec, &own, &|| schema_of::<S>().to_value(), sources, &switches.into())
}

/// Reads a section whose types are another binary's, by its schema. What the types refuse beyond their schema is not known
/// here.
pub fn load_by_schema(
    spec: SectionSpec,
    schema: &serde_json::Value,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<()>> {
    let own = |own: Dict| match wrong_entries(schema, &own, &Dict::new()).as_slice() {
        [] => Ok(()),
        [(path, _), ..] => Err(Refused { path: path.clone(), why: None }),
    };
    load_as(spec, &own, &|| schema.clone(), sources, &switches.into())
}

/// An entry that the types refuse.
struct Refused {
    path: Vec<String>,
    /// A type's own message about its entries; never a value.
    why: Option<String>,
}

/// Reads the section's own entries.
type Own<'r, S> = &'r dyn Fn(Dict) -> Result<S, Refused>;

fn load_as<S>(
    spec: SectionSpec,
    own: Own<'_, S>,
    schema: &dyn Fn() -> serde_json::Value,
    sources: &Sources,
    switches: &SectionSwitches,
) -> Option<Section<S>> {
    let (files, unreadable) = sources.read(&spec.top_keys().collect::<Vec<_>>());
    let mut problems = Problems(unreadable);
    let top = top_level::read(spec, &files, &mut problems);
    let mut layers: Vec<Layer> = std::iter::once(Layer::defaults(spec.top_keys())?).chain(files).collect();
    for layer in &mut layers {
        take_section(layer, spec, &mut problems);
    }
    hold(spec, &top, &mut layers, &mut problems);
    let overruled_keys = switched::lay(spec, &top.locks, &switches.keys, &mut layers);
    let whole = match read(own, &layers) {
        Ok(whole) => whole,
        Err(_) => leave_out(spec, own, &with_common_keys(schema()), &mut layers, &mut problems)?,
    };
    top_level::report_unknown_keys(&layers[1..], &mut problems);
    sort_problems(&mut problems.0);
    let is_fixed = top.locks.holds(&["enabled".to_owned()]);
    let turned = match switches.own {
        Position::On if !is_fixed && (whole.enabled || !spec.costs_money) => Some(true),
        Position::Off if top.locks.is_empty() => Some(false),
        _ => None,
    };
    Some(Section {
        enabled: turned.unwrap_or(whole.enabled) && top.enabled,
        enabled_by_files: whole.enabled && top.enabled,
        headless: whole.headless,
        settings: whole.own,
        problems: problems.0,
        decided_elsewhere: top.off_at.or_else(|| turned.map(|_| switched::origin())),
        overruled_switch: turned.is_none() && switches.own != Position::Auto && !top.locks.is_empty(),
        locked: top.locks.into_paths(),
        overruled_keys,
        spec,
        layers,
    })
}

/// Takes what belongs to the section: its map, and beside its keys those at the top of the file.
fn take_section(layer: &mut Layer, spec: SectionSpec, problems: &mut Problems) {
    for path in &layer.repeated {
        if path.first().is_some_and(|first| spec.owns(first)) {
            problems.note(layer, path, Fault::Repeated);
        }
    }
    match layer.values.remove(spec.name) {
        Some(Value::Dict(_, section)) => layer.section = section,
        None | Some(Value::Empty(..)) => {}
        Some(_) => {
            let fault = Fault::Expected("a map of settings".to_owned());
            problems.note(layer, &[spec.name.to_owned()], fault);
        }
    }
    for (old, new) in spec.renamed {
        let new: Vec<String> = new.split('.').map(ToOwned::to_owned).collect();
        if let Some(value) = layer.section.remove(*old)
            && get(&layer.section, &new).is_none()
        {
            put(&mut layer.section, &new, value);
        }
    }
    for key in spec.root_keys {
        if layer.section.remove(*key).is_some() {
            let what = "belongs at the top of the file, not in a section; ignored here";
            let path = [spec.name.to_owned(), (*key).to_owned()];
            problems.note(layer, &path, Fault::Unworkable(what.to_owned()));
        }
        let value = layer.values.remove(*key).filter(|value| !matches!(value, Value::Empty(..)));
        layer.section.extend(value.map(|value| ((*key).to_owned(), value)));
    }
}

/// A section's common keys, and its own.
struct Whole<S> {
    enabled: bool,
    headless: bool,
    own: S,
}

/// Every entry of the merged layers, or one that cannot be read.
fn read<S>(own: Own<'_, S>, layers: &[Layer]) -> Result<Whole<S>, Refused> {
    let mut entries = merged(layers);
    let mut flag = |key: &str| match entries.remove(key) {
        Some(Value::Bool(_, flag)) => Ok(flag),
        _ => Err(Refused { path: vec![key.to_owned()], why: None }),
    };
    Ok(Whole { enabled: flag("enabled")?, headless: flag("headless")?, own: own(entries)? })
}

/// Leaves out of each layer what the schema does not describe, then what the types alone refuse, until the rest can be read.
fn leave_out<S>(
    spec: SectionSpec,
    own: Own<'_, S>,
    schema: &serde_json::Value,
    layers: &mut [Layer],
    problems: &mut Problems,
) -> Option<Whole<S>> {
    for index in 1..layers.len() {
        let (below, rest) = layers.split_at_mut(index);
        for (path, fault) in wrong_entries(schema, &rest[0].section, &merged(&*below)) {
            problems.note(&rest[0], &spec.in_file(&path), fault);
            // A key may say what holds where it is wrong, because its default would be looser than what was meant.
            match at(schema, &path).ok().and_then(|schema| schema.get("x-when-wrong")?.as_str()) {
                Some(instead) => put(&mut rest[0].section, &path, Value::from(instead)),
                None => remove(&mut rest[0].section, &path),
            }
        }
    }
    loop {
        let Refused { path, why } = match read(own, layers) {
            Ok(whole) => return Some(whole),
            Err(refused) => refused,
        };
        let (layer, path) = setter(layers, &path)?;
        let fault = match at(schema, path) {
            // The schema does not know the rule that joins several keys of a map.
            Ok(schema) if !known_keys(schema).is_empty() && why.is_some() => Fault::Unworkable(format!(
                "{}; the level below counts, and where there is none it is off",
                why.unwrap_or_default()
            )),
            Ok(schema) if !path.is_empty() => Fault::Expected(describe_in_full(schema)),
            _ => Fault::Unworkable("its entries cannot be read together; the level below counts".to_owned()),
        };
        // A file with too many wrong entries loses the rest of its section.
        let has_room = problems.note(layer, &spec.in_file(path), fault);
        if has_room && !path.is_empty() {
            remove(&mut layer.section, path);
        } else {
            layer.section.clear();
        }
    }
}

/// The highest file that sets the entry at `path`, or what the entry lies in.
fn setter<'l, 'p>(layers: &'l mut [Layer], path: &'p [String]) -> Option<(&'l mut Layer, &'p [String])> {
    let sets = |layer: &Layer, path: &[String]| match path {
        [] => !layer.section.is_empty(),
        path => get(&layer.section, path).is_some(),
    };
    let is_file = |layer: &Layer| layer.kind != LayerKind::Defaults;
    let found = (0..=path.len()).rev().find_map(|depth| {
        let sets = |layer: &Layer| is_file(layer) && sets(layer, &path[..depth]);
        Some((layers.iter().rposition(sets)?, &path[..depth]))
    });
    found.map(|(layer, path)| (&mut layers[layer], path))
}

fn with_common_keys(mut schema: serde_json::Value) -> serde_json::Value {
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        for (key, _) in COMMON_KEYS {
            properties.insert(key.to_owned(), serde_json::json!({ "type": "boolean" }));
        }
    }
    schema
}

#[cfg(test)]
mod tests;
