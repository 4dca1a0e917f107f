//! `req pause`, `req resume`: every hook off for a while, and on again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Error, anyhow, bail};
use shared::host::{Timestamp, display_path};
use shared::journal::Record;
use shared::state::Off;

use crate::location::Location;
use crate::reply::{Answer, Reply};

const USUAL: Duration = Duration::from_secs(10 * 60);

/// A pause that is forgotten has ended by tomorrow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A hook that is paused answers no typed prompt, but Claude Code runs a line with `!` before it in a shell.
const HOW_TO_END: &str = "req resume ends it (in Claude Code: ! req resume)";

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
    if let Some((_, Off::ForGood)) = in_force(location) {
        return Ok(Reply::yes(note(location).unwrap_or_default()));
    }
    // Whole seconds are what the file holds.
    let end = Timestamp::from_secs(location.host.now().plus(span).secs());
    Off::until(dir, end).map_err(|error| unchanged(dir, "written", &error))?;
    location.audit(false, Record::of("pause", format!("until {}", end.local())));
    Ok(Reply::yes(format!("every hook is off until {}; {HOW_TO_END}", end.local())))
}

/// Everybody may: it makes nothing looser.
pub(crate) fn resume(location: &Location) -> Answer {
    if in_force(location).is_none() {
        return Ok(Reply::yes("no pause is in force; nothing was changed"));
    }
    for dir in [&location.places.state_dir, &location.places.default_state_dir].into_iter().flatten() {
        Off::end(dir).map_err(|error| unchanged(dir, "removed", &error))?;
    }
    location.audit(false, Record { what: "resume".to_owned(), ..Record::default() });
    Ok(Reply::yes("every hook is on again"))
}

/// Every answer says so while the hooks are off.
pub(crate) fn note(location: &Location) -> Option<String> {
    let (file, off) = in_force(location)?;
    let file = display_path(&file, location.host.environment.home.as_deref());
    Some(match off {
        Off::ForGood => format!("every hook is off for as long as {file} is there; {HOW_TO_END}"),
        Off::Until(end) => format!("every hook is off until {}; {HOW_TO_END}", end.local()),
    })
}

fn in_force(location: &Location) -> Option<(PathBuf, Off)> {
    Off::in_force(&location.places, location.host.now())
}

fn unchanged(dir: &Path, what: &str, error: &std::io::Error) -> Error {
    anyhow!("{} cannot be {what}: {error}\nNothing was changed.", dir.join("OFF").display())
}
