//! What lies in folders: the trees of a sandbox, and the sources of test programs. A source that no `mod` line names is never
//! compiled, so its tests would pass by not existing; documents name tests that must be there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names in a folder.
#[track_caller]
pub fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect()
}

/// Everything below a folder: path, and content, target of a link, or what it is; access times and modes do not count.
pub fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for name in names(folder) {
        let path = folder.join(name);
        let kind = fs::symlink_metadata(&path).expect("it can be read").file_type();
        if kind.is_dir() {
            found.extend(tree(&path));
            found.insert(path, "a folder".to_owned());
        } else if kind.is_file() {
            let content = fs::read(&path).expect("it can be read");
            found.insert(path, String::from_utf8_lossy(&content).into_owned());
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).expect("it can be read");
            found.insert(path, format!("a link to {}", target.display()));
        } else {
            found.insert(path, format!("{kind:?}"));
        }
    }
    found
}

/// Fails when no source below `folder` (inside the `tests` crate) has the `mod` line of one of them.
#[track_caller]
pub fn assert_every_file_is_listed(folder: &str) {
    let sources = sources_in(folder);
    let all: String = sources.values().map(String::as_str).collect();
    let is_listed = |file: &&PathBuf| stem(file) == "main" || all.contains(&format!("mod {};\n", stem(file)));
    let unlisted: Vec<_> = sources.keys().filter(|file| !is_listed(file)).collect();
    assert!(unlisted.is_empty(), "add the `mod` line of {unlisted:?}");
}

/// The tests in the files of `folder` (inside the `tests` crate), as `file::function`.
pub fn tests_in(folder: &str) -> BTreeSet<String> {
    let of_file = |(file, source): (PathBuf, String)| {
        // As rustfmt lays them out.
        let after =
            source.split("#[test]\n").skip(1).filter_map(|text| text.split_once("fn ")?.1.split_once('('));
        after.map(|(name, _)| format!("{}::{name}", stem(&file))).collect::<Vec<_>>()
    };
    sources_in(folder).into_iter().flat_map(of_file).collect()
}

/// The sources in a folder of this crate and in those below it.
fn sources_in(folder: &str) -> BTreeMap<PathBuf, String> {
    let mut files = tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    files.retain(|path, _| path.extension().is_some_and(|extension| extension == "rs"));
    files
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
