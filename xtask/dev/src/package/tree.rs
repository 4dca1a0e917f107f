//! The folder of one platform, in memory: the plugin of the source tree, its programs, and the files of an archive. It is
//! packed in the order of its names, at a fixed time, owned by nobody, so that the same files give the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use installer::catalog::Catalog;
use installer::source::Binaries;
use serde_json::to_string_pretty;
use tar::{Archive, Builder, EntryType, Header};

use super::{Platform, VERSION};
use crate::schema::plugin::hooks;

/// Folder of the programs.
const BIN: &str = "bin";

/// The beginning of 1980, which every tar takes without a warning. In seconds since the epoch.
const THEN: u64 = 315_532_800;

const README: &str = include_str!("README.archive.md");

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// Text and data.
    Data(Vec<u8>),
    /// An executable.
    Program(Vec<u8>),
    /// Another name of a file, which it names from its own folder.
    Link(String),
}

/// The files by their paths, with `/` on every platform.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) items: BTreeMap<String, Item>,
}

impl Tree {
    /// The whole of it.
    pub(super) fn of(
        root: &Path,
        catalog: &Catalog,
        binaries: &Binaries,
        platform: Platform<'_>,
    ) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        let plugin = root.join("plugin");
        tree.take(&plugin, &plugin)?;
        tree.add("hooks/hooks.json", format!("{}\n", to_string_pretty(&hooks(catalog, platform.ending()))?));
        let license = fs::read_to_string(root.join("LICENSE")).context("reading LICENSE")?;
        tree.add("LICENSE", license);
        tree.programs(catalog, binaries, platform)?;
        let req = if platform.is_windows() { r"bin\req.exe" } else { "./req" };
        let readme = README.replace("{version}", VERSION).replace("{target}", platform.triple);
        tree.add("README.md", readme.replace("{req}", req));
        Ok(tree)
    }

    fn add(&mut self, path: &str, text: String) {
        self.items.insert(path.to_owned(), Item::Data(text.into_bytes()));
    }

    /// The files of a folder, at every depth; programs that somebody has put there are none of it.
    fn take(&mut self, folder: &Path, top: &Path) -> anyhow::Result<()> {
        let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("reading {}", folder.display()))?.path();
            if path == top.join(BIN) {
                continue;
            }
            if path.is_dir() {
                self.take(&path, top)?;
                continue;
            }
            let bytes = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            self.items.insert(name_in(&path, top)?, Item::Data(bytes));
        }
        Ok(())
    }

    /// Each program, and the second names of hooks. On Windows a second name is a copy: a link there needs rights.
    fn programs(
        &mut self,
        catalog: &Catalog,
        binaries: &Binaries,
        platform: Platform<'_>,
    ) -> anyhow::Result<()> {
        let ending = platform.ending();
        let at = |name: &str| format!("{BIN}/{name}{ending}");
        // Else it would become a second name of a hook's program, which does something else.
        for program in catalog.helpers().into_iter().chain(["req"]) {
            ensure!(binaries.contains_key(program), "there is no program {program}");
        }
        for (name, path) in binaries {
            let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
            self.items.insert(at(name), Item::Program(bytes));
        }
        for hook in &catalog.hooks {
            let own = self.items.get(&at(&hook.name)).cloned();
            let own = own.with_context(|| format!("there is no program {}", hook.name))?;
            for second in hook.commands.iter().filter(|command| !binaries.contains_key(*command)) {
                let item = if platform.is_windows() { own.clone() } else { Item::Link(hook.name.clone()) };
                self.items.insert(at(second), item);
            }
        }
        if !platform.is_windows() {
            self.items.insert("req".to_owned(), Item::Link("bin/req".to_owned()));
        }
        Ok(())
    }

    /// The archive's bytes; everything in it lies in a folder of this name.
    pub(super) fn pack(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
        for (path, item) in &self.items {
            let path = format!("{name}/{path}");
            let mut header = Header::new_gnu();
            header.set_mtime(THEN);
            header.set_mode(mode(item));
            let packed = match item {
                Item::Data(bytes) | Item::Program(bytes) => {
                    header.set_size(bytes.len() as u64);
                    archive.append_data(&mut header, &path, bytes.as_slice())
                }
                Item::Link(target) => {
                    header.set_entry_type(EntryType::Symlink);
                    header.set_size(0);
                    archive.append_link(&mut header, &path, target)
                }
            };
            packed.with_context(|| format!("packing {path}"))?;
        }
        archive.into_inner().and_then(GzEncoder::finish).context("packing the archive")
    }
}

/// Writes the folder of that name, in place of what was there.
pub(super) fn unpack(bytes: &[u8], into: &Path, name: &str) -> anyhow::Result<()> {
    let folder = into.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
    }
    let unpacked = Archive::new(GzDecoder::new(bytes)).unpack(into);
    unpacked.with_context(|| format!("writing {}", folder.display()))
}

fn mode(item: &Item) -> u32 {
    match item {
        Item::Data(_) => 0o644,
        Item::Program(_) => 0o755,
        Item::Link(_) => 0o777,
    }
}

fn name_in(path: &Path, top: &Path) -> anyhow::Result<String> {
    let parts = path.strip_prefix(top).into_iter().flat_map(Path::components);
    let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
    Ok(parts.with_context(|| format!("{} is not readable text", path.display()))?.join("/"))
}
