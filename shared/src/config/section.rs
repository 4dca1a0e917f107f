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

use super::defaults::defaults_of;
use super::held::hold;
use super::layer::{Layer, LayerKind, Sources};
use super::problem::{Fault, Problem, Problems, sort_problems};
use super::shape::{Described, Shape, Typed};
use super::tree::{get, keys_on};
use super::yaml::Parsed;
use super::{strangers, switched, top_level, wrong};
use crate::switches::{Position, SectionSwitches};

/// The keys every section has beside its own, both true or false, with their meaning.
pub const COMMON_KEYS: [(&str, &str); 2] =
    [("enabled", "The hook is switched on."), ("headless", HEADLESS_MEANS)];

/// What `headless` sets where a hook says nothing else.
pub const HEADLESS_MEANS: &str = "It also acts in sessions nobody watches (`claude -p`, SDK).";

/// What is to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct SectionSpec {
    /// The section's name: the hook's.
    pub name: &'static str,
    /// Keys of its settings that stand at the top of the file instead of in the section.
    pub root_keys: &'static [&'static str],
    /// Its keys that only the global file may set.
    pub global_only: &'static [&'static str],
    /// Keys that say what another key of the section says as well: what locks the one locks the other.
    pub other_names: &'static [(&'static str, &'static str)],
    /// Only the global file may switch it on, see [`crate::hook::Hook::COSTS_MONEY`].
    pub costs_money: bool,
    /// The files are parsed whole, and what nobody owns or can read in them is told. It costs, so one hook does, at times.
    pub tells_unknown_keys: bool,
}

impl SectionSpec {
    /// The key at the top of a file holds settings of this section.
    fn owns(&self, key: &str) -> bool {
        key == self.name || self.root_keys.contains(&key)
    }

    /// The key at the top of a file concerns this section.
    pub(super) fn reads(&self, key: &str) -> bool {
        self.owns(key) || top_level::KEYS.contains(&key)
    }

    /// A path of the settings as it is in a file; the empty one is the section itself.
    pub(super) fn in_file<K: AsRef<str>>(&self, path: &[K]) -> Vec<String> {
        let is_root = path.first().is_some_and(|key| self.root_keys.contains(&key.as_ref()));
        let section = (!is_root).then(|| self.name.to_owned());
        section.into_iter().chain(path.iter().map(|key| key.as_ref().to_owned())).collect()
    }

    /// A dotted path of the settings as it is in a file.
    pub(crate) fn dotted_in_file(&self, path: &str) -> String {
        self.in_file(&path.split('.').collect::<Vec<_>>()).join(".")
    }

    /// A dotted path of a file as it is in the settings; `None` if it leads elsewhere.
    pub(super) fn in_settings<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.split_once('.').unwrap_or((path, "")) {
            (first, rest) if first == self.name => Some(rest),
            (first, _) => self.root_keys.contains(&first).then_some(path),
        }
    }
}

/// What a hook finds wrong in settings that could be read: a rule that cannot work as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFault {
    /// Where, within the settings.
    pub path: Vec<String>,
    /// What is wrong and what follows; never a value.
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
    /// Its own settings.
    pub settings: S,
    /// What is wrong in the files, for this section and the keys above all sections.
    pub problems: Vec<Problem>,
    /// What decided `enabled`, where it is not the section's own key: the switch, or the key above all sections.
    decided_elsewhere: Option<Origin>,
    /// What the global file locks, as dotted paths within the settings; an empty one is the whole section.
    pub locked: Vec<String>,
    /// What the files alone say of `enabled`.
    enabled_by_files: bool,
    /// The switch stands otherwise than the section, because the global file locks it.
    pub overruled_switch: bool,
    /// Keys whose switch counts for nothing, because the global file locks them: dotted, within the settings.
    pub overruled_keys: Vec<String>,
    spec: SectionSpec,
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
    pub(super) enabled: bool,
    pub(super) headless: bool,
}

