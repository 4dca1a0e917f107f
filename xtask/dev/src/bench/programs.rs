//! The programs: the hooks as `install` builds them, an empty program built in the same way, and Python.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use installer::catalog::Catalog;
use installer::source::{Binaries, prebuilt};
use xtask::{Linking, Workspace};

/// The release profile's flags.
const FLAGS: [&str; 3] = ["opt-level=3", "panic=abort", "strip=symbols"];

#[derive(Debug)]
pub(super) struct Programs {
    pub(super) hooks: Binaries,
    /// The empty program.
    pub(super) floor: PathBuf,
    /// The interpreter itself, not a shell script that looks for one; `None` where there is no Python.
    pub(super) python: Option<PathBuf>,
}

/// Builds the hooks into the workspace's target folder, and the empty program into `scratch`.
pub(super) fn build(workspace: &Workspace, scratch: &Path) -> anyhow::Result<Programs> {
    let triple = xtask::host_triple()?;
    let linking = Linking::of_this_machine(workspace, &triple)?;
    // With the same packages as an installation, so that nothing is built twice.
    let folder = workspace.release_hooks(&triple, linking, &["xtask-install"])?;
    let mut hooks = prebuilt(&folder, &Catalog::built_in()?.hooks)?;
    let mut floor = build_floor(&triple, linking, scratch)?;
    // As an installation does: a copied program starts faster than one as the linker wrote it.
    for program in hooks.values_mut().chain([&mut floor]) {
        let copied = scratch.join("bin").join(program.file_name().unwrap_or_default());
        fs::create_dir_all(scratch.join("bin")).context("making a folder for the programs")?;
        fs::copy(&program, &copied).with_context(|| format!("copying {}", program.display()))?;
        *program = copied;
    }
    Ok(Programs { hooks, floor, python: python() })
}

/// The least a process can cost: `fn main() {}` with the flags of the release profile, linked like the hooks.
fn build_floor(triple: &str, linking: Linking, scratch: &Path) -> anyhow::Result<PathBuf> {
    let source = scratch.join("floor.rs");
    let program = scratch.join(xtask::executable("floor"));
    fs::write(&source, "fn main() {}\n").with_context(|| format!("writing {}", source.display()))?;
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024"]).args(FLAGS.iter().flat_map(|flag| ["-C", flag]));
    if linking == Linking::Static {
        rustc.args(xtask::static_flags(triple));
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
