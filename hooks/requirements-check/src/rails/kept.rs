//! What is protected, where it lies, and how a path relates to it.

use std::fmt;
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::word::{Place, is_pattern, like};
use super::{Guarded, What};
use crate::place::flat;

/// The files in a `.claude` folder that are protected.
const FILES: [(&str, Kept); 4] = [
    ("requirements.yaml", Kept::Requirements),
    ("requirements.local.yaml", Kept::Requirements),
    ("settings.json", Kept::Settings),
    ("settings.local.json", Kept::Settings),
];

/// Folders that are protected, or hold what is.
const FOLDERS: [&str; 5] = [".claude", ".git", "hook-state", "hooks", "requirements"];

/// What is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// A file of requirements.
    Requirements,
    /// The client's settings, in which hooks are registered.
    Settings,
    /// What hooks remember, switches among it.
    State,
    /// What was satisfied.
    Marks,
    /// The hooks' programs.
    Programs,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Requirements => "what is required is set there",
            Self::Settings => "the hooks are registered there",
            Self::State => "the hooks' state is there",
            Self::Marks => "what is satisfied is kept there",
            Self::Programs => "the hooks' programs are there",
        })
    }
}

/// How a path relates to what is protected, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// It is that, or lies in it.
    Itself,
    /// It is the folder that holds it: a `.claude`, a `.git`.
    Folder,
    /// It is a folder further up.
    Above,
}

/// All the rails see of the file system.
pub(super) trait Disk {
    /// The path with links and `..` resolved as far as it exists.
    fn real(&self, path: &Path) -> PathBuf;
    /// The git folder that the work trees of the repository around `folder` share.
    fn repository(&self, folder: &Path) -> Option<PathBuf>;
}

/// The file system of this machine.
pub(super) struct Machine;

impl Disk for Machine {
    fn real(&self, path: &Path) -> PathBuf {
        let resolved = path.ancestors().find_map(|ancestor| {
            let found = ancestor.canonicalize().ok()?;
            Some(path.strip_prefix(ancestor).map_or_else(|_| found.clone(), |rest| found.join(rest)))
        });
        flat(&resolved.unwrap_or_else(|| path.to_path_buf()))
    }

    fn repository(&self, folder: &Path) -> Option<PathBuf> {
        folder.ancestors().find_map(|folder| shared_folder(&folder.join(".git")))
    }
}

/// `.git` itself, or what the file of that name in a linked work tree leads to.
fn shared_folder(git: &Path) -> Option<PathBuf> {
    let kind = fs::metadata(git).ok()?;
    if kind.is_dir() {
        return Some(git.to_path_buf());
    }
    let mut text = String::new();
    fs::File::open(git).ok().filter(|_| kind.is_file())?.take(4096).read_to_string(&mut text).ok()?;
    let folder = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    flat(&folder).parent().and_then(Path::parent).map(Path::to_path_buf)
}

struct Anchor {
    path: PathBuf,
    kept: Kept,
    /// Everything in it is protected, too.
    whole: bool,
}

/// What is protected.
pub(super) struct Keep<'a> {
    pub(super) guarded: &'a Guarded<'a>,
    disk: &'a dyn Disk,
    anchors: Vec<Anchor>,
}

impl<'a> Keep<'a> {
    pub(super) fn new(guarded: &'a Guarded<'a>, disk: &'a dyn Disk) -> Self {
        Self { guarded, disk, anchors: anchors(guarded, &flat) }
    }

    /// What the place is, or what it holds if that is at most as far away as `furthest`.
    pub(super) fn within(&self, place: &Place, furthest: How) -> Option<What> {
        let (how, kept) = match place {
            Place::At(path) => self.relation(path, furthest),
            Place::Somewhere(end) => relation_of_end(end),
        }?;
        (how <= furthest).then(|| What::Change(kept, place.shown()))
    }

    fn relation(&self, path: &Path, furthest: How) -> Option<(How, Kept)> {
        let written = flat(path);
        let is_telling = self.has_telling_name(&written);
        // Most words of most lines end here.
        if furthest == How::Itself && !is_telling && !is_pattern(&written) {
            return None;
        }
        let relation = self.relation_of(&written, &self.anchors);
        relation.or_else(|| if is_telling { self.relation_through_links(path) } else { None })
    }

    /// Either side may be written with links.
    fn relation_through_links(&self, path: &Path) -> Option<(How, Kept)> {
        let real = self.disk.real(path);
        let anchors = anchors(self.guarded, &|path| self.disk.real(path));
        self.relation_of(&real, &anchors)
    }

