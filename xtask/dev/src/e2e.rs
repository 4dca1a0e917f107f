//! `cargo xtask e2e [FILTER]`: the tests under the real client, with the programs that `cargo xtask install` copies. Without npm they
//! cannot run, which is loudly not a pass.

use anyhow::{Context as _, bail};
use xtask::{Linking, Workspace};

use crate::claude_code::{NpmUnreachable, ensure};
use crate::ended::Ended;
use installer::say::note;

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only tests whose names contain one of these
    filters: Vec<String>,
}

/// Runs the tests.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let client = match ensure(workspace.root()) {
        Ok(client) => client,
        Err(error) if error.is::<NpmUnreachable>() => bail!("SKIPPED, nothing was tested: {error}"),
        Err(error) => return Err(error),
    };
    let triple = xtask::host_triple()?;
    let linking = Linking::of_this_machine(workspace, &triple)?;
    let programs = workspace.release_hooks(&triple, linking, &["xtask-install"])?;
    workspace.release_helpers(&triple)?;
    note(format_args!("client {}: {}", client.version, client.path.display()));
    let mut command = workspace.cargo();
    // Of the whole workspace: its dependencies are those that `cargo xtask test` has built.
    command.args(["test", "--workspace", "--test", "e2e", "--"]).args(&options.filters);
    command.env("BARBLESS_E2E_CLAUDE", &client.path).env("BARBLESS_E2E_BIN_DIR", programs);
    Ended::check(command.status().context("starting cargo test")?)
}
