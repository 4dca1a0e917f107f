//! The layers: the keys that a hook reads, their compiled defaults, and the files, as far as we may read them: regular ones, of a
//! sane size, inside where they belong.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use figment::value::{Dict, Map, Tag, Value};
use figment::{Figment, Metadata, Profile, Provider};
use secrets::masked;

use crate::defaults::SECTIONS;
use crate::yaml::{self, Lines};
use crate::{Fault, LayerKind, Origin, Problem, TOP_KEYS};

/// The key at the top of the defaults with its value, as a JSON object; empty if there is none.
pub fn section_defaults(key: &str) -> &'static str {
    SECTIONS.iter().find(|(name, _)| *name == key).map_or("", |(_, json)| json)
}

/// The keys at the top of the defaults, in their order.
pub(crate) fn top_keys() -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().map(|(name, _)| *name)
}

/// Maximum size of the user's own file, in bytes.
pub const MAX_LAYER_BYTES: u64 = 1024 * 1024;

/// Maximum size of a project's file, in bytes: reading a megabyte of hostile YAML takes half a second.
const MAX_PROJECT_BYTES: u64 = 64 * 1024;

const TOO_LARGE: &str = "too large";

/// One file that was read, the defaults or the switches.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) kind: LayerKind,
    /// The file as a person reads it: from the project's top in a project, else with `~` for the home.
    pub(crate) file: String,
    /// Top level, without the parts that a section took.
    pub(crate) values: Dict,
    /// The section that is read, with its keys at the top of the file.
    pub(crate) section: Dict,
    /// The paths of keys that stand twice.
    pub(crate) repeated: Vec<Vec<String>>,
    text: String,
    lines: OnceCell<Lines>,
}

impl Layer {
    /// A layer of values that stand in no file.
    pub(crate) fn of_values(kind: LayerKind, file: &str, values: Dict) -> Self {
        Self {
            kind,
            file: file.to_owned(),
            values,
            section: Dict::new(),
            repeated: Vec::new(),
            text: String::new(),
            lines: OnceCell::new(),
        }
    }

    /// These keys of the compiled defaults; `None` if they could not be read, which a test rules out.
    pub(crate) fn defaults(keys: impl IntoIterator<Item = &'static str>) -> Option<Self> {
        let mut values = Dict::new();
        for json in keys.into_iter().map(section_defaults).filter(|json| !json.is_empty()) {
            values.extend(serde_json::from_str::<Dict>(json).ok()?);
        }
        Some(Self::of_values(LayerKind::Defaults, "the defaults", values))
    }

    /// The part of a file that concerns the hook with these keys, if it is YAML. Keys that no hook reads stay, to be reported.
    fn read(kind: LayerKind, file: &str, text: &str, keys: &[&str]) -> Result<Self, Problem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_others = |key: &str| top_keys().any(|other| other == key) && !TOP_KEYS.contains(&key);
        let parsed = yaml::parse_sections(text, |key| keys.contains(&key) || !is_others(key))
            // A mistake in another section costs this hook nothing.
            .map_err(|error| {
                skipped(kind, file, error.line, &error.why, "for the hooks that read this part, ")
            })?;
        let (repeated, text) = (parsed.repeated, text.to_owned());
        Ok(Self { repeated, text, ..Self::of_values(kind, file, parsed.values) })
    }

    /// Provenance of the key at `path` of the file. The line is that of the last key on the way to it.
    pub(crate) fn origin(&self, path: &[String]) -> Origin {
        let line = yaml::line_in(self.lines.get_or_init(|| yaml::lines_of(&self.text)), path);
        Origin { layer: self.kind, file: self.file.clone(), line }
    }

    pub(crate) fn problem(&self, path: &[String], fault: Fault) -> Problem {
        let key = path.iter().map(|key| printable(key)).collect::<Vec<_>>().join(".");
        Problem { at: self.origin(path), key, fault }
    }
}

/// A key as it can be shown: a file may hold anything where a key stands.
fn printable(key: &str) -> String {
    masked(key).chars().filter(|char| !char.is_control()).take(60).collect()
}

fn skipped(layer: LayerKind, file: &str, line: Option<usize>, why: &str, whom: &str) -> Problem {
    let at = Origin { layer, file: file.to_owned(), line };
    Problem { at, key: String::new(), fault: Fault::Other(format!("{why}; {whom}the file is skipped")) }
}

