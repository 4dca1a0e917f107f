//! Copying programs to the folder where Claude Code starts them, and linking their commands. A file that is not ours is never
//! replaced, and a hook only by one that was proved to do what it promises.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use client_settings::{Beside, remove_abandoned};
use shared::catalog::{Catalog, HookEntry};
use shared::host::is_program;
use shared::operator::refusal;

use crate::links::{self, Linked};
use crate::manifest::{Deployed, Manifest, hash, hash_of};
use crate::places::Installation;
use crate::prove::{try_out, try_out_helper};
use crate::say::{list, note};
use crate::source::{Binaries, Source};

/// The result of deploying.
#[derive(Debug)]
pub struct Done {
    /// The programs of the source.
    pub binaries: Binaries,
    /// Something was copied or linked.
    pub changed: bool,
}

/// The bytes that may become ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May<'a> {
    /// Whatever does what it promises.
    Any,
    /// Bytes that the manifest vouches for. The user installs anything else, with this line.
    Known(&'a str),
}

/// Copies the programs of the source that differ, and links the commands. A program that was put into the folder by hand becomes
/// ours. After an error nothing was copied.
pub fn everything(
    installation: &Installation,
    catalog: &Catalog,
    source: &Source<'_>,
    may: May<'_>,
) -> anyhow::Result<Done> {
    let binaries = source.binaries(&catalog.hooks)?;
    let mut wanted = binaries.clone();
    if source.is_deployed_to(installation) {
        let known = Manifest::read(installation)?.files;
        wanted.retain(|binary, _| !known.contains_key(binary));
    }
    let copied = installation.alone(|| copy(installation, catalog, &wanted, may))?;
    name_missing_helpers(installation, catalog, &binaries);
    if !copied.is_empty() {
        note(format_args!("copied {} to {}", list(&copied), installation.show(&installation.hooks)));
    }
    let linked = link_all(installation, catalog)?;
    Ok(Done { binaries, changed: !copied.is_empty() || linked })
}

fn name_missing_helpers(installation: &Installation, catalog: &Catalog, binaries: &Binaries) {
    for hook in catalog.hooks.iter().filter(|hook| binaries.contains_key(&hook.name)) {
        let is_missing = |helper: &&String| !installation.deployed(helper).is_file();
        for helper in hook.helpers.iter().filter(is_missing) {
            note(format_args!("{helper} is not installed: {}", without_helper(&hook.name)));
        }
    }
}

/// The effect of a missing helper.
pub(crate) fn without_helper(hook: &str) -> String {
    format!("{hook} can open no connections; what needs none works")
}

/// Copies each program that differs from the deployed one. Leaves out a helper that does not run on this machine. Returns the names
/// of the copied programs.
pub(crate) fn copy(
    installation: &Installation,
    catalog: &Catalog,
    binaries: &Binaries,
    may: May<'_>,
) -> anyhow::Result<Vec<String>> {
    let read = |(name, from): (&String, &PathBuf)| Incoming::read(installation, name, from);
    let mut all: Vec<Incoming> = binaries.iter().map(read).collect::<Result<_, _>>()?;
    let manifest = Manifest::read(installation)?;
    all.iter().try_for_each(|new| new.ensure_allowed(&manifest, may))?;
    // Only an empty folder goes: staging made it.
    let staged = stage(&mut all, catalog).inspect_err(|_| drop(fs::remove_dir(&installation.hooks)))?;
    note_down(&all, installation)?;
    let put = |(name, program): (String, Beside)| match program.put_in_place() {
        Ok(()) => Ok(name),
        Err(error) => {
            Err(error).with_context(|| format!("writing {}", installation.deployed(&name).display()))
        }
    };
    staged.into_iter().map(put).collect()
}

/// A program that is to be deployed.
struct Incoming {
    name: String,
    from: PathBuf,
    bytes: Vec<u8>,
    sha256: String,
    place: PathBuf,
}

