//! Copying what was built to where the client starts it, and linking it. A file that is not ours is never replaced, and a running one is
//! replaced by renaming, never by writing into it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use shared::catalog::{Catalog, HookEntry};
use shared::settings::remove_abandoned_of;

use crate::links::{self, Linked};
use crate::manifest::{Deployed, Manifest, hash, hash_of};
use crate::places::Installation;
use crate::say::{list, note};
use crate::source::{Binaries, Source};

/// What deploying did.
#[derive(Debug)]
pub struct Done {
    /// What the source had, by name.
    pub binaries: Binaries,
    /// Something was copied or linked.
    pub changed: bool,
}

/// Takes what the source has, copies what differs and links the commands. In the folder they are deployed in nothing is
/// copied; what was put there by hand becomes ours, and what was changed since it became ours stays nobody's.
///
/// # Errors
/// A build that failed, a file that cannot be written or is somebody else's.
pub fn everything(
    installation: &Installation,
    catalog: &Catalog,
    source: &Source<'_>,
) -> anyhow::Result<Done> {
    let binaries = source.binaries(&catalog.hooks)?;
    let mut wanted = binaries.clone();
    if source.is_deployed_to(installation) {
        let known = Manifest::read(installation)?.files;
        wanted.retain(|binary, _| !known.contains_key(binary));
    }
    let copied = copy(installation, &wanted)?;
    if !copied.is_empty() {
        note(format_args!("copied {} to {}", list(&copied), installation.show(&installation.hooks)));
    }
    let linked = link_all(installation, catalog)?;
    Ok(Done { binaries, changed: !copied.is_empty() || linked })
}

/// Copies each binary that differs from what is deployed. Returns the names of those that were copied.
pub fn copy(installation: &Installation, binaries: &Binaries) -> anyhow::Result<Vec<String>> {
    let mut copied = Vec::new();
    for (binary, built) in binaries {
        let bytes = fs::read(built).with_context(|| format!("reading {}", built.display()))?;
        let sha256 = hash(&bytes);
        // In the manifest first: killed in between, a file of ours would be taken for somebody else's.
        Manifest::change(installation, |manifest| {
            ensure_replaceable(installation, manifest, binary, &sha256)?;
            let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            let version = env!("CARGO_PKG_VERSION").to_owned();
            let sha256 = sha256.clone();
            manifest.files.insert(binary.clone(), Deployed { sha256, size, version });
            if !manifest.folders.contains(&installation.hooks) {
                manifest.folders.push(installation.hooks.clone());
            }
            Ok(())
        })?;
        let path = installation.deployed(binary);
        if hash_of(&path)?.as_ref() != Some(&sha256) || !is_executable(&path) {
            place(&path, &bytes).with_context(|| format!("writing {}", path.display()))?;
            copied.push(binary.clone());
        }
    }
    Ok(copied)
}

/// Removes a deployed file that still is what was deployed. Returns whether it is gone.
pub fn remove(installation: &Installation, binary: &str) -> anyhow::Result<bool> {
    let mut is_gone = false;
    Manifest::change(installation, |manifest| {
        let path = installation.deployed(binary);
        remove_abandoned_of(&path);
        if path.exists() && !manifest.vouches_for(installation, binary) {
            return Ok(());
        }
        manifest.files.remove(binary);
        is_gone = true;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("removing {}", path.display()))
            }
            _ => Ok(()),
        }
    })?;
    Ok(is_gone)
}

fn link_all(installation: &Installation, catalog: &Catalog) -> anyhow::Result<bool> {
    let mut made = Vec::new();
    // A folder may have had some of the hooks only.
    let is_there = |hook: &&HookEntry| installation.deployed(&hook.name).is_file();
    for hook in catalog.hooks.iter().filter(is_there) {
        for command in &hook.commands {
            match links::link(installation, hook, command)? {
                Linked::Made => made.push(command),
                Linked::Kept => {}
                Linked::Foreign(path) => {
                    let deployed = installation.deployed(&hook.name);
                    note(format_args!(
                        "{} is not ours and stays; the command is {}",
                        installation.show(&path),
                        installation.show(&deployed)
                    ));
                }
            }
        }
    }
    if !made.is_empty() {
        note(format_args!("linked {} into {}", list(&made), installation.show(&installation.bin)));
    }
    if !links::is_in_path(installation) {
        note(format_args!(
            "{} is not in your PATH: add it, or type the whole path of a command",
            installation.show(&installation.bin)
        ));
    }
    Ok(!made.is_empty())
}

fn ensure_replaceable(
    installation: &Installation,
    manifest: &Manifest,
    binary: &str,
    sha256: &str,
) -> anyhow::Result<()> {
    let path = installation.deployed(binary);
    let is_foreign =
        !manifest.files.contains_key(binary) && hash_of(&path)?.is_some_and(|there| there != sha256);
    if is_foreign {
        bail!("{} is not ours and is not replaced: move it away and try again", path.display());
    }
    Ok(())
}

/// Written beside, synced, renamed.
fn place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_private(folder)?;
    }
    remove_abandoned_of(path);
    let temporary = path.with_extension(format!("barbless-{}", std::process::id()));
    let written = create_executable(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let placed = written.and_then(|()| rename_over(&temporary, path));
    if placed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    placed
}

/// Missing folders are created for the user alone; what exists is left as it is.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

#[cfg(unix)]
fn create_executable(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(path)?;
    // Whatever the umask: the client of another group member may not start it, but its owner always can.
    file.set_permissions(fs::Permissions::from_mode(0o755))?;
    Ok(file)
}

#[cfg(not(unix))]
fn create_executable(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}

#[cfg(unix)]
fn rename_over(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// A running program cannot be replaced here, but it can be moved aside.
#[cfg(not(unix))]
fn rename_over(from: &Path, to: &Path) -> io::Result<()> {
    let aside = to.with_extension("old");
    let _ = fs::remove_file(&aside);
    if to.exists() {
        fs::rename(to, &aside)?;
    }
    let renamed = fs::rename(from, to);
    let _ = fs::remove_file(&aside);
    renamed
}

/// Whoever can see the file may start it.
#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 == 0o111)
}

/// Whoever can see the file may start it.
#[cfg(not(unix))]
pub(crate) fn is_executable(_path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests;
