//! `credit-pacer simulate`: the arithmetic put to the test. Six users, many weeks each, drawn by seed; the same weeks
//! without pacing, under the rules of this hook, and under the original tool's formula.
//!
//! - `profile`: who works how; `demand`: one week of it, drawn; `random`: the numbers
//! - `world`: what comes of a week; `controller`: who says how long a call waits; `original`: the original formula
//! - `oracle`: what could have been done

mod controller;
mod demand;
mod oracle;
mod original;
mod profile;
mod random;
mod table;
mod world;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use shared::config::{read_typed, section_defaults};

use controller::Controller;
use demand::Demand;
use profile::{PROFILES, Profile};
use table::{Row, Who};

use crate::pacing::Rules;
use crate::settings::Settings;

/// Weeks of each user, where no number is given.
const SEEDS: u64 = 200;

/// How it is called.
pub(crate) const USAGE: &str = "credit-pacer simulate [--seeds N] [--profile NAME] [--json]";

const WRONG_USAGE: u8 = 64;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    seeds: u64,
    profile: Option<&'static Profile>,
    json: bool,
}

/// Runs it, with the words after `simulate`.
pub(crate) fn run(words: &[&str]) -> ExitCode {
    match wanted(words) {
        Ok(wanted) => say(&wanted),
        Err(why) => {
            let _ = writeln!(io::stderr(), "credit-pacer: {why}\n\nusage: {USAGE}");
            ExitCode::from(WRONG_USAGE)
        }
    }
}

fn wanted(words: &[&str]) -> Result<Wanted, String> {
    let mut wanted = Wanted { seeds: SEEDS, profile: None, json: false };
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--json" => wanted.json = true,
            "--seeds" => {
                let number = words.next().and_then(|number| number.parse().ok());
                wanted.seeds = number
                    .filter(|seeds| (1..=100_000).contains(seeds))
                    .ok_or("--seeds takes a number from 1 to 100000")?;
            }
            "--profile" => {
                let names = || PROFILES.map(|profile| profile.name).join(", ");
                let found = words.next().and_then(profile::named);
                wanted.profile = Some(found.ok_or_else(|| format!("--profile takes one of {}", names()))?);
            }
            _ => return Err(format!("simulate does not know {word}")),
        }
    }
    Ok(wanted)
}

fn say(wanted: &Wanted) -> ExitCode {
    let profiles =
        PROFILES.iter().filter(|profile| wanted.profile.is_none_or(|one| one.name == profile.name));
    let mut rows = Vec::new();
    for profile in profiles {
        match weeks(profile, wanted.seeds) {
            Ok(of_profile) => rows.extend(of_profile),
            Err(why) => {
                let _ = writeln!(io::stderr(), "credit-pacer: {why}; this is a bug");
                return ExitCode::FAILURE;
            }
        }
    }
    let text = if wanted.json { table::json(&rows) } else { table::text(&rows) };
    // A closed stdout is the reader's choice, not an error.
    let _ = writeln!(io::stdout(), "{text}");
    ExitCode::SUCCESS
}

/// So many weeks of one user: a row for each controller.
fn weeks(profile: &'static Profile, seeds: u64) -> Result<[Row; 3], String> {
    let settings = settings(profile)?;
    let rules = Rules::of(&settings);
    let longest_secs = settings.max_delay_secs.get();
    let empty = Who::ALL.map(|who| Row::new(profile.name, who));
    let next = AtomicU64::new(0);
    let share = || {
        let mut rows = empty.clone();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return rows;
            }
            week(profile, seed, &rules, longest_secs, &mut rows);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    Ok(thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(share)).collect();
        let parts = workers.into_iter().filter_map(|worker| worker.join().ok());
        parts.fold(empty.clone(), |mut rows, part| {
            rows.iter_mut().zip(&part).for_each(|(row, part)| row.add(part));
            rows
        })
    }))
}

/// One week, under each controller.
fn week(profile: &Profile, seed: u64, rules: &Rules, longest_secs: f64, rows: &mut [Row; 3]) {
    let demand = Demand::of(profile, seed);
    let unpaced = world::run(&demand, &mut Controller::None);
    let is_easy = oracle::was_easy(&unpaced);
    for row in rows {
        let week = match row.who {
            Who::Nobody => &unpaced,
            Who::Pacer => &world::run(&demand, &mut Controller::Pacer(rules)),
            Who::Original => &world::run(&demand, &mut Controller::Original),
        };
        let avoidable =
            week.full.iter().filter(|full| oracle::was_avoidable(&demand, week, full, longest_secs)).count();
        row.count(week, avoidable, is_easy);
    }
}

/// The defaults, what the user has set above them, and a zone that is the same everywhere.
fn settings(profile: &Profile) -> Result<Settings, String> {
    let mut section: serde_json::Value = read_typed(section_defaults("credit-pacer"))?;
    let set: serde_json::Value = read_typed(profile.settings)?;
    let values =
        section.get_mut("credit-pacer").and_then(serde_json::Value::as_object_mut).ok_or("no defaults")?;
    values.retain(|key, _| !shared::config::COMMON_KEYS.iter().any(|(common, _)| common == key));
    values.insert("timezone".to_owned(), "UTC".into());
    if let serde_json::Value::Object(set) = set {
        values.extend(set);
    }
    serde_json::from_value(values.clone().into()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
