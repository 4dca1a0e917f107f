//! Copying what was built to where the client starts it. A file that is not ours is never replaced, and a running one is
//! replaced by renaming, never by writing into it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::installer::artifacts::Binaries;
use crate::installer::manifest::{Deployed, Manifest, hash, hash_of};
use crate::installer::places::Installation;

/// Copies each binary that differs from what is deployed. Returns the names of those that were copied.
pub(crate) fn copy(installation: &Installation, binaries: &Binaries) -> anyhow::Result<Vec<String>> {
    let mut manifest = Manifest::read(installation)?;
    let mut copied = Vec::new();
    for (binary, built) in binaries {
        let bytes = fs::read(built).with_context(|| format!("reading {}", built.display()))?;
        let deployed = Deployed {
            sha256: hash(&bytes),
            size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        if copy_one(installation, &manifest, binary, &bytes, &deployed.sha256)? {
            copied.push(binary.clone());
        }
        // Kept up to date file by file: an interrupted copy leaves no file that nobody owns.
        if manifest.files.insert(binary.clone(), deployed.clone()) != Some(deployed) {
            manifest.write(installation)?;
        }
    }
    Ok(copied)
}

/// Removes a deployed file that still is what was deployed. Returns whether it is gone.
pub(crate) fn remove(
    installation: &Installation,
    manifest: &mut Manifest,
    binary: &str,
) -> anyhow::Result<bool> {
    let path = installation.deployed(binary);
    if path.exists() && !manifest.vouches_for(installation, binary) {
        return Ok(false);
    }
    manifest.files.remove(binary);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(true),
    }
}

fn copy_one(
    installation: &Installation,
    manifest: &Manifest,
    binary: &str,
    bytes: &[u8],
    sha256: &str,
) -> anyhow::Result<bool> {
    let path = installation.deployed(binary);
    match hash_of(&path)? {
        Some(there) if there == sha256 && is_executable(&path) => return Ok(false),
        Some(there) if there != sha256 && !manifest.files.contains_key(binary) => {
            bail!("{} is not ours and is not replaced: move it away and try again", path.display())
        }
        _ => {}
    }
    place(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    Ok(true)
}

/// Written beside, synced, renamed.
fn place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_private(folder)?;
    }
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

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 == 0o111)
}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests;
