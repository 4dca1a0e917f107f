//! What is started: the hooks as `install` builds them, an empty program built in the same way, and Python.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::artifacts::for_installation;
use installer::source::Binaries;

/// The release profile's flags.
const FLAGS: [&str; 5] = ["opt-level=3", "lto=fat", "codegen-units=1", "panic=abort", "strip=symbols"];

/// The programs of one bench.
#[derive(Debug)]
pub(super) struct Programs {
    /// The hooks' binaries.
    pub(super) hooks: Binaries,
    /// The empty program.
    pub(super) floor: PathBuf,
    /// The interpreter itself, not a shell script that looks for one; `None` where there is no Python.
    pub(super) python: Option<PathBuf>,
}

/// Builds the hooks into the workspace's target folder, and the empty program into `scratch`.
pub(super) fn build(root: &Path, hooks: &[&str], scratch: &Path) -> anyhow::Result<Programs> {
    Ok(Programs {
        hooks: for_installation(root, hooks, &[])?,
        floor: build_floor(scratch)?,
        python: python(),
    })
}

/// The least a process can cost: `fn main() {}` with the flags of the release profile, linked like the hooks.
fn build_floor(scratch: &Path) -> anyhow::Result<PathBuf> {
    let source = scratch.join("floor.rs");
    let program = scratch.join(format!("floor{}", env::consts::EXE_SUFFIX));
    fs::write(&source, "fn main() {}\n").with_context(|| format!("writing {}", source.display()))?;
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024"]).args(FLAGS.iter().flat_map(|flag| ["-C", flag]));
    if cfg!(all(target_os = "linux", target_env = "gnu")) {
        rustc.args(["-C", "target-feature=+crt-static"]);
    }
    let status = rustc.arg("-o").arg(&program).arg(&source).status().context("starting rustc")?;
    ensure!(status.success(), "building the empty program ended with {status}; rustc's messages stand above");
    Ok(program)
}

/// Version managers put a script named `python3` first in the path, which would count as Python's own time.
fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.is_file().then_some(path)
}
