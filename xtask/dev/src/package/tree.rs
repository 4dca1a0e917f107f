//! The folder of one platform: the plugin of the source tree, its programs, and the files of an archive. It is packed in the
//! order of its names, at a fixed time, owned by nobody, so that the same files give the same bytes.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use installer::catalog::Catalog;
use installer::source::Binaries;
use serde_json::to_string_pretty;
use tar::{Builder, HeaderMode};

use super::{VERSION, ending};
use crate::files;
use crate::schema::plugin::hooks;

const BIN: &str = "bin";

const README: &str = include_str!("README.archive.md");

pub(super) fn write(
    to: &Path,
    root: &Path,
    catalog: &Catalog,
    binaries: &Binaries,
    triple: &str,
) -> anyhow::Result<()> {
    // Else it would become a second name of a hook's program, which does something else.
    let names = catalog.hooks.iter().map(|hook| hook.name.as_str());
    for program in names.chain(catalog.helpers()).chain(["req"]) {
        ensure!(binaries.contains_key(program), "there is no program {program}");
    }
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    let plugin = root.join("plugin");
    // Programs that somebody has put there are none of the archive's.
    for file in files::below(&plugin)?.into_iter().filter(|file| !file.starts_with(plugin.join(BIN))) {
        let place = to.join(file.strip_prefix(&plugin)?);
        fs::create_dir_all(place.parent().unwrap_or(to))?;
        fs::write(place, fs::read(file)?)?;
    }
    fs::write(to.join("hooks/hooks.json"), to_string_pretty(&hooks(catalog, ending(triple)))? + "\n")?;
    fs::write(to.join("LICENSE"), fs::read(root.join("LICENSE"))?)?;
    let req = if ending(triple) == ".exe" { r"bin\req.exe" } else { "./req" };
    let readme = README.replace("{version}", VERSION).replace("{target}", triple);
    fs::write(to.join("README.md"), readme.replace("{req}", req))?;
    programs(to, catalog, binaries, triple)
}

/// Each program, and the second names of hooks. On Windows a second name is a copy: a link there needs rights.
fn programs(to: &Path, catalog: &Catalog, binaries: &Binaries, triple: &str) -> anyhow::Result<()> {
    let is_windows = !ending(triple).is_empty();
    let at = |name: &str| to.join(BIN).join(format!("{name}{}", ending(triple)));
    fs::create_dir(to.join(BIN))?;
    for (name, from) in binaries {
        fs::copy(from, at(name)).with_context(|| format!("copying {}", from.display()))?;
        #[cfg(unix)]
        fs::set_permissions(at(name), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
    for hook in &catalog.hooks {
        for second in hook.commands.iter().filter(|command| !binaries.contains_key(*command)) {
            if is_windows {
                fs::copy(at(&hook.name), at(second))?;
            } else {
                link(&hook.name, &at(second))?;
            }
        }
    }
    if is_windows { Ok(()) } else { link("bin/req", &to.join("req")) }
}

#[cfg(unix)]
fn link(target: &str, at: &Path) -> anyhow::Result<()> {
    Ok(std::os::unix::fs::symlink(target, at)?)
}

#[cfg(not(unix))]
fn link(_target: &str, at: &Path) -> anyhow::Result<()> {
    anyhow::bail!("{} is a link, which only Unix makes: package for it there", at.display())
}

/// The archive's bytes; everything in it lies in a folder of the same name.
pub(super) fn pack(folder: &Path) -> anyhow::Result<Vec<u8>> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    archive.mode(HeaderMode::Deterministic);
    archive.follow_symlinks(false);
    let above = folder.parent().context("the folder lies in a folder")?;
    for file in files::below(folder)? {
        let packed = archive.append_path_with_name(&file, file.strip_prefix(above)?);
        packed.with_context(|| format!("packing {}", file.display()))?;
    }
    archive.into_inner().and_then(GzEncoder::finish).context("packing the archive")
}
