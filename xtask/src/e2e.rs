//! `cargo xtask e2e [FILTER]`: the tests under the real client, with hooks built as they are installed. Without npm they cannot
//! run, which is loudly not a pass.
//!
//! "As they are installed" is all that a client can tell apart: the same sources and features, no debug assertions, an abort on a
//! panic, a static C runtime. Only the optimiser does less, because its work on eight programs takes longer than the tests.
//! With `--release` it does all of it, once before a release: what is tested then is to the byte what is installed.

use std::path::Path;

use anyhow::{Context as _, bail};
use shared::catalog::Catalog;

use crate::artifacts;
use crate::claude_code::{NpmUnreachable, ensure};
use crate::ended::Ended;
use installer::registration::names;
use installer::say::note;

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
    let binaries = artifacts::in_profile(profile, root, &hooks, &helpers)?;
    let folder = binaries.values().next().and_then(|path| path.parent()).context("nothing was built")?;
    note(format_args!("client {}: {}", client.version, client.path.display()));
    let mut command = artifacts::cargo(root);
    // Of the whole workspace, because then the dependencies are those that `cargo test` has built already.
    command.args(["test", "--workspace", "--test", "e2e", "--"]).args(&options.filters);
    command.env("BARBLESS_E2E_CLAUDE", &client.path).env("BARBLESS_E2E_BIN_DIR", folder);
    command.env(artifacts::PROFILE_VARIABLE, profile);
    Ended::check(command.status().context("starting cargo test")?)
}
