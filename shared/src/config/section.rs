//! One hook's section out of all layers: merged key by key, wrong entries left out, locked and global-only keys held.
//!
//! The usual case (nothing wrong anywhere) merges and reads once. Only when that fails, or a key is not known,
//! each entry of each layer is tried alone to find the one to leave out.

use std::fmt;

use figment::value::{Dict, Map, Tag, Value};
use figment::{Figment, Metadata, Profile, Provider};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::defaults::section_defaults;
use super::expected::{at, describe, known_keys, schema_of};
use super::layer::{Layer, LayerKind, Sources};
use super::problem::{Fault, Problem};
use super::tree::{get, keep, leaves, merge, put, remove};
use super::{top_level, yaml};
use crate::switches::Position;

/// The keys every section has beside its own, both true or false, with their meaning.
pub const COMMON_KEYS: [(&str, &str); 2] = [
    ("enabled", "The hook is switched on."),
    ("headless", "It also acts in sessions nobody watches (`claude -p`, SDK)."),
];

/// What is to be read.
#[derive(Debug, Clone, Copy)]
pub struct SectionSpec {
    /// The section's name: the hook's.
    pub name: &'static str,
    /// Its keys that only the global file may set.
    pub global_only: &'static [&'static str],
}

/// A section as it is in force.
#[derive(Debug)]
pub struct Section<S> {
    /// The hook is switched on.
    pub enabled: bool,
    /// It also speaks in sessions nobody watches.
    pub headless: bool,
    /// Its own settings.
    pub settings: S,
    /// What is wrong in the files, for this section and the keys above all sections.
    pub problems: Vec<Problem>,
    /// The cleaned layers, lowest first; where a value comes from is looked up when it is needed.
    layers: Vec<Cleaned>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Which layer.
    pub layer: LayerKind,
    /// The file, as a person reads it.
    pub file: String,
    /// The line, counted from 1.
    pub line: Option<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.layer, self.line) {
            (LayerKind::Defaults, _) | (_, None) => formatter.write_str(&self.file),
            (_, Some(line)) => write!(formatter, "{}:{line}", self.file),
        }
    }
}

#[derive(Deserialize)]
struct Common {
    enabled: bool,
    headless: bool,
}

#[derive(Debug, Clone)]
struct Cleaned {
    layer: Layer,
    section: Dict,
}

impl<S> Section<S> {
    /// Where the value of `key` (a path within the section) comes from: the highest layer that sets it.
    #[must_use]
    pub fn origin(&self, section: &str, key: &str) -> Option<Origin> {
        let path: Vec<&str> = key.split('.').collect();
        let setter = self.layers.iter().rev().find(|cleaned| get(&cleaned.section, &path).is_some())?;
        let full: Vec<&str> = std::iter::once(section).chain(path).collect();
        let layer = &setter.layer;
        Some(Origin { layer: layer.kind, file: layer.file.clone(), line: yaml::line_of(&layer.text, &full) })
    }
}

/// Reads a section from the files of a call. `switch` is the layer above them.
///
/// `None` only if the compiled defaults could not be read, which a test rules out.
#[must_use]
pub fn load<S>(spec: SectionSpec, sources: &Sources, switch: Position) -> Option<Section<S>>
where
    S: DeserializeOwned + JsonSchema,
{
    let (files, mut problems) = sources.read();
    let top = top_level::read(spec.name, &files, &mut problems);
    let mut layers = vec![defaults(spec.name)?];
    layers.extend(files.into_iter().map(|layer| section_of(spec.name, layer, &mut problems)));
    hold(spec, &top, &mut layers, &mut problems);
    let (common, settings) = if let Some(merged) = extract::<S>(&layers) {
        merged
    } else {
        leave_out_wrong_entries::<S>(spec.name, &mut layers, &mut problems);
        extract::<S>(&layers)?
    };
    let enabled = match switch {
        Position::On => true,
        Position::Off if top.locks.is_empty() => false,
        Position::Off | Position::Auto => common.enabled,
    };
    Some(Section { enabled: enabled && top.enabled, headless: common.headless, settings, problems, layers })
}

fn defaults(section: &str) -> Option<Cleaned> {
    let text = section_defaults(section);
    let values = yaml::parse(text).ok()?;
    let layer =
        Layer { kind: LayerKind::Defaults, file: "the defaults".to_owned(), text: text.to_owned(), values };
    Some(section_of(section, layer, &mut Vec::new()))
}

fn section_of(name: &str, mut layer: Layer, problems: &mut Vec<Problem>) -> Cleaned {
    let section = match layer.values.remove(name) {
        Some(Value::Dict(_, section)) => section,
        None | Some(Value::Empty(..)) => Dict::new(),
        Some(_) => {
            let fault = Fault::Expected("a map of settings".to_owned());
            problems.push(problem(&layer, &[name.to_owned()], fault));
            Dict::new()
        }
    };
    Cleaned { layer, section }
}

