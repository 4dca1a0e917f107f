//! The crate's one way to replace a file: written beside, synced, renamed. The caller holds the file's lock.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const TEMPORARY: &str = ".barbless-new";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Private,
    Usual,
    /// A program: everybody may start it.
    Program,
}

/// A file beside its target. It goes again unless it takes the target's place.
#[derive(Debug)]
pub struct Beside {
    temporary: PathBuf,
    target: PathBuf,
}

impl Beside {
    pub fn program(target: &Path, bytes: &[u8]) -> io::Result<Self> {
        create_folder(target, Mode::Private)?;
        remove_abandoned(target);
        Self::write(target, target, bytes, Mode::Program)
    }

    /// Writes the temporary file of `owner`, whose lock the caller holds and which has none yet. An existing target keeps its mode.
    pub(super) fn write(owner: &Path, target: &Path, bytes: &[u8], mode: Mode) -> io::Result<Self> {
        let temporary = appended(owner, TEMPORARY);
        let mut file = create(&temporary, mode)?;
        let beside = Self { temporary, target: target.to_owned() };
        file.write_all(bytes)?;
        if let (true, Ok(before)) = (mode != Mode::Program, fs::metadata(target)) {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        Ok(beside)
    }

    /// The file as long as it lies beside its target.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    pub fn put_in_place(&self) -> io::Result<()> {
        rename_over(&self.temporary, &self.target)?;
        sync_folder(&self.target);
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

pub(super) fn appended(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Creates the missing folders above `path`. Existing ones stay as they are.
pub(super) fn create_folder(path: &Path, mode: Mode) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, if mode == Mode::Usual { 0o777 } else { 0o700 });
    builder.recursive(true).create(folder)
}

/// Never opens an existing file, which could be a link.
fn create(path: &Path, mode: Mode) -> io::Result<File> {
    let bits = match mode {
        Mode::Private => 0o600,
        Mode::Usual => 0o666,
        Mode::Program => 0o777,
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, bits);
    #[cfg(not(unix))]
    let _ = bits;
    options.open(path)
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

/// Makes a change in the folder of `path` durable, where folders can be synced.
pub(super) fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().filter(|_| cfg!(unix)).and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// Removes the temporary file of `path`, which a killed process left. The caller holds the lock under which it is written.
pub fn remove_abandoned(path: &Path) {
    let _ = fs::remove_file(appended(path, TEMPORARY));
}