impl Incoming {
    fn read(installation: &Installation, name: &str, from: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(from).with_context(|| format!("reading {}", from.display()))?;
        let (sha256, place) = (hash(&bytes), installation.deployed(name));
        Ok(Self { name: name.to_owned(), from: from.to_owned(), bytes, sha256, place })
    }

    fn ensure_allowed(&self, manifest: &Manifest, may: May<'_>) -> anyhow::Result<()> {
        let known = manifest.files.get(&self.name);
        match may {
            May::Known(line) if known.is_none_or(|there| there.sha256 != self.sha256) => {
                bail!("{} is not what is installed here: {}", self.from.display(), refusal(line))
            }
            _ => {}
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

/// Writes each program that differs beside its place, and proves it there. A helper that fails is taken out of `all`.
fn stage(all: &mut Vec<Incoming>, catalog: &Catalog) -> anyhow::Result<Vec<(String, Beside)>> {
    let mut staged = Vec::new();
    let mut failed = Vec::new();
    for new in all.iter() {
        if !new.differs()? {
            continue;
        }
        let program = Beside::program(&new.place, &new.bytes)
            .with_context(|| format!("writing {}", new.place.display()))?;
        match new.prove(program.path(), catalog) {
            Err(why) if catalog.helpers().contains(new.name.as_str()) => {
                note(format_args!("{} is not installed: {why:#}", new.name));
                failed.push(new.name.clone());
            }
            proved => {
                proved?;
                staged.push((new.name.clone(), program));
            }
        }
    }
    all.retain(|new| !failed.contains(&new.name));
    Ok(staged)
}

/// Notes the programs in the manifest before they are put in place: after a kill in between, a file of ours would else be taken for
/// somebody else's.
fn note_down(all: &[Incoming], installation: &Installation) -> anyhow::Result<()> {
    Manifest::change(installation, |manifest| {
        for incoming in all {
            let size = u64::try_from(incoming.bytes.len()).unwrap_or(u64::MAX);
            let version = shared::version::ours().to_owned();
            let deployed = Deployed { sha256: incoming.sha256.clone(), size, version };
            manifest.files.insert(incoming.name.clone(), deployed);
        }
        if !manifest.files.is_empty() && !manifest.folders.contains(&installation.hooks) {
            manifest.folders.push(installation.hooks.clone());
        }
        Ok(())
    })
}

/// Removes these deployed files, except those that were changed since. Returns the names of the removed ones.
pub(crate) fn remove(installation: &Installation, binaries: &[String]) -> anyhow::Result<Vec<String>> {
    let mut gone = Vec::new();
    Manifest::change(installation, |manifest| {
        for binary in binaries {
            let path = installation.deployed(binary);
            remove_abandoned(&path);
            if path.exists() && !manifest.vouches_for(installation, binary) {
                continue;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("removing {}", path.display()));
                }
                _ => {}
            }
            manifest.files.remove(binary);
            gone.push(binary.clone());
        }
        Ok(())
    })?;
    Ok(gone)
}

fn link_all(installation: &Installation, catalog: &Catalog) -> anyhow::Result<bool> {
    let mut made = Vec::new();
    let bin = installation.show(&installation.bin);
    // The source may have had some of the hooks only.
    let is_there = |hook: &&HookEntry| installation.deployed(&hook.name).is_file();
    for hook in catalog.hooks.iter().filter(is_there) {
        for command in &hook.commands {
            match links::link(installation, hook, command)? {
                Linked::Made => made.push(command),
                Linked::Kept => {}
                Linked::Foreign(path) => note(format_args!(
                    "{} is not ours and stays; the command is {}",
                    installation.show(&path),
                    installation.show(&installation.deployed(&hook.name))
                )),
            }
        }
    }
    if !made.is_empty() {
        note(format_args!("linked {} into {bin}", list(&made)));
    }
    if !links::is_in_path(installation) {
        note(format_args!("{bin} is not in your PATH: add it, or type the whole path of a command"));
    }
    Ok(!made.is_empty())
}

#[cfg(test)]
mod tests;
