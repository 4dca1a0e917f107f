//! Folders and archives of programs that are made up.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use installer::catalog::Catalog;
use installer::source::Binaries;

use super::tree;

const LINUX: &str = "x86_64-unknown-linux-gnu";
const WINDOWS: &str = "x86_64-pc-windows-msvc";

/// A file per program, which says its name.
fn programs(folder: &Path, catalog: &Catalog) -> Binaries {
    let hooks = catalog.hooks.iter().map(|hook| hook.name.as_str());
    let names = hooks.chain(catalog.helpers()).chain(["req"]);
    let file = |name: &str| {
        let file = folder.join(name);
        fs::write(&file, name).unwrap();
        (name.to_owned(), file)
    };
    names.map(file).collect()
}

/// Puts the folder `b-1` together of all programs but one.
fn written(scratch: &Path, missing: Option<&str>, triple: &str) -> anyhow::Result<PathBuf> {
    let (catalog, folder) = (Catalog::built_in().unwrap(), scratch.join("b-1"));
    let mut binaries = programs(scratch, catalog);
    binaries.retain(|name, _| Some(name.as_str()) != missing);
    tree::write(&folder, xtask::Workspace::here().unwrap().root(), catalog, &binaries, triple)?;
    Ok(folder)
}

#[test]
fn it_is_a_plugin_with_a_program_for_each_hook_it_starts() {
    for (triple, ending) in [(LINUX, ""), (WINDOWS, ".exe")] {
        let scratch = tempfile::tempdir().unwrap();
        let folder = written(scratch.path(), None, triple).unwrap();
        for path in [
            ".claude-plugin/plugin.json",
            ".claude-plugin/marketplace.json",
            "LICENSE",
            "README.md",
            "agents/adr-guardian.md",
            "agents/code-reviewer.md",
            "commands/pace.md",
            "commands/pause.md",
            "commands/req.md",
            "skills/answering-hooks/SKILL.md",
            "skills/setting-requirements/SKILL.md",
        ] {
            assert!(folder.join(path).is_file(), "{path}");
        }
        let hooks = fs::read_to_string(folder.join("hooks/hooks.json")).unwrap();
        for command in hooks.split("\"${CLAUDE_PLUGIN_ROOT}/").skip(1) {
            let program = command.split('"').next().unwrap();
            assert!(program.ends_with(ending) && folder.join(program).is_file(), "{program}");
        }
        // A link on Windows needs rights.
        let pacer = folder.join(format!("bin/pace-maker{ending}"));
        assert_eq!(fs::read_to_string(&pacer).unwrap(), "credit-pacer");
        assert_eq!(pacer.is_symlink(), triple == LINUX);
        for command in Catalog::built_in().unwrap().hooks.iter().flat_map(|hook| &hook.commands) {
            assert!(folder.join(format!("bin/{command}{ending}")).is_file(), "{command}");
        }
    }
}

#[test]
fn without_a_program_that_is_none_of_the_second_names_there_is_no_package() {
    let scratch = tempfile::tempdir().unwrap();
    for missing in ["req", "stop-momentum", "courier"] {
        let refused = written(scratch.path(), Some(missing), LINUX).unwrap_err().to_string();
        assert_eq!(refused, format!("there is no program {missing}"));
    }
}

#[test]
fn the_same_files_give_the_same_archive_and_programs_can_be_started() {
    let scratch = tempfile::tempdir().unwrap();
    let packed = tree::pack(&written(scratch.path(), None, LINUX).unwrap()).unwrap();
    assert_eq!(packed, tree::pack(&written(scratch.path(), None, LINUX).unwrap()).unwrap());
    let mut unpacked = tar::Archive::new(GzDecoder::new(packed.as_slice()));
    let mut times = BTreeSet::new();
    for entry in unpacked.entries().unwrap() {
        let entry = entry.unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        times.insert(entry.header().mtime().unwrap());
        if entry.link_name().unwrap().is_none() {
            let mode = if path.starts_with("b-1/bin/") { 0o755 } else { 0o644 };
            assert_eq!(entry.header().mode().unwrap() & 0o777, mode, "{path}");
        }
    }
    assert_eq!(times.len(), 1);
}
