//! `cargo xtask e2e`: the tests under the real client, with the programs that `cargo xtask install` copies. Without npm they fail.
//!
//! Without a filter it runs the smoke set, and the client's facts where neither this version of the client nor the tests of
//! its facts are the ones noted in `tests/facts-proved`. A run of all facts that passes writes that note.

use std::env;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Context as _, ensure};
use installer::files::hash;
use installer::say::note;
use xtask::{Linking, Workspace};

use crate::claude_code::{Client, ensure as ensure_client};
use crate::succeeded;

/// The tests that run without a filter, one name a line.
const SMOKE_SET: &str = "tests/e2e/smoke-set.txt";

const FACTS: &str = "facts::";

/// The client's version and the digest of the tests that passed with it.
const PROVED: &str = "tests/facts-proved";

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only tests whose names contain one of these
    filters: Vec<String>,
    /// Every test, as before a release
    #[arg(long, conflicts_with = "filters")]
    all: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    let root = workspace.root();
    let client = ensure_client(root).context("nothing was tested: there is no Claude Code to test with")?;
    let triple = xtask::host_triple()?;
    let linking = Linking::of_this_machine(workspace, &triple)?;
    let programs = workspace.release_hooks(&triple, linking, &["xtask-install"])?;
    workspace.release_helpers(&triple)?;
    note(format_args!("client {}: {}", client.version, client.path.display()));
    let now = facts(root, &client)?;
    let are_proved = fs::read_to_string(root.join(PROVED)).is_ok_and(|proved| proved == now);
    let is_smoke = !options.all && options.filters.is_empty();
    let passes = |arguments: &[String]| {
        let status = tests(workspace, &client, &programs).args(arguments).status();
        succeeded(status.context("starting cargo test")?)
    };
    if is_smoke {
        passes(&smoke_set(root, tests(workspace, &client, &programs))?)?;
        if !are_proved {
            note("the client or the tests of its facts have changed: these run too");
            passes(&[FACTS.to_owned()])?;
        }
    } else {
        passes(&options.filters)?;
    }
    let ran_facts = is_smoke || options.all || options.filters == [FACTS];
    if ran_facts && !are_proved {
        fs::write(root.join(PROVED), now).with_context(|| format!("writing {PROVED}"))?;
        note(format_args!("wrote {PROVED}: commit it"));
    }
    Ok(())
}

/// `--workspace`, because `cargo xtask test` has built the dependencies of the whole workspace.
fn tests(workspace: &Workspace, client: &Client, programs: &Path) -> Command {
    // A client waits for its model half of the time.
    let threads = thread::available_parallelism().map_or(2, NonZero::get) * 3 / 2;
    let mut command = workspace.cargo();
    command.args(["test", "--workspace", "--test", "e2e", "--"]);
    command.env("BARBLESS_E2E_CLAUDE", &client.path).env("BARBLESS_E2E_BIN_DIR", programs);
    command.env("RUST_TEST_THREADS", env::var("RUST_TEST_THREADS").unwrap_or_else(|_| threads.to_string()));
    command
}

fn smoke_set(root: &Path, mut tests: Command) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(root.join(SMOKE_SET)).with_context(|| format!("reading {SMOKE_SET}"))?;
    let names = text.lines().filter(|line| !line.starts_with('#'));
    let output = tests.arg("--list").output().context("starting cargo test")?;
    let listed = String::from_utf8_lossy(&output.stdout);
    let is_listed = |name: &&str| listed.lines().any(|line| line.strip_suffix(": test") == Some(name));
    let unknown: Vec<&str> = names.clone().filter(|name| !is_listed(name)).collect();
    ensure!(unknown.is_empty(), "{SMOKE_SET} names no test: {}", unknown.join(", "));
    Ok(["--exact"].into_iter().chain(names).map(str::to_owned).collect())
}

/// The text of [`PROVED`] once the facts have passed with this client.
fn facts(root: &Path, client: &Client) -> anyhow::Result<String> {
    let folder = fs::read_dir(root.join("tests/e2e/facts")).context("listing the tests of facts")?;
    let files = folder.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    let mut files = [vec![root.join("tests/e2e/facts.rs")], files].concat();
    files.sort();
    let mut bytes = Vec::new();
    for file in files {
        bytes.extend(fs::read(&file).with_context(|| format!("reading {}", file.display()))?);
    }
    Ok(format!("{} {}\n", client.version, hash(&bytes)))
}
