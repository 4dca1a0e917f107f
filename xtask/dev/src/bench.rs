//! `cargo xtask bench`: what each hook costs, as a whole process, beside an empty program and beside Python.
//!
//! A hook's price is paid at every tool call, so it is measured the way it is paid: start, read, decide, answer, end. Each
//! run stands next to a run of the empty binary, in an order that changes, because a machine's speed drifts. `world`
//! (with `bench.yaml`) sets up and proves what is measured, `measure` times, `report` judges. No test depends on a time.

mod measure;
mod report;
mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use installer::catalog::Catalog;
use installer::registration::find;

use installer::say::{note, say};
use installer::source::{Binaries, prebuilt};
use measure::{Process, in_turn};
use report::{Measured, Pair};
use world::{World, cases};
use xtask::{Linking, Workspace};

/// Fewer pairs than this say nothing about a budget.
const FEWEST_PAIRS: usize = 300;

/// The empty program.
const FLOOR: &str = "floor";

/// Python takes so long that its ratio needs no better.
const PYTHON_PAIRS: usize = 60;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// How often each case is run beside the empty binary; at least 300
    #[arg(long, default_value_t = 400)]
    pairs: usize,
    /// Only this hook
    #[arg(long)]
    hook: Option<String>,
    /// Run each case also with 10,000 old sessions, a 200 MB transcript and 50,000 more files in the project
    #[arg(long)]
    growth: bool,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    ensure!(
        options.pairs >= FEWEST_PAIRS,
        "--pairs {} is too few: give at least {FEWEST_PAIRS}",
        options.pairs
    );
    let cases = cases()?;
    let catalog = Catalog::built_in()?;
    let hooks = match &options.hook {
        Some(name) => vec![find(catalog, name)?.name.clone()],
        None => catalog.names(),
    };
    let scratch = tempfile::tempdir().context("making a scratch folder")?;
    let programs = build(workspace, scratch.path())?;
    let floor = &programs[FLOOR];
    let python = python().map(|python| ratio_of(&python, floor, scratch.path())).transpose()?;
    if python.is_none() {
        note("bench: there is no python3 here, so nothing is compared with it");
    }
    let mut measured = Vec::new();
    for name in hooks {
        let hook =
            cases.get(&name).with_context(|| format!("xtask/dev/bench.yaml has no cases of {name}"))?;
        let program = programs.get(&name).with_context(|| format!("{name} was not built"))?;
        for case in &hook.cases {
            note(format_args!("bench: {name}, {}", case.name));
            let world = || World::new(workspace.root(), hook, case, program);
            let measured_pairs = measure(options, floor, world);
            let (floor_and_hook, small_and_big) =
                measured_pairs.with_context(|| format!("measuring {name}"))?;
            let (name, budget) = (format!("{name}, {}", case.name), case.budget.unwrap_or(hook.budget));
            measured.push(Measured { name, budget, floor_and_hook, python, small_and_big });
        }
    }
    say(report::to_table(&measured));
    let failures: Vec<String> = measured.iter().flat_map(Measured::failures).collect();
    ensure!(failures.is_empty(), "over budget:\n  {}", failures.join("\n  "));
    Ok(())
}

/// The pairs of one case: beside the empty program, and with `growth` the small world beside a grown one.
fn measure<'a>(
    options: &Options,
    floor: &Path,
    world: impl Fn() -> anyhow::Result<World<'a>>,
) -> anyhow::Result<(Vec<Pair>, Vec<Pair>)> {
    let small = world()?;
    let floor = small.process_of(floor);
    let beside_floor = in_turn(options.pairs, || small.reset(), || plain(&floor), || small.timed())?;
    if !options.growth {
        return Ok((beside_floor, Vec::new()));
    }
    let big = world()?;
    big.grow()?;
    let reset = || small.reset().and_then(|()| big.reset());
    Ok((beside_floor, in_turn(options.pairs, reset, || small.timed(), || big.timed())?))
}

/// Builds the hooks with the packages of an installation, so that nothing is built twice, and the empty program.
fn build(workspace: &Workspace, scratch: &Path) -> anyhow::Result<Binaries> {
    let triple = xtask::host_triple()?;
    let linking = Linking::of_this_machine(workspace, &triple)?;
    let folder = workspace.release_hooks(&triple, linking, &["xtask-install", "xtask"])?;
    let mut programs = prebuilt(&folder, &Catalog::built_in()?.hooks)?;
    programs.insert(FLOOR.to_owned(), folder.join(xtask::executable(FLOOR)));
    // As an installation does: a copied program starts faster than one as the linker wrote it.
    for (name, program) in &mut programs {
        let copied = scratch.join(xtask::executable(name));
        fs::copy(&program, &copied).with_context(|| format!("copying {}", program.display()))?;
        *program = copied;
    }
    Ok(programs)
}

/// The interpreter itself: version managers put a script of that name first in the path, which would count as Python's own time.
fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.is_file().then_some(path)
}

/// How many times the empty program Python takes.
fn ratio_of(python: &Path, floor: &Path, folder: &Path) -> anyhow::Result<f64> {
    let process = |program, args| Process { program, args, env: &[], cwd: folder, payload: b"" };
    let (floor, python) = (process(floor, &[]), process(python, &["-c", "pass"]));
    let pairs = in_turn(PYTHON_PAIRS, || Ok(()), || plain(&floor), || plain(&python))?;
    Ok(report::ratio(&pairs))
}

fn plain(process: &Process<'_>) -> anyhow::Result<f64> {
    let run = process.run()?;
    ensure!(run.status.success(), "{} ended with {}", process.program.display(), run.status);
    Ok(run.micros)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Catalog, cases};

    #[test]
    fn every_hook_has_cases_and_each_its_own_name() {
        let cases = cases().unwrap();
        let hooks: BTreeSet<String> = Catalog::built_in().unwrap().names().into_iter().collect();
        assert_eq!(cases.keys().cloned().collect::<BTreeSet<_>>(), hooks);
        for (hook, cases) in cases {
            let names: BTreeSet<&str> = cases.cases.iter().map(|case| case.name.as_str()).collect();
            assert_eq!(names.len(), cases.cases.len(), "{hook}");
        }
    }
}
