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
use super::held::hold;
use super::layer::{Layer, LayerKind, Sources};
use super::problem::{Fault, Problem, Problems};
use super::tree::get;
use super::{top_level, wrong, yaml};
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
    /// What decided `enabled`, where it is not the section's own key: the switch, or the key above all sections.
    decided_elsewhere: Option<Origin>,
    /// The keys of the section that the global file locks, as paths within it; an empty one is the whole section.
    pub locked: Vec<String>,
    /// The switch stands otherwise than the section, because the global file locks it.
    pub overruled_switch: bool,
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
    /// The line, counted from 1; none of the defaults and of a switch.
    pub line: Option<usize>,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.layer, self.line) {
            (LayerKind::Defaults | LayerKind::Switch, _) | (_, None) => formatter.write_str(&self.file),
            (_, Some(line)) => write!(formatter, "{}:{line}", self.file),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Common {
    enabled: bool,
    headless: bool,
}

/// A layer, and what is left of the section in it.
#[derive(Debug, Clone)]
pub(super) struct Cleaned {
    pub(super) layer: Layer,
    pub(super) section: Dict,
}

impl<S> Section<S> {
    /// Where the value of `key` (a path within the section) comes from: the highest layer that sets it.
    #[must_use]
    pub fn origin(&self, section: &str, key: &str) -> Option<Origin> {
        if key == "enabled" && self.decided_elsewhere.is_some() {
            return self.decided_elsewhere.clone();
        }
        let path: Vec<&str> = key.split('.').collect();
        let setter = self.layers.iter().rev().find(|cleaned| get(&cleaned.section, &path).is_some())?;
        let full: Vec<&str> = std::iter::once(section).chain(path).collect();
        let layer = &setter.layer;
        // The defaults are a cut of their file, so a line of it would be none of the file's.
        let line = (layer.kind != LayerKind::Defaults).then(|| yaml::line_of(&layer.text, &full)).flatten();
        Some(Origin { layer: layer.kind, file: layer.file.clone(), line })
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
    let (files, unreadable) = sources.read();
    let mut problems = Problems(unreadable);
    let top = top_level::read(spec.name, &files, &mut problems);
    let mut layers = vec![defaults(spec.name)?];
    layers.extend(files.into_iter().map(|layer| section_of(spec.name, layer, &mut problems)));
    hold(spec, &top, &mut layers, &mut problems);
    let (common, settings) = if let Some(merged) = extract::<S>(layers.iter().map(|cleaned| &cleaned.section))
    {
        merged
    } else {
        wrong::leave_out::<S>(spec.name, &mut layers, &mut problems);
        extract::<S>(layers.iter().map(|cleaned| &cleaned.section))?
    };
    let is_fixed = top.locks.holds(&["enabled".to_owned()]);
    let turned = match switch {
        Position::On if !is_fixed => Some(true),
        Position::Off if top.locks.is_empty() => Some(false),
        _ => None,
    };
    let wanted = turned.unwrap_or(common.enabled);
    Some(Section {
        enabled: wanted && top.enabled,
        headless: common.headless,
        settings,
        problems: problems.0,
        decided_elsewhere: top.off_at.or_else(|| turned.map(|_| switch_origin())),
        locked: top.locks.paths().map(|path| path.join(".")).collect(),
        overruled_switch: turned.is_none() && switch != Position::Auto,
        layers,
    })
}

fn switch_origin() -> Origin {
    Origin { layer: LayerKind::Switch, file: "its switch".to_owned(), line: None }
}

fn defaults(section: &str) -> Option<Cleaned> {
    let text = section_defaults(section);
    let parsed = yaml::parse(text).ok()?;
    let layer = Layer {
        kind: LayerKind::Defaults,
        file: "the defaults".to_owned(),
        text: text.to_owned(),
        values: parsed.values,
        repeated: parsed.repeated,
    };
    Some(section_of(section, layer, &mut Problems::default()))
}

fn section_of(name: &str, mut layer: Layer, problems: &mut Problems) -> Cleaned {
    for path in layer.repeated.iter().filter(|path| path.first().is_some_and(|first| first == name)) {
        problems.note(&layer, path, Fault::Repeated);
    }
    let section = match layer.values.remove(name) {
        Some(Value::Dict(_, section)) => section,
        None | Some(Value::Empty(..)) => Dict::new(),
        Some(_) => {
            let fault = Fault::Expected("a map of settings".to_owned());
            problems.note(&layer, &[name.to_owned()], fault);
            Dict::new()
        }
    };
    Cleaned { layer, section }
}

/// The section as its types, if every entry of every layer can be read.
pub(super) fn extract<'a, S: DeserializeOwned>(
    sections: impl IntoIterator<Item = &'a Dict>,
) -> Option<(Common, S)> {
    let figment = sections.into_iter().fold(Figment::new(), |figment, section| figment.merge(Split(section)));
    Some((figment.extract_inner("common").ok()?, figment.extract_inner("own").ok()?))
}

/// The section as two maps: the common keys, which every hook has, and the hook's own.
struct Split<'a>(&'a Dict);

impl Provider for Split<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::default()
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        let (common, own): (Dict, Dict) = self
            .0
            .clone()
            .into_iter()
            .partition(|(key, _)| COMMON_KEYS.iter().any(|(common, _)| common == key));
        let split = Dict::from([
            ("common".to_owned(), Value::Dict(Tag::Default, common)),
            ("own".to_owned(), Value::Dict(Tag::Default, own)),
        ]);
        Ok(Profile::Default.collect(split))
    }
}

#[cfg(test)]
mod tests;
