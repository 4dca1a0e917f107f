//! Folders only their user can read.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates `dir` with all parents, each new one for the user alone, and takes others' access away if there is any.
pub fn ensure_private(dir: &Path) -> io::Result<()> {
    match fs::metadata(dir) {
        Ok(metadata) if metadata.is_dir() => tighten(dir, &metadata),
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(dir)
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn tighten(dir: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    const OTHERS: u32 = 0o077;
    if metadata.mode() & OTHERS == 0 {
        return Ok(());
    }
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn tighten(_dir: &Path, _metadata: &fs::Metadata) -> io::Result<()> {
    Ok(())
}