/// The files of a call, whether they exist or not.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The user's home, to shorten what is shown.
    pub home: Option<PathBuf>,
    pub global: Option<PathBuf>,
    pub project: Option<PathBuf>,
    pub local: Option<PathBuf>,
    /// The project's root: project and local files must really lie inside it.
    pub root: Option<PathBuf>,
    /// A text that is read in place of one of the files, to see what it would come to.
    pub instead: Option<(LayerKind, String)>,
}

impl Sources {
    /// The user's own file alone: no project's file counts.
    #[must_use]
    pub fn without_project(self) -> Self {
        Self { project: None, local: None, ..self }
    }

    pub fn file(&self, kind: LayerKind) -> Option<&Path> {
        match kind {
            LayerKind::Global => self.global.as_deref(),
            LayerKind::Project => self.project.as_deref(),
            LayerKind::Local => self.local.as_deref(),
            LayerKind::Defaults | LayerKind::Switch => None,
        }
    }

    /// The folder that the file of a layer must lie in.
    fn inside(&self, kind: LayerKind) -> Option<&Path> {
        self.root.as_deref().filter(|_| kind != LayerKind::Global)
    }

    pub fn shown(&self, kind: LayerKind, path: &Path) -> String {
        match self.inside(kind).and_then(|root| path.strip_prefix(root).ok()) {
            Some(inside) => inside.display().to_string(),
            None => display_path(path, self.home.as_deref()),
        }
    }

    pub fn text(&self, kind: LayerKind) -> Result<String, Refused> {
        let most = if kind == LayerKind::Global { MAX_LAYER_BYTES } else { MAX_PROJECT_BYTES };
        match &self.instead {
            Some((of, text)) if *of == kind && text.len() as u64 > most => Err(Refused::Because(TOO_LARGE)),
            Some((of, text)) if *of == kind => Ok(text.clone()),
            _ => {
                let path = self.file(kind).ok_or(Refused::NotThere)?;
                read_text(path, self.inside(kind), most)
            }
        }
    }

    /// The files that are there, lowest first.
    pub(crate) fn texts(&self) -> Vec<Found> {
        let text = |kind| {
            let file = self.shown(kind, self.file(kind)?);
            let text = match self.text(kind) {
                Err(Refused::NotThere) => return None,
                Err(Refused::Because(why)) => Err(why),
                Ok(text) => Ok(text),
            };
            Some(Found { kind, file, text })
        };
        [LayerKind::Global, LayerKind::Project, LayerKind::Local].into_iter().filter_map(text).collect()
    }
}

pub(crate) struct Found {
    kind: LayerKind,
    file: String,
    pub(crate) text: Result<String, &'static str>,
}

/// Parses the files without the sections of other hooks than those that read `keys`.
pub(crate) fn parse(texts: &[Found], keys: &[&str]) -> (Vec<Layer>, Vec<Problem>) {
    let (mut layers, mut problems) = (Vec::new(), Vec::new());
    for Found { kind, file, text } in texts {
        let layer = match text {
            Ok(text) => Layer::read(*kind, file, text, keys),
            Err(why) => Err(skipped(*kind, file, None, why, "")),
        };
        match layer {
            Ok(layer) => layers.push(layer),
            Err(problem) => problems.push(problem),
        }
    }
    (layers, problems)
}

/// `path` as a person reads it: the home directory shortened to `~`.
pub fn display_path(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => Path::new("~").join(rest).display().to_string(),
        None => path.display().to_string(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    NotThere,
    Because(&'static str),
}

/// Reads a regular text file that really lies `inside`: a repository must not make us follow a link or wait on a pipe.
pub fn read_text(path: &Path, inside: Option<&Path>, max_bytes: u64) -> Result<String, Refused> {
    let refused = |error: &std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Refused::NotThere,
        _ => Refused::Because("cannot be read"),
    };
    if let Some(inside) = inside
        && !is_inside(path, inside).map_err(|error| refused(&error))?
    {
        return Err(Refused::Because("leads out of the project"));
    }
    let found = fs::metadata(path).map_err(|error| refused(&error))?;
    if !found.is_file() {
        return Err(Refused::Because("not a regular file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len().min(max_bytes) + 1).unwrap_or_default());
    let file = File::open(path).map_err(|error| refused(&error))?;
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| refused(&error))?;
    if bytes.len() as u64 > max_bytes {
        return Err(Refused::Because(TOO_LARGE));
    }
    String::from_utf8(bytes).map_err(|_| Refused::Because("not UTF-8 text"))
}

/// `path` really lies in `root`. Links are resolved only if there is one on the way.
fn is_inside(path: &Path, root: &Path) -> std::io::Result<bool> {
    let Ok(below) = path.strip_prefix(root) else { return Ok(false) };
    let mut step = root.to_path_buf();
    for part in below.components() {
        if !matches!(part, Component::Normal(_)) {
            return Ok(false);
        }
        step.push(part);
        if fs::symlink_metadata(&step)?.is_symlink() {
            return Ok(path.canonicalize()?.starts_with(root.canonicalize()?));
        }
    }
    Ok(true)
}

/// The merged maps, a later one over an earlier one.
pub(crate) fn merged<'d>(maps: impl IntoIterator<Item = &'d Dict>) -> Dict {
    let maps = maps.into_iter().filter(|map| !map.is_empty());
    let figment = maps.fold(Figment::new(), |figment, map| figment.merge(Entries(map)));
    figment.data().ok().and_then(|mut profiles| profiles.remove(&Profile::Default)).unwrap_or_default()
}

struct Entries<'d>(&'d Dict);

impl Provider for Entries<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named("a layer")
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        Ok(Profile::Default.collect(self.0.clone()))
    }
}

