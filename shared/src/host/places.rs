//! Folders of a call: the user's configuration, the state folder, the project's root.
//!
//! `CLAUDE_HOOK_STATE_DIR` comes from an environment that a repository may write, so it is believed only
//! if the folder is private to the user and outside the project (config.md, "State").

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use config::Sources;

use super::Environment;

/// The folders of one invocation. Every one may be missing: that is a state, not an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub config_dir: Option<PathBuf>,
    /// Folder of session state, switches, journal and heartbeats; private to the user.
    pub state_dir: Option<PathBuf>,
    /// The git top level of the project, else the project's directory itself.
    pub root: Option<PathBuf>,
    /// `<root>/.claude`, unless that is the user's own configuration folder (a session started in HOME).
    pub project_claude_dir: Option<PathBuf>,
    /// `<config_dir>/hook-state`: where the OFF file always counts, whatever the environment names.
    pub default_state_dir: Option<PathBuf>,
    /// Why `CLAUDE_HOOK_STATE_DIR` was set but is not used.
    pub state_dir_ignored: Option<&'static str>,
}

/// The folder of the heartbeats in the state folder: every call needs it.
pub(crate) const HEARTBEATS: &str = "heartbeat";

const UNUSABLE: &str = "it must be an absolute path to a folder that can be written to";

impl Places {
    pub fn sources(&self, home: Option<&Path>) -> Sources {
        let in_project = |name: &str| self.project_claude_dir.as_ref().map(|dir| dir.join(name));
        Sources {
            home: home.map(Path::to_path_buf),
            global: self.config_dir.as_ref().map(|dir| dir.join("requirements.yaml")),
            project: in_project("requirements.yaml"),
            local: in_project("requirements.local.yaml"),
            root: self.root.clone(),
            instead: None,
        }
    }

    /// Folders of our programs: deployed, and beside this one. Our texts name no others.
    pub fn program_folders(&self) -> Vec<PathBuf> {
        let deployed = self.config_dir.as_ref().map(|dir| dir.join("hooks"));
        let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
        deployed.into_iter().chain(beside).collect()
    }

    /// Resolves the folders, and makes a state folder the environment names, for a call made in `cwd` (the hook input's, or the process's own).
    pub fn resolve(environment: &Environment, cwd: Option<&Path>) -> Self {
        // The current folder moves with each `cd`, the project stays: state must not move in the middle of a session.
        let start = environment.project_dir.as_deref().or(cwd);
        let root = start.map(project_root);
        let config_dir = environment
            .claude_config_dir
            .clone()
            .or_else(|| environment.home.as_ref().map(|home| home.join(".claude")));
        let project_claude_dir = root.as_ref().map(|root| root.join(".claude"));
        let is_own = |dir: &PathBuf| config_dir.as_ref().is_some_and(|config| is_same_folder(config, dir));
        let project_claude_dir = project_claude_dir.filter(|dir| !is_own(dir));
        let default_state_dir = config_dir.as_ref().map(|dir| dir.join("hook-state"));
        let named = environment.state_dir.as_ref().map(|dir| acceptable_state_dir(dir, start));
        let (state_dir, state_dir_ignored) = match named {
            Some(Ok(())) => (environment.state_dir.clone(), None),
            named => (default_state_dir.clone(), named.and_then(Result::err)),
        };
        Self { config_dir, state_dir, root, project_claude_dir, default_state_dir, state_dir_ignored }
    }
}

/// The nearest folder at or above `dir` that holds `.git` (a folder, or the file of a linked worktree), else `dir`.
fn project_root(dir: &Path) -> PathBuf {
    ancestors(dir).find(|folder| folder.join(".git").exists()).unwrap_or(dir).to_path_buf()
}

pub fn is_same_folder(left: &Path, right: &Path) -> bool {
    #[cfg(unix)]
    let identity = |path: &Path| {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino())).ok()
    };
    #[cfg(not(unix))]
    let identity = |path: &Path| path.canonicalize().ok();
    left == right || identity(left).is_some_and(|left| Some(left) == identity(right))
}

/// The outermost folder at or above `dir` that holds `.git`, else `dir`: that project could have prepared all that lies in it.
pub fn outermost_root(dir: &Path) -> PathBuf {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    ancestors(&real).filter(|folder| folder.join(".git").exists()).last().unwrap_or(&real).to_path_buf()
}

fn acceptable_state_dir(dir: &Path, start: Option<&Path>) -> Result<(), &'static str> {
    if !dir.is_absolute() {
        return Err(UNUSABLE);
    }
    if start.is_some_and(|start| real(dir).starts_with(real(&outermost_root(start)))) {
        // A repository could have prepared it.
        return Err("it lies inside the project");
    }
    // Access lists decide on Windows; a profile folder is private there by default.
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(dir)
        && (!is_own(&metadata) || std::os::unix::fs::MetadataExt::mode(&metadata) & 0o022 != 0)
    {
        return Err("others may write to it");
    }
    // Believed, a folder that cannot be made or written to would silence every gate. Root may write where nothing can be made.
    let heartbeats = dir.join(HEARTBEATS);
    // Behind a link it would be somebody else's folder that is made private.
    if heartbeats.is_symlink() || ensure_private(&heartbeats).is_err() { Err(UNUSABLE) } else { Ok(()) }
}

/// Creates `dir` with all parents, each new one for the user alone, and takes others' access away if there is any.
pub fn ensure_private(dir: &Path) -> io::Result<()> {
    match fs::metadata(dir) {
        Ok(metadata) if metadata.is_dir() => tighten(dir, &metadata),
        Ok(_) => Err(ErrorKind::NotADirectory.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(dir)
        }
        Err(error) => Err(error),
    }
}

fn tighten(dir: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(metadata) & 0o077 != 0 {
        if !is_own(metadata) {
            return Err(ErrorKind::PermissionDenied.into());
        }
        fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    }
    let _ = (dir, metadata);
    Ok(())
}

#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// A longer path is taken by no system we run on, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// The path and the folders above it, from the inside out, as far as they can exist, so that the cost is bounded.
pub fn ancestors(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip_while(|path| path.as_os_str().len() > MAX_PATH_BYTES)
}

/// The path with links resolved as far as it exists, so that a link is no way in.
pub fn real(path: &Path) -> PathBuf {
    let resolved = |existing: &Path| {
        let (real, rest) = (existing.canonicalize().ok()?, path.strip_prefix(existing).ok()?);
        Some(if rest.as_os_str().is_empty() { real } else { flat(&real.join(rest)) })
    };
    ancestors(path).find_map(resolved).unwrap_or_else(|| flat(path))
}

/// The path without `.` and `..`, which are taken away as text: the file may not exist.
pub fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                flat.pop();
            }
            part => flat.push(part),
        }
    }
    flat
}

#[cfg(test)]
mod tests;
