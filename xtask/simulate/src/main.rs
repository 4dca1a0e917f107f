//! `cargo xtask simulate`: weeks that are made up, under four controllers.
//!
//! - `profile`: who works how; `demand`: three weeks of it, drawn by seed
//! - `world`: the outcome of these weeks under a controller
//! - `clairvoyant`: the controller that knows the future; `original`: the original formula; `table`: the output

mod clairvoyant;
mod demand;
mod original;
mod profile;
mod table;
mod world;

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use demand::{Demand, WEEKS};
use pacing::{Call, Learned, Readings, Rules, decide, is_clearly_within};
use profile::{PROFILES, Profile};
use world::{Controller, Week, World};

const USAGE: &str = "usage: cargo xtask simulate [--judge]    --judge: seeds that no constant was tuned on\n";

/// Runs of each user.
const RUNS: u64 = 10;

/// The first judging seed.
const JUDGING: u64 = 1_000_000;

/// A user's name, and the weeks of one run under each controller.
type Row = (&'static str, [[Week; WEEKS]; 4]);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (text, code) = match words.join(" ").as_str() {
        "" => (table::text(&rows(0)), 0),
        "--judge" => (table::text(&rows(JUDGING)), 0),
        "--help" => (USAGE.to_owned(), 0),
        _ => (USAGE.to_owned(), 64),
    };
    // A reader that has gone is no failure.
    let _ = io::stdout().write_all(text.as_bytes());
    code.into()
}

fn rows(first: u64) -> Vec<Row> {
    thread::scope(|scope| {
        let runs = |profile| move || (first..first + RUNS).map(|seed| run(profile, seed)).collect::<Vec<_>>();
        let users: Vec<_> = PROFILES.iter().map(|profile| scope.spawn(runs(profile))).collect();
        users.into_iter().filter_map(|user| user.join().ok()).flatten().collect()
    })
}

fn run(profile: &Profile, seed: u64) -> Row {
    let (demand, rules) = (Demand::of(profile, seed), profile.rules());
    let without = world::run(&demand, || unpaced);
    let weeks = [
        without,
        world::run(&demand, || original::delay_secs),
        world::run(&demand, || Pacer { rules: &rules, learned: Learned::default() }),
        clairvoyant::best(&demand, &rules, &without),
    ];
    (profile.name, weeks)
}

const fn unpaced(_now: f64, _readings: &Readings) -> f64 {
    0.0
}

struct Pacer<'a> {
    rules: &'a Rules,
    learned: Learned,
}

impl Controller for Pacer<'_> {
    fn delay_secs(&mut self, now: f64, world: &World<'_>) -> f64 {
        self.learned.read(&world.readings);
        let is_within = is_clearly_within(&world.readings, self.rules);
        if is_within { 0.0 } else { decide(now, &world.readings, &self.learned, self.rules).delay_secs }
    }

    fn called(&mut self, call: Call) {
        self.learned.call(call);
    }
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
