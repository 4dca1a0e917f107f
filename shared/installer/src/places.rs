//! The user's folders and files that an installation touches. Read once, from the environment; nothing is created here.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use client_settings::UserFile;
use shared::host::{Environment, Host, Places, display_path, real};
use shared::state::{file_key, with_lock};
use shared::text::quoted;

use crate::catalog::Catalog;
use crate::files::file_of_project;
use crate::say::{Voice, word_of};

pub(crate) const USER: &str = "user";

const STATE: &str = "hook-state";

const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Scope {
    /// `~/.claude/settings.json`: yours, for every project.
    #[default]
    User,
    /// `.claude/settings.json` of a project: everybody's who works on it; no path of yours stands in it.
    Project,
    /// `.claude/settings.local.json` of a project: yours, for this one.
    Local,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct Where {
    /// Whose settings: yours for every project, a project's (in git), or yours for one project
    #[arg(long, value_enum, default_value_t = Scope::User, hide_possible_values = true, value_name = "user|project|local")]
    pub scope: Scope,
    /// The project, for the scopes project and local; else the one this command is started in
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct Removing {
    #[command(flatten)]
    pub place: Where,
    /// Ask nothing, and go on without a terminal
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Clone)]
pub struct Installation {
    pub catalog: &'static Catalog,
    pub voice: Voice,
    pub home: PathBuf,
    pub hooks: PathBuf,
    pub bin: PathBuf,
    pub scope: Scope,
    pub project: Option<PathBuf>,
    pub settings: PathBuf,
    pub requirements: PathBuf,
    pub state: PathBuf,
}

impl Scope {
    pub fn word(self) -> String {
        word_of(&self)
    }

    const fn files(self) -> [&'static str; 2] {
        match self {
            Self::Local => ["settings.local.json", "requirements.local.yaml"],
            Self::User | Self::Project => ["settings.json", "requirements.yaml"],
        }
    }
}

impl Installation {
    pub fn of_this_user(host: &Host, voice: Voice) -> anyhow::Result<Self> {
        let installation = Self::user(&host.environment, voice)?;
        let starts = host.cwd().into_iter().chain(host.environment.project_dir.clone());
        installation.ensure_users_own(&starts.collect::<Vec<_>>())?;
        Ok(installation)
    }

    /// A repository may write the environment, and programs in this folder are believed and run. A folder that the environment
    /// names must be one that no repository can have filled.
    fn ensure_users_own(&self, starts: &[PathBuf]) -> anyhow::Result<()> {
        let Some(config) = self.hooks.parent().filter(|config| **config != self.home.join(".claude")) else {
            return Ok(());
        };
        if let Some(why) = why_not_the_users(config, &self.home, starts) {
            bail!(
                "CLAUDE_CONFIG_DIR names {}, and {why}: nothing there is believed or run; set it to a folder of your own, or unset it",
                config.display()
            );
        }
        Ok(())
    }

    pub fn at(host: &Host, place: &Where, voice: Voice) -> anyhow::Result<Self> {
        let installation = Self::of_this_user(host, voice)?;
        match (place.scope, &place.project) {
            (Scope::User, None) => Ok(installation),
            (Scope::User, Some(_)) => bail!("--project goes with --scope project or --scope local"),
            (scope, project) => {
                let dir = match project {
                    Some(project) => absolute(project)?,
                    None => host.cwd().context("this folder is gone")?,
                };
                installation.in_project(&host.environment, scope, &dir)
            }
        }
    }

    fn user(environment: &Environment, voice: Voice) -> anyhow::Result<Self> {
        let home = environment.home.clone().context("HOME is not set: there is no place to install to")?;
        let home = absolute(home)?;
        let config =
            environment.claude_config_dir.as_ref().map_or_else(|| Ok(home.join(".claude")), absolute)?;
        let state = environment.state_dir.as_ref().map_or_else(|| Ok(config.join(STATE)), absolute)?;
        let [settings, requirements] = Scope::User.files();
        Ok(Self {
            catalog: Catalog::built_in()?,
            voice,
            hooks: config.join("hooks"),
            bin: home.join(".local/bin"),
            scope: Scope::User,
            project: None,
            settings: config.join(settings),
            requirements: config.join(requirements),
            state,
            home,
        })
    }

    pub fn in_project(&self, environment: &Environment, scope: Scope, dir: &Path) -> anyhow::Result<Self> {
        if !dir.is_dir() {
            bail!("{} is not a folder", dir.display());
        }
        // The environment's own project, if there is one, is not what was asked for.
        let environment = Environment { project_dir: Some(dir.to_owned()), ..environment.clone() };
        let places = Places::resolve(&environment, None);
        let (Some(root), Some(_)) = (places.root, places.project_claude_dir) else {
            bail!("{} is your own configuration folder, not a project: use --scope user", self.show(dir));
        };
        // One project is one, however it is spelt.
        Ok(self.of_project(scope, &root.canonicalize().unwrap_or(root)))
    }

    pub(crate) fn of_project(&self, scope: Scope, root: &Path) -> Self {
        let [settings, requirements] = scope.files().map(|name| root.join(".claude").join(name));
        Self { scope, project: Some(root.to_owned()), settings, requirements, ..self.clone() }
    }

    pub fn own_state(&self) -> PathBuf {
        self.hooks.with_file_name(STATE)
    }

    pub fn backups(&self) -> PathBuf {
        self.hooks.with_file_name("hook-backups")
    }

    /// A file of this scope. In a project a link may not lead out of it: its text is somebody else's.
    pub fn file(&self, path: &Path) -> anyhow::Result<UserFile> {
        let Some(project) = &self.project else { return Ok(UserFile::at(path)?) };
        file_of_project(path, project, &self.backups().join(file_key(&path.display().to_string())))
    }

    /// The manifest's name for the settings of this scope: the user's own stay theirs when the home moves.
    pub fn key(&self) -> PathBuf {
        if self.scope == Scope::User { PathBuf::from(USER) } else { self.settings.clone() }
    }

    pub fn alone<T>(&self, change: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let Some(config) = self.hooks.parent().filter(|config| config.is_dir()) else { return change() };
        // No such file exists, so the lock's file goes with the lock.
        with_lock(&config.join("barbless-installing"), PATIENCE, change)
            .context("another command of ours is at work; try again when it is done")?
    }

    /// The command with these words and the flags of this scope behind it, to be typed.
    pub fn line(&self, words: impl Display) -> String {
        self.voice.line(format_args!("{words}{}", self.flags()))
    }

    fn flags(&self) -> String {
        let Some(project) = &self.project else { return String::new() };
        format!(" --scope {} --project {}", self.scope.word(), self.typed(project))
    }

    pub fn typed(&self, path: &Path) -> String {
        let shown = self.show(path);
        // A shell reads `~` only outside of quotes.
        let below = shown.strip_prefix('~').unwrap_or(&shown);
        if quoted(below) == below { shown } else { quoted(&path.display().to_string()) }
    }

    pub fn show(&self, path: &Path) -> String {
        display_path(path, Some(&self.home))
    }

    pub fn installed(&self, binary: &str) -> PathBuf {
        self.hooks.join(executable(binary))
    }
}

/// Why a configuration folder may have been filled by somebody else. `starts` are folders the user works in.
fn why_not_the_users(config: &Path, home: &Path, starts: &[PathBuf]) -> Option<&'static str> {
    let (home, ends) = (real(home), [config.to_owned(), real(config)]);
    let is_project = |start: &Path, folder: &Path| {
        // Above the home there is no stranger's project, and what lies in the home lies in it too.
        !home.starts_with(folder) && (folder == start || folder.join(".git").exists())
    };
    let is_inside = starts.iter().map(|start| real(start)).any(|start| {
        let mut projects = start.ancestors().filter(|folder| is_project(&start, folder));
        projects.any(|project| ends.iter().any(|end| end.starts_with(project)))
    });
    if is_inside {
        return Some("that lies inside the project");
    }
    let metadata = fs::metadata(config).ok()?;
    may_others_write(&metadata).then_some("others may write to that")
}

