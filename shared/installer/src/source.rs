//! Where the binaries of an installation come from: a build, or a folder they lie in. What is missing is told here; nothing
//! is built and nothing is copied.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context as _, ensure};
use shared::catalog::HookEntry;

use crate::places::{Installation, executable};

/// Programs by name.
pub type Binaries = BTreeMap<String, PathBuf>;

/// Where the binaries come from.
pub enum Source<'a> {
    /// All of these hooks are there when this returns: it builds them, or finds them where a build has left them.
    Whole(&'a dyn Fn(&[HookEntry]) -> anyhow::Result<Binaries>),
    /// What there is in a folder, as in an unpacked archive; those that are chosen must be there. It may be the folder they
    /// are deployed in.
    Folder(PathBuf),
}

impl Source<'_> {
    /// The folder the running program lies in, with links resolved: an archive's, or the one it is deployed in.
    pub fn beside_this_program() -> anyhow::Result<Self> {
        let program = std::env::current_exe().and_then(|program| program.canonicalize());
        let program = program.context("finding this program; name the folder of the hooks: --from DIR")?;
        Ok(Self::Folder(program.parent().map(Path::to_owned).unwrap_or_default()))
    }

    /// Whatever can be known to be missing before anything is built or changed.
    pub(crate) fn ensure_has(&self, chosen: &[&HookEntry]) -> anyhow::Result<()> {
        let Self::Folder(folder) = self else { return Ok(()) };
        let files = chosen.iter().map(|hook| folder.join(executable(&hook.name)));
        let missing: Vec<String> =
            files.filter(|file| !file.is_file()).map(|file| file.display().to_string()).collect();
        ensure!(
            missing.is_empty(),
            "there is no {}; name the folder that has the hooks: --from DIR",
            missing.join(", no ")
        );
        Ok(())
    }

    /// The programs of those of these hooks that are there.
    pub(crate) fn binaries(&self, hooks: &[HookEntry]) -> anyhow::Result<Binaries> {
        match self {
            Self::Whole(make) => make(hooks),
            Self::Folder(folder) => Ok(there_are(folder, hooks)),
        }
    }

    /// The line that installs with these words from here, for the user to type.
    pub(crate) fn line(&self, installation: &Installation, words: &str) -> String {
        match self {
            Self::Folder(folder) if !self.is_deployed_to(installation) => {
                let folder = absolute(folder).unwrap_or_else(|_| folder.clone());
                installation.line(format_args!("{words} --from {}", installation.typed(&folder)))
            }
            _ => installation.line(words),
        }
    }

    /// They lie where they are deployed.
    pub(crate) fn is_deployed_to(&self, installation: &Installation) -> bool {
        let Self::Folder(folder) = self else { return false };
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        real(folder) == real(&installation.hooks)
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(_) => formatter.write_str("Whole"),
            Self::Folder(folder) => formatter.debug_tuple("Folder").field(folder).finish(),
        }
    }
}

/// The programs of these hooks out of a folder that holds them all.
pub fn prebuilt(folder: &Path, hooks: &[HookEntry]) -> anyhow::Result<Binaries> {
    for hook in hooks {
        let own = folder.join(executable(&hook.name));
        ensure!(own.is_file(), "there is no {}", own.display());
    }
    Ok(there_are(folder, hooks))
}

/// A command without a program of its own is a second name of the hook's, and a hook does without a helper.
fn there_are(folder: &Path, hooks: &[HookEntry]) -> Binaries {
    let there = |name: &String| {
        Some((name.clone(), folder.join(executable(name)))).filter(|(_, file)| file.is_file())
    };
    let of_hook = |hook: &HookEntry| {
        // An archive has second names as links, for who does not install it.
        let own = folder.join(executable(&hook.name)).canonicalize().ok();
        let is_second = |name: &&String| {
            **name != hook.name && own.is_some() && folder.join(executable(name)).canonicalize().ok() == own
        };
        let names = hook.commands.iter().chain(&hook.helpers).filter(|name| !is_second(name));
        names.chain([&hook.name]).filter_map(there).collect::<Vec<_>>()
    };
    hooks.iter().flat_map(of_hook).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use shared::catalog::{Catalog, HookEntry};

    use super::{Source, prebuilt};

    /// Two hooks; the first has a command that is a program of its own, and a second name.
    fn hooks() -> [HookEntry; 2] {
        let first = Catalog::built_in().unwrap().hooks.remove(0);
        let named = |name: &str, commands: &[&str]| HookEntry {
            name: name.to_owned(),
            commands: commands.iter().map(|&command| command.to_owned()).collect(),
            helpers: vec!["a-carrier".to_owned()],
            ..first.clone()
        };
        [named("a-gate", &["a-gate", "ask", "a-second-name"]), named("b-watch", &["b-watch"])]
    }

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            fs::write(folder.path().join(super::executable(file)), file).unwrap();
        }
        folder
    }

    #[test]
    fn a_folder_gives_what_is_there_and_only_what_is_chosen_must_be() {
        let folder = folder(&["a-carrier", "a-gate", "ask", "somebody-elses"]);
        let source = Source::Folder(folder.path().to_owned());
        let hooks = hooks();
        let names: Vec<String> = source.binaries(&hooks).unwrap().into_keys().collect();
        assert_eq!(names, ["a-carrier", "a-gate", "ask"]);
        assert!(source.ensure_has(&[&hooks[0]]).is_ok());
        let error = source.ensure_has(&[&hooks[0], &hooks[1]]).unwrap_err().to_string();
        assert!(error.contains(&*folder.path().join("b-watch").display().to_string()), "{error}");
        assert!(!error.contains("a-gate"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_hooks_own_program_is_a_second_name() {
        let folder = folder(&["a-gate", "ask"]);
        std::os::unix::fs::symlink("a-gate", folder.path().join("a-second-name")).unwrap();
        let names: Vec<String> = prebuilt(folder.path(), &hooks()[..1]).unwrap().into_keys().collect();
        assert_eq!(names, ["a-gate", "ask"]);
    }

    #[test]
    fn every_missing_file_is_named() {
        let folder = folder(&[]);
        let hooks = hooks();
        let error = Source::Folder(folder.path().to_owned()).ensure_has(&[&hooks[0], &hooks[1]]).unwrap_err();
        assert!(error.to_string().contains("a-gate") && error.to_string().contains("b-watch"), "{error}");
    }

    #[test]
    fn what_is_to_be_whole_names_the_first_that_is_missing() {
        let folder = folder(&["a-gate"]);
        let error = prebuilt(folder.path(), &hooks()).unwrap_err().to_string();
        assert_eq!(error, format!("there is no {}", folder.path().join("b-watch").display()));
        assert_eq!(prebuilt(folder.path(), &hooks()[..1]).unwrap().len(), 1);
    }
}
