//! Packing a tree: in the order of its names, at a fixed time, owned by nobody, so that the same files give the same bytes.

use std::io::{Cursor, Write as _};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::Platform;
use super::tree::{Item, Tree};

/// The beginning of 1980: the earliest a zip can tell, and tar takes it without a warning. In seconds since the epoch.
const THEN: u64 = 315_532_800;

/// The archive's bytes; everything in it lies in a folder of this name.
pub(super) fn pack(tree: &Tree, name: &str, platform: Platform<'_>) -> anyhow::Result<Vec<u8>> {
    if platform.is_windows() { zipped(tree, name) } else { tarred(tree, name) }
}

fn tarred(tree: &Tree, name: &str) -> anyhow::Result<Vec<u8>> {
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

fn zipped(tree: &Tree, name: &str) -> anyhow::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, item) in &tree.items {
        let path = format!("{name}/{path}");
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::default())
            .unix_permissions(mode(item));
        let packing = || format!("packing {path}");
        match item {
            Item::Data(bytes) | Item::Program(bytes) => {
                archive.start_file(&*path, options).with_context(packing)?;
                archive.write_all(bytes).with_context(packing)?;
            }
            Item::Link(target) => archive.add_symlink(&*path, target, options).with_context(packing)?,
        }
    }
    Ok(archive.finish().context("packing the archive")?.into_inner())
}

fn mode(item: &Item) -> u32 {
    match item {
        Item::Data(_) => 0o644,
        Item::Program(_) => 0o755,
        Item::Link(_) => 0o777,
    }
}