#[cfg(unix)]
fn may_others_write(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const ROOT: u32 = 0;
    // Many systems give each user a group of their own, and let it write.
    let group = metadata.mode() & 0o020 != 0 && metadata.gid() != rustix::process::getegid().as_raw();
    let is_theirs = ![rustix::process::geteuid().as_raw(), ROOT].contains(&metadata.uid());
    is_theirs || group || metadata.mode() & 0o002 != 0
}

/// Access lists decide here; a profile folder is private by default.
#[cfg(not(unix))]
fn may_others_write(_metadata: &fs::Metadata) -> bool {
    false
}

pub fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use shared::host::Environment;

    use std::path::Path;

    use super::{Installation, Scope};
    use crate::say::Voice;

    impl Installation {
        /// One in a scratch home; of a project, the home is its folder.
        pub(crate) fn scratch(home: &Path, scope: Scope) -> Self {
            let environment = Environment { home: Some(home.to_owned()), ..Environment::default() };
            let user = Self::user(&environment, Voice::Xtask).expect("it has a home");
            Self { scope, project: (scope != Scope::User).then(|| home.to_owned()), ..user }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_configuration_folder_that_the_environment_names_must_be_the_users_own() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        for folder in [
            "home/.git",
            "home/.claude",
            "home/work-claude",
            "home/code/shop/.git",
            "home/code/shop/.claude",
            "home/code/shop/sub",
            "home/unpacked/.claude",
            "open",
        ] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::set_permissions(root.join("open"), std::fs::Permissions::from_mode(0o777)).unwrap();
        std::os::unix::fs::symlink(root.join("home/code/shop/.claude"), root.join("home/link")).unwrap();
        let why = |config: &str, start: &str| {
            let environment = Environment {
                home: Some(root.join("home")),
                claude_config_dir: Some(root.join(config)),
                ..Environment::default()
            };
            let installation = Installation::user(&environment, Voice::Req).unwrap();
            installation.ensure_users_own(&[root.join(start)]).err().map(|error| error.to_string())
        };
        for (config, start) in [
            ("home/work-claude", "home/code/shop"),
            ("home/work-claude", "home"),
            ("home/not-yet", "home/code/shop/sub"),
            ("home/.claude", "home"),
            ("home/code/shop/.claude", "home/unpacked"),
        ] {
            assert_eq!(why(config, start), None, "{config} from {start}");
        }
        for (config, start, words) in [
            ("home/code/shop/.claude", "home/code/shop", "inside the project"),
            ("home/code/shop/.claude", "home/code/shop/sub", "inside the project"),
            ("home/code/shop/not-yet", "home/code/shop/sub", "inside the project"),
            ("home/link", "home/code/shop", "inside the project"),
            ("home/unpacked/.claude", "home/unpacked", "inside the project"),
            ("open", "home", "others may write"),
        ] {
            let why = why(config, start).unwrap_or_default();
            assert!(why.contains(words) && why.contains("CLAUDE_CONFIG_DIR"), "{config} from {start}: {why}");
        }
    }

    #[test]
    fn a_projects_settings_are_at_its_top_and_never_the_users_own() {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().canonicalize().unwrap();
        let sub = home.join("code/project/sub");
        std::fs::create_dir_all(&sub).unwrap();
        std::fs::create_dir_all(home.join("code/project/.git")).unwrap();
        std::fs::create_dir_all(home.join(".claude")).unwrap();
        let environment = Environment { home: Some(home.clone()), ..Environment::default() };
        let user = Installation::user(&environment, Voice::Xtask).unwrap();
        let local = user.in_project(&environment, Scope::Local, &sub).unwrap();
        assert_eq!(local.settings, home.join("code/project/.claude/settings.local.json"));
        assert_eq!(local.requirements, home.join("code/project/.claude/requirements.local.yaml"));
        assert_eq!(local.hooks, user.hooks);
        let project = user.in_project(&environment, Scope::Project, &sub).unwrap();
        assert_eq!(project.settings, home.join("code/project/.claude/settings.json"));
        assert_eq!(project.flags(), " --scope project --project ~/code/project");
        assert!(user.in_project(&environment, Scope::Project, &home).is_err(), "the home is no project");
        assert!(user.in_project(&environment, Scope::Project, &home.join("gone")).is_err());
    }
}
