//! `cargo xtask simulate`: weeks that are made up, under four controllers.
//!
//! - `profile`: who works how; `demand`: three weeks of it, drawn by seed
//! - `world`: the outcome of these weeks under a controller; `controller`: who sets the delay of a call
//! - `clairvoyant`: the controller that knows the future; `original`: the original formula; `table`: the output

mod clairvoyant;
mod controller;
mod demand;
mod original;
mod profile;
mod table;
mod world;

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use demand::Demand;
use profile::{PROFILES, Profile};
use table::Row;

const WRONG_USAGE: u8 = 64;

const USAGE: &str = "\
usage: cargo xtask simulate [--seeds N] [--judge] [--profile NAME]

  --seeds N       so many runs of each user and week, 10 by default
  --judge         seeds that no constant was tuned on
  --profile NAME  one user
";

/// The first judging seed.
const JUDGING: u64 = 1_000_000;

#[derive(Debug, Clone, Copy)]
struct Wanted {
    seeds: usize,
    first: u64,
    profile: Option<&'static str>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (text, code) = match wanted(&words) {
        Ok(Some(wanted)) => (table::text(&rows(wanted)), ExitCode::SUCCESS),
        Ok(None) => (USAGE.to_owned(), ExitCode::SUCCESS),
        Err(why) => (format!("error: {why}\n\n{USAGE}"), ExitCode::from(WRONG_USAGE)),
    };
    // A reader that has gone is no failure.
    let _ = io::stdout().write_all(text.as_bytes());
    code
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
                let names = PROFILES.map(|profile| profile.name);
                let name = words.next().unwrap_or_default();
                let found = names.into_iter().find(|known| *known == name);
                wanted.profile =
                    Some(found.ok_or_else(|| format!("--profile takes one of {}", names.join(", ")))?);
            }
            _ => return Err(format!("there is no {word}")),
        }
    }
    Ok(Some(wanted))
}

/// The weeks of each user and seed. Each processor takes every so manieth.
fn rows(wanted: Wanted) -> Vec<Row> {
    let profiles = PROFILES.iter().filter(|one| wanted.profile.is_none_or(|only| only == one.name));
    let runs: Vec<(&Profile, u64)> = profiles
        .flat_map(|profile| (wanted.first..).take(wanted.seeds).map(move |seed| (profile, seed)))
        .collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let work = |worker: usize| {
        let own = runs.iter().skip(worker).step_by(workers);
        own.flat_map(|(profile, seed)| run(profile, *seed)).collect::<Vec<_>>()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
    })
}

/// One user and seed under each controller: the first week, in which nothing is known, and the third.
fn run(profile: &Profile, seed: u64) -> [Row; 2] {
    let demand = Demand::of(profile, seed);
    let rules = profile.rules();
    let unpaced = world::run(&demand, |_| controller::None);
    let outcomes = [
        unpaced,
        world::run(&demand, |_| controller::Original),
        world::run(&demand, |_| controller::Pacer::new(&rules)),
        clairvoyant::best(&demand, &rules, &unpaced),
    ];
    [(0, false), (demand::WEEKS - 1, true)].map(|(week, is_third)| Row {
        profile: profile.name,
        is_third,
        weeks: outcomes.map(|weeks| weeks[week]),
    })
}

#[cfg(test)]
mod tests {
    use super::{PROFILES, controller, world};
    use crate::demand::Demand;

    #[test]
    fn seed_decides_the_weeks() {
        let profile = &PROFILES[5];
        let rules = profile.rules();
        let weeks = |seed| world::run(&Demand::of(profile, seed), |_| controller::Pacer::new(&rules));
        assert_eq!(weeks(1), weeks(1));
        assert_ne!(weeks(1), weeks(2));
    }
}