/// A layer, and what is left of the section in it.
#[derive(Debug, Clone)]
pub(super) struct Cleaned {
    pub(super) layer: Layer,
    pub(super) section: Dict,
}

impl<S> Section<S> {
    /// Where the value of `key` (a dotted path within the settings) comes from: the highest layer that sets it.
    #[must_use]
    pub fn origin(&self, key: &str) -> Option<Origin> {
        if key == "enabled" && self.decided_elsewhere.is_some() {
            return self.decided_elsewhere.clone();
        }
        let found = |cleaned: &Cleaned| keys_on(&cleaned.section, key).map(|path| self.spec.in_file(&path));
        let (layer, path) =
            self.layers.iter().rev().find_map(|cleaned| Some((&cleaned.layer, found(cleaned)?)))?;
        Some(Origin { layer: layer.kind, file: layer.file.clone(), line: layer.line_of(&path) })
    }

    /// It is a switch that has it off; the files would have it on.
    #[must_use]
    pub fn is_switched_off(&self) -> bool {
        !self.enabled
            && self.enabled_by_files
            && self.decided_elsewhere.as_ref().is_some_and(|origin| origin.layer == LayerKind::Switch)
    }

    /// The keys that a switch has turned, and where to: dotted, within the settings.
    #[must_use]
    pub fn switched_keys(&self) -> Vec<(String, Position)> {
        let layer = self.layers.iter().rev().find(|cleaned| cleaned.layer.kind == LayerKind::Switch);
        layer.map(|cleaned| switched::keys(&cleaned.section)).unwrap_or_default()
    }

    /// The dotted path `key` of the settings as it is in a file.
    #[must_use]
    pub fn in_file(&self, key: &str) -> String {
        self.spec.dotted_in_file(key)
    }

    /// The keys of the files that were left out because they are wrong, where no layer has a right value in their place.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        let wrong = self.problems.iter().filter(|problem| matches!(problem.fault, Fault::Expected(_)));
        wrong.map(|problem| &problem.key).filter(|key| self.origin(key).is_none()).cloned().collect()
    }

    /// Adds what the hook finds wrong, each where the highest layer sets the deepest part of its path that is there.
    pub fn add_faults(&mut self, faults: Vec<SettingFault>) {
        let mut problems = Problems(std::mem::take(&mut self.problems));
        for SettingFault { path, what } in faults {
            let mut depths = (1..=path.len()).rev();
            let setter = depths.find_map(|depth| self.setter_of(&path[..depth]));
            if let Some(setter) = setter.or_else(|| self.layers.first()) {
                problems.note(&setter.layer, &self.spec.in_file(&path), Fault::Unworkable(what));
            }
        }
        self.problems = problems.0;
        sort_problems(&mut self.problems);
    }

    pub(super) const fn spec(&self) -> &SectionSpec {
        &self.spec
    }

    /// The cleaned layers, lowest first.
    pub(super) fn layers(&self) -> &[Cleaned] {
        &self.layers
    }

    pub(super) const fn decided_elsewhere(&self) -> Option<&Origin> {
        self.decided_elsewhere.as_ref()
    }

    fn setter_of(&self, path: &[String]) -> Option<&Cleaned> {
        self.layers.iter().rev().find(|cleaned| get(&cleaned.section, path).is_some())
    }
}

/// What the lowest layer is called where files are named.
pub(super) const THE_DEFAULTS: &str = "the defaults";

