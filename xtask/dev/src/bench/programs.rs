//! The programs: the hooks as `install` builds them, an empty program built in the same way, and Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use installer::catalog::Catalog;
use installer::source::{Binaries, prebuilt};
use xtask::{Linking, Workspace};

#[derive(Debug)]
pub(super) struct Programs {
    pub(super) hooks: Binaries,
    pub(super) floor: PathBuf,
    /// The interpreter itself, not a shell script that looks for one; `None` where there is no Python.
    pub(super) python: Option<PathBuf>,
}

pub(super) fn build(workspace: &Workspace, scratch: &Path) -> anyhow::Result<Programs> {
    let triple = xtask::host_triple()?;
    let linking = Linking::of_this_machine(workspace, &triple)?;
    // With the packages of an installation, so that nothing is built twice, and the empty program.
    let folder = workspace.release_hooks(&triple, linking, &["xtask-install", "xtask"])?;
    let mut hooks = prebuilt(&folder, &Catalog::built_in()?.hooks)?;
    let mut floor = folder.join(xtask::executable("floor"));
    // As an installation does: a copied program starts faster than one as the linker wrote it.
    for program in hooks.values_mut().chain([&mut floor]) {
        let copied = scratch.join("bin").join(program.file_name().unwrap_or_default());
        fs::create_dir_all(scratch.join("bin")).context("making a folder for the programs")?;
        fs::copy(&program, &copied).with_context(|| format!("copying {}", program.display()))?;
        *program = copied;
    }
    Ok(Programs { hooks, floor, python: python() })
}

/// Version managers put a script named `python3` first in the path, which would count as Python's own time.
fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.is_file().then_some(path)
}