/// Takes out of the layers what may not stand there: everything global of a project that does not inherit,
/// global-only keys below the global file, and what the global file locks.
fn hold(spec: SectionSpec, top: &top_level::TopLevel, layers: &mut [Cleaned], problems: &mut Vec<Problem>) {
    let is_global_only = |path: &[String]| spec.global_only.contains(&path.join(".").as_str());
    let is_held = |path: &[String]| is_global_only(path) || top.locks.holds(path);
    let standing: Dict = layers
        .iter()
        .filter(|cleaned| cleaned.layer.kind <= LayerKind::Global)
        .fold(Dict::new(), |below, cleaned| merge(below, cleaned.section.clone()));
    for cleaned in layers {
        let Cleaned { layer, section } = cleaned;
        match layer.kind {
            LayerKind::Defaults => {}
            LayerKind::Global if top.inherit => {}
            LayerKind::Global => *section = keep(section, &is_held),
            LayerKind::Project | LayerKind::Local => {
                for path in leaves(section).into_iter().filter(|path| is_held(path)) {
                    let unchanged = get(section, &path) == get(&standing, &path);
                    remove(section, &path);
                    let fault = if is_global_only(&path) { Fault::GlobalOnly } else { Fault::Locked };
                    if !unchanged || is_global_only(&path) {
                        problems.push(problem(layer, &full(spec.name, &path), fault));
                    }
                }
            }
        }
    }
}

fn extract<S: DeserializeOwned>(layers: &[Cleaned]) -> Option<(Common, S)> {
    let figment =
        layers.iter().fold(Figment::new(), |figment, cleaned| figment.merge(Split(&cleaned.section)));
    Some((figment.extract_inner("common").ok()?, figment.extract_inner("own").ok()?))
}

/// The section as two maps: the common keys, which every hook has, and the hook's own.
struct Split<'a>(&'a Dict);

impl Provider for Split<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::default()
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        let (common, own): (Dict, Dict) = self.0.clone().into_iter().partition(|(key, _)| is_common(key));
        let split = Dict::from([
            ("common".to_owned(), Value::Dict(Tag::Default, common)),
            ("own".to_owned(), Value::Dict(Tag::Default, own)),
        ]);
        Ok(Profile::Default.collect(split))
    }
}

/// Tries each entry alone on top of the entries that were right so far.
fn leave_out_wrong_entries<S>(name: &str, layers: &mut [Cleaned], problems: &mut Vec<Problem>)
where
    S: DeserializeOwned + JsonSchema,
{
    let schema = schema_of::<S>().to_value();
    for index in 1..layers.len() {
        for path in leaves(&layers[index].section) {
            let Some(value) = get(&layers[index].section, &path).cloned() else { continue };
            let mut alone = Dict::new();
            put(&mut alone, &path, value);
            let mut tried = layers[..index].to_vec();
            tried.push(Cleaned { section: alone, ..layers[index].clone() });
            if extract::<S>(&tried).is_none() {
                remove(&mut layers[index].section, &path);
                problems.push(wrong_entry(name, &layers[index].layer, &schema, &path));
            }
        }
    }
}

fn wrong_entry(name: &str, layer: &Layer, schema: &serde_json::Value, path: &[String]) -> Problem {
    let fault = match at(schema, path) {
        _ if path.len() == 1 && is_common(&path[0]) => Fault::Expected("true or false".to_owned()),
        Ok(schema) => Fault::Expected(describe(schema)),
        Err(map) => {
            let mut known = known_keys(map);
            if path.len() == 1 {
                known.extend(COMMON_KEYS.map(|(key, _)| key));
            }
            Fault::UnknownKey(path.last().and_then(|key| nearest(key, &known)))
        }
    };
    problem(layer, &full(name, path), fault)
}

fn is_common(key: &str) -> bool {
    COMMON_KEYS.iter().any(|(common, _)| *common == key)
}

/// The known word that was probably meant.
#[must_use]
pub fn nearest(word: &str, known: &[&str]) -> Option<String> {
    let close = known.iter().map(|known| (strsim::jaro_winkler(word, known), *known));
    let best = close.filter(|(score, _)| *score > 0.75).max_by(|left, right| left.0.total_cmp(&right.0));
    best.map(|(_, known)| known.to_owned())
}

pub(super) fn problem(layer: &Layer, path: &[String], fault: Fault) -> Problem {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    Problem {
        file: layer.file.clone(),
        line: yaml::line_of(&layer.text, &keys),
        key: path.iter().map(|key| printable(key)).collect::<Vec<_>>().join("."),
        fault,
    }
}

/// A key as it can be shown: a file may hold anything where a key stands.
fn printable(key: &str) -> String {
    key.chars().filter(|char| !char.is_control()).take(60).collect()
}

fn full(name: &str, path: &[String]) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(path.iter().cloned()).collect()
}

#[cfg(test)]
mod tests;
