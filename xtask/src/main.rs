//! `cargo xtask VERB`: builds and starts the program that knows the verb.
//!
//! - `xtask-install` installs. It is built in the release profile together with the hooks, which have most dependencies in common.
//! - `xtask-dev` checks, measures, generates and packages. It is built in the dev profile together with the tests.
//!
//! Exit status: 0 done, 1 failed, 64 wrong usage; never 2, which means "block" to Claude Code.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::process::{Command, ExitCode, ExitStatus};
use std::thread;

use xtask::Workspace;

const FAILED: u8 = 1;

const USAGE_ERROR: u8 = 64;

const USAGE: &str = "\
Installs and maintains Barbless.

Usage: cargo xtask <VERB>

Installation:
  install     Build the hooks, copy them to ~/.claude/hooks, register the chosen ones, and prove that they work
  uninstall   Remove what install put there; your settings and the hooks' data stay
  enable      Register a hook and switch it on
  disable     Switch a hook off and remove its registration
  status      Show what is built, installed, registered and switched on, and where these differ
  sync        Build and copy what differs; settings stay as they are
  statusline  Set Claude Code's status line; one that is there is printed below it
  undo        Undo the last change to settings.json; again: bring that change back

Development:
  test        Run all tests but those under the real client
  e2e         Run the tests under the real client
  ci          Run everything that must hold before a change is merged
  tidy        Check the rules that no compiler checks
  schema      Generate the JSON Schema, the plugin's files and the tables of the manual
  bench       Measure what each hook costs
  simulate    Put the controller of credit-pacer to the test on weeks that are made up
  package     Write the plugin with its programs, and an archive of it with checksums

`cargo xtask VERB --help` lists the options of a verb.
";

const INSTALL: [&str; 8] =
    ["install", "uninstall", "enable", "disable", "status", "sync", "statusline", "undo"];

/// The verbs that copy the hooks, which must be built first.
const COPIES: [&str; 3] = ["install", "enable", "sync"];

/// With one of these, nothing is copied, or copied from somewhere else.
const COPIES_NOTHING: [&str; 5] = ["--dry-run", "--prebuilt", "--from", "--help", "-h"];

const DEVELOP: [&str; 6] = ["bench", "ci", "e2e", "package", "schema", "tidy"];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let verb = arguments.first().and_then(|verb| verb.to_str()).unwrap_or_default();
    let ended = match verb {
        "help" | "--help" | "-h" => return say(USAGE),
        "test" if arguments[1..].iter().any(|word| word == "--help" || word == "-h") => {
            return say(USAGE);
        }
        "--version" | "-V" => return say(concat!("cargo xtask ", env!("CARGO_PKG_VERSION"), "\n")),
        "test" if arguments.len() == 1 => test(),
        verb if INSTALL.contains(&verb) => install(verb, &arguments),
        "simulate" => simulate(&arguments[1..]),
        verb if DEVELOP.contains(&verb) => develop(&arguments),
        _ => return fail(USAGE_ERROR, &format!("there is no such verb\n\n{USAGE}")),
    };
    match ended {
        Ok(status) => exit_code(status),
        Err(error) => fail(FAILED, &format!("{error}\n")),
    }
}

fn say(text: &str) -> ExitCode {
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

fn fail(status: u8, why: &str) -> ExitCode {
    let _ = io::stderr().write_all(format!("error: {why}").as_bytes());
    ExitCode::from(status)
}

fn install(verb: &str, arguments: &[OsString]) -> io::Result<ExitStatus> {
    let workspace = Workspace::here()?;
    let triple = xtask::host_triple()?;
    let copies = COPIES.contains(&verb)
        && !arguments.iter().any(|word| COPIES_NOTHING.iter().any(|option| is_option(word, option)));
    let linking = xtask::Linking::of_this_machine(&workspace, &triple)?;
    let programs = if copies {
        workspace.release_hooks(&triple, linking, &["xtask-install"])?;
        workspace.release_helpers(&triple)?
    } else {
        workspace.release(&triple, linking, &["xtask-install"])?
    };
    let mut command = Command::new(programs.join(xtask::executable("xtask-install")));
    command.args(arguments);
    if copies {
        command.arg("--prebuilt").arg(&programs);
    } else if verb == "status" {
        command.arg("--built").arg(&programs);
    }
    command.status()
}

fn is_option(word: &OsString, option: &str) -> bool {
    word.to_str().is_some_and(|word| word.split('=').next() == Some(option))
}

fn develop(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let programs = Workspace::here()?.debug(&["--bin", "xtask-dev"])?;
    Command::new(programs.join(xtask::executable("xtask-dev"))).args(arguments).status()
}

/// It is built optimised: weeks are long.
fn simulate(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let mut simulate = Workspace::here()?.cargo();
    simulate.args(["run", "--quiet", "--release", "--package", "xtask-simulate", "--"]);
    simulate.args(arguments).status()
}

/// The tests start the programs from the folder that `debug` fills; both commands select the whole workspace, so cargo compiles
/// each dependency once.
fn test() -> io::Result<ExitStatus> {
    let workspace = Workspace::here()?;
    workspace.debug(&["--bins"])?;
    let mut tests = workspace.cargo();
    // Many tests wait for a process: two for each core keep the cores at work.
    let threads = thread::available_parallelism().map_or(2, NonZero::get) * 2;
    tests.env(
        "RUST_TEST_THREADS",
        env::var_os("RUST_TEST_THREADS").unwrap_or_else(|| threads.to_string().into()),
    );
    tests.args(["test", "--workspace", "--no-fail-fast"]).status()
}

fn exit_code(status: ExitStatus) -> ExitCode {
    match status.code() {
        Some(0) => ExitCode::SUCCESS,
        Some(2) | None => ExitCode::FAILURE,
        Some(code) => u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}
