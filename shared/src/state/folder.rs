//! Files only their user can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Replaces `path` as a whole: written to `<path>.tmp`, which then takes its place. The caller holds the file's lock.
///
/// On systems that can exchange two names in one step, the old content stays behind as `<path>.tmp`. The next call writes into
/// it: renaming over an existing file makes ext4 allocate at once and costs four times as much.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_of(path);
    let written = scratch_file(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.set_len(bytes.len() as u64)
    });
    let replaced = written.and_then(|()| replace(&temporary, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

/// Removes `path` and what [`write_private`] left beside it.
pub(super) fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_file(temporary_of(path));
}

pub(super) fn temporary_of(path: &Path) -> PathBuf {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    temporary.into()
}

/// Not emptied first: emptying a file that has content is what makes ext4 slow here.
fn scratch_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    private_file(&mut options);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::from(io::ErrorKind::InvalidInput)) }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn replace(temporary: &Path, path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, temporary, CWD, path, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // There is no old file, or this file system cannot exchange.
        Err(_) => fs::rename(temporary, path),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn replace(temporary: &Path, path: &Path) -> io::Result<()> {
    fs::rename(temporary, path)
}

/// A longer state file is none of ours, in bytes: a hook has little memory and less time.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// An envelope's version stands in so many bytes.
const HEAD_BYTES: u64 = 32;

/// Reads the beginning of a file of ours.
pub(super) fn read_head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    open_regular(path, private_file)?.0.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// Reads a file of ours as a whole.
pub(crate) fn read_private(path: &Path) -> io::Result<Vec<u8>> {
    read_bounded(path, MAX_BYTES, private_file)
}

/// Reads a regular file as a whole.
pub(super) fn read_bounded(path: &Path, max: u64, set: fn(&mut OpenOptions)) -> io::Result<Vec<u8>> {
    let (file, length) = open_regular(path, set)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(max)).unwrap_or_default() + 1);
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= max);
    if fits { Ok(bytes) } else { Err(io::Error::from(io::ErrorKind::FileTooLarge)) }
}

fn open_regular(path: &Path, set: fn(&mut OpenOptions)) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.read(true);
    set(&mut options);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata.len()))
    } else {
        Err(io::Error::from(io::ErrorKind::InvalidInput))
    }
}

/// New files are 0600; something that is no file (a pipe) is an error or empty, never waited for.
#[cfg(unix)]
pub(crate) fn private_file(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    let no_waiting = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    options.mode(0o600).custom_flags(no_waiting);
}

/// New files inherit the profile folder's access list.
#[cfg(not(unix))]
pub(crate) fn private_file(_options: &mut OpenOptions) {}
