//! The file of a change: where it lies, and whether it is source code, core code or private, by its path.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use shared::host::{Places, flat, real};

use crate::settings::Settings;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Location {
    /// Links resolved as far as it exists.
    pub(crate) path: PathBuf,
    /// From the project's root, with `/`.
    pub(crate) file: String,
}

impl Location {
    /// The file of this name in a folder, or in the project's root; `None`: it is none of the project's.
    pub(crate) fn find(places: &Places, folder: Option<&Path>, file: &str) -> Option<Self> {
        let root = places.root.as_deref()?;
        let path = real(&flat(&folder.unwrap_or(root).join(file)));
        let parts = path.strip_prefix(real(root)).ok()?.components();
        let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
        Some(Self { file: parts.join("/"), path: path.clone() })
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
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    let covers = |rules: &[String], path| rules.iter().any(|rule| Rule::new(rule, false).covers(path));
    if !is_source(path, &settings.extensions) || covers(&settings.exclude_paths, path) {
        return None;
    }
    let is_core = covers(&settings.core_paths, folder);
    Some(if is_core && !is_test_file(base) { Kind::Core } else { Kind::Plain })
}

pub(crate) fn is_source(path: &str, extensions: &[String]) -> bool {
    let base = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let extension = base.rsplit_once('.').map(|(_, extension)| extension);
    let is_own = |own: &str, known: &str| known.trim_start_matches('.').eq_ignore_ascii_case(own);
    extension.is_some_and(|own| extensions.iter().any(|known| is_own(own, known)))
}

/// No model may see the file, by its name or its path, or by those of a folder it lies in.
pub(crate) fn is_private(file: &str, globs: &[String]) -> bool {
    globs.iter().any(|rule| Rule::new(rule, true).covers(file))
}

/// A name, or with a `/` before its last sign a path from the root. Both may be globs; an invalid one counts as plain.
struct Rule<'a> {
    text: &'a str,
    is_path: bool,
    glob: Option<GlobMatcher>,
}

impl<'a> Rule<'a> {
    fn new(rule: &'a str, ignores_case: bool) -> Self {
        let text = rule.trim_start_matches("./").trim_matches('/');
        let glob = || {
            let mut glob = GlobBuilder::new(text);
            glob.literal_separator(true).case_insensitive(ignores_case).build().ok()
        };
        // Most rules are plain names, and a glob takes long to read.
        let is_glob = ignores_case || text.contains(['*', '?', '[', '{']);
        let glob = is_glob.then(glob).flatten().map(|glob| glob.compile_matcher());
        Self { text, is_path: rule.trim_end_matches('/').contains('/'), glob }
    }

    /// The rule is for this file, or for a folder it lies in.
    fn covers(&self, path: &str) -> bool {
        let is_meant = |part: &Path| match &self.glob {
            Some(glob) => glob.is_match(part),
            None => part == Path::new(self.text),
        };
        let mut parts = Path::new(path).ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.any(|part| {
            if self.is_path {
                is_meant(part)
            } else {
                part.file_name().is_some_and(|name| is_meant(name.as_ref()))
            }
        })
    }
}

/// A file is a test if its name or a folder begins or ends with a word for tests: `test_foo`, `FooTest`, `foo.spec.ts`; not `Contest`.
pub(crate) fn is_test_file(path: &str) -> bool {
    let path = path.trim_end_matches('.');
    let base = path.rsplit('/').next().unwrap_or(path);
    let is_ending = |char: char| char.is_alphanumeric() || "._-".contains(char);
    let is_file = base.split_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && !ending.is_empty() && ending.chars().all(is_ending)
    });
    let is_test = |part: &str| {
        let words = name_words(part);
        let mut edges = words.first().into_iter().chain(words.last());
        edges.any(|word| TEST_WORDS.contains(&word.as_str())) || part.ends_with("IT") && words.len() > 1
    };
    is_file && path.split(['/', '.']).any(is_test)
}

const TEST_WORDS: [&str; 6] = ["test", "tests", "spec", "specs", "e2e", "selftests"];

/// The words a name is made of, in small letters: `TestLogin` and `test_login` have two.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_small = false;
    for char in name.chars() {
        if char.is_uppercase() && was_small {
            spaced.push(' ');
        }
        was_small = char.is_lowercase() || char.is_ascii_digit();
        spaced.push(if char.is_alphanumeric() { char } else { ' ' });
    }
    spaced.to_lowercase().split_whitespace().map(ToOwned::to_owned).collect()
}

#[cfg(test)]
mod tests;
