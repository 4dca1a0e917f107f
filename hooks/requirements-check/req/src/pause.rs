//! `req pause`, `req resume`: every hook off for a while, and on again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::cli::Asker;
use shared::host::{Timestamp, display_path};
use shared::journal::Record;
use shared::state::Off;

use crate::audit::audit;
use crate::reply::{Reply, refusal};

const USUAL: Duration = Duration::from_secs(10 * 60);

/// A pause that is forgotten has ended by tomorrow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A hook that is paused answers no typed prompt, but Claude Code runs a line with `!` before it in a shell.
const HOW_TO_END: &str = "req resume ends it (in Claude Code: ! req resume)";

pub(crate) fn pause(wanted: Option<Duration>, asker: &Asker<'_>, line: &str) -> Result<Reply, String> {
    let span = wanted.unwrap_or(USUAL);
    if span > LONGEST {
        return Err("req: a pause lasts a day at most (1d); for longer: req disable --hook HOOK".to_owned());
    }
    if !asker.caller.is_operator() {
        return Err(refusal(asker.caller, line, "a pause is the user's to make"));
    }
    let dir = asker.places.state_dir.as_ref();
    let dir = dir.ok_or("req: there is no state folder to keep the pause in; set HOME")?;
    let now = asker.host.now();
    if let Some((_, Off::ForGood)) = in_force(asker) {
        return Ok(Reply::yes(note(asker).unwrap_or_default()));
    }
    // Whole seconds are what the file holds.
    let end = Timestamp::from_secs(now.plus(span).secs());
    Off::until(dir, end).map_err(|error| unchanged(dir, "written", &error))?;
    audit(asker.places, now, false, Record::of("pause", format!("until {}", end.local())));
    Ok(Reply::yes(format!("every hook is off until {}; {HOW_TO_END}", end.local())))
}

/// Everybody may: it makes nothing looser.
pub(crate) fn resume(asker: &Asker<'_>) -> Result<Reply, String> {
    if in_force(asker).is_none() {
        return Ok(Reply::yes("no pause is in force; nothing was changed"));
    }
    for dir in [&asker.places.state_dir, &asker.places.default_state_dir].into_iter().flatten() {
        Off::end(dir).map_err(|error| unchanged(dir, "removed", &error))?;
    }
    let record = Record { what: "resume".to_owned(), ..Record::default() };
    audit(asker.places, asker.host.now(), false, record);
    Ok(Reply::yes("every hook is on again"))
}

/// Every answer says so while the hooks are off.
pub(crate) fn note(asker: &Asker<'_>) -> Option<String> {
    let (file, off) = in_force(asker)?;
    let file = display_path(&file, asker.host.environment.home.as_deref());
    Some(match off {
        Off::ForGood => format!("every hook is off for as long as {file} is there; {HOW_TO_END}"),
        Off::Until(end) => format!("every hook is off until {}; {HOW_TO_END}", end.local()),
    })
}

fn unchanged(dir: &Path, what: &str, error: &std::io::Error) -> String {
    format!("req: {} cannot be {what}: {error}\nNothing was changed.", dir.join("OFF").display())
}

fn in_force(asker: &Asker<'_>) -> Option<(PathBuf, Off)> {
    Off::in_force(asker.places, asker.host.now())
}
