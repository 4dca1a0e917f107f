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
use std::ops::Range;
use std::process::ExitCode;
use std::thread;

use controller::{Pacer, unpaced};
use demand::Demand;
use pacing::Learned;
use profile::{PROFILES, Profile};
use table::Row;

const WRONG_USAGE: u8 = 64;

const USAGE: &str = "\
usage: cargo xtask simulate [--seeds N] [--judge]

  --seeds N  so many runs of each user and week, 10 by default
  --judge    seeds that no constant was tuned on
";

/// The first judging seed.
const JUDGING: u64 = 1_000_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (text, code) = match seeds(&words) {
        _ if words == ["--help"] => (USAGE.to_owned(), ExitCode::SUCCESS),
        Some(seeds) => (table::text(&rows(seeds)), ExitCode::SUCCESS),
        None => (USAGE.to_owned(), ExitCode::from(WRONG_USAGE)),
    };
    // A reader that has gone is no failure.
    let _ = io::stdout().write_all(text.as_bytes());
    code
}

/// The seeds that the words ask for; `None`: the words are wrong.
fn seeds(words: &[&str]) -> Option<Range<u64>> {
    let (first, words) = match words {
        [words @ .., "--judge"] => (JUDGING, words),
        words => (0, words),
    };
    let count = match words {
        [] => 10,
        ["--seeds", count] => count.parse().ok()?,
        _ => return None,
    };
    Some(first..first + count)
}

/// The weeks of each run. Each processor takes every so manieth.
fn rows(seeds: Range<u64>) -> Vec<Row> {
    let of_seed = |seed| PROFILES.iter().map(move |profile| (profile, seed));
    let runs: Vec<_> = seeds.flat_map(of_seed).collect();
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
    let without = world::run(&demand, || unpaced);
    let outcomes = [
        without,
        world::run(&demand, || original::delay_secs),
        world::run(&demand, || Pacer { rules: &rules, learned: Learned::default() }),
        clairvoyant::best(&demand, &rules, &without),
    ];
    [(0, false), (demand::WEEKS - 1, true)].map(|(week, is_third)| Row {
        profile: profile.name,
        is_third,
        weeks: outcomes.map(|weeks| weeks[week]),
    })
}

#[cfg(test)]
mod tests {
    use super::{PROFILES, unpaced, world};
    use crate::demand::Demand;

    #[test]
    fn seed_decides_the_weeks() {
        let weeks = |seed| world::run(&Demand::of(&PROFILES[5], seed), || unpaced);
        assert_eq!(weeks(1), weeks(1));
        assert_ne!(weeks(1), weeks(2));
    }
}
