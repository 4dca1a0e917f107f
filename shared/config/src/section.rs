//! One hook's section out of all layers and its typed switches: merged key by key, wrong entries left out, locked and global-only
//! keys held.
//!
//! The usual case (nothing wrong anywhere) merges and reads once. Only when that fails, or when two layers have a map and another
//! value at one key, each layer is checked against the schema, and its wrong entries are left out.

use std::mem::ManuallyDrop;

use figment::error::Kind;
use figment::value::{Dict, Value};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::check::{at, describe, known_keys, schema_of, wrong_entries};
use crate::layer::{
    Found, Layer, Sources, clash, flag, get, json, keys_on, leaves, merged, parse, put, remove,
};
use crate::locks::{Position, Rights, SectionSwitches, check_locks, enforce, read_top, report_unknown_keys};
use crate::{COMMON_KEYS, Fault, LayerKind, Origin, Problem, SectionSpec, add, sort_problems};

/// Mistake in settings that can be read: a rule that cannot work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFault {
    /// Path within the settings.
    pub path: Vec<String>,
    /// Mistake and consequence; never a value.
    pub what: String,
}

#[derive(Debug)]
pub struct Section<S> {
    pub enabled: bool,
    /// It also acts in headless sessions.
    pub headless: bool,
    pub settings: S,
    /// Mistakes in the files, for this section and the keys above all sections.
    pub problems: Vec<Problem>,
    /// Keys that the global file locks, as dotted paths within the settings; an empty one is the whole section.
    pub locked: Vec<String>,
    /// Keys whose switch a lock overrules: dotted, within the settings; an empty one is the section's own switch.
    pub overruled: Vec<String>,
    /// The layer that switches every hook off.
    pub(crate) off_at: Option<Origin>,
    pub(crate) spec: SectionSpec,
    /// The layers, lowest first.
    pub(crate) layers: Vec<Layer>,
}

impl<S> Section<S> {
    /// Provenance of `key` (a dotted path within the settings): the highest layer that sets it.
    pub fn origin(&self, key: &str) -> Option<Origin> {
        if key == "enabled" && self.off_at.is_some() {
            return self.off_at.clone();
        }
        let mut setters = self.layers.iter().rev();
        setters.find_map(|layer| Some(layer.origin(&self.spec.in_file(&keys_on(&layer.section, key)?))))
    }

    /// A project's file sets something of it, or does not build on the global file.
    pub fn is_set_in_project(&self) -> bool {
        let sets = |layer: &Layer| !layer.section.is_empty() || layer.values.contains_key("inherit");
        let of_project = |layer: &&Layer| matches!(layer.kind, LayerKind::Project | LayerKind::Local);
        self.layers.iter().filter(of_project).any(sets)
    }

    /// A switch has it off; the files would have it on.
    pub fn is_switched_off(&self) -> bool {
        let flag_of = |layer: &Layer| Some((layer.kind, flag(&layer.section, &["enabled"])?));
        let mut flags = self.layers.iter().rev().filter_map(flag_of);
        let is_off = flags.next() == Some((LayerKind::Switch, false));
        self.off_at.is_none() && is_off && flags.next().is_some_and(|(_, is_on)| is_on)
    }

    /// The keys that a switch has turned, and where to: dotted, within the settings.
    pub fn switched_keys(&self) -> Vec<(String, Position)> {
        let switch = self.layers.last().filter(|layer| layer.kind == LayerKind::Switch);
        let Some(Layer { section, .. }) = switch else { return Vec::new() };
        let turned = |path: Vec<String>| {
            let position = if flag(section, &path)? { Position::On } else { Position::Off };
            Some((switch_of(&path), position)).filter(|(key, _)| !key.is_empty())
        };
        leaves(section).into_iter().filter_map(turned).collect()
    }

    /// The dotted path `key` of the settings as it is in a file.
    pub fn in_file(&self, key: &str) -> String {
        self.spec.dotted_in_file(key)
    }

    /// Adds what the hook finds wrong, each where the highest layer sets the deepest part of its path that is there.
    pub fn add_faults(&mut self, faults: Vec<SettingFault>) {
        for SettingFault { path, what } in faults {
            let (setter, _) = setter(&self.layers, &path).unwrap_or((0, &path));
            if let Some(layer) = self.layers.get(setter) {
                add(&mut self.problems, layer.problem(&self.spec.in_file(&path), Fault::Other(what)));
            }
        }
        sort_problems(&mut self.problems);
    }

    pub(crate) fn rights(&self) -> Rights<'_> {
        Rights { spec: self.spec, locked: &self.locked }
    }
}

