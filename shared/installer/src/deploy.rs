//! Copying what was built to where the client starts it, and linking it. A file that is not ours is never replaced, a running one
//! is replaced by renaming, never by writing into it, and a hook only by one that was proved to do what it promises.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use client_settings::remove_abandoned_of;
use shared::catalog::{Catalog, HookEntry};
use shared::operator::refusal;

use crate::links::{self, Linked};
use crate::manifest::{Deployed, Manifest, hash, hash_of};
use crate::places::Installation;
use crate::prove::{try_out, try_out_helper};
use crate::say::{list, note};
use crate::source::{Binaries, Source};

/// What deploying did.
#[derive(Debug)]
pub struct Done {
    /// What the source had, by name.
    pub binaries: Binaries,
    /// Something was copied or linked.
    pub changed: bool,
}

/// Which bytes may become ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May<'a> {
    /// Whatever does what it promises.
    Any,
    /// Those that the manifest vouches for: whatever else is named the user alone installs, with this line.
    Known(&'a str),
}

/// Takes what the source has, copies what differs and links the commands. In the folder they are deployed in nothing is
/// copied; what was put there by hand becomes ours, and what was changed since it became ours stays nobody's.
///
/// # Errors
/// A build that failed, a file that cannot be written, is somebody else's or may not become ours, a hook that does not do
/// what it promises: then nothing was copied.
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
    let copied = copy(installation, catalog, &wanted, may)?;
    name_missing_helpers(installation, catalog, &binaries);
    if !copied.is_empty() {
        note(format_args!("copied {} to {}", list(&copied), installation.show(&installation.hooks)));
    }
    let linked = link_all(installation, catalog)?;
    Ok(Done { binaries, changed: !copied.is_empty() || linked })
}

/// A hook does without them, and who misses what they are for should know why.
fn name_missing_helpers(installation: &Installation, catalog: &Catalog, binaries: &Binaries) {
    for hook in catalog.hooks.iter().filter(|hook| binaries.contains_key(&hook.name)) {
        let is_missing = |helper: &&String| !installation.deployed(helper).is_file();
        for helper in hook.helpers.iter().filter(is_missing) {
            note(format_args!("{helper} is not installed: {}", without_helper(&hook.name)));
        }
    }
}

/// What it means that a helper is missing.
pub(crate) fn without_helper(hook: &str) -> String {
    format!("{hook} can open no connections; what needs none works")
}

/// Copies each binary that differs from what is deployed. Returns the names of those that were copied. A helper that does not
/// run on this machine is left out, and told.
///
/// # Errors
/// As [`everything`].
pub fn copy(
    installation: &Installation,
    catalog: &Catalog,
    binaries: &Binaries,
    may: May<'_>,
) -> anyhow::Result<Vec<String>> {
    let all: Vec<Incoming> =
        binaries.iter().map(|(name, path)| Incoming::read(name, path)).collect::<Result<_, _>>()?;
    let manifest = Manifest::read(installation)?;
    if let May::Known(line) = may {
        ensure_known(&manifest, &all, line)?;
    }
    for incoming in &all {
        incoming.ensure_replaceable(installation, &manifest)?;
    }
    let mut staged = Vec::new();
    for incoming in &all {
        if incoming.differs(installation)? {
            staged.push(Staged::write(incoming, installation)?);
        }
    }
    let mut left_out = Vec::new();
    for new in &staged {
        match new.prove(catalog) {
            Err(why) if catalog.helpers().contains(new.new.name.as_str()) => {
                note(format_args!("{} is not installed: {why:#}", new.new.name));
                left_out.push(new.new.name.clone());
            }
            proved => proved?,
        }
    }
    note_down(all.iter().filter(|incoming| !left_out.contains(&incoming.name)), installation)?;
    staged.retain(|new| !left_out.contains(&new.new.name));
    staged.into_iter().map(Staged::put_in_place).collect()
}

/// A program that is to be deployed. It is read once: what is looked at is what is copied.
struct Incoming {
    name: String,
    from: PathBuf,
    bytes: Vec<u8>,
    sha256: String,
}

impl Incoming {
    fn read(name: &str, from: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(from).with_context(|| format!("reading {}", from.display()))?;
        let sha256 = hash(&bytes);
        Ok(Self { name: name.to_owned(), from: from.to_owned(), bytes, sha256 })
    }

    fn differs(&self, installation: &Installation) -> anyhow::Result<bool> {
        let path = installation.deployed(&self.name);
        Ok(hash_of(&path)?.as_ref() != Some(&self.sha256) || !is_executable(&path))
    }

