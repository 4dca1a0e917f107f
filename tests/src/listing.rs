//! Checks for test programs made of several files: a file that no `mod` line names is never compiled, so its tests would
//! pass by not existing; and a list of the tests there are, for documents that name them. It reads sources only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Fails when no source below `folder` (inside the `tests` crate) has the `mod` line of one of them.
#[track_caller]
pub fn assert_every_file_is_listed(folder: &str) {
    let files = sources_in(&in_this_crate(folder));
    let all: String = files.iter().map(|file| fs::read_to_string(file).expect("a file of tests")).collect();
    let is_listed = |file: &&PathBuf| stem(file) == "main" || all.contains(&format!("mod {};\n", stem(file)));
    let unlisted: Vec<_> = files.iter().filter(|file| !is_listed(file)).collect();
    assert!(unlisted.is_empty(), "add the `mod` line of {unlisted:?}");
}

/// The tests in the files of `folder` (inside the `tests` crate), as `file::function`.
pub fn tests_in(folder: &str) -> BTreeSet<String> {
    let of_file = |file: PathBuf| {
        let source = fs::read_to_string(&file).expect("a file of tests");
        // As rustfmt lays them out.
        let after =
            source.split("#[test]\n").skip(1).filter_map(|text| text.split_once("fn ")?.1.split_once('('));
        after.map(|(name, _)| format!("{}::{name}", stem(&file))).collect::<Vec<_>>()
    };
    sources_in(&in_this_crate(folder)).into_iter().flat_map(of_file).collect()
}

fn in_this_crate(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The sources in a folder and in those below it.
fn sources_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("folder of the test program");
    let paths = entries.map(|entry| entry.expect("entry of the test program's folder").path());
    let below = |path: PathBuf| if path.is_dir() { sources_in(&path) } else { vec![path] };
    let files = paths.flat_map(below);
    files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
