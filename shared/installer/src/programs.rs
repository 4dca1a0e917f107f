//! The programs in the folder where Claude Code starts them, and their commands in `~/.local/bin`: links, on Windows copies. A file
//! that is not ours is never replaced, and a hook only by one that was proved to do what it promises.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::catalog::{Catalog, HookEntry};
use anyhow::{Context as _, bail};
use client_settings::{Beside, remove_abandoned};
use shared::host::is_program;
use shared::operator::refusal;

use crate::files::{hash, hash_of};
use crate::manifest::{InstalledFile, Manifest};
use crate::places::{Installation, executable};
use crate::prove::{try_out, try_out_helper};
use crate::say::{list, note};
use crate::source::{Binaries, Source};

/// Copies the programs of the source that differ, and links the commands. After an error nothing was copied. Returns whether
/// anything was done.
///
/// With `known_only`, only bytes that the manifest vouches for are copied: the user installs anything else, with that line.
pub(crate) fn install(
    installation: &Installation,
    source: &Source,
    known_only: Option<&str>,
) -> anyhow::Result<bool> {
    let wanted = source.binaries(installation)?;
    let copied = installation.alone(|| {
        remove_abandoned_of(installation)?;
        copy(installation, &wanted, known_only)
    })?;
    if !copied.is_empty() {
        note(format_args!("copied {} to {}", list(&copied), installation.show(&installation.hooks)));
    }
    Ok(link(installation)? || !copied.is_empty())
}

/// Removes what a killed installation left beside the programs.
fn remove_abandoned_of(installation: &Installation) -> anyhow::Result<()> {
    let known = Manifest::read(installation)?.files.into_keys();
    known
        .chain(all_names(installation.catalog))
        .for_each(|name| remove_abandoned(&installation.installed(&name)));
    Ok(())
}

pub(crate) fn all_names(catalog: &Catalog) -> Vec<String> {
    let more = catalog.hooks.iter().flat_map(|hook| hook.commands.iter().chain(&hook.helpers).cloned());
    catalog.names().into_iter().chain(more).collect()
}

/// The installed programs that neither are a hook of the catalog, nor one of its commands or helpers.
pub(crate) fn orphans(manifest: &Manifest, catalog: &Catalog) -> Vec<String> {
    let owned = all_names(catalog);
    manifest.files.keys().filter(|file| !owned.contains(file)).cloned().collect()
}

struct Incoming {
    name: String,
    from: PathBuf,
    bytes: Vec<u8>,
    sha256: String,
    place: PathBuf,
}

/// Copies each program that differs from the installed one. Returns the names of the copied programs.
pub(crate) fn copy(
    installation: &Installation,
    binaries: &Binaries,
    known_only: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let read = |(name, from): (&String, &PathBuf)| {
        let bytes = fs::read(from).with_context(|| format!("reading {}", from.display()))?;
        let (sha256, place) = (hash(&bytes), installation.installed(name));
        anyhow::Ok(Incoming { name: name.clone(), from: from.clone(), bytes, sha256, place })
    };
    let all: Vec<Incoming> = binaries.iter().map(read).collect::<Result<_, _>>()?;
    let manifest = Manifest::read(installation)?;
    all.iter().try_for_each(|new| new.ensure_allowed(&manifest, known_only))?;
    // Only an empty folder goes: staging made it.
    let staged =
        stage(all, installation.catalog).inspect_err(|_| drop(fs::remove_dir(&installation.hooks)))?;
    // Noted first: after a kill in between, a file of ours would else be taken for somebody else's.
    Manifest::change(installation, |manifest| {
        for (new, _) in &staged {
            let file = InstalledFile { sha256: new.sha256.clone(), version: shared::VERSION.to_owned() };
            manifest.files.insert(new.name.clone(), file);
        }
        if !manifest.files.is_empty() && !manifest.folders.contains(&installation.hooks) {
            manifest.folders.push(installation.hooks.clone());
        }
    })?;
    let mut copied = Vec::new();
    for (new, program) in staged {
        let Some(program) = program else { continue };
        program.put_in_place().with_context(|| format!("writing {}", new.place.display()))?;
        copied.push(new.name);
    }
    Ok(copied)
}

/// Writes each program that differs beside its place, and proves it there. A helper that does not run here is left out.
fn stage(all: Vec<Incoming>, catalog: &Catalog) -> anyhow::Result<Vec<(Incoming, Option<Beside>)>> {
    let mut staged = Vec::new();
    for new in all {
        if !new.differs()? {
            staged.push((new, None));
            continue;
        }
        let program = Beside::program(&new.place, &new.bytes)
            .with_context(|| format!("writing {}", new.place.display()))?;
        match new.prove(program.path(), catalog) {
            Err(why) if catalog.helpers().contains(new.name.as_str()) => {
                note(format_args!("{} is not installed: {why:#}", new.name));
            }
            proved => {
                proved?;
                staged.push((new, Some(program)));
            }
        }
    }
    Ok(staged)
}

impl Incoming {
    fn ensure_allowed(&self, manifest: &Manifest, known_only: Option<&str>) -> anyhow::Result<()> {
        let known = manifest.files.get(&self.name);
        if let Some(line) = known_only
            && known.is_none_or(|there| there.sha256 != self.sha256)
        {
            bail!("{} is not what is installed here: {}", self.from.display(), refusal(line));
        }
        if known.is_none() && hash_of(&self.place)?.is_some_and(|there| there != self.sha256) {
            bail!("{} is not ours and is not replaced: move it away and try again", self.place.display());
        }
        Ok(())
    }

    fn differs(&self) -> anyhow::Result<bool> {
        Ok(hash_of(&self.place)?.as_ref() != Some(&self.sha256) || !is_program(&self.place))
    }

