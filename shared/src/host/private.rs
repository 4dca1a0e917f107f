//! Folders only their user can read.

use std::fs;
use std::io;
use std::path::Path;

/// Creates `dir` with all parents, each new one for the user alone, and takes others' access away if there is any.
pub fn ensure_private(dir: &Path) -> io::Result<()> {
    match fs::metadata(dir) {
        Ok(metadata) if metadata.is_dir() => tighten(dir, &metadata),
        Ok(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(dir),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn create(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

#[cfg(not(unix))]
fn create(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)
}

#[cfg(unix)]
fn tighten(dir: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    const OTHERS: u32 = 0o077;
    if metadata.mode() & OTHERS == 0 {
        return Ok(());
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn tighten(_dir: &Path, _metadata: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
