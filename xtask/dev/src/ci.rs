//! `cargo xtask ci`: what must hold before a change is taken, cheapest first, up to the first failure. It starts what a
//! person would type; what each step checks is the step's own business.

use anyhow::Context as _;

use crate::succeeded;
use installer::say::note;
use xtask::Workspace;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Leave out `cargo xtask test`, for a caller that runs it anyway
    #[arg(long)]
    pub(crate) without_tests: bool,
}

const TEST: &str = "xtask test";

/// The steps as they are typed after `cargo`. Every step is of the whole workspace where it can be: a part of it has dependencies
/// with other features, built once more.
const STEPS: [&str; 7] = [
    "fmt --all --check",
    "xtask tidy",
    // `--all-targets` leaves out what a plain `cargo test` does.
    "clippy --workspace --all-targets --test e2e -- --deny warnings",
    "xtask schema --check",
    TEST,
    "doc --workspace --no-deps --config build.rustdocflags='--deny=warnings'",
    "xtask e2e",
];

pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let steps: Vec<&str> =
        STEPS.into_iter().filter(|step| !(options.without_tests && *step == TEST)).collect();
    for step in &steps {
        note(format_args!("\n== cargo {step}"));
        let status = workspace.cargo().args(step.split(' ')).status();
        succeeded(status.with_context(|| format!("starting cargo {step}"))?)
            .with_context(|| format!("cargo {step}"))?;
    }
    note(format_args!("\n== all {} steps passed", steps.len()));
    Ok(())
}
