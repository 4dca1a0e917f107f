//! The folder that the programs of an installation come from: a build or an unpacked archive. Nothing is built or copied here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf, absolute};

use crate::catalog::HookEntry;
use anyhow::{Context as _, ensure};

use shared::host::is_same_folder;

use crate::places::{Installation, executable};
use crate::say::{Voice, list};

pub type Binaries = BTreeMap<String, PathBuf>;

/// The folder of the programs, which may be the one they are installed in; `None`: `cargo xtask` would have to build first.
#[derive(Debug, Clone)]
pub(crate) struct Source(Option<PathBuf>);

impl Source {
    /// The folder given, else the one of the running program, with links resolved. `cargo xtask` always gives what it has built.
    pub(crate) fn of(folder: Option<PathBuf>, voice: Voice) -> anyhow::Result<Self> {
        let is_known = folder.is_some() || voice == Voice::Xtask;
        Ok(Self(if is_known { folder } else { Some(beside_this_program()?) }))
    }

    /// Names every program that is missing, before anything is changed.
    pub(crate) fn ensure_has(&self, chosen: &[&HookEntry]) -> anyhow::Result<()> {
        let Some(folder) = &self.0 else { return Ok(()) };
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

    pub(crate) fn binaries(&self, installation: &Installation) -> anyhow::Result<Binaries> {
        let folder = self.0.as_ref().context("no folder of programs is given: --prebuilt DIR")?;
        let is_there = self.is_installed_in(installation);
        Ok(if is_there { Binaries::new() } else { there_are(folder, &installation.catalog.hooks) })
    }

    /// A sentence about the programs that would be copied; `None`: they are installed already.
    pub(crate) fn preview(&self, installation: &Installation) -> anyhow::Result<Option<String>> {
        let to = installation.show(&installation.hooks);
        Ok(match &self.0 {
            _ if self.is_installed_in(installation) => None,
            Some(folder) if installation.voice == Voice::Req => {
                let there: Vec<String> = self.binaries(installation)?.into_keys().collect();
                Some(format!("would copy {} from {} to {to}", list(&there), installation.show(folder)))
            }
            _ => Some(format!("would build the hooks and copy what differs to {to}")),
        })
    }

    /// The line that installs with these words from here, for the user to type.
    pub(crate) fn line(&self, installation: &Installation, words: &str) -> String {
        match &self.0 {
            Some(folder) if installation.voice == Voice::Req && !self.is_installed_in(installation) => {
                let folder = absolute(folder).unwrap_or_else(|_| folder.clone());
                installation.line(format_args!("{words} --from {}", installation.typed(&folder)))
            }
            _ => installation.line(words),
        }
    }

    fn is_installed_in(&self, installation: &Installation) -> bool {
        self.0.as_deref().is_some_and(|folder| is_same_folder(folder, &installation.hooks))
    }
}

/// The folder of the running program: an archive's, or the one it is installed in.
pub(crate) fn beside_this_program() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe().and_then(|program| program.canonicalize());
    let program = program.context("finding this program; name the folder of the hooks: --from DIR")?;
    Ok(program.parent().map(Path::to_owned).unwrap_or_default())
}

pub fn prebuilt(folder: &Path, hooks: &[HookEntry]) -> anyhow::Result<Binaries> {
    for hook in hooks {
        let own = folder.join(executable(&hook.name));
        ensure!(own.is_file(), "there is no {}", own.display());
    }
    Ok(there_are(folder, hooks))
}

/// A command without a program of its own is a second name of the hook's, and a hook does without a helper.
fn there_are(folder: &Path, hooks: &[HookEntry]) -> Binaries {
    let file = |name: &str| folder.join(executable(name));
    let mut there = Binaries::new();
    for hook in hooks {
        // An archive has second names as links, for users who do not install it.
        let own = file(&hook.name).canonicalize().ok();
        let is_second =
            |name: &String| *name != hook.name && own.is_some() && file(name).canonicalize().ok() == own;
        let names = [&hook.name].into_iter().chain(&hook.commands).chain(&hook.helpers);
        let files = names.filter(|name| !is_second(name)).map(|name| (name.clone(), file(name)));
        there.extend(files.filter(|(_, file)| file.is_file()));
    }
    there
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::catalog::{Catalog, HookEntry};

    use super::{Source, executable, prebuilt, there_are};
    use crate::say::Voice;

    /// Two hooks; the first has a command that is a program of its own, and a second name.
    fn hooks() -> [HookEntry; 2] {
        let first = Catalog::built_in().unwrap().hooks[0].clone();
        let named = |name: &str, commands: &[&str]| HookEntry {
            name: name.to_owned(),
            commands: commands.iter().map(|&command| command.to_owned()).collect(),
            helpers: vec!["a-carrier".to_owned()],
            ..first.clone()
        };
        [named("a-gate", &["a-gate", "ask", "a-second-name"]), named("b-watch", &["b-watch"])]
    }

    #[test]
    fn folder_gives_its_programs_and_must_have_the_chosen_hooks() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a-carrier", "a-gate", "ask", "somebody-elses"] {
            fs::write(folder.path().join(executable(file)), file).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("a-gate", folder.path().join("a-second-name")).unwrap();
        let [a_gate, b_watch] = &hooks();
        let source = Source::of(Some(folder.path().to_owned()), Voice::Req).unwrap();
        let names: Vec<String> = there_are(folder.path(), &hooks()).into_keys().collect();
        assert_eq!(names, ["a-carrier", "a-gate", "ask"]);
        assert!(source.ensure_has(&[a_gate]).is_ok());
        let error = source.ensure_has(&[a_gate, b_watch]).unwrap_err().to_string();
        let missing = folder.path().join(executable("b-watch")).display().to_string();
        assert_eq!(error, format!("there is no {missing}; name the folder that has the hooks: --from DIR"));

        assert_eq!(prebuilt(folder.path(), &hooks()[..1]).unwrap().len(), 3);
        let error = prebuilt(folder.path(), &hooks()).unwrap_err().to_string();
        assert_eq!(error, format!("there is no {missing}"), "a build has every hook");
    }
}
