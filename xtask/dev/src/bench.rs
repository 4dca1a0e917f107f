//! `cargo xtask bench`: what each hook costs, as a whole process, beside an empty program and beside Python.
//!
//! A hook's price is paid at every tool call, so it is measured the way it is paid: start, read, decide, answer, end. Each
//! run stands next to a run of the empty binary, in an order that changes, because a machine's speed drifts. Modules:
//! `world` (with `bench.yaml`) says what is measured, sets it up and proves it, `programs` builds, `measure` times,
//! `report` judges. No test depends on a time.

mod measure;
mod programs;
mod report;
mod world;

use std::path::Path;

use anyhow::{Context as _, ensure};
use installer::catalog::Catalog;
use installer::registration::find;

use installer::say::{note, say};
use measure::{Process, in_turn};
use programs::Programs;
use report::{Measured, Pair};
use world::{World, cases};
use xtask::Workspace;

/// Fewer pairs than this say nothing about a budget.
const FEWEST_PAIRS: usize = 300;

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
    let programs = programs::build(workspace, scratch.path())?;
    if programs.python.is_none() {
        note("bench: there is no python3 here, so nothing is compared with it");
    }
    let python = python(&programs, scratch.path())?;
    let mut measured = Vec::new();
    for name in hooks {
        let hook =
            cases.get(&name).with_context(|| format!("xtask/dev/bench.yaml has no cases of {name}"))?;
        let program = programs.hooks.get(&name).with_context(|| format!("{name} was not built"))?;
        for case in &hook.cases {
            note(format_args!("bench: {name}, {}", case.name));
            let world = || World::new(workspace.root(), hook, case, program);
            let measured_pairs = measure(options, &programs.floor, world);
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
    let beside_floor = in_turn(options.pairs, || small.reset(), || plain(&floor), || checked(&small))?;
    if !options.growth {
        return Ok((beside_floor, Vec::new()));
    }
    let big = world()?;
    big.grow()?;
    let reset = || small.reset().and_then(|()| big.reset());
    Ok((beside_floor, in_turn(options.pairs, reset, || checked(&small), || checked(&big))?))
}

fn python(programs: &Programs, folder: &Path) -> anyhow::Result<Option<f64>> {
    let Some(python) = &programs.python else { return Ok(None) };
    let process = |program, args| Process { program, args, env: &[], cwd: folder, payload: b"" };
    let (floor, python) = (process(&programs.floor, &[]), process(python, &["-c", "pass"]));
    let pairs = in_turn(PYTHON_PAIRS, || Ok(()), || plain(&floor), || plain(&python))?;
    Ok(Some(report::ratio(&pairs)))
}

fn plain(process: &Process<'_>) -> anyhow::Result<f64> {
    let run = process.run()?;
    ensure!(run.status.success(), "{} ended with {}", process.program.display(), run.status);
    Ok(run.micros)
}

fn checked(world: &World<'_>) -> anyhow::Result<f64> {
    let run = world.process().run()?;
    world.check(&run)?;
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
