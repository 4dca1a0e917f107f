//! Where the binaries under test are. They are built by cargo when the first test of a process asks, in the profile the
//! tests themselves run in, and their paths are read from cargo's own messages: a stale file is never picked up because
//! it happens to lie in the right place.

use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names a folder with release binaries for the tests under the real client; set by `cargo xtask e2e`.
pub const BIN_DIR_VARIABLE: &str = "BARBLESS_E2E_BIN_DIR";

/// Names the profile of these for an `install` that builds; set beside it.
pub const PROFILE_VARIABLE: &str = "BARBLESS_E2E_PROFILE";

type Built = Result<BTreeMap<String, PathBuf>, String>;

/// The freshly built binary of that name: a hook's, one of a hook's further binaries', or the network child's.
#[track_caller]
pub fn path(name: &str) -> PathBuf {
    static BUILT: OnceLock<Built> = OnceLock::new();
    find(BUILT.get_or_init(|| build(&hook_packages())), name)
}

/// The freshly built `record-hook`. It is built alone: its dependencies must not change the features of a hook's.
#[track_caller]
pub fn record_hook() -> PathBuf {
    static BUILT: OnceLock<Built> = OnceLock::new();
    find(BUILT.get_or_init(|| build(&[env!("CARGO_PKG_NAME").to_owned()])), "record-hook")
}

/// The freshly built `xtask`: the installer, started without cargo in between.
#[track_caller]
pub fn xtask() -> PathBuf {
    static BUILT: OnceLock<Built> = OnceLock::new();
    find(BUILT.get_or_init(|| build(&["xtask".to_owned()])), "xtask")
}

/// The folder in which every hook's freshly built binary lies.
#[track_caller]
pub fn folder() -> PathBuf {
    path("stop-momentum").parent().expect("a binary lies in a folder").to_owned()
}

/// The binary to register in the real client: from [`BIN_DIR_VARIABLE`] where it is set, else freshly built.
#[track_caller]
pub fn for_client(name: &str) -> PathBuf {
    let Some(folder) = env::var_os(BIN_DIR_VARIABLE) else { return path(name) };
    let file = Path::new(&folder).join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(file.is_file(), "{BIN_DIR_VARIABLE} has no {}: build the release binaries first", file.display());
    file
}

/// The binary behind a command of a hook: its own, or, where the command is a second name, the hook's.
#[track_caller]
pub fn behind_command(command: &str, hook: &str) -> PathBuf {
    let is_binary = match env::var_os(BIN_DIR_VARIABLE) {
        Some(folder) => Path::new(&folder).join(format!("{command}{}", env::consts::EXE_SUFFIX)).is_file(),
        None => path(hook).with_file_name(format!("{command}{}", env::consts::EXE_SUFFIX)).is_file(),
    };
    for_client(if is_binary { command } else { hook })
}

#[track_caller]
fn find(built: &Built, name: &str) -> PathBuf {
    let built = built.as_ref().unwrap_or_else(|error| panic!("{error}"));
    built.get(name).unwrap_or_else(|| panic!("no binary `{name}` was built, only {:?}", built.keys())).clone()
}

/// Builds the binaries of these packages; a failure is kept, so that it is told by every test and built once.
fn build(packages: &[String]) -> Built {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from(env!("CARGO"))));
    command.current_dir(workspace()).args(["build", "--bins", "--message-format=json-render-diagnostics"]);
    command.args(["--profile", &profile()]);
    command.args(packages.iter().flat_map(|package| ["--package", package]));
    // What cargo tells a test is not meant for another cargo: build scripts that read it would run once more.
    let told = ["CARGO_MANIFEST_", "CARGO_PKG_"];
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| told.iter().any(|start| name.starts_with(start))) {
        command.env_remove(name);
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("starting {command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} ended with {}; its messages stand above", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(executable).collect())
}

/// Name and path of the executable that one of cargo's messages announces.
fn executable(line: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let path = message["executable"].as_str()?;
    Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(path)))
}

/// Every folder of `hooks/`, and the network child where it exists.
fn hook_packages() -> Vec<String> {
    let hooks = fs::read_dir(workspace().join("hooks")).expect("the folder of hooks");
    hooks
        .filter_map(|entry| Some(entry.ok()?.path()))
        .chain([workspace().join("shared/courier")])
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()))
        .collect()
}

/// The profile the running program was built in: the folder it lies in is named after it, but for `dev`; tests lie one
/// folder deeper, in `deps`.
fn profile() -> String {
    let program = env::current_exe().expect("the path of the running test");
    let mut folders =
        program.ancestors().skip(1).filter_map(Path::file_name).filter_map(|name| name.to_str());
    match folders.find(|&name| name != "deps").expect("the test lies in <target>/<profile>/deps") {
        "debug" => "dev".to_owned(),
        name => name.to_owned(),
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate lies in the workspace")
}
