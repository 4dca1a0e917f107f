//! The layers: the keys that a hook reads, their compiled defaults, and the files, as far as we may read them: regular ones, of a
//! sane size, inside where they belong.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use figment::value::Dict;
use secrets::masked;

use crate::defaults::SECTIONS;
use crate::problem::{Fault, LayerKind, Origin, Problem};
use crate::yaml::{self, Lines};

pub(crate) const TOP_KEYS: [&str; 5] = ["version", "requires", "inherit", "enabled", "locked"];

/// The keys every section has beside its own, both true or false, with their meaning.
pub const COMMON_KEYS: [(&str, &str); 2] =
    [("enabled", "The hook is switched on."), ("headless", HEADLESS_MEANS)];

/// Meaning of `headless`, unless a hook says something else.
pub const HEADLESS_MEANS: &str = "It also acts in sessions nobody watches (`claude -p`, SDK).";

#[derive(Debug, Clone, Copy, Default)]
pub struct SectionSpec {
    pub name: &'static str,
    /// Keys of its settings that stand at the top of the file instead of in the section.
    pub root_keys: &'static [&'static str],
    pub global_only: &'static [&'static str],
    /// Older names of keys and the names that hold now, as dotted paths.
    pub renamed: &'static [(&'static str, &'static str)],
    /// Only the global file may switch it on, see `COSTS_MONEY` of the hook.
    pub costs_money: bool,
}

impl SectionSpec {
    /// The keys at the top of a file that hold its settings.
    pub(crate) fn top_keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.root_keys.iter().copied())
    }

    /// A path of the settings as it is in a file; the empty one is the section itself.
    pub(crate) fn in_file<K: AsRef<str>>(&self, path: &[K]) -> Vec<String> {
        let is_root = path.first().is_some_and(|key| self.root_keys.contains(&key.as_ref()));
        let section = (!is_root).then(|| self.name.to_owned());
        section.into_iter().chain(path.iter().map(|key| key.as_ref().to_owned())).collect()
    }

    /// A dotted path of the settings as it is in a file.
    pub(crate) fn dotted_in_file(&self, path: &str) -> String {
        self.in_file(&path.split('.').collect::<Vec<_>>()).join(".")
    }

    /// The name that holds now of a dotted path of the settings.
    pub(crate) fn present_name<'p>(&self, path: &'p str) -> &'p str {
        self.renamed.iter().find(|(old, _)| *old == path).map_or(path, |(_, new)| new)
    }

    /// A dotted path of a file as it is in the settings; `None` if it leads elsewhere.
    pub(crate) fn in_settings<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.split_once('.').unwrap_or((path, "")) {
            (first, rest) if first == self.name => Some(rest),
            (first, _) => self.root_keys.contains(&first).then_some(path),
        }
    }
}

/// config/defaults.yaml, the lowest layer, for people: comments and all.
pub const ALL_DEFAULTS: &str = include_str!("../../../config/defaults.yaml");

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
            .map_err(|error| of_file(kind, file, error.line, error.why))?;
        let (repeated, text) = (parsed.repeated, text.to_owned());
        Ok(Self { repeated, text, ..Self::of_values(kind, file, parsed.values) })
    }

    /// Provenance of the key at `path` of the file. The line is that of the last key on the way to it.
    pub(crate) fn origin(&self, path: &[String]) -> Origin {
        let line = self.lines.get_or_init(|| Lines::of(&self.text)).of_key(path);
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

fn of_file(layer: LayerKind, file: &str, line: Option<usize>, why: String) -> Problem {
    let at = Origin { layer, file: file.to_owned(), line };
    Problem { at, key: String::new(), fault: Fault::Unreadable(why) }
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
            Err(why) => Err(of_file(*kind, file, None, (*why).to_owned())),
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

#[cfg(test)]
mod tests {
    use super::{LayerKind, MAX_LAYER_BYTES, MAX_PROJECT_BYTES, Refused, Sources, TOO_LARGE};

    #[test]
    fn a_text_in_place_of_a_file_counts_for_its_layer_alone_within_its_bound() {
        let scratch = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = scratch.path().join(name);
            std::fs::write(&path, name).unwrap();
            Some(path)
        };
        let mut sources = Sources { project: file("project"), local: file("local"), ..Sources::default() };
        let mut with = |kind, text: &str| {
            sources.instead = Some((kind, text.to_owned()));
            [LayerKind::Project, LayerKind::Local].map(|kind| sources.text(kind))
        };
        assert_eq!(with(LayerKind::Project, "new"), [Ok("new".to_owned()), Ok("local".to_owned())]);
        let most = "a".repeat(usize::try_from(MAX_PROJECT_BYTES).unwrap());
        assert_eq!(with(LayerKind::Local, &most), [Ok("project".to_owned()), Ok(most.clone())]);
        let too_large = with(LayerKind::Local, &format!("{most}a"));
        assert_eq!(too_large, [Ok("project".to_owned()), Err(Refused::Because(TOO_LARGE))]);
        assert_eq!((MAX_LAYER_BYTES, MAX_PROJECT_BYTES), (1 << 20, 1 << 16));
    }
}