/// The key that a switch at `KEY.enabled` turns, dotted; empty for the section's own.
fn switch_of(path: &[String]) -> String {
    path.split_last().map(|(_, key)| key.join(".")).unwrap_or_default()
}

/// Reads a section from the files of a call. `switches` are the layer above them.
///
/// `None` only if the compiled defaults could not be read, which a test rules out.
pub fn load<S: DeserializeOwned + JsonSchema>(
    spec: SectionSpec,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<S>> {
    load_keys(spec, &sources.texts(), &spec.top_keys(), &switches.into())
}

/// The same for a call that a disabled hook lets pass. The keys at the top of the files are most of what a hook reads: where the
/// section is off without them, they stay at their defaults, and nothing is reported.
pub fn load_if_enabled<S: DeserializeOwned + JsonSchema>(
    spec: SectionSpec,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<S>> {
    let (texts, switches) = (sources.texts(), switches.into());
    let is_named = |line: &str| line.starts_with(spec.name) || line.starts_with("enabled:");
    let says_off = |found: &Found| {
        found.text.as_ref().is_ok_and(|text| text.contains("enabled: false") && text.lines().any(is_named))
    };
    let may_be_off = switches.own == Position::Off || texts.iter().any(says_off);
    if may_be_off && !spec.root_keys.is_empty() {
        let own = load_keys(spec, &texts, &[spec.name], &switches)?;
        if !own.enabled {
            return Some(Section { problems: Vec::new(), ..own });
        }
    }
    load_keys(spec, &texts, &spec.top_keys(), &switches)
}

fn load_keys<S: DeserializeOwned + JsonSchema>(
    spec: SectionSpec,
    texts: &[Found],
    keys: &[&str],
    switches: &SectionSwitches,
) -> Option<Section<S>> {
    let own = |own: Dict| {
        ManuallyDrop::new(Value::from(own)).deserialize().map_err(|error| Wrong {
            why: if let Kind::Message(why) = error.kind { Some(why) } else { None },
            path: error.path,
        })
    };
    load_as(spec, &own, &|| schema_of::<S>().to_value(), parse(texts, keys), switches)
}

/// Reads a section whose types are another binary's, by its schema; what the types refuse beyond it is not known here.
pub fn load_by_schema(
    spec: SectionSpec,
    schema: &serde_json::Value,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<()>> {
    let own = |own: Dict| match wrong_entries(schema, &json(&own), &serde_json::Value::Null).as_slice() {
        [] => Ok(()),
        [(path, _), ..] => Err(Wrong { path: path.clone(), why: None }),
    };
    load_as(spec, &own, &|| schema.clone(), parse(&sources.texts(), &spec.top_keys()), &switches.into())
}

/// An entry that cannot be read; the empty path is the whole section.
struct Wrong {
    path: Vec<String>,
    /// A type's own message about its entries; never a value.
    why: Option<String>,
}

type Own<'r, S> = &'r dyn Fn(Dict) -> Result<S, Wrong>;

fn load_as<S>(
    spec: SectionSpec,
    own: Own<'_, S>,
    schema: &dyn Fn() -> serde_json::Value,
    (files, mut problems): (Vec<Layer>, Vec<Problem>),
    switches: &SectionSwitches,
) -> Option<Section<S>> {
    let top = read_top(spec, &files, &mut problems);
    let mut layers: Vec<Layer> = std::iter::once(Layer::defaults(spec.top_keys())?).chain(files).collect();
    for layer in &mut layers {
        take_section(layer, spec, &mut problems);
    }
    layers.extend(switches.layer(spec, &layers));
    let overruled = enforce(spec, &top, &mut layers, &mut problems);
    let (enabled, headless, settings) = match read(own, &layers) {
        Ok(whole) if !has_clash(&layers) => whole,
        _ => leave_out(spec, own, &with_common_keys(schema()), &mut layers, &mut problems)?,
    };
    report_unknown_keys(&layers[1..], &mut problems);
    check_locks(&Rights { spec, locked: &top.locked }, &layers, &mut problems);
    sort_problems(&mut problems);
    Some(Section {
        enabled: enabled && top.off_at.is_none(),
        headless,
        settings,
        problems,
        locked: top.locked,
        overruled: overruled.iter().map(|path| switch_of(path)).collect(),
        off_at: top.off_at,
        spec,
        layers,
    })
}

/// Moves what belongs to the section from the top of the layer: its map, and beside its keys those at the top of the file.
fn take_section(layer: &mut Layer, spec: SectionSpec, problems: &mut Vec<Problem>) {
    let is_own =
        |path: &[String]| path.first().is_some_and(|first| spec.top_keys().contains(&first.as_str()));
    for path in layer.repeated.iter().filter(|path| is_own(path)) {
        add(problems, layer.problem(path, Fault::Other("stands twice; the last one counts".to_owned())));
    }
    match layer.values.remove(spec.name) {
        Some(Value::Dict(_, section)) => layer.section = section,
        None | Some(Value::Empty(..)) => {}
        Some(_) => {
            let fault = Fault::Expected("a map of settings".to_owned());
            add(problems, layer.problem(&[spec.name.to_owned()], fault));
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
            add(problems, layer.problem(&path, Fault::Other(what.to_owned())));
        }
        let value = layer.values.remove(*key).filter(|value| !matches!(value, Value::Empty(..)));
        layer.section.extend(value.map(|value| ((*key).to_owned(), value)));
    }
}

/// `enabled` and `headless` of the merged layers and the section's own entries, or an entry that cannot be read.
fn read<S>(own: Own<'_, S>, layers: &[Layer]) -> Result<(bool, bool, S), Wrong> {
    let mut entries = merged(layers.iter().map(|layer| &layer.section));
    let mut flag = |key: &str| match entries.remove(key) {
        Some(Value::Bool(_, flag)) => Ok(flag),
        _ => Err(Wrong { path: vec![key.to_owned()], why: None }),
    };
    Ok((flag("enabled")?, flag("headless")?, own(entries)?))
}

fn has_clash(layers: &[Layer]) -> bool {
    let is_clash = |(index, higher): (usize, &Layer)| {
        layers[..index].iter().any(|lower| clash(&lower.section, &higher.section))
    };
    layers.iter().enumerate().any(is_clash)
}

/// Leaves out of each layer what the schema does not describe, then what the types alone refuse, until the rest can be read.
fn leave_out<S>(
    spec: SectionSpec,
    own: Own<'_, S>,
    schema: &serde_json::Value,
    layers: &mut [Layer],
    problems: &mut Vec<Problem>,
) -> Option<(bool, bool, S)> {
    for index in 1..layers.len() {
        let below = json(&merged(layers[..index].iter().map(|layer| &layer.section)));
        let layer = &mut layers[index];
        for (path, fault) in wrong_entries(schema, &json(&layer.section), &below) {
            add(problems, layer.problem(&spec.in_file(&path), fault));
            // A key may say what holds where it is wrong, because its default would be looser than what was meant.
            match at(schema, &path).and_then(|schema| schema.get("x-when-wrong")?.as_str()) {
                Some(instead) => put(&mut layer.section, &path, Value::from(instead)),
                None => remove(&mut layer.section, &path),
            }
        }
    }
    loop {
        let refused = match read(own, layers) {
            Ok(whole) => return Some(whole),
            Err(refused) => refused,
        };
        let files = &mut layers[1..];
        let (index, path) = setter(files, &refused.path)?;
        let layer = &mut files[index];
        let has_room = add(problems, layer.problem(&spec.in_file(path), fault(schema, path, refused.why)));
        // A file with too many wrong entries loses the rest of its section.
        if has_room && !path.is_empty() {
            remove(&mut layer.section, path);
        } else {
            layer.section.clear();
        }
    }
}

/// The mistake in an entry that the schema allows and its type refuses.
fn fault(schema: &serde_json::Value, path: &[String], why: Option<String>) -> Fault {
    match (at(schema, path), why) {
        // The schema does not know the rule that joins several keys of a map.
        (Some(schema), Some(why)) if !known_keys(schema).is_empty() => {
            Fault::Other(format!("{why}; the level below counts, and where there is none it is off"))
        }
        (Some(schema), _) if !path.is_empty() => Fault::Expected(describe(schema)),
        _ => Fault::Other("its entries cannot be read together; the level below counts".to_owned()),
    }
}

/// The highest layer that sets the entry at `path`, or the deepest part of it that is there; the empty path is the whole section.
fn setter<'p>(layers: &[Layer], path: &'p [String]) -> Option<(usize, &'p [String])> {
    let sets = |layer: &Layer, path: &[String]| match path {
        [] => !layer.section.is_empty(),
        path => get(&layer.section, path).is_some(),
    };
    let mut deepest_first = (0..=path.len()).rev().map(|depth| &path[..depth]);
    deepest_first.find_map(|path| Some((layers.iter().rposition(|layer| sets(layer, path))?, path)))
}

fn with_common_keys(mut schema: serde_json::Value) -> serde_json::Value {
    for (key, _) in COMMON_KEYS {
        schema["properties"][key] = serde_json::json!({ "type": "boolean" });
    }
    schema
}

#[cfg(test)]
mod tests;
