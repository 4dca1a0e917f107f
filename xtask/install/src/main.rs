//! The verbs of `cargo xtask` that install; what they do is the `installer` crate's. `cargo xtask` builds the programs first and
//! names their folder.
//!
//! Exit status: 0 done, 1 failed or refused, 64 wrong usage; never 2, which means "block" to Claude Code.
//! Results go to stdout, errors to stderr.

mod install;
mod sync;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use installer::judge::Judge;
use installer::places::{Where, executable};
use installer::voice::Voice;
use installer::{disable, say, status, statusline, undo, uninstall};
use shared::host::Host;

const USAGE: u8 = 64;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Installs Barbless.", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build the hooks, copy them to ~/.claude/hooks, register the chosen ones, and prove that they work
    Install(install::Arguments),
    /// Remove what install put there; your settings and the hooks' data stay
    Uninstall(uninstall::Arguments),
    /// Register a hook and switch it on
    Enable {
        /// The hook's name
        hook: String,
        #[command(flatten)]
        place: Where,
        /// How a hook that asks a model does it
        #[arg(long, value_enum)]
        judge: Option<Judge>,
        #[command(flatten)]
        source: install::Source,
    },
    /// Switch a hook off and remove its registration
    Disable {
        /// The hook's name
        hook: String,
        #[command(flatten)]
        place: Where,
        /// Confirm in advance, for use without a terminal
        #[arg(long)]
        yes: bool,
    },
    /// Show what is built, deployed, registered and switched on, and where these differ
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// The project whose settings are looked at too; else the one this command is started in
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// The folder that cargo builds the programs into
        #[arg(long, value_name = "DIR", hide = true)]
        built: Option<PathBuf>,
    },
    /// Build and copy what differs; settings stay as they are
    Sync {
        /// Remove deployed files that no hook owns, and their registration
        #[arg(long)]
        prune: bool,
        #[command(flatten)]
        source: install::Source,
    },
    /// Set the client's status line; one that is there is printed below it
    Statusline,
    /// Undo the last change of ours in settings.json; again: bring that change back
    Undo {
        #[command(flatten)]
        place: Where,
        /// Confirm in advance, for use without a terminal
        #[arg(long)]
        yes: bool,
    },
}

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => exit_code(run(cli.verb)),
        Err(error) => {
            let _ = error.print();
            if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
        }
    }
}

fn run(verb: Verb) -> anyhow::Result<()> {
    let (host, voice) = (Host::real(), Voice::Xtask);
    match verb {
        Verb::Install(arguments) => install::run(&host, &arguments),
        Verb::Uninstall(arguments) => uninstall::run(&host, &arguments, voice),
        Verb::Enable { hook, place, judge, source } => install::enable(&host, hook, &place, judge, &source),
        Verb::Disable { hook, place, yes } => disable::run(&host, &hook, &place, yes, voice),
        Verb::Status { json, project, built } => {
            let built = built.unwrap_or_default();
            let path_of = |binary: &str| Ok(built.join(executable(binary)));
            status::run(&host, json, project.as_deref(), Some(&path_of), voice)
        }
        Verb::Sync { prune, source } => sync::run(&host, prune, &source),
        Verb::Statusline => statusline::run(&host, voice),
        Verb::Undo { place, yes } => undo::run(&host, &place, yes, voice),
    }
}

fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    say::note(format_args!("error: {error:#}"));
    ExitCode::FAILURE
}
