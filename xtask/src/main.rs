//! `cargo xtask <verb>`: the installer's and the maintainer's commands, one module each. Here they are only told apart.
//!
//! Exit status: 0 done, 1 failed or refused, 64 wrong usage; never 2, which would mean "block" to the client.
//! Results go to stdout, progress and errors to stderr.

mod all_tests;
mod artifacts;
mod bench;
mod ci;
mod claude_code;
mod e2e;
mod ended;
mod install;
mod package;
mod schema;
mod sync;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ended::Ended;
use installer::judge::Judge;
use installer::places::Where;
use installer::voice::Voice;
use installer::{disable, say, status, statusline, undo, uninstall};
use shared::host::Host;

const USAGE: u8 = 64;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Installs and maintains Barbless.",
    version
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Build the hooks, copy them to ~/.claude/hooks, register the chosen ones, and prove that they work
    Install(install::Arguments),
    /// Take away what install put there; your settings and the hooks' data stay
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
    /// Switch a hook off and take its registration away
    Disable {
        /// The hook's name
        hook: String,
        #[command(flatten)]
        place: Where,
        /// Where there is no terminal: yes, I mean it
        #[arg(long)]
        yes: bool,
    },
    /// What is built, deployed, registered and switched on, and where these differ
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// The project whose settings are looked at too; else the one this command is started in
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
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
        /// Where there is no terminal: yes, I mean it
        #[arg(long)]
        yes: bool,
    },
    /// Write the plugin with its programs, and an archive of it with checksums
    Package(package::Arguments),
    /// Run all tests
    Test,
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
    match Cli::try_parse() {
        Ok(cli) => exit_code(run(cli.verb)),
        Err(error) => {
            let _ = error.print();
            if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
        }
    }
}

fn run(verb: Verb) -> anyhow::Result<()> {
    let (root, host, voice) = (artifacts::root()?, Host::real(), Voice::Xtask);
    match verb {
        Verb::Install(arguments) => install::run(&root, &host, &arguments),
        Verb::Uninstall(arguments) => uninstall::run(&host, &arguments, voice),
        Verb::Enable { hook, place, judge, source } => {
            install::enable(&root, &host, hook, &place, judge, &source)
        }
        Verb::Disable { hook, place, yes } => disable::run(&host, &hook, &place, yes, voice),
        Verb::Status { json, project } => {
            let built = |binary: &str| artifacts::installable(&root, binary);
            status::run(&host, json, project.as_deref(), Some(&built), voice)
        }
        Verb::Sync { prune, source } => sync::run(&root, &host, prune, &source),
        Verb::Statusline => statusline::run(&host, voice),
        Verb::Undo { place, yes } => undo::run(&host, &place, yes, voice),
        Verb::Package(arguments) => package::run(&root, &arguments),
        Verb::Test => all_tests::run(&root),
        Verb::E2e(options) => e2e::run(&root, &options),
        Verb::Bench(options) => bench::run(&root, &options),
        Verb::Schema { check, prebuilt } => schema::run(&root, check, prebuilt.as_deref()),
        Verb::Tidy => tidy::run(&root),
        Verb::Ci(options) => ci::run(&root, &options),
    }
}

fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if let Some(Ended(code)) = error.downcast_ref::<Ended>() {
        return ExitCode::from(*code);
    }
    say::note(format_args!("error: {error:#}"));
    ExitCode::FAILURE
}
