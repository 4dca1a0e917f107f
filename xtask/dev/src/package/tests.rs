//! Trees and archives of programs that are made up.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use installer::catalog::Catalog;
use installer::source::Binaries;

use super::Platform;
use super::tree::{Item, Tree};

const LINUX: Platform<'_> = Platform { triple: "x86_64-unknown-linux-gnu" };
const WINDOWS: Platform<'_> = Platform { triple: "x86_64-pc-windows-msvc" };

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

fn tree(platform: Platform<'_>) -> Tree {
    tree_without(None, platform).unwrap()
}

/// Put together of all programs but one.
fn tree_without(missing: Option<&str>, platform: Platform<'_>) -> anyhow::Result<Tree> {
    let scratch = tempfile::tempdir().unwrap();
    let catalog = Catalog::built_in().unwrap();
    let mut binaries = programs(scratch.path(), catalog);
    binaries.retain(|name, _| Some(name.as_str()) != missing);
    Tree::of(xtask::Workspace::here().unwrap().root(), catalog, &binaries, platform)
}

fn text<'a>(tree: &'a Tree, path: &str) -> &'a str {
    match &tree.items[path] {
        Item::Data(bytes) | Item::Program(bytes) => std::str::from_utf8(bytes).unwrap(),
        Item::Link(target) => target,
    }
}

#[test]
fn it_is_a_plugin_with_a_program_for_each_hook_it_starts() {
    for (platform, ending) in [(LINUX, ""), (WINDOWS, ".exe")] {
        let tree = tree(platform);
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
            assert!(matches!(tree.items[path], Item::Data(_)), "{path}");
        }
        for command in text(&tree, "hooks/hooks.json").split("\"${CLAUDE_PLUGIN_ROOT}/").skip(1) {
            let program = command.split('"').next().unwrap();
            assert!(
                program.ends_with(ending) && matches!(tree.items[program], Item::Program(_)),
                "{program}"
            );
        }
        // A link on Windows needs rights.
        let copy = Item::Program(b"credit-pacer".to_vec());
        let pacer = if platform.is_windows() { copy } else { Item::Link("credit-pacer".to_owned()) };
        assert_eq!(tree.items[&format!("bin/pace-maker{ending}")], pacer);
        for command in Catalog::built_in().unwrap().hooks.iter().flat_map(|hook| &hook.commands) {
            assert!(tree.items.contains_key(&format!("bin/{command}{ending}")), "{command}");
        }
    }
}

#[test]
fn without_a_program_that_is_none_of_the_second_names_there_is_no_package() {
    for platform in [LINUX, WINDOWS] {
        for missing in ["req", "stop-momentum", "courier"] {
            let refused = tree_without(Some(missing), platform).map(drop).map_err(|error| error.to_string());
            assert_eq!(refused, Err(format!("there is no program {missing}")), "{}", platform.triple);
        }
    }
}

#[test]
fn the_same_files_give_the_same_archive_and_all_of_them_are_in_it() {
    let linux = tree(LINUX);
    let packed = linux.pack("b-1").unwrap();
    assert_eq!(packed, tree(LINUX).pack("b-1").unwrap());
    let mut unpacked = tar::Archive::new(GzDecoder::new(packed.as_slice()));
    let mut found = BTreeMap::new();
    for entry in unpacked.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let (mode, time) = (entry.header().mode().unwrap(), entry.header().mtime().unwrap());
        assert_eq!(time, 315_532_800, "{path}");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let item = match (entry.link_name().unwrap(), mode) {
            (Some(target), _) => Item::Link(target.to_str().unwrap().to_owned()),
            (None, 0o755) => Item::Program(bytes),
            (None, _) => Item::Data(bytes),
        };
        found.insert(path.strip_prefix("b-1/").unwrap().to_owned(), item);
    }
    assert_eq!(found, linux.items);
}
