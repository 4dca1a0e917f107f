//! The programs under test. Cargo builds them when the first test of a process asks, so no test runs a stale file.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xtask::{Workspace, executable};

/// Names a folder with release binaries for the tests under the real client; set by `cargo xtask e2e`.
pub const BIN_DIR_VARIABLE: &str = "BARBLESS_E2E_BIN_DIR";

/// The program of that name: a hook's, one of a hook's further programs, or a helper's.
#[track_caller]
pub fn path(name: &str) -> PathBuf {
    existing(&folder(), name)
}

/// The program behind `cargo xtask install`.
#[track_caller]
pub fn installer() -> PathBuf {
    for_client("xtask-install")
}

/// The program behind `cargo xtask package` and `cargo xtask schema`.
#[track_caller]
pub fn developer() -> PathBuf {
    path("xtask-dev")
}

/// The folder of all freshly built programs.
#[track_caller]
pub fn folder() -> PathBuf {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let workspace = Workspace::here().map_err(|error| error.to_string())?;
        workspace.debug(&["--bins"]).map_err(|error| error.to_string())
    });
    built.clone().unwrap_or_else(|error| panic!("{error}"))
}

/// The program to register in the real client: from [`BIN_DIR_VARIABLE`] where it is set, else freshly built.
#[track_caller]
pub fn for_client(name: &str) -> PathBuf {
    existing(&folder_for_client(), name)
}

/// The folder of [`for_client`].
#[track_caller]
pub fn folder_for_client() -> PathBuf {
    env::var_os(BIN_DIR_VARIABLE).map_or_else(folder, PathBuf::from)
}

#[track_caller]
fn existing(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(executable(name));
    assert!(file.is_file(), "no program {}", file.display());
    file
}