    /// A name on the path is that of something protected, or of a folder that holds such.
    fn has_telling_name(&self, path: &Path) -> bool {
        path.iter().any(|name| {
            let mut own = self.guarded.config_dir.iter().chain(&self.guarded.state_dirs);
            FOLDERS.iter().any(|folder| name.eq_ignore_ascii_case(folder))
                || FILES.iter().any(|(file, _)| name.eq_ignore_ascii_case(file))
                || own.any(|dir| dir.file_name() == Some(name))
        })
    }

    fn relation_of(&self, path: &Path, anchors: &[Anchor]) -> Option<(How, Kept)> {
        let known = anchors.iter().filter_map(|anchor| anchor.relation(path)).min_by_key(|(how, _)| *how);
        known.filter(|(how, _)| *how == How::Itself).or_else(|| self.nested(path)).or(known)
    }

    /// A `.claude` anywhere in the project or in another work tree of it.
    fn nested(&self, path: &Path) -> Option<(How, Kept)> {
        let relation = in_claude_dir(path)?;
        let folder = path.ancestors().find(|folder| is_claude_dir(folder))?.parent()?;
        self.is_ours(folder).then_some(relation)
    }

    fn is_ours(&self, folder: &Path) -> bool {
        let Guarded { root, common_dir, cwd, .. } = self.guarded;
        folder.starts_with(root.unwrap_or(cwd))
            || common_dir.is_some_and(|common| {
                let repository = self.disk.repository(folder);
                repository.is_some_and(|found| self.disk.real(&found) == self.disk.real(common))
            })
    }
}

impl Anchor {
    fn relation(&self, path: &Path) -> Option<(How, Kept)> {
        let (mut ours, mut theirs) = (self.path.components(), path.components());
        loop {
            let how = match (ours.next(), theirs.next()) {
                (Some(our), Some(their)) if is_like(their, our) => continue,
                (None, None) => How::Itself,
                (None, Some(_)) if self.whole => How::Itself,
                // A folder of state may lie anywhere, its parent need not be ours.
                (Some(_), None) if ours.next().is_none() && self.kept != Kept::State => How::Folder,
                (Some(_), None) => How::Above,
                _ => return None,
            };
            return Some((how, self.kept));
        }
    }
}

fn is_like(pattern: Component<'_>, name: Component<'_>) -> bool {
    pattern == name || like(&pattern.as_os_str().to_string_lossy(), &name.as_os_str().to_string_lossy())
}

fn anchors(guarded: &Guarded<'_>, form: &dyn Fn(&Path) -> PathBuf) -> Vec<Anchor> {
    let mut anchors = Vec::new();
    let main = guarded.common_dir.filter(|dir| dir.ends_with(".git")).and_then(Path::parent);
    let projects = [guarded.root, main].into_iter().flatten().map(|top| form(top).join(".claude"));
    for dir in guarded.config_dir.map(form).into_iter().chain(projects) {
        anchors.extend(FILES.map(|(file, kept)| Anchor { path: dir.join(file), kept, whole: false }));
    }
    let mut whole = |path: PathBuf, kept| anchors.push(Anchor { path, kept, whole: true });
    guarded.state_dirs.iter().for_each(|dir| whole(form(dir), Kept::State));
    if let Some(dir) = guarded.common_dir {
        whole(form(dir).join("requirements"), Kept::Marks);
    }
    if let Some(dir) = guarded.config_dir {
        whole(form(dir).join("hooks"), Kept::Programs);
    }
    anchors
}

fn is_claude_dir(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".claude"))
}

/// What a path is by its end alone, where it is not known where it begins.
fn relation_of_end(end: &Path) -> Option<(How, Kept)> {
    let names: Vec<_> = end.iter().map(|name| name.to_string_lossy()).collect();
    let has = |pair: [&str; 2]| names.windows(2).any(|found| found == pair);
    in_claude_dir(end).or_else(|| match names.as_slice() {
        _ if names.iter().any(|name| name == "hook-state") => Some((How::Itself, Kept::State)),
        _ if has([".git", "requirements"]) => Some((How::Itself, Kept::Marks)),
        [name] if name.starts_with("requirements.") => {
            protected(name).filter(|(_, kept)| *kept == Kept::Requirements)
        }
        _ => None,
    })
}

/// `.claude/settings.json` and the like, or `.claude`, at the end of a path.
fn in_claude_dir(path: &Path) -> Option<(How, Kept)> {
    if is_claude_dir(path) {
        return Some((How::Folder, Kept::Requirements));
    }
    let name = path.file_name().filter(|_| path.parent().is_some_and(is_claude_dir))?;
    protected(&name.to_string_lossy())
}

fn protected(name: &str) -> Option<(How, Kept)> {
    FILES.iter().find(|(file, _)| like(name, file)).map(|(_, kept)| (How::Itself, *kept))
}
