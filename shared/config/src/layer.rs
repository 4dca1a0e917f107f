//! Reading one file of the cascade, if it is one we may read: a regular file, of a sane size, inside where it belongs.

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use figment::value::Dict;

use crate::defaults::{defaults_of, top_keys};
use crate::origin::{LayerKind, Origin};
use crate::part::part_of;
use crate::problem::{Fault, Problem, of_file};
use crate::spec::TOP_KEYS;
use crate::yaml::{self, Lines, Parsed};

/// A larger file of the user's own is skipped, in bytes.
pub const MAX_LAYER_BYTES: u64 = 1024 * 1024;

/// A larger file of a project is skipped, in bytes: reading a megabyte of hostile YAML takes half a second.
pub const MAX_PROJECT_BYTES: u64 = 64 * 1024;

/// One file that was read.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) kind: LayerKind,
    /// The file as a person reads it: from the project's top in a project, else with `~` for the home.
    pub(crate) file: String,
    /// Text as the parser read it, for finding lines.
    pub(crate) text: String,
    /// Top level, without the parts that a section took.
    pub(crate) values: Dict,
    /// The section that is read, with its keys at the top of the file.
    pub(crate) section: Dict,
    /// The paths of keys that stand twice.
    pub(crate) repeated: Vec<Vec<String>>,
    /// Lines of the keys, found on demand.
    lines: OnceCell<Lines>,
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

    /// The file of a layer as a person reads it.
    pub fn shown(&self, kind: LayerKind, path: &Path) -> String {
        let root = self.root.as_deref().filter(|_| kind != LayerKind::Global);
        match root.and_then(|root| path.strip_prefix(root).ok()) {
            Some(inside) => inside.display().to_string(),
            None => display_path(path, self.home.as_deref()),
        }
    }

    /// The text of a layer's file.
    pub fn text(&self, kind: LayerKind) -> Result<String, Refused> {
        let instead = self.instead.as_ref().filter(|(of, _)| *of == kind);
        if let Some((_, text)) = instead {
            let is_too_large = text.len() as u64 > most(kind);
            return if is_too_large { Err(Refused::Because(TOO_LARGE)) } else { Ok(text.clone()) };
        }
        let inside = self.root.as_deref().filter(|_| kind != LayerKind::Global);
        self.file(kind).map_or(Err(Refused::NotThere), |path| read_text(path, inside, most(kind)))
    }

    /// Reads the files that are there, lowest first, without the sections of other hooks than those that read `keys`.
    pub(crate) fn read(&self, keys: &[&str]) -> (Vec<Layer>, Vec<Problem>) {
        let mut layers = Vec::new();
        let mut problems = Vec::new();
        for kind in [LayerKind::Global, LayerKind::Project, LayerKind::Local] {
            let Some(path) = self.file(kind) else { continue };
            let file = self.shown(kind, path);
            match self.text(kind) {
                Ok(text) => layers.extend(layer(keys, kind, file, &text, &mut problems)),
                Err(Refused::NotThere) => {}
                Err(Refused::Because(why)) => {
                    problems.push(of_file(kind, file, None, Fault::Unreadable(why)));
                }
            }
        }
        (layers, problems)
    }
}

/// `path` as a person reads it: the home directory shortened to `~`.
pub fn display_path(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => Path::new("~").join(rest).display().to_string(),
        None => path.display().to_string(),
    }
}

const TOO_LARGE: &str = "too large";

const fn most(kind: LayerKind) -> u64 {
    if matches!(kind, LayerKind::Global) { MAX_LAYER_BYTES } else { MAX_PROJECT_BYTES }
}

/// The text as a layer, if what concerns the hook is YAML. Keys that no hook reads stay, to be reported.
fn layer(
    keys: &[&str],
    kind: LayerKind,
    file: String,
    text: &str,
    problems: &mut Vec<Problem>,
) -> Option<Layer> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let above: &[&str] = &TOP_KEYS;
    let is_others = |key: &str| top_keys().any(|other| other == key) && !above.contains(&key);
    let part = part_of(text, |key| keys.contains(&key) || !is_others(key));
    match yaml::parse(&part) {
        Ok(parsed) => Some(Layer::new(kind, file, &part, parsed)),
        Err(error) => {
            problems.push(of_file(kind, file, error.line, Fault::Unreadable(error.why)));
            None
        }
    }
}

impl Layer {
    pub(crate) fn new(kind: LayerKind, file: String, text: &str, parsed: Parsed) -> Self {
        let Parsed { values, repeated } = parsed;
        let (text, section, lines) = (text.to_owned(), Dict::new(), OnceCell::new());
        Self { kind, file, text, values, section, repeated, lines }
    }

    /// A layer of values that stand in no file.
    pub(crate) fn of_values(kind: LayerKind, file: &str, values: Dict) -> Self {
        Self::new(kind, file.to_owned(), "", Parsed { values, repeated: Vec::new() })
    }

    /// These keys of the compiled defaults.
    pub(crate) fn defaults(keys: impl IntoIterator<Item = &'static str>) -> Option<Self> {
        Some(Self::of_values(LayerKind::Defaults, "the defaults", defaults_of(keys)?))
    }

    /// The line of the key at `path`, or of the last one on the way to it; none where there is no text.
    pub(crate) fn line_of(&self, path: &[String]) -> Option<usize> {
        self.lines.get_or_init(|| Lines::of(&self.text)).of_key(path)
    }

    /// Provenance of the key at `path` of the file.
    pub(crate) fn origin(&self, path: &[String]) -> Origin {
        Origin { layer: self.kind, file: self.file.clone(), line: self.line_of(path) }
    }
}

/// Why a file is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It does not exist.
    NotThere,
    /// It exists, but is none we read.
    Because(&'static str),
}

/// Reads a text file that must be regular and, if `inside` is given, must really lie there: a repository
/// must not make us read another file through a link, or wait for ever on a pipe.
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

/// `path` really lies in `root`. Without a link on the way from `root` to it, that needs no resolving.
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
