//! The verbs of `cargo xtask` that test, measure, generate and package, one module each.
//!
//! Exit status: 0 done, 1 failed or refused, 64 wrong usage; never 2, which would mean "block" to the client.
//! Results go to stdout, progress and errors to stderr.

mod bench;
mod ci;
mod claude_code;
mod e2e;
mod files;
mod package;
mod schema;
mod tidy;

use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use anyhow::ensure;
use clap::{Parser, Subcommand};

use installer::say::ended;
use xtask::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Maintains Barbless.", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Write the plugin with its programs, and an archive of it with checksums
    Package(package::Arguments),
    /// Run the tests under the real client
    E2e(e2e::Options),
    /// Measure what each hook costs
    Bench(bench::Options),
    /// Generate the JSON Schema, the plugin's manifest and hooks, and the tables
    Schema {
        /// Only say whether they are up to date
        #[arg(long)]
        check: bool,
        /// Take the binaries from this folder instead of building them
        #[arg(long, value_name = "DIR", hide = true)]
        prebuilt: Option<PathBuf>,
    },
    /// Check the rules of the house that no compiler checks
    Tidy,
    /// Run everything that must hold before a change is taken
    Ci(ci::Options),
}

fn main() -> ExitCode {
    ended(Cli::try_parse().map(|cli| run(cli.verb)))
}

fn run(verb: Verb) -> anyhow::Result<()> {
    let workspace = Workspace::here()?;
    match verb {
        Verb::Package(arguments) => package::run(&workspace, &arguments),
        Verb::E2e(options) => e2e::run(&workspace, &options),
        Verb::Bench(options) => bench::run(&workspace, &options),
        Verb::Schema { check, prebuilt } => schema::run(&workspace, check, prebuilt.as_deref()),
        Verb::Tidy => tidy::run(&workspace),
        Verb::Ci(options) => ci::run(&workspace, &options),
    }
}

/// An error unless the program succeeded; it has said why itself.
pub(crate) fn succeeded(status: ExitStatus) -> anyhow::Result<()> {
    ensure!(status.success(), "the step ended with {status}; its messages stand above");
    Ok(())
}
