//! `cargo xtask simulate`: weeks that are made up, under four controllers.
//!
//! - `profile`: who works how; `demand`: three weeks of it, drawn by seed
//! - `world`: the outcome of these weeks under a controller
//! - `clairvoyant`: the controller that knows the future; `original`: the original formula

mod clairvoyant;
mod demand;
mod original;
mod profile;
mod world;

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use demand::{Demand, WEEKS};
use pacing::{Learned, decide};
use profile::{PROFILES, Profile};
use world::{Week, World};

const USAGE: &str = "usage: cargo xtask simulate [--judge]    --judge: seeds that no constant was tuned on\n";

/// Runs of each user.
const RUNS: u64 = 10;

/// The first judging seed.
const JUDGING: u64 = 1_000_000;

const COLUMNS: [&str; 5] =
    ["no pacing", "original tool", "credit-pacer", "knows the future", "saves work alone"];

/// A user's name, and the weeks of one run under each controller.
type Row = (&'static str, [[Week; WEEKS]; COLUMNS.len()]);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (text, code) = match words.join(" ").as_str() {
        "" => (table(&rows(0)), 0),
        "--judge" => (table(&rows(JUDGING)), 0),
        other => (USAGE.to_owned(), if other == "--help" { 0 } else { 64 }),
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
    let without = world::run(&demand, || |_: f64, _: &World<'_>, _: &Learned| 0.0);
    let original = world::run(&demand, || {
        |now: f64, world: &World<'_>, _: &Learned| original::delay_secs(now, &world.readings)
    });
    let pacer = world::run(&demand, || {
        |now: f64, world: &World<'_>, learned: &Learned| {
            decide(now, &world.readings, learned, &rules).delay_secs
        }
    });
    let [optimum, saver] = clairvoyant::best(&demand, &rules, &without);
    (profile.name, [without, original, pacer, optimum, saver])
}

/// A week in which no window comes to this usage is easy: nothing has to be delayed.
const EASY_PERCENT: f64 = 95.0;

/// The first week, in which nothing is known, and the third, with two weeks learned.
fn table(rows: &[Row]) -> String {
    let mut lines =
        vec!["locked-out seconds / work done / needless delay in seconds, means of a week\n".to_owned()];
    let mut add = |name: &str, cells: [String; COLUMNS.len()]| {
        let cells = cells.map(|cell| format!("{cell:>25}")).concat();
        lines.push(format!("{name:<16}{cells}"));
    };
    for (week, title) in [(0, "first week"), (WEEKS - 1, "third week")] {
        add(title, COLUMNS.map(str::to_owned));
        for name in PROFILES.map(|profile| profile.name) {
            add(&format!("  {name}"), means(rows.iter().filter(|row| row.0 == name), week));
        }
        add("  mean", means(rows.iter(), week));
    }
    lines.join("\n") + "\n"
}

fn means<'a>(rows: impl Iterator<Item = &'a Row>, week: usize) -> [String; COLUMNS.len()] {
    let weeks: Vec<_> = rows.map(|(_, columns)| columns.map(|weeks| weeks[week])).collect();
    std::array::from_fn(|column| {
        let locked = mean(weeks.iter().map(|weeks| weeks[column].locked_secs));
        let work = mean(weeks.iter().map(|weeks| weeks[column].work / weeks[0].work.max(1e-9)));
        let easy = weeks.iter().filter(|weeks| weeks[0].highest_percent < EASY_PERCENT);
        let needless = mean(easy.map(|weeks| weeks[column].delayed_secs));
        format!("{locked:.0} / {work:.3} / {needless:.0}")
    })
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number));
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Demand, Learned, PROFILES, World, world};

    #[test]
    fn seed_decides_the_weeks() {
        let weeks =
            |seed| world::run(&Demand::of(&PROFILES[5], seed), || |_: f64, _: &World<'_>, _: &Learned| 0.0);
        assert_eq!(weeks(1), weeks(1));
        assert_ne!(weeks(1), weeks(2));
    }
}
