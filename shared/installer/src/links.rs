//! The commands in `~/.local/bin`: links to the deployed binaries (copies on Windows). What is not ours stays.

#[cfg(unix)]
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use shared::catalog::HookEntry;

use crate::manifest::{Manifest, is_same_file};
use crate::places::{Installation, executable};

/// What became of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Linked {
    /// It was made or put right.
    Made,
    /// It was right.
    Kept,
    /// Somebody else's file stands there.
    Foreign(PathBuf),
}

pub(crate) fn link(installation: &Installation, hook: &HookEntry, command: &str) -> anyhow::Result<Linked> {
    let target = target(installation, &Manifest::read(installation)?, hook, command);
    let path = installation.bin.join(executable(command));
    place(&path, &target, &installation.hooks).with_context(|| format!("linking {}", path.display()))
}

/// The command leads to our folder.
pub(crate) fn leads_to_us(installation: &Installation, command: &str) -> bool {
    leads_into(&installation.bin.join(executable(command)), &installation.hooks)
}

/// Removes the command if it leads to our folder. Returns whether it did.
pub(crate) fn unlink(installation: &Installation, command: &str) -> anyhow::Result<bool> {
    if !leads_to_us(installation, command) {
        return Ok(false);
    }
    let path = installation.bin.join(executable(command));
    fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
    Ok(true)
}

/// The line as it can be typed: as it is if its first word is found in the path and is ours, else with the whole path.
pub(crate) fn typed(installation: &Installation, hook: &HookEntry, line: &str) -> anyhow::Result<String> {
    let (command, rest) = line.split_once(' ').map_or((line, ""), |(command, rest)| (command, rest));
    let target = target(installation, &Manifest::read(installation)?, hook, command);
    if is_found_first(command, &target) {
        return Ok(line.to_owned());
    }
    let path = installation.typed(&target);
    Ok(format!("{path} {rest}").trim_end().to_owned())
}

/// Whether the folder of the links is among those the shell looks in.
pub(crate) fn is_in_path(installation: &Installation) -> bool {
    folders_of_path().any(|folder| folder == installation.bin)
}

/// Whether the shell would start `target` for this word.
fn is_found_first(command: &str, target: &Path) -> bool {
    let mut found =
        folders_of_path().map(|folder| folder.join(executable(command))).filter(|path| path.is_file());
    // A copy counts like a link.
    found.next().is_some_and(|path| is_same_file(&path, target))
}

fn folders_of_path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

/// The binary of that name, or the hook's own for a second name.
fn target(installation: &Installation, manifest: &Manifest, hook: &HookEntry, command: &str) -> PathBuf {
    let binary = if manifest.files.contains_key(command) { command } else { &hook.name };
    installation.deployed(binary)
}

#[cfg(unix)]
fn place(path: &Path, target: &Path, hooks: &Path) -> io::Result<Linked> {
    match fs::read_link(path) {
        Ok(there) if there == target => return Ok(Linked::Kept),
        // Of an installation that has moved: `.../hooks/<the same name>`.
        Ok(there) if leads_into(path, hooks) || is_stale(&there, target) => fs::remove_file(path)?,
        Ok(_) => return Ok(Linked::Foreign(path.to_owned())),
        Err(_) if path.exists() => return Ok(Linked::Foreign(path.to_owned())),
        Err(_) => {}
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    std::os::unix::fs::symlink(target, path)?;
    Ok(Linked::Made)
}

#[cfg(unix)]
fn leads_into(path: &Path, hooks: &Path) -> bool {
    // However our folder is spelt.
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    fs::read_link(path).is_ok_and(|target| target.parent().map(real) == Some(real(hooks)))
}

/// A dead link into another folder of hooks.
#[cfg(unix)]
fn is_stale(there: &Path, target: &Path) -> bool {
    let in_hooks = there.parent().and_then(Path::file_name) == Some(OsStr::new("hooks"));
    in_hooks && there.file_name() == target.file_name() && !there.exists()
}

/// Links need a privilege here, so it is a copy; one that differs may be an older one of ours or not.
#[cfg(not(unix))]
fn place(path: &Path, target: &Path, _hooks: &Path) -> io::Result<Linked> {
    let bytes = fs::read(target)?;
    match fs::read(path) {
        Ok(there) if there == bytes => return Ok(Linked::Kept),
        Ok(_) => return Ok(Linked::Foreign(path.to_owned())),
        Err(_) => {}
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes)?;
    Ok(Linked::Made)
}

#[cfg(not(unix))]
fn leads_into(path: &Path, hooks: &Path) -> bool {
    let deployed = path.file_name().map(|name| hooks.join(name)).and_then(|deployed| fs::read(deployed).ok());
    deployed.is_some() && fs::read(path).ok() == deployed
}

#[cfg(all(test, unix))]
mod tests;