    /// A hook must do what it promises, a helper run. Another command has nothing to prove.
    fn prove(&self, program: &Path, catalog: &Catalog) -> anyhow::Result<()> {
        let from = self.from.display();
        if catalog.helpers().contains(self.name.as_str()) {
            return try_out_helper(program, &self.name)
                .with_context(|| format!("{from} does not run on this machine"));
        }
        let Some(hook) = catalog.hook(&self.name) else { return Ok(()) };
        try_out(program, hook).map(drop).with_context(|| {
            format!("{from} does not do what it promises on this machine, and nothing was copied")
        })
    }
}

/// Removes these programs, except those that were changed since, and the folder if it is empty then. Returns the names of the removed
/// programs.
pub(crate) fn remove(installation: &Installation, binaries: &[String]) -> anyhow::Result<Vec<String>> {
    remove_abandoned_of(installation)?;
    let manifest = Manifest::read(installation)?;
    let mut gone = Vec::new();
    for binary in binaries {
        let path = installation.installed(binary);
        if path.exists() && !manifest.vouches_for(installation, binary) {
            let path = installation.show(&path);
            note(format_args!("{path} was changed since it was installed and stays; remove it yourself"));
            continue;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("removing {}", path.display()));
            }
            _ => gone.push(binary.clone()),
        }
    }
    Manifest::change(installation, |manifest| manifest.files.retain(|file, _| !gone.contains(file)))?;
    // The user's own scripts may live here.
    let _ = fs::remove_dir(&installation.hooks);
    Ok(gone)
}

/// A sentence about the commands that would be linked; `None`: they are there.
pub(crate) fn preview_of_links(installation: &Installation) -> Option<String> {
    let is_missing = |name: &&String| installation.bin.join(executable(name)).symlink_metadata().is_err();
    let commands = installation.catalog.hooks.iter().flat_map(|hook| &hook.commands);
    let missing: Vec<&String> = commands.filter(is_missing).collect();
    let bin = installation.show(&installation.bin);
    (!missing.is_empty()).then(|| format!("would link {} into {bin}", list(&missing)))
}

fn link(installation: &Installation) -> anyhow::Result<bool> {
    let mut made = Vec::new();
    let is_installed = |hook: &&HookEntry| installation.installed(&hook.name).is_file();
    for hook in installation.catalog.hooks.iter().filter(is_installed) {
        for command in &hook.commands {
            let target = target(installation, hook, command)?;
            let path = installation.bin.join(executable(command));
            let linked = place(&path, &target, &installation.hooks);
            match linked.with_context(|| format!("linking {}", path.display()))? {
                Some(true) => made.push(command.clone()),
                Some(false) => {}
                None => {
                    let (path, program) = (installation.show(&path), installation.show(&target));
                    note(format_args!("{path} is not ours and stays; the command is {program}"));
                }
            }
        }
    }
    let bin = installation.show(&installation.bin);
    if !made.is_empty() {
        note(format_args!("linked {} into {bin}", list(&made)));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder == installation.bin) {
        note(format_args!("{bin} is not in your PATH: add it, or type the whole path of a command"));
    }
    Ok(!made.is_empty())
}

pub(crate) fn linked(installation: &Installation) -> anyhow::Result<Vec<String>> {
    let known = Manifest::read(installation)?.files.into_keys();
    let all: BTreeSet<String> = known.chain(all_names(installation.catalog)).collect();
    let is_ours = |name: &String| leads_into(&installation.bin.join(executable(name)), &installation.hooks);
    Ok(all.into_iter().filter(is_ours).collect())
}

pub(crate) fn unlink(installation: &Installation, commands: &[String]) -> anyhow::Result<()> {
    for path in commands.iter().map(|command| installation.bin.join(executable(command))) {
        if leads_into(&path, &installation.hooks) {
            fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?;
        }
    }
    Ok(())
}

/// The program of that name, or the hook's own for a second name.
fn target(installation: &Installation, hook: &HookEntry, command: &str) -> anyhow::Result<PathBuf> {
    let is_own = Manifest::read(installation)?.files.contains_key(command);
    Ok(installation.installed(if is_own { command } else { &hook.name }))
}

/// Returns whether the link had to be made; `None`: somebody else's file stands there.
#[cfg(unix)]
fn place(path: &Path, target: &Path, hooks: &Path) -> io::Result<Option<bool>> {
    match fs::read_link(path) {
        Ok(there) if there == target => return Ok(Some(false)),
        Ok(_) if leads_into(path, hooks) => fs::remove_file(path)?,
        Ok(_) => return Ok(None),
        Err(_) if path.exists() => return Ok(None),
        Err(_) => {}
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    std::os::unix::fs::symlink(target, path).map(|()| Some(true))
}

#[cfg(unix)]
fn leads_into(path: &Path, hooks: &Path) -> bool {
    // However our folder is spelt.
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    fs::read_link(path).is_ok_and(|target| target.parent().map(real) == Some(real(hooks)))
}

/// Links need a privilege here, so it is a copy; one that differs may be an older one of ours or not.
#[cfg(not(unix))]
fn place(path: &Path, target: &Path, _hooks: &Path) -> io::Result<Option<bool>> {
    let bytes = fs::read(target)?;
    if let Ok(there) = fs::read(path) {
        return Ok((there == bytes).then_some(false));
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, bytes).map(|()| Some(true))
}

#[cfg(not(unix))]
fn leads_into(path: &Path, hooks: &Path) -> bool {
    let installed = path.file_name().and_then(|name| fs::read(hooks.join(name)).ok());
    installed.is_some() && fs::read(path).ok() == installed
}

#[cfg(test)]
mod tests;
