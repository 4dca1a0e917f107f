//! `req pause`, `req resume`: every hook off for a while, and on again.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Error, anyhow, bail};
use shared::host::Timestamp;
use shared::journal::Record;
use shared::state::Off;

use crate::location::{HOW_TO_RESUME, Location};
use crate::reply::{Answer, Reply};

const USUAL: Duration = Duration::from_secs(10 * 60);

/// A pause that is forgotten has ended by tomorrow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn pause(span: Option<Duration>, location: &Location) -> Answer {
    let span = span.unwrap_or(USUAL);
    if span > LONGEST {
        bail!("a pause lasts a day at most (1d); for longer: req disable --hook HOOK");
    }
    if !location.caller.is_operator() {
        return Err(location.refusal("a pause is the user's to make"));
    }
    let dir = location.places.state_dir.as_ref();
    let dir = dir.context("there is no state folder to keep the pause in; set HOME")?;
    if let Some((_, Off::ForGood)) = location.pause() {
        return Ok(Reply::yes(location.pause_note().unwrap_or_default()));
    }
    // Whole seconds are what the file holds.
    let end = Timestamp::from_secs(location.host.now().plus(span).secs());
    Off::until(dir, end).map_err(|error| unchanged(dir, "written", &error))?;
    location.audit(false, Record::of("pause", format!("until {}", end.local())));
    Ok(Reply::yes(format!("every hook is off until {}; {HOW_TO_RESUME}", end.local())))
}

/// Everybody may: it makes nothing looser.
pub(crate) fn resume(location: &Location) -> Answer {
    if location.pause().is_none() {
        return Ok(Reply::yes("no pause is in force; nothing was changed"));
    }
    for dir in [&location.places.state_dir, &location.places.default_state_dir].into_iter().flatten() {
        Off::end(dir).map_err(|error| unchanged(dir, "removed", &error))?;
    }
    location.audit(false, Record { what: "resume".to_owned(), ..Record::default() });
    Ok(Reply::yes("every hook is on again"))
}

fn unchanged(dir: &Path, what: &str, error: &std::io::Error) -> Error {
    anyhow!("{} cannot be {what}: {error}\nNothing was changed.", dir.join("OFF").display())
}
