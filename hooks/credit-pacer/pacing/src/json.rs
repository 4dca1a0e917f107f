//! Calls and readings as JSON: lines of `credit-pacer decide`. `null` counts as left out.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::de::{Deserialize, Deserializer, Error};

use crate::{Reading, whole_seconds};

/// The times that calls and readings may have, in seconds since the epoch. Milliseconds are beyond them.
const TIMES: std::ops::Range<f64> = 0.0..1e10;

#[derive(serde::Deserialize)]
struct Told {
    used_percent: Option<f64>,
    resets_at: Option<f64>,
}

pub fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// The number that stands for a session's name.
pub fn session(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

pub(crate) fn session_name<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    or_default(from).map(|name: String| session(&name))
}

pub(crate) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let at = f64::deserialize(from)?;
    if TIMES.contains(&at) { Ok(at) } else { Err(D::Error::custom(format!("{at} is no time in seconds"))) }
}

pub(crate) fn whole_time<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    time(from).map(whole_seconds)
}

/// Usage without its reset is no reading, nor the other way round.
pub(crate) fn reading<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Reading>, D::Error> {
    let told: Option<Told> = Option::deserialize(from)?;
    let Some((used_percent, resets_at)) = told.and_then(|told| told.used_percent.zip(told.resets_at)) else {
        return Ok(None);
    };
    if used_percent < 0.0 {
        return Err(D::Error::custom(format!("used_percent has to be 0 or more, not {used_percent}")));
    }
    Ok(Some(Reading { used_percent, resets_at: whole_seconds(resets_at) }))
}
