//! `cargo xtask test`: every test of the workspace, in one cargo invocation with cargo's own result lines.

use std::path::Path;

use anyhow::Context as _;
use shared::catalog::Catalog;

use crate::artifacts;
use crate::ended::Ended;
use installer::registration::names;

/// Runs them; cargo's exit status becomes ours.
pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    // The process tests start the real binaries. Built before, no test waits for a compiler.
    let catalog = Catalog::built_in()?;
    let hooks = names(&catalog);
    let programs: Vec<&str> = hooks.iter().map(String::as_str).chain(catalog.helpers()).collect();
    artifacts::for_tests(root, &programs)?;
    let status = artifacts::cargo(root)
        .args(["test", "--workspace", "--no-fail-fast"])
        .status()
        .context("starting cargo test")?;
    Ended::check(status)
}
