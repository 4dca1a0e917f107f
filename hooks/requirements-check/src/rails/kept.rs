//! What is protected, and where it lies.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Guarded;
use crate::place::flat;

/// The files of a `.claude` folder that are protected.
const FILES: [(&str, Kept); 4] = [
    ("requirements.yaml", Kept::Requirements),
    ("requirements.local.yaml", Kept::Requirements),
    ("settings.json", Kept::Settings),
    ("settings.local.json", Kept::Settings),
];

/// What is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// A file of requirements.
    Requirements,
    /// The settings of Claude Code, in which hooks are registered.
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

/// What lies at an absolute path, written with links or without.
pub(super) fn kept(path: &Path, guarded: &Guarded<'_>) -> Option<Kept> {
    let written = flat(path);
    relation(&written, guarded, &flat)
        .or_else(|| has_telling_name(path, guarded).then(|| relation(&real(path), guarded, &real)).flatten())
}

/// What lies at the path, or directly in the folder that it is.
pub(super) fn held(path: &Path, guarded: &Guarded<'_>) -> Option<Kept> {
    let is_common_dir = guarded.common_dir.is_some_and(|dir| flat(path) == dir);
    kept(path, guarded)
        .or_else(|| is_common_dir.then_some(Kept::Marks))
        .or_else(|| kept(&path.join(FILES[0].0), guarded))
}

/// Links are resolved for paths with such a name only: most have none.
fn has_telling_name(path: &Path, guarded: &Guarded<'_>) -> bool {
    path.iter().any(|name| {
        let mut own = guarded.config_dir.iter().chain(&guarded.state_dirs);
        FILES.iter().any(|(file, _)| name.eq_ignore_ascii_case(file))
            || name == "requirements"
            || own.any(|dir| dir.file_name() == Some(name) || path.starts_with(dir))
    }) || path.to_string_lossy().contains("hook-state")
}

fn relation(path: &Path, guarded: &Guarded<'_>, form: &dyn Fn(&Path) -> PathBuf) -> Option<Kept> {
    let is_in = |folder: &Path| path.starts_with(form(folder));
    if guarded.state_dirs.iter().any(|dir| is_in(dir)) {
        return Some(Kept::State);
    }
    if guarded.common_dir.is_some_and(|dir| is_in(&dir.join("requirements"))) {
        return Some(Kept::Marks);
    }
    if guarded.config_dir.is_some_and(|dir| is_in(&dir.join("hooks"))) {
        return Some(Kept::Programs);
    }
    let name = path.file_name()?;
    let (_, kept) = FILES.iter().find(|(file, _)| name.eq_ignore_ascii_case(file))?;
    let folder = path.parent()?;
    let is_claude_dir = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".claude"));
    let main = guarded.common_dir.filter(|dir| dir.ends_with(".git")).and_then(Path::parent);
    let projects = [Some(guarded.root.unwrap_or(guarded.cwd)), main];
    let is_of_project = || is_claude_dir && projects.into_iter().flatten().any(is_in);
    (guarded.config_dir.is_some_and(|dir| folder == form(dir)) || is_of_project()).then_some(*kept)
}

/// The path with links and `..` resolved as far as it exists.
fn real(path: &Path) -> PathBuf {
    let resolved = path.ancestors().find_map(|ancestor| {
        let found = ancestor.canonicalize().ok()?;
        Some(path.strip_prefix(ancestor).map_or_else(|_| found.clone(), |rest| found.join(rest)))
    });
    flat(&resolved.unwrap_or_else(|| path.to_path_buf()))
}
