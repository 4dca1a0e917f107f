//! A check for test programs made of several files: a file that `main.rs` does not name is never compiled, so its tests
//! would pass by not existing. It reads sources only.

use std::fs;
use std::path::Path;

/// Fails when a `.rs` file of `folder` (inside the `tests` crate) is not declared as a module in its `main.rs`.
#[track_caller]
pub fn assert_every_file_is_listed(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let main = fs::read_to_string(folder.join("main.rs")).expect("main.rs of the test program");
    let forgotten: Vec<String> = modules_in(&folder)
        .into_iter()
        .filter(|module| !main.lines().any(|line| line.trim() == format!("mod {module};")))
        .collect();
    assert!(
        forgotten.is_empty(),
        "{} does not list {forgotten:?}: add `mod NAME;` for each",
        folder.join("main.rs").display()
    );
}

fn modules_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("folder of the test program");
    entries
        .map(|entry| entry.expect("entry of the test program's folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .filter(|module| module != "main")
        .collect()
}
