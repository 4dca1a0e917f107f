//! Replacing a file as a whole or not at all: written beside, synced, renamed. What a killed process leaves behind is found
//! again by its name. The caller holds the file's lock.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Part of a temporary file's name between the name of its file and the number of its process.
const TEMPORARY: &str = ".barbless-";

/// The path with something after its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Creates the folder of `path` with each missing one above it, private ones for the user alone; what exists is left as it is.
pub(super) fn create_folder(path: &Path, is_private: bool) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, if is_private { 0o700 } else { 0o777 });
    builder.recursive(true).create(folder)
}

/// Mode and owner stay what they were; a new private file is its user's alone.
pub(super) fn replace(path: &Path, bytes: &[u8], is_private: bool) -> io::Result<()> {
    let temporary = beside(path, &format!("{TEMPORARY}{}", std::process::id()));
    let written = create(&temporary, is_private).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Ok(metadata) = fs::metadata(path) {
            keep_owner(&file, &metadata);
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

/// Never what is there already, as it could be a link.
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_private { 0o600 } else { 0o666 });
    options.open(path)
}

/// As far as the system lets us: the group of a shared project, and the user for whom an administrator works.
#[cfg(unix)]
fn keep_owner(file: &File, before: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, None, Some(before.gid()));
    let _ = fchown(file, Some(before.uid()), None);
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _before: &fs::Metadata) {}

/// Makes a rename in the folder of `path` durable, where folders can be synced; the rename itself is done by then.
#[cfg(unix)]
pub(super) fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// A folder cannot be opened for syncing here.
#[cfg(not(unix))]
pub(super) fn sync_folder(_path: &Path) {}

/// Removes the temporary files of `name` and of its backups in this folder. They are written under the file's lock, so
/// for whoever holds it now they are those of processes that were killed.
pub(super) fn remove_abandoned(folder: &Path, name: &OsStr) {
    remove_temporaries(folder, name, |_| true);
}

/// Removes what processes left that were killed while they replaced `path`, where no lock tells which ones are at it:
/// those that run are left alone.
pub fn remove_abandoned_of(path: &Path) {
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name()) {
        remove_temporaries(folder, name, |process| !is_running(process));
    }
}

fn remove_temporaries(folder: &Path, name: &OsStr, is_abandoned: impl Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let entry_name = entry.file_name();
        let entry_name = entry_name.to_string_lossy();
        if process_of(&entry_name, &name.to_string_lossy()).is_some_and(&is_abandoned) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The number of the process that made this temporary file of `name`; `None` if it is none.
fn process_of<'a>(entry: &'a str, name: &str) -> Option<&'a str> {
    let (file, process) = entry.rsplit_once(TEMPORARY)?;
    let of = file.strip_prefix(name)?;
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (of.is_empty() || of.starts_with(super::backups::INFIX))).then_some(process)
}

#[cfg(unix)]
fn is_running(process: &str) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let process = process.parse().ok().and_then(Pid::from_raw);
    process.is_some_and(|process| test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

/// That cannot be asked here: every process counts as running.
#[cfg(not(unix))]
fn is_running(_process: &str) -> bool {
    true
}
