//! Checks for test programs made of several files: a file that no `mod` line names is never compiled, so its tests would
//! pass by not existing; and a list of the tests there are, for documents that name them. It reads sources only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Fails when a `.rs` file below `folder` (inside the `tests` crate) is not declared as a module: in `main.rs`, or one
/// folder deeper in the file that has the folder's name.
#[track_caller]
pub fn assert_every_file_is_listed(folder: &str) {
    let folder = in_this_crate(folder);
    assert_modules_are_declared(&folder, &folder.join("main.rs"));
}

#[track_caller]
fn assert_modules_are_declared(folder: &Path, parent: &Path) {
    let declarations = fs::read_to_string(parent).expect("the parent of the modules");
    for file in sources_in(folder) {
        let (module, below) = (stem(&file), file.with_extension(""));
        let declared = declarations
            .lines()
            .map(str::trim)
            .any(|line| line.strip_prefix("pub(crate) ").unwrap_or(line) == format!("mod {module};"));
        assert!(declared || module == "main", "{} does not list `mod {module};`: add it", parent.display());
        if below.is_dir() {
            assert_modules_are_declared(&below, &file);
        }
    }
}

/// The tests in the files of `folder` (inside the `tests` crate), as `file::function`.
pub fn tests_in(folder: &str) -> BTreeSet<String> {
    let of_file = |file: PathBuf| {
        let source = fs::read_to_string(&file).expect("a file of tests");
        functions_under_test(&source).into_iter().map(move |name| format!("{}::{name}", stem(&file)))
    };
    sources_in(&in_this_crate(folder)).into_iter().flat_map(of_file).collect()
}

/// The names of the functions that `#[test]` stands above, as rustfmt lays them out.
fn functions_under_test(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut marked = false;
    for line in source.lines().map(str::trim) {
        marked |= line == "#[test]";
        let Some(rest) = line.strip_prefix("fn ").filter(|_| marked) else { continue };
        names.push(rest.split('(').next().unwrap_or_default().to_owned());
        marked = false;
    }
    names
}

fn in_this_crate(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn sources_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("folder of the test program");
    entries
        .map(|entry| entry.expect("entry of the test program's folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

fn stem(file: &Path) -> String {
    file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned()
}
