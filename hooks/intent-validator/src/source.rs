//! The file of a change: where it lies, and whether it is source code, core code or private, by its path.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use shared::host::{Places, flat, real};

use crate::settings::Settings;

/// The location of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Links resolved as far as it exists.
    pub(crate) path: PathBuf,
    /// From the project's root, with `/`.
    pub(crate) file: String,
}

impl Spot {
    /// The file of this name in a folder, or in the project's root; `None`: it is none of the project's.
    pub(crate) fn find(places: &Places, folder: Option<&Path>, file: &str) -> Option<Self> {
        let root = places.root.as_deref()?;
        let path = real(&flat(&folder.unwrap_or(root).join(file)));
        let parts = path.strip_prefix(real(root)).ok()?.components();
        let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
        Some(Self { file: parts.join("/"), path: path.clone() })
    }

    /// The file that a command may mean: the one that is there, from its folder before the project's root, or else both.
    pub(crate) fn meant(places: &Places, folder: Option<&Path>, file: &str) -> Vec<Self> {
        let mut spots: Vec<Self> =
            [folder, None].into_iter().filter_map(|folder| Self::find(places, folder, file)).collect();
        spots.dedup();
        match spots.iter().position(|spot| spot.path.exists()) {
            Some(index) => vec![spots.swap_remove(index)],
            None => spots,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Core,
}

/// The kind of the file at `path`, from the project's root with `/`; `None`: the hook does not look at it. An excluded folder wins
/// over a core one. A file that is a test by its name wants no other test.
pub(crate) fn kind(path: &str, settings: &Settings) -> Option<Kind> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    if !is_source(path, &settings.extensions)
        || settings.exclude_paths.iter().any(|rule| excludes(rule, folder, path))
    {
        return None;
    }
    let is_core = settings.core_paths.iter().any(|rule| holds(rule, folder));
    Some(if is_core && !is_test_file(base) { Kind::Core } else { Kind::Plain })
}

pub(crate) fn is_source(path: &str, extensions: &[String]) -> bool {
    let base = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = base.rsplit_once('.').map(|(_, extension)| extension);
    let is_own = |own: &str, known: &str| known.trim_start_matches('.').eq_ignore_ascii_case(own);
    extension.is_some_and(|own| extensions.iter().any(|known| is_own(own, known)))
}

/// `folder` is the rule's folder or lies in it: anywhere for a name, from the root for a path.
fn holds(rule: &str, folder: &str) -> bool {
    let name = rule.strip_prefix("./").unwrap_or(rule).trim_matches('/');
    if name.is_empty() {
        return false;
    }
    if is_rooted(rule) {
        return folder.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    folder.split('/').any(|part| part == name)
}

/// A rule with a `/` other than its last sign is a path from the root.
fn is_rooted(rule: &str) -> bool {
    rule.trim_end_matches('/').contains('/')
}

fn excludes(rule: &str, folder: &str, path: &str) -> bool {
    let glob = rule.trim_start_matches("./").trim_matches('/');
    if !rule.contains(['*', '?']) {
        return holds(rule, folder) || (is_rooted(rule) && glob == path);
    }
    let is_folder = glob.rsplit('/').next().is_some_and(|last| !last.contains(['*', '?']));
    GlobBuilder::new(glob).literal_separator(true).build().is_ok_and(|glob| {
        let glob = glob.compile_matcher();
        glob.is_match(path) || is_folder && Path::new(folder).ancestors().any(|folder| glob.is_match(folder))
    })
}

/// No model may see the file, by its name or its path, or by those of a folder it lies in.
pub(crate) fn is_private(file: &str, globs: &[String]) -> bool {
    let folders = if Path::new(file).is_absolute() { "" } else { file };
    globs.iter().any(|glob| {
        let matcher = GlobBuilder::new(glob).literal_separator(true).case_insensitive(true).build();
        // An invalid glob counts as a plain name.
        let Ok(matcher) = matcher else { return file.rsplit('/').next() == Some(glob) };
        let matcher = matcher.compile_matcher();
        let is_of = |path: &Path| {
            matcher.is_match(path) || path.file_name().is_some_and(|name| matcher.is_match(name))
        };
        is_of(Path::new(file)) || Path::new(folders).ancestors().any(is_of)
    })
}

/// A file is a test by its name or its folder.
pub(crate) fn is_test_file(path: &str) -> bool {
    let path = path.trim_end_matches('.');
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, ending)) = base.split_once('.') else { return false };
    let is_ending = |char: char| char.is_alphanumeric() || "._-".contains(char);
    if stem.is_empty() || ending.is_empty() || !ending.chars().all(is_ending) {
        return false;
    }
    let is_test_folder = |part: &str| {
        let part = part.to_lowercase();
        part.rsplit('.').next() == Some("tests")
            || ["test", "spec", "specs", "__tests__", "e2e", "selftests"].contains(&part.as_str())
    };
    let is_test_ending = ["test.", "spec.", "tests.", "e2e."].iter().any(|kind| ending.starts_with(kind));
    is_test_ending || is_test_name(stem) || folder.split('/').any(is_test_folder)
}

/// `test_foo`, `foo-spec`, `FooTest`; not `Contest`.
fn is_test_name(stem: &str) -> bool {
    let small = stem.to_lowercase();
    let ends_in_hump = ["Test", "Tests", "Spec", "IT"].iter().any(|end| {
        let before = stem.strip_suffix(end).and_then(|before| before.chars().next_back());
        before.is_some_and(|char| char.is_lowercase() || char.is_ascii_digit())
    });
    ends_in_hump
        || ["test", "tests", "spec"].contains(&small.as_str())
        || ["test_", "test-", "tests_"].iter().any(|start| small.starts_with(start))
        || ["_test", "-test", "_spec", "-spec", "_tests"].iter().any(|end| small.ends_with(end))
}

#[cfg(test)]
mod tests;