/// Reads a section from the files of a call. `switches` are the layer above them.
///
/// `None` only if the compiled defaults could not be read, which a test rules out.
#[must_use]
pub fn load<S>(
    spec: SectionSpec,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<S>>
where
    S: DeserializeOwned + JsonSchema,
{
    load_as(&Typed::<S>::NEW, spec, sources, &switches.into())
}

/// Reads a section whose types are another binary's, by its schema: the same entries are left out for the same reasons. What
/// the hook itself finds wrong beyond its schema is not known here.
#[must_use]
pub fn load_by_schema(
    spec: SectionSpec,
    schema: &serde_json::Value,
    sources: &Sources,
    switches: impl Into<SectionSwitches>,
) -> Option<Section<()>> {
    load_as(&Described(schema), spec, sources, &switches.into())
}

fn load_as<T: Shape>(
    shape: &T,
    spec: SectionSpec,
    sources: &Sources,
    switches: &SectionSwitches,
) -> Option<Section<T::Settings>> {
    let (files, unreadable) = sources.read(spec);
    let mut problems = Problems(unreadable);
    let top = top_level::read(spec, &files, &mut problems);
    let mut layers = vec![defaults(spec)?];
    layers.extend(files.into_iter().map(|layer| section_of(spec, layer, &mut problems)));
    if spec.tells_unknown_keys {
        strangers::tell(spec, &layers[1..], &mut problems);
    }
    hold(spec, &top, &mut layers, &mut problems);
    let switch = switches.own;
    let overruled_keys = switched::lay(spec, &top.locks, &switches.keys, &mut layers);
    let (common, settings) = if let Some(merged) = shape.read(layers.iter().map(|cleaned| &cleaned.section)) {
        merged
    } else {
        wrong::leave_out(shape, spec, &mut layers, &mut problems);
        shape.read(layers.iter().map(|cleaned| &cleaned.section))?
    };
    sort_problems(&mut problems.0);
    let is_fixed = top.locks.holds(&["enabled".to_owned()]);
    let turned = match switch {
        Position::On if !is_fixed && (common.enabled || !spec.costs_money) => Some(true),
        Position::Off if top.locks.is_empty() => Some(false),
        _ => None,
    };
    let wanted = turned.unwrap_or(common.enabled);
    Some(Section {
        enabled: wanted && top.enabled,
        enabled_by_files: common.enabled && top.enabled,
        headless: common.headless,
        settings,
        problems: problems.0,
        decided_elsewhere: top.off_at.or_else(|| turned.map(|_| switch_origin())),
        locked: top.locks.paths().map(ToOwned::to_owned).collect(),
        overruled_switch: turned.is_none() && switch != Position::Auto && !top.locks.is_empty(),
        overruled_keys,
        spec,
        layers,
    })
}

fn switch_origin() -> Origin {
    Origin { layer: LayerKind::Switch, file: switched::FILE.to_owned(), line: None }
}

fn defaults(spec: SectionSpec) -> Option<Cleaned> {
    let values = defaults_of(std::iter::once(spec.name).chain(spec.root_keys.iter().copied()))?;
    let parsed = Parsed { values, repeated: Vec::new() };
    let layer = Layer::new(LayerKind::Defaults, THE_DEFAULTS.to_owned(), "", parsed);
    Some(section_of(spec, layer, &mut Problems::default()))
}

/// Takes out of a layer what belongs to the section: its map, and beside its keys those at the top of the file.
fn section_of(spec: SectionSpec, mut layer: Layer, problems: &mut Problems) -> Cleaned {
    for path in layer.repeated.iter().filter(|path| path.first().is_some_and(|first| spec.owns(first))) {
        problems.note(&layer, path, Fault::Repeated);
    }
    let mut section = match layer.values.remove(spec.name) {
        Some(Value::Dict(_, section)) => section,
        None | Some(Value::Empty(..)) => Dict::new(),
        Some(_) => {
            let fault = Fault::Expected("a map of settings".to_owned());
            problems.note(&layer, &[spec.name.to_owned()], fault);
            Dict::new()
        }
    };
    for key in spec.root_keys {
        if section.remove(*key).is_some() {
            let fault = Fault::Unworkable(
                "belongs at the top of the file, not in a section; ignored here".to_owned(),
            );
            problems.note(&layer, &[spec.name.to_owned(), (*key).to_owned()], fault);
        }
        let value = layer.values.remove(*key).filter(|value| !matches!(value, Value::Empty(..)));
        section.extend(value.map(|value| ((*key).to_owned(), value)));
    }
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
