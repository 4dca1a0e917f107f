//! The verbs of `cargo xtask` that install; what they do is the `installer` crate's. `cargo xtask` builds the programs first and
//! names their folder.
//!
//! Exit status: 0 done, 1 failed or refused, 64 wrong usage; never 2, which means "block" to Claude Code.
//! Results go to stdout, errors to stderr.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use installer::commands;
use installer::say::{Voice, ended};
use shared::host::Host;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Installs Barbless.", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    #[command(flatten)]
    Hooks(commands::Command),
    /// Build and copy what differs; settings stay as they are
    Sync {
        /// Remove installed programs that no hook owns, and their registration
        #[arg(long)]
        prune: bool,
        /// Take the programs from this folder instead of building them
        #[arg(long, value_name = "DIR", alias = "from")]
        prebuilt: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    // The examples are lines of `req hooks`.
    let line = Cli::command().mut_subcommands(|verb| verb.after_help(""));
    let verb = line.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    ended(verb.map(|cli| run(cli.verb)))
}

fn run(verb: Verb) -> anyhow::Result<()> {
    let (host, voice) = (Host::real(), Voice::Xtask);
    match verb {
        Verb::Hooks(command) => commands::run(&command, &host, voice),
        Verb::Sync { prune, prebuilt } => commands::sync(&host, prune, prebuilt, voice),
    }
}
