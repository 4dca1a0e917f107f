//! The real client for the e2e tests: the pinned version of Claude Code, installed from npm into `target/claude-code`.
//! The version stands in `tests/client-version` and nowhere else. Nothing of the user's own installation is looked at or
//! touched, and no script of the package is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

const VERSION_FILE: &str = "tests/client-version";

const PACKAGE: &str = "@anthropic-ai/claude-code";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    pub path: PathBuf,
    pub version: String,
}

/// The pinned client: the one in `target/claude-code/<version>`, else a fresh installation there.
pub(crate) fn ensure(root: &Path) -> anyhow::Result<Client> {
    let version = fs::read_to_string(root.join(VERSION_FILE)).context(VERSION_FILE)?.trim().to_owned();
    let folder = root.join("target/claude-code").join(&version);
    if program(&folder).is_none() {
        install(&folder, &version)?;
    }
    let path = program(&folder).with_context(|| {
        format!("npm installed no program into {}: remove the folder and try again", folder.display())
    })?;
    Ok(Client { path, version })
}

fn install(folder: &Path, version: &str) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut command = Command::new(npm);
    command.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]);
    // By default npm tries for more than a minute before it says that nobody answers.
    command.args(["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"]);
    // The package names a newer Node than many machines have; its native program needs none, and without this npm
    // quietly picks an older version.
    command.arg("--engine-strict=false").arg("--prefix").arg(folder).arg(format!("{PACKAGE}@{version}"));
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("starting `{npm}`, which comes with Node.js"))?;
    ensure!(status.success(), "npm install {PACKAGE}@{version} ended with {status}");
    Ok(())
}

/// The native program lies in the package of the platform (`claude-code-linux-x64`, `claude-code-darwin-arm64` ...); the
/// main package has only a placeholder until its post-install step is run, which it is not.
fn program(folder: &Path) -> Option<PathBuf> {
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    let packages = fs::read_dir(folder.join("node_modules/@anthropic-ai")).ok()?;
    let packages = packages.filter_map(|entry| Some(entry.ok()?.path()));
    let of_platform = packages.filter(|path| !path.ends_with("claude-code")).map(|path| path.join(name));
    of_platform.filter(|path| path.is_file()).min()
}