    fn ensure_replaceable(&self, installation: &Installation, manifest: &Manifest) -> anyhow::Result<()> {
        let path = installation.deployed(&self.name);
        let is_foreign = !manifest.files.contains_key(&self.name)
            && hash_of(&path)?.is_some_and(|there| there != self.sha256);
        if is_foreign {
            bail!("{} is not ours and is not replaced: move it away and try again", path.display());
        }
        Ok(())
    }
}

/// In the manifest first: killed in between, a file of ours would be taken for somebody else's.
fn note_down<'a>(all: impl Iterator<Item = &'a Incoming>, installation: &Installation) -> anyhow::Result<()> {
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

fn ensure_known(manifest: &Manifest, all: &[Incoming], line: &str) -> anyhow::Result<()> {
    let is_known =
        |new: &&Incoming| manifest.files.get(&new.name).is_some_and(|there| there.sha256 == new.sha256);
    match all.iter().find(|new| !is_known(new)) {
        Some(new) => bail!("{} is not what is installed here: {}", new.from.display(), refusal(line)),
        None => Ok(()),
    }
}

/// A program written beside the place it is to take; it goes again unless it takes it.
struct Staged<'a> {
    new: &'a Incoming,
    temporary: PathBuf,
    place: PathBuf,
}

impl<'a> Staged<'a> {
    fn write(new: &'a Incoming, installation: &Installation) -> anyhow::Result<Self> {
        let place = installation.deployed(&new.name);
        create_private(&installation.hooks)
            .with_context(|| format!("creating {}", installation.hooks.display()))?;
        remove_abandoned_of(&place);
        let temporary = place.with_extension(format!("barbless-{}", std::process::id()));
        let staged = Self { new, temporary, place };
        let written = create_executable(&staged.temporary).and_then(|mut file| {
            file.write_all(&new.bytes)?;
            file.sync_all()
        });
        written.with_context(|| format!("writing {}", staged.place.display()))?;
        Ok(staged)
    }

    /// A command that is no hook has nothing to prove, and a helper only that it runs.
    fn prove(&self, catalog: &Catalog) -> anyhow::Result<()> {
        if catalog.helpers().contains(self.new.name.as_str()) {
            return try_out_helper(&self.temporary, &self.new.name)
                .with_context(|| format!("{} does not run on this machine", self.new.from.display()));
        }
        let Some(hook) = catalog.hook(&self.new.name) else { return Ok(()) };
        try_out(&self.temporary, hook).map(drop).with_context(|| {
            format!(
                "{} does not do what it promises on this machine, and nothing was copied",
                self.new.from.display()
            )
        })
    }

    fn put_in_place(self) -> anyhow::Result<String> {
        rename_over(&self.temporary, &self.place)
            .with_context(|| format!("writing {}", self.place.display()))?;
        Ok(self.new.name.clone())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
        // Only an empty folder goes: it was made for this.
        let _ = self.place.parent().map(fs::remove_dir);
    }
}

/// Removes these deployed files, but for those that were changed since. Returns the names of those that are gone.
///
/// # Errors
/// A file cannot be removed.
pub fn remove(installation: &Installation, binaries: &[String]) -> anyhow::Result<Vec<String>> {
    let mut gone = Vec::new();
    Manifest::change(installation, |manifest| {
        for binary in binaries {
            let path = installation.deployed(binary);
            remove_abandoned_of(&path);
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
    // A folder may have had some of the hooks only.
    let is_there = |hook: &&HookEntry| installation.deployed(&hook.name).is_file();
    for hook in catalog.hooks.iter().filter(is_there) {
        for command in &hook.commands {
            match links::link(installation, hook, command)? {
                Linked::Made => made.push(command),
                Linked::Kept => {}
                Linked::Foreign(path) => {
                    let deployed = installation.deployed(&hook.name);
                    note(format_args!(
                        "{} is not ours and stays; the command is {}",
                        installation.show(&path),
                        installation.show(&deployed)
                    ));
                }
            }
        }
    }
    if !made.is_empty() {
        note(format_args!("linked {} into {}", list(&made), installation.show(&installation.bin)));
    }
    if !links::is_in_path(installation) {
        note(format_args!(
            "{} is not in your PATH: add it, or type the whole path of a command",
            installation.show(&installation.bin)
        ));
    }
    Ok(!made.is_empty())
}

/// Missing folders are created for the user alone; what exists is left as it is.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

#[cfg(unix)]
fn create_executable(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o755).open(path)?;
    // Whatever the umask: the client of another group member may not start it, but its owner always can.
    file.set_permissions(fs::Permissions::from_mode(0o755))?;
    Ok(file)
}

#[cfg(not(unix))]
fn create_executable(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
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

/// This user may start the file; whether others may is theirs to say.
#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// This user may start the file.
#[cfg(not(unix))]
pub(crate) fn is_executable(_path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests;
