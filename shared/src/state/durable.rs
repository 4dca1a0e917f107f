//! Files that outlive a loss of power and that several users of one repository may share: satisfactions.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::folder::{read_bounded, temporary_of};

/// Other users of a file, as git's `core.sharedRepository` says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SharedMode {
    /// Nobody: 0600, folders 0700.
    #[default]
    Private,
    /// The group: 0660, folders 2770.
    Group,
    /// The group, and everybody may read: 0664, folders 2775, as git itself does under `all`.
    All,
}

#[cfg(unix)]
impl SharedMode {
    const fn file(self) -> u32 {
        match self {
            Self::Private => 0o600,
            Self::Group => 0o660,
            Self::All => 0o664,
        }
    }

    const fn folder(self) -> u32 {
        match self {
            Self::Private => 0o700,
            Self::Group => 0o2770,
            Self::All => 0o2775,
        }
    }
}

/// Creates the folder if it is missing, but not the one it stands in. One that is there stays as it is.
pub fn ensure_folder(dir: &Path, mode: SharedMode) -> io::Result<()> {
    match fs::symlink_metadata(dir) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create_folder(dir, mode),
        Err(error) => Err(error),
    }
}

fn create_folder(dir: &Path, mode: SharedMode) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, SharedMode::Private.folder());
    match builder.create(dir) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return ensure_folder(dir, mode),
        created => created?,
    }
    share_folder(dir, mode)?;
    sync_folder_of(dir);
    Ok(())
}

/// Replaces `path` as a whole: written beside, synced, renamed, the folder synced. The caller holds the file's lock.
pub fn write_durable(path: &Path, bytes: &[u8], mode: SharedMode) -> io::Result<()> {
    let temporary = temporary_of(path);
    // A killed process left it. Nobody writes into it, because it could be a link.
    let _ = fs::remove_file(&temporary);
    let written = create_new(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        share_file(&file, mode)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    match replaced {
        Ok(()) => sync_folder_of(path),
        Err(_) => drop(fs::remove_file(&temporary)),
    }
    replaced
}

/// Removes `path` for good, and what a killed [`write_durable`] left beside it. The caller holds the file's lock.
pub fn remove_durable(path: &Path) -> io::Result<()> {
    let _ = fs::remove_file(temporary_of(path));
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => sync_folder_of(path),
    }
    Ok(())
}

/// Reads a file as a whole. A link is not followed, a pipe not waited for. The error of something that is no regular file is
/// `InvalidInput`, of one with more than `max` bytes `FileTooLarge`.
pub fn read_regular(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    read_bounded(path, max, unlinked_private_file).map_err(|error| told_as_link(error, path))
}

fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    unlinked_private_file(&mut options);
    options.open(path)
}

/// Systems differ in their error for a link; here a link is no regular file.
fn told_as_link(error: io::Error, path: &Path) -> io::Error {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link { io::Error::from(io::ErrorKind::InvalidInput) } else { error }
}

/// As [`super::folder::private_file`], and a link is an error.
#[cfg(unix)]
pub(super) fn unlinked_private_file(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
    options.mode(SharedMode::Private.file()).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
}

/// Links need rights of their own here.
#[cfg(not(unix))]
pub(super) fn unlinked_private_file(_options: &mut OpenOptions) {}

/// Set afterwards, because the user's umask takes bits away from what a file is created with.
#[cfg(unix)]
pub(super) fn share_file(file: &File, mode: SharedMode) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match mode {
        SharedMode::Private => Ok(()),
        shared => file.set_permissions(fs::Permissions::from_mode(shared.file())),
    }
}

#[cfg(not(unix))]
pub(super) fn share_file(_file: &File, _mode: SharedMode) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn share_folder(dir: &Path, mode: SharedMode) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match mode {
        SharedMode::Private => Ok(()),
        shared => fs::set_permissions(dir, fs::Permissions::from_mode(shared.folder())),
    }
}

#[cfg(not(unix))]
fn share_folder(_dir: &Path, _mode: SharedMode) -> io::Result<()> {
    Ok(())
}

/// Makes what happened to the name `path` durable, where folders can be synced. A failure changes nothing of it.
#[cfg(unix)]
fn sync_folder_of(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// A folder cannot be opened for syncing here.
#[cfg(not(unix))]
fn sync_folder_of(_path: &Path) {}

#[cfg(test)]
mod tests;
