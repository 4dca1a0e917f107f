//! `cargo xtask e2e [FILTER]`: the tests under the real client, with release binaries as they are installed. Without npm
//! they cannot run, which is loudly not a pass.

use std::path::Path;

use anyhow::{Context as _, bail};
use shared::catalog::Catalog;

use crate::artifacts;
use crate::claude_code::{NpmUnreachable, ensure};
use crate::ended::Ended;
use installer::registration::names;
use installer::say::note;

/// Runs the tests whose names contain one of `filters`; all without any.
pub(crate) fn run(root: &Path, filters: &[String]) -> anyhow::Result<()> {
    let client = match ensure(root) {
        Ok(client) => client,
        Err(error) if error.is::<NpmUnreachable>() => bail!("SKIPPED, nothing was tested: {error}"),
        Err(error) => return Err(error),
    };
    let catalog = Catalog::built_in()?;
    let all = names(&catalog);
    let hooks: Vec<&str> = all.iter().map(String::as_str).collect();
    let helpers: Vec<&str> = catalog.helpers().into_iter().collect();
    let binaries = artifacts::for_installation(root, &hooks, &helpers)?;
    let folder = binaries.values().next().and_then(|path| path.parent()).context("nothing was built")?;
    note(format_args!("client {}: {}", client.version, client.path.display()));
    let mut command = artifacts::cargo(root);
    command.args(["test", "--package", "tests", "--test", "e2e", "--"]).args(filters);
    command.env("BARBLESS_E2E_CLAUDE", &client.path).env("BARBLESS_E2E_BIN_DIR", folder);
    Ended::check(command.status().context("starting cargo test")?)
}