/// A map of one tree and a value of another kind stand at the same key. Merged with a third map, the value would vanish unseen,
/// and with it what the maps below it say.
pub(crate) fn clash(lower: &Dict, higher: &Dict) -> bool {
    higher.iter().any(|(key, higher)| match (lower.get(key), higher) {
        (Some(Value::Dict(_, lower)), Value::Dict(_, higher)) => clash(lower, higher),
        (Some(lower), higher) => lower.as_dict().is_some() != higher.as_dict().is_some(),
        (None, _) => false,
    })
}

pub(crate) fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The paths of all entries: everything that is no map, and maps without entries.
pub(crate) fn leaves(dict: &Dict) -> Vec<Vec<String>> {
    leaves_where(dict, &|_| true)
}

/// The paths of the entries that are `wanted`, as each map on the way is.
pub(crate) fn leaves_where(dict: &Dict, wanted: &dyn Fn(&[String]) -> bool) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    walk(dict, &mut Vec::new(), wanted, &mut found);
    found
}

fn walk(
    dict: &Dict,
    path: &mut Vec<String>,
    wanted: &dyn Fn(&[String]) -> bool,
    found: &mut Vec<Vec<String>>,
) {
    for (key, value) in dict {
        path.push(key.clone());
        match value {
            _ if !wanted(path) => {}
            Value::Dict(_, inner) if !inner.is_empty() => walk(inner, path, wanted, found),
            _ => found.push(path.clone()),
        }
        path.pop();
    }
}

pub(crate) fn get<'a, K: AsRef<str>>(dict: &'a Dict, path: &[K]) -> Option<&'a Value> {
    let (key, rest) = path.split_first()?;
    let value = dict.get(key.as_ref())?;
    if rest.is_empty() { Some(value) } else { get(value.as_dict()?, rest) }
}

pub(crate) fn flag<K: AsRef<str>>(dict: &Dict, path: &[K]) -> Option<bool> {
    get(dict, path)?.to_bool()
}

/// The keys on the way to what a dotted path names: a key may hold dots itself.
pub(crate) fn keys_on<'a>(dict: &'a Dict, dotted: &str) -> Option<Vec<&'a str>> {
    dict.iter().find_map(|(key, value)| match dotted.strip_prefix(key.as_str())? {
        "" => Some(vec![key.as_str()]),
        rest => {
            let below = keys_on(value.as_dict()?, rest.strip_prefix('.')?)?;
            Some([vec![key.as_str()], below].concat())
        }
    })
}

/// The dotted path `path` is `key`, or something in the map that stands there. The empty key is the whole.
pub(crate) fn is_at_or_below(path: &str, key: &str) -> bool {
    key.is_empty() || path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Puts `value` at `path`, with the maps on the way.
pub(crate) fn put(dict: &mut Dict, path: &[String], value: Value) {
    let Some((key, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        dict.insert(key.clone(), value);
        return;
    }
    let inner = dict.entry(key.clone()).or_insert_with(|| Value::Dict(Tag::Default, Map::new()));
    if let Value::Dict(_, inner) = inner {
        put(inner, rest, value);
    }
}

/// Removes the value at `path`, and the maps that are empty then.
pub(crate) fn remove(dict: &mut Dict, path: &[String]) {
    let Some((key, rest)) = path.split_first() else { return };
    if let (Some(Value::Dict(_, inner)), false) = (dict.get_mut(key), rest.is_empty()) {
        remove(inner, rest);
        if !inner.is_empty() {
            return;
        }
    }
    dict.remove(key);
}
