//! The commands in `~/.local/bin`: links to the installed programs (copies on Windows). What is not ours stays.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use shared::catalog::{Catalog, HookEntry};

use crate::manifest::{Manifest, is_same_file};
use crate::places::{Installation, executable};

/// The result for one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linked {
    /// The link was made or put right.
    Made,
    /// It was right.
    Kept,
    /// Somebody else's file stands there.
    Foreign,
}

/// The result for all commands.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// The commands that were not linked yet.
    pub(crate) made: Vec<String>,
    /// The files of somebody else, each with the program that would be linked there.
    pub(crate) foreign: Vec<(PathBuf, PathBuf)>,
}

/// Links every command of the installed hooks.
pub(crate) fn link_all(installation: &Installation, catalog: &Catalog) -> anyhow::Result<Links> {
    let mut links = Links::default();
    for hook in catalog.hooks.iter().filter(|hook| installation.deployed(&hook.name).is_file()) {
        for command in &hook.commands {
            let target = target(installation, hook, command)?;
            let path = installation.bin.join(executable(command));
            let linked = place(&path, &target, &installation.hooks);
            match linked.with_context(|| format!("linking {}", path.display()))? {
                Linked::Made => links.made.push(command.clone()),
                Linked::Kept => {}
                Linked::Foreign => links.foreign.push((path, target)),
            }
        }
    }
    Ok(links)
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

/// The line as it can be typed: as it is if the shell finds our program for its first word, else with the whole path.
pub(crate) fn typed(installation: &Installation, hook: &HookEntry, line: &str) -> anyhow::Result<String> {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    let target = target(installation, hook, command)?;
    let files = folders_of_path().into_iter().map(|folder| folder.join(executable(command)));
    let found = files.into_iter().find(|path| path.is_file());
    // A copy counts like a link.
    if found.is_some_and(|path| is_same_file(&path, &target)) {
        return Ok(line.to_owned());
    }
    Ok(format!("{} {rest}", installation.typed(&target)).trim_end().to_owned())
}

/// The shell looks in the folder of the links.
pub(crate) fn is_in_path(installation: &Installation) -> bool {
    folders_of_path().contains(&installation.bin)
}

fn folders_of_path() -> Vec<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect()
}

/// The program of that name, or the hook's own for a second name.
pub(crate) fn target(
    installation: &Installation,
    hook: &HookEntry,
    command: &str,
) -> anyhow::Result<PathBuf> {
    let is_own = Manifest::read(installation)?.files.contains_key(command);
    Ok(installation.deployed(if is_own { command } else { &hook.name }))
}

#[cfg(unix)]
fn place(path: &Path, target: &Path, hooks: &Path) -> io::Result<Linked> {
    match fs::read_link(path) {
        Ok(there) if there == target => return Ok(Linked::Kept),
        // Of an installation that has moved: `.../hooks/<the same name>`.
        Ok(there) if leads_into(path, hooks) || is_stale(&there, target) => fs::remove_file(path)?,
        Ok(_) => return Ok(Linked::Foreign),
        Err(_) if path.exists() => return Ok(Linked::Foreign),
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
    let in_hooks = there.parent().is_some_and(|folder| folder.ends_with("hooks"));
    in_hooks && there.file_name() == target.file_name() && !there.exists()
}

/// Links need a privilege here, so it is a copy; one that differs may be an older one of ours or not.
#[cfg(not(unix))]
fn place(path: &Path, target: &Path, _hooks: &Path) -> io::Result<Linked> {
    let bytes = fs::read(target)?;
    match fs::read(path) {
        Ok(there) if there == bytes => return Ok(Linked::Kept),
        Ok(_) => return Ok(Linked::Foreign),
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
