//! The real client for the e2e tests: the pinned version of Claude Code, installed from npm into `target/claude-code`.
//! The version stands in `tests/client-version` and nowhere else. Nothing of the user's own installation is looked at or
//! touched, and no script of the package is run.

use anyhow::{Context as _, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// File with the pinned version, from the root of the workspace.
const VERSION_FILE: &str = "tests/client-version";

const PACKAGE: &str = "@anthropic-ai/claude-code";

/// An installed client that was seen to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// The native executable.
    pub path: PathBuf,
    /// The pinned version.
    pub version: String,
}

/// The pinned client: the one in `target/claude-code/<version>` if it runs, else a fresh installation there.
pub(crate) fn ensure(root: &Path) -> anyhow::Result<Client> {
    let version = pinned_version(root)?;
    let folder = root.join("target/claude-code").join(&version);
    if let Some(client) = installed(&folder, &version) {
        return Ok(client);
    }
    install(&folder, &version)?;
    installed(&folder, &version).with_context(|| {
        format!(
            "npm installed {PACKAGE}@{version} into {}, but no program there prints that version; \
             remove the folder and try again",
            folder.display()
        )
    })
}

/// The version in `tests/client-version`.
pub(crate) fn pinned_version(root: &Path) -> anyhow::Result<String> {
    let file = root.join(VERSION_FILE);
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let version = text.trim();
    let parts: Vec<&str> = version.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // The version becomes a folder name and an argument of npm: nothing but numbers may get there.
    ensure!(
        parts.len() == 3 && parts.iter().all(is_number),
        "{} must hold one version such as 2.1.329, not `{version}`",
        file.display()
    );
    Ok(version.to_owned())
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
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("starting `{npm}`, which comes with Node.js"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "npm install {PACKAGE}@{version} ended with {}:\n{}",
        output.status,
        stderr.trim()
    );
    Ok(())
}

fn installed(folder: &Path, version: &str) -> Option<Client> {
    let home = folder.join("home");
    let runs = |path: &PathBuf| path.is_file() && prints_version(path, &home, version);
    candidates(folder).into_iter().find(runs).map(|path| Client { path, version: version.to_owned() })
}

/// The native program lies in the package of the platform (`claude-code-linux-x64`, `claude-code-darwin-arm64` ...); the
/// main package has only a placeholder until its post-install step is run, which it is not.
fn candidates(folder: &Path) -> Vec<PathBuf> {
    let Ok(packages) = fs::read_dir(folder.join("node_modules/@anthropic-ai")) else { return Vec::new() };
    let name = if cfg!(windows) { "claude.exe" } else { "claude" };
    let mut paths: Vec<PathBuf> = packages.filter_map(|entry| Some(entry.ok()?.path().join(name))).collect();
    paths.sort();
    paths
}

fn prints_version(program: &Path, home: &Path, version: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    // Claude Code may read its home even for `--version`: give it an empty one and an empty environment.
    command.env_clear().env("HOME", home).env("DISABLE_AUTOUPDATER", "1");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    if fs::create_dir_all(home).is_err() {
        return false;
    }
    let printed = command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    printed.is_ok_and(|text| text.split_whitespace().next() == Some(version))
}
