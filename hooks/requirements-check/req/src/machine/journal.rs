//! `req why`, `req log`: what the hooks did and why, out of the journal of all of them.

mod select;
mod show;
mod stats;
mod why;

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;
use shared::catalog::section_names;
use shared::cli::Asker;
use shared::config::nearest;
use shared::host::Timestamp;
use shared::journal::Record;

use crate::command::Reply;
use crate::command::arguments::Log;
use requirements_check::words::cut;
use select::{Selection, Wanted};
use show::{Columns, EntryReport, line};
pub(crate) use stats::{CostReport, StatsReport};
pub(crate) use why::{WhyReport, why};

/// So many lines are shown where nothing else is said.
const SHOWN: usize = 30;

/// What `req log --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogReport {
    /// The version of this form: 1.
    version: u32,
    /// Lines of other projects are left out: the root of the one at hand; null: none is.
    project: Option<String>,
    /// The lines, the newest last.
    entries: Vec<EntryReport>,
    /// So many older lines match too and are left out.
    earlier: u64,
    /// So many lines of the journal could not be read.
    damaged: u64,
}

pub(crate) fn log(wanted: &Log, asker: &Asker<'_>) -> Reply {
    match selection(wanted, asker) {
        Ok((selection, since)) if wanted.stats => stats::stats(selection, since, wanted),
        Ok((selection, since)) if wanted.cost => stats::cost(selection, since, wanted.json),
        Ok((selection, _)) => lines(selection, wanted),
        Err(why) => Reply::no(why),
    }
}

/// The lines that are wanted, and since when, if that is said.
fn selection(wanted: &Log, asker: &Asker<'_>) -> Result<(Selection, Option<Timestamp>), String> {
    let hook = wanted.hook.as_deref().map(known_hook).transpose()?;
    let dir = select::folder(asker)?;
    let session = wanted.session.as_deref().map(|named| select::session(named, dir, asker)).transpose()?;
    let since = wanted.since.map(|span| asker.host.now().minus(span));
    // A session is meant wherever it is.
    let is_of_any = wanted.all || session.is_some();
    let project = if is_of_any { None } else { select::project(asker) };
    let wanted = Wanted { project, hook, session, since, refusals_only: wanted.blocks };
    Ok((Selection::of(dir, wanted), since))
}

/// A hook of the catalog.
pub(crate) fn known_hook(name: &str) -> Result<String, String> {
    let known: Vec<&str> = section_names().collect();
    if known.contains(&name) {
        return Ok(name.to_owned());
    }
    let name = cut(name, 60);
    Err(match nearest(&name, &known) {
        Some(near) => format!("req: there is no hook {name}; did you mean {near}?"),
        None => format!("req: there is no hook {name}; there are {}", known.join(", ")),
    })
}

/// The newest lines, one for each.
fn lines(mut selection: Selection, wanted: &Log) -> Reply {
    let limit = wanted.limit.unwrap_or(SHOWN);
    let mut newest: VecDeque<Record> = VecDeque::new();
    let mut earlier: u64 = 0;
    for record in selection.by_ref() {
        newest.push_back(record);
        if newest.len() > limit {
            newest.pop_front();
            earlier += 1;
        }
    }
    if wanted.json {
        let entries = newest.iter().map(EntryReport::of).collect();
        let project = selection.project();
        return json(&LogReport { version: 1, project, entries, earlier, damaged: selection.damaged });
    }
    let mut text: Vec<String> = Vec::new();
    if newest.is_empty() && earlier == 0 {
        text.push(nothing(wanted, selection.elsewhere));
    }
    if earlier > 0 {
        let all = u64::try_from(newest.len()).unwrap_or(u64::MAX).saturating_add(earlier);
        text.push(format!("{earlier} earlier not shown; all of them: -n {all}"));
    }
    let columns = Columns::of(&newest, wanted.all);
    text.extend(newest.iter().map(|record| line(record, columns)));
    text.extend(unreadable(selection.damaged));
    Reply::yes(text.join("\n"))
}

/// What to say where no line is wanted; so many would be, if they were of this project.
fn nothing(wanted: &Log, elsewhere: u64) -> String {
    let is_narrow =
        wanted.blocks || wanted.hook.is_some() || wanted.session.is_some() || wanted.since.is_some();
    let here = match (is_narrow, elsewhere) {
        (false, 0) => "nothing is recorded yet",
        (true, 0) => "nothing that fits is recorded",
        (false, _) => "nothing is recorded of this project yet",
        (true, _) => "nothing that fits is recorded of this project",
    };
    match elsewhere {
        0 => here.to_owned(),
        1 => format!("{here}; 1 line is of another: --all"),
        more => format!("{here}; {more} lines are of others: --all"),
    }
}

/// What to say of lines that are none.
fn unreadable(damaged: u64) -> Option<String> {
    match damaged {
        0 => None,
        1 => Some("1 line of the journal could not be read and is left out".to_owned()),
        more => Some(format!("{more} lines of the journal could not be read and are left out")),
    }
}

fn json(report: &impl Serialize) -> Reply {
    match serde_json::to_string(report) {
        Ok(text) => Reply::yes(text),
        Err(error) => Reply::no(format!("req: the answer cannot be put into JSON: {error}")),
    }
}
