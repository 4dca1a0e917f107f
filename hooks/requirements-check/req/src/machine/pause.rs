//! `req pause`, `req resume`: every hook off for a while, and on again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use shared::cli::Asker;
use shared::host::{Host, Places, Timestamp, display_path};
use shared::state::Off;

use crate::command::arguments::Pause;
use crate::command::{Reply, refusal};
use requirements_check::change::{Change, Deed, audit};
use requirements_check::words::typed_time;

/// So long it lasts where nothing else is said.
const USUAL: Duration = Duration::from_secs(10 * 60);

/// The longest pause: one that is forgotten has ended by tomorrow. Who wants the hooks gone for longer switches them off by name.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// How to end it. A hook that is paused answers no typed prompt, but Claude Code runs a line with `!` before it in a shell.
const HOW_TO_END: &str = "req resume ends it (in Claude Code: ! req resume)";

pub(crate) fn pause(wanted: &Pause, asker: &Asker<'_>) -> Reply {
    let span = wanted.span.unwrap_or(USUAL);
    if span > LONGEST {
        return Reply::no(
            "req: a pause lasts a day at most (1d); to switch one hook off for longer: req disable --hook HOOK",
        );
    }
    if !asker.caller.is_operator() {
        let span = wanted.span.map(|span| format!(" {}", typed_time(span.as_secs()))).unwrap_or_default();
        let line = format!("req pause{span}");
        return Reply::no(refusal(asker.caller, &line, "a pause is the user's to make"));
    }
    if asker.places.state_dir.is_none() {
        return Reply::no("req: there is no state folder to keep the pause in; set HOME");
    }
    if let Some((dir, Off::ForGood)) = in_force(asker.places, asker.host.now()) {
        let file = shown(&dir.join("OFF"), asker.host);
        return Reply::yes(format!("every hook is off for as long as {file} is there; {HOW_TO_END}"));
    }
    // Whole seconds are what the file holds.
    let end = asker.host.now().plus(span).micros().div_euclid(1_000_000);
    let end = Timestamp::from_secs(end);
    let text = format!("every hook is off until {}; {HOW_TO_END}", end.local());
    Reply { changes: vec![Change::Do(Arc::new(Begin(end)))], ..Reply::yes(text) }
}

/// Everybody may: it makes nothing looser.
pub(crate) fn resume(asker: &Asker<'_>) -> Reply {
    match in_force(asker.places, asker.host.now()) {
        None => Reply::yes("no pause is in force; nothing was changed"),
        Some(_) => Reply { changes: vec![Change::Do(Arc::new(End))], ..Reply::yes("every hook is on again") },
    }
}

/// What to say beside everything else while the hooks are off.
pub(crate) fn note(host: &Host, places: &Places) -> Option<String> {
    let (dir, off) = in_force(places, host.now())?;
    Some(match off {
        Off::ForGood => {
            format!(
                "every hook is off for as long as {} is there; {HOW_TO_END}",
                shown(&dir.join("OFF"), host)
            )
        }
        Off::Until(end) => format!("every hook is off until {}; {HOW_TO_END}", end.local()),
    })
}

/// Every hook is off until then.
#[derive(Debug)]
struct Begin(Timestamp);

impl Deed for Begin {
    fn carry_out(&self, _patience: Duration, places: &Places, now: Timestamp) -> Result<(), String> {
        begin(places, self.0)?;
        audit::everywhere("pause", format!("until {}", self.0.rfc3339())).write(places, now);
        Ok(())
    }
}

/// Every hook is on again.
#[derive(Debug)]
struct End;

impl Deed for End {
    fn carry_out(&self, _patience: Duration, places: &Places, now: Timestamp) -> Result<(), String> {
        end(places)?;
        audit::everywhere("resume", String::new()).write(places, now);
        Ok(())
    }
}

fn begin(places: &Places, end: Timestamp) -> Result<(), String> {
    let Some(dir) = &places.state_dir else { return Ok(()) };
    Off::until(dir, end).map_err(|error| format!("{} cannot be written: {error}", dir.join("OFF").display()))
}

fn end(places: &Places) -> Result<(), String> {
    for dir in folders(places) {
        Off::end(dir).map_err(|error| format!("{} cannot be removed: {error}", dir.join("OFF").display()))?;
    }
    Ok(())
}

/// The folders a hook looks for the file in: the one in use, and our own.
fn folders(places: &Places) -> impl Iterator<Item = &PathBuf> {
    let own = places.default_state_dir.as_ref().filter(|own| places.state_dir.as_ref() != Some(own));
    places.state_dir.iter().chain(own)
}

/// What switches the hooks off, and where; of several what lasts longest.
fn in_force(places: &Places, now: Timestamp) -> Option<(&Path, Off)> {
    let found = folders(places).filter_map(|dir| Some((dir.as_path(), Off::read(dir, now)?)));
    found.max_by_key(|(_, off)| match off {
        Off::ForGood => Timestamp::from_micros(i64::MAX),
        Off::Until(end) => *end,
    })
}

fn shown(file: &Path, host: &Host) -> String {
    display_path(file, host.environment.home.as_deref())
}
