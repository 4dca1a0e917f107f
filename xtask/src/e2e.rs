//! `cargo xtask e2e [FILTER]`: the tests under the real client, with hooks built as they are installed. Without npm they cannot
//! run, which is loudly not a pass.
//!
//! They are built as those of an archive are, which `plugin::` packs of them: a C library that cannot be linked statically is told
//! here, before a release.
//!
//! "As they are installed" is all that a client can tell apart: the same sources and features, no debug assertions, an abort on a
//! panic, a static C runtime. Only the optimiser does less, because its work on eight programs takes longer than the tests.
//! With `--release` it does all of it, once before a release: what is tested then is to the byte what is installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use shared::catalog::Catalog;

use crate::artifacts;
use crate::claude_code::{NpmUnreachable, ensure};
use crate::ended::Ended;
use installer::registration::names;
use installer::say::note;
use installer::source::Binaries;

/// The profile for tests under the real client.
const QUICK: &str = "e2e";

/// What to run, and with what.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only tests whose names contain one of these
    filters: Vec<String>,
    /// Take the hooks as they are installed, to the byte; building them takes minutes
    #[arg(long)]
    release: bool,
}

/// Runs the tests.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let profile = if options.release { artifacts::RELEASE } else { QUICK };
    let client = match ensure(root) {
        Ok(client) => client,
        Err(error) if error.is::<NpmUnreachable>() => bail!("SKIPPED, nothing was tested: {error}"),
        Err(error) => return Err(error),
    };
    let catalog = Catalog::built_in()?;
    let all = names(&catalog);
    let hooks: Vec<&str> = all.iter().map(String::as_str).collect();
    let helpers: Vec<&str> = catalog.helpers().into_iter().collect();
    let binaries = artifacts::for_package(profile, root, &hooks, &helpers, &artifacts::host_triple()?)?;
    let folder = gathered(&binaries)?;
    note(format_args!("client {}: {}", client.version, client.path.display()));
    let mut command = artifacts::cargo(root);
    // Of the whole workspace, because then the dependencies are those that `cargo test` has built already.
    command.args(["test", "--workspace", "--test", "e2e", "--"]).args(&options.filters);
    command.env("BARBLESS_E2E_CLAUDE", &client.path).env("BARBLESS_E2E_BIN_DIR", folder);
    command.env(artifacts::PROFILE_VARIABLE, profile);
    Ended::check(command.status().context("starting cargo test")?)
}

/// The folder they all lie in. A helper that is built for musl lies in another than the hooks; then all are copied to one.
fn gathered(binaries: &Binaries) -> anyhow::Result<PathBuf> {
    let folders: BTreeSet<&Path> = binaries.values().filter_map(|path| path.parent()).collect();
    let first = folders.first().context("nothing was built")?;
    if folders.len() == 1 {
        return Ok(first.to_path_buf());
    }
    let folder = first.join("gathered");
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    for path in binaries.values() {
        let copy = folder.join(path.file_name().unwrap_or_default());
        fs::copy(path, &copy).with_context(|| format!("copying {} to {}", path.display(), copy.display()))?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use installer::source::Binaries;

    use super::gathered;

    #[test]
    fn programs_of_two_folders_are_copied_to_one() {
        let target = tempfile::tempdir().unwrap();
        let program = |folder: &str, name: &str| {
            let file = target.path().join(folder).join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, name).unwrap();
            (name.to_owned(), file)
        };
        let hooks = Binaries::from([program("gnu", "a-gate"), program("gnu", "req")]);
        assert_eq!(gathered(&hooks).unwrap(), target.path().join("gnu"));
        let both = hooks.into_iter().chain([program("musl", "courier")]).collect();
        let folder = gathered(&both).unwrap();
        for name in ["a-gate", "courier", "req"] {
            assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), name);
        }
        assert!(gathered(&Binaries::new()).is_err());
    }
}
