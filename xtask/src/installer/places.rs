//! Where things are: the source tree, and the user's folders an installation touches. Read once, from the environment;
//! nothing is created here.

use std::path::{Path, PathBuf, absolute};

use anyhow::Context as _;
use shared::host::{Environment, display_path};

/// The root of the source tree this command was built from.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned);
    let root = root.filter(|root| root.join("hooks").is_dir());
    root.with_context(|| format!("the source tree is no longer at {}", env!("CARGO_MANIFEST_DIR")))
}

/// The user's folders and files.
#[derive(Debug, Clone)]
pub(crate) struct Installation {
    /// The user's home.
    pub(crate) home: PathBuf,
    /// Where the binaries go.
    pub(crate) hooks: PathBuf,
    /// Where the commands are linked.
    pub(crate) bin: PathBuf,
    /// Claude Code's settings of the user.
    pub(crate) settings: PathBuf,
    /// The user's global configuration of the hooks.
    pub(crate) requirements: PathBuf,
    /// Where the hooks keep their state.
    pub(crate) state: PathBuf,
}

impl Installation {
    /// The installation of the user who runs this.
    pub(crate) fn of_this_user() -> anyhow::Result<Self> {
        Self::from(&Environment::read())
    }

    fn from(environment: &Environment) -> anyhow::Result<Self> {
        let home = environment.home.clone().context("HOME is not set: there is no place to install to")?;
        let home = absolute(home)?;
        let config = match &environment.claude_config_dir {
            Some(dir) => absolute(dir)?,
            None => home.join(".claude"),
        };
        let state = match &environment.state_dir {
            Some(dir) => absolute(dir)?,
            None => config.join("hook-state"),
        };
        Ok(Self {
            hooks: config.join("hooks"),
            bin: home.join(".local/bin"),
            settings: config.join("settings.json"),
            requirements: config.join("requirements.yaml"),
            state,
            home,
        })
    }

    /// The path as a person reads it.
    pub(crate) fn show(&self, path: &Path) -> String {
        display_path(path, Some(&self.home))
    }

    /// Where a binary is deployed.
    pub(crate) fn deployed(&self, binary: &str) -> PathBuf {
        self.hooks.join(executable(binary))
    }
}

/// The file name of a program.
pub(crate) fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use shared::host::Environment;

    use super::Installation;

    #[test]
    fn the_configuration_folder_follows_its_variable_and_links_stay_in_the_home() {
        let home = Environment { home: Some(PathBuf::from("/home/me")), ..Environment::default() };
        let installation = Installation::from(&home).unwrap();
        assert_eq!(installation.settings, Path::new("/home/me/.claude/settings.json"));
        assert_eq!(installation.show(&installation.hooks), "~/.claude/hooks");

        let moved = Environment { claude_config_dir: Some(PathBuf::from("/elsewhere")), ..home };
        let installation = Installation::from(&moved).unwrap();
        assert_eq!(installation.hooks, Path::new("/elsewhere/hooks"));
        assert_eq!(installation.state, Path::new("/elsewhere/hook-state"));
        assert_eq!(installation.bin, Path::new("/home/me/.local/bin"));
        assert!(Installation::from(&Environment::default()).is_err());
    }
}
