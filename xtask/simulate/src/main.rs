//! `cargo xtask simulate`: the controller of credit-pacer put to the test on weeks that are made up, beside no pacing, the
//! original tool's formula, and a controller that knows the future.
//!
//! - `profile`: who works how; `demand`: three weeks of it, drawn by seed; `random`: the numbers
//! - `world`: the outcome of these weeks under a controller; `controller`: who says how long a call waits
//! - `clairvoyant`: the controller that knows the future; `original`: the original formula; `table`: the output

mod clairvoyant;
mod controller;
mod demand;
mod original;
mod profile;
mod random;
mod table;
mod world;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use demand::Demand;
use profile::{PROFILES, Profile};
use table::{Row, Who};

const WRONG_USAGE: u8 = 64;

const USAGE: &str = "\
usage: cargo xtask simulate [--seeds N] [--judge] [--profile NAME]

  --seeds N       so many runs of each user and week, 10 by default
  --judge         seeds that no constant was tuned on
  --profile NAME  one user
";

/// Judging seeds begin here: no constant was tuned on them.
const JUDGING: u64 = 1_000_000;

/// The command line.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    seeds: u64,
    first: u64,
    profile: Option<&'static Profile>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match wanted(&words) {
        Ok(Some(wanted)) => {
            let rows = rows(&wanted);
            // A reader that has gone is no failure.
            let _ = io::stdout().write_all(table::text(&rows).as_bytes());
            ExitCode::SUCCESS
        }
        Ok(None) => {
            let _ = io::stdout().write_all(USAGE.as_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => {
            let _ = writeln!(io::stderr(), "error: {why}\n\n{USAGE}");
            ExitCode::from(WRONG_USAGE)
        }
    }
}

fn wanted(words: &[String]) -> Result<Option<Wanted>, String> {
    let mut wanted = Wanted { seeds: 10, first: 0, profile: None };
    let mut words = words.iter().map(String::as_str).filter(|word| *word != "simulate");
    while let Some(word) = words.next() {
        match word {
            "--help" | "-h" => return Ok(None),
            "--judge" => wanted.first = JUDGING,
            "--seeds" => {
                let number = words.next().and_then(|number| number.parse().ok());
                wanted.seeds = number
                    .filter(|seeds| (1..=100_000).contains(seeds))
                    .ok_or("--seeds takes a number from 1 to 100000")?;
            }
            "--profile" => {
                let name = words.next().unwrap_or_default();
                let names = PROFILES.map(|profile| profile.name).join(", ");
                let found = PROFILES.iter().find(|profile| profile.name == name);
                wanted.profile = Some(found.ok_or_else(|| format!("--profile takes one of {names}"))?);
            }
            _ => return Err(format!("there is no {word}")),
        }
    }
    Ok(Some(wanted))
}

/// A row for each user, week and controller.
fn rows(wanted: &Wanted) -> Vec<Row> {
    let profiles: Vec<&Profile> =
        PROFILES.iter().filter(|one| wanted.profile.is_none_or(|only| only.name == one.name)).collect();
    let next = AtomicU64::new(0);
    let work = || {
        let mut rows: Vec<Row> = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(profile) =
                usize::try_from(number / wanted.seeds).ok().and_then(|index| profiles.get(index))
            else {
                return rows;
            };
            rows.extend(run(profile, wanted.first + number % wanted.seeds));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut rows: Vec<Row> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    });
    let place = |row: &Row| PROFILES.iter().position(|profile| profile.name == row.profile);
    rows.sort_by_key(|row| (place(row), row.is_third, row.who));
    rows
}

/// One user and seed, under each controller: the first week, when nothing is known, and the third.
fn run(profile: &'static Profile, seed: u64) -> Vec<Row> {
    let demand = Demand::of(profile, seed);
    let rules = profile.rules();
    let unpaced = world::run(&demand, |_| controller::None);
    let outcomes = [
        (Who::Nobody, unpaced),
        (Who::Original, world::run(&demand, |_| controller::Original)),
        (Who::Pacer, world::run(&demand, |_| controller::Pacer::new(&rules))),
        (Who::Clairvoyant, clairvoyant::best(&demand, &rules, &unpaced)),
    ];
    let rows = outcomes.iter().flat_map(|(who, weeks)| {
        [(0, false), (demand::WEEKS - 1, true)]
            .map(|(week, is_third)| Row::of(profile.name, *who, is_third, &weeks[week], &unpaced[week]))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::{PROFILES, controller, world};
    use crate::demand::Demand;

    #[test]
    fn a_week_is_the_same_for_the_same_seed_and_another_for_another() {
        let profile = &PROFILES[5];
        let rules = profile.rules();
        let weeks = |seed| world::run(&Demand::of(profile, seed), |_| controller::Pacer::new(&rules));
        assert_eq!(weeks(1), weeks(1));
        assert_ne!(weeks(1), weeks(2));
    }
}
