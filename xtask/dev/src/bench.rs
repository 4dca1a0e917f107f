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

use anyhow::{Context as _, bail, ensure};
use installer::catalog::Catalog;

use installer::say::{note, say};
use measure::{Process, in_turn};
use programs::Programs;
use report::{Measured, Pair};
use world::{Case, HookCases, World, cases};
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

/// Measures the hooks and prints what they cost.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    ensure!(
        options.pairs >= FEWEST_PAIRS,
        "--pairs {} is too few: give at least {FEWEST_PAIRS}",
        options.pairs
    );
    let cases = cases()?;
    let hooks = chosen(options.hook.as_deref())?;
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
        for case in &hook.cases {
            note(format_args!("bench: {name}, {}", case.name));
            let bench =
                Bench { root: workspace.root(), name: &name, hook, case, programs: &programs, options };
            measured.push(bench.measure(python).with_context(|| format!("measuring {name}"))?);
        }
    }
    publish(&measured)
}

/// The hooks of the catalog, or the one asked for.
fn chosen(wanted: Option<&str>) -> anyhow::Result<Vec<String>> {
    let catalog = Catalog::built_in()?;
    let names = catalog.names().into_iter();
    let chosen: Vec<String> = names.filter(|name| wanted.is_none_or(|wanted| wanted == name)).collect();
    ensure!(
        !chosen.is_empty(),
        "no hook is named `{}`; config/hooks.yaml has them all",
        wanted.unwrap_or_default()
    );
    Ok(chosen)
}

/// There are cases for the hook of that name.
pub(crate) fn measures(name: &str) -> bool {
    cases().is_ok_and(|cases| cases.contains_key(name))
}

/// How many times the empty program Python takes.
fn python(programs: &Programs, folder: &Path) -> anyhow::Result<Option<f64>> {
    let Some(python) = &programs.python else { return Ok(None) };
    let process = |program, args| Process { program, args, env: &[], cwd: folder, payload: b"" };
    let (floor, python) = (process(&programs.floor, &[]), process(python, &["-c", "pass"]));
    let pairs = in_turn(PYTHON_PAIRS, || Ok(()), || plain(&floor), || plain(&python))?;
    Ok(Some(report::ratio(&pairs)))
}

fn publish(measured: &[Measured]) -> anyhow::Result<()> {
    say(report::to_table(measured));
    let failures: Vec<String> = measured.iter().flat_map(Measured::failures).collect();
    if failures.is_empty() { Ok(()) } else { bail!("over budget:\n  {}", failures.join("\n  ")) }
}

/// One case and what it takes to measure it.
struct Bench<'a> {
    root: &'a Path,
    name: &'a str,
    hook: &'a HookCases,
    case: &'a Case,
    programs: &'a Programs,
    options: &'a Options,
}

impl Bench<'_> {
    fn measure(&self, python: Option<f64>) -> anyhow::Result<Measured> {
        let world = self.world()?;
        Ok(Measured {
            name: format!("{}, {}", self.name, self.case.name),
            budget: self.case.budget.unwrap_or(self.hook.budget),
            floor_and_hook: self.beside_floor(&world)?,
            python,
            small_and_big: self.beside_grown(&world)?,
        })
    }

    fn world(&self) -> anyhow::Result<World<'_>> {
        let program = self.programs.hooks.get(self.name).context("the hook was not built")?;
        World::new(self.root, self.hook, self.case, program)
    }

    fn beside_floor(&self, world: &World<'_>) -> anyhow::Result<Vec<Pair>> {
        let floor = world.process_of(&self.programs.floor);
        in_turn(self.options.pairs, || world.reset(), || plain(&floor), || checked(world))
    }

    fn beside_grown(&self, small: &World<'_>) -> anyhow::Result<Vec<Pair>> {
        if !self.options.growth {
            return Ok(Vec::new());
        }
        let big = self.world()?;
        big.grow()?;
        let reset = || small.reset().and_then(|()| big.reset());
        in_turn(self.options.pairs, reset, || checked(small), || checked(&big))
    }
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

    use super::cases;

    #[test]
    fn the_cases_can_be_read_and_each_has_its_own_name() {
        for (hook, cases) in cases().unwrap() {
            let names: BTreeSet<&str> = cases.cases.iter().map(|case| case.name.as_str()).collect();
            assert_eq!(names.len(), cases.cases.len(), "{hook}");
        }
    }
}
