//! Packing a tree: in the order of its names, at a fixed time, owned by nobody, so that the same files give the same bytes.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};

use super::tree::{Item, Tree};

/// The beginning of 1980, which every tar takes without a warning. In seconds since the epoch.
const THEN: u64 = 315_532_800;

/// The archive's bytes; everything in it lies in a folder of this name.
pub(super) fn pack(tree: &Tree, name: &str) -> anyhow::Result<Vec<u8>> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, item) in &tree.items {
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
