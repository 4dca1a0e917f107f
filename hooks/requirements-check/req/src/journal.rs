//! `req log`, `req why`: what the hooks did and why, out of the journal of all of them.

mod entry;
mod stats;
#[cfg(test)]
mod tests;
mod why;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use shared::catalog::section_names;
use shared::cli::Asker;
use shared::host::Timestamp;
use shared::journal::{Journal, Record, project_name};

use crate::reply::{Reply, counted, json, unknown};
use crate::verb::Log;
use entry::{is_refusal, lines_of};
use requirements_check::satisfactions::resolve_session;
pub(crate) use stats::{CostReport, StatsReport};
pub(crate) use why::{WhyReport, why};

/// What `req log --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogReport<'j> {
    /// The version of this form: 1.
    version: u32,
    /// Lines of other projects are left out: the root of the one at hand; null: none is.
    project: Option<&'j str>,
    /// The lines, the newest last.
    entries: &'j [&'j Record],
    /// So many older lines match too and are left out.
    earlier: usize,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

fn journal(asker: &Asker<'_>) -> Result<Journal, String> {
    let store = asker.store.ok_or("req: there is no state folder, so nothing is recorded; set HOME")?;
    Ok(Journal::read(store.dir()))
}

/// The session that an id or the beginning of one names.
fn session(named: &str, journal: &Journal, asker: &Asker<'_>) -> Result<String, String> {
    let recorded = journal.records.iter().filter_map(|record| record.session.as_deref());
    let known: BTreeSet<&str> = recorded.chain(asker.session).collect();
    resolve_session(named, known.into_iter()).map_err(|error| format!("req: {error}"))
}

fn unreadable(damaged: usize) -> Option<String> {
    let are = if damaged == 1 { "is" } else { "are" };
    let lines = counted(damaged, "line");
    (damaged > 0).then(|| format!("{lines} of the journal could not be read and {are} left out"))
}

/// The project at hand, as lines name it.
fn project(asker: &Asker<'_>) -> Option<String> {
    asker.places.root.as_deref().map(project_name)
}

/// A line that names no project is about all of them, or of a version that did not say.
fn is_of(project: Option<&str>, record: &Record) -> bool {
    project.is_none_or(|wanted| record.project.as_deref().is_none_or(|named| named == wanted))
}

/// The selected lines.
struct Selection<'j> {
    records: Vec<&'j Record>,
    /// The project it is limited to.
    project: Option<String>,
    since: Option<Timestamp>,
    damaged: usize,
    /// What to say where there are none.
    nothing: String,
}

impl<'j> Selection<'j> {
    fn of(wanted: &Log, journal: &'j Journal, asker: &Asker<'_>) -> Result<Self, String> {
        let hook = wanted.hook.as_deref().map(known_hook).transpose()?;
        let of_session = wanted.session.as_deref().map(|named| session(named, journal, asker)).transpose()?;
        let since = wanted.since.map(|span| asker.host.now().minus(span));
        // A session is meant wherever it is.
        let project = project(asker).filter(|_| !wanted.all && of_session.is_none());
        let is_narrow = wanted.blocks || hook.is_some() || of_session.is_some() || since.is_some();
        let fits = |record: &&Record| {
            hook.as_ref().is_none_or(|hook| *hook == record.hook)
                && (of_session.is_none() || of_session == record.session)
                && since.is_none_or(|since| record.at >= since)
                && (!wanted.blocks || is_refusal(record))
        };
        let (records, elsewhere): (Vec<_>, Vec<_>) =
            journal.records.iter().filter(fits).partition(|record| is_of(project.as_deref(), record));
        let nothing = nothing(is_narrow, elsewhere.len());
        Ok(Self { records, project, since, damaged: journal.damaged, nothing })
    }

    /// The report as text: a line for each entry, then what holds of all.
    fn text(&self, lines: impl IntoIterator<Item = String>, last: Option<String>) -> String {
        lines.into_iter().chain(last).chain(unreadable(self.damaged)).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) fn log(wanted: &Log, asker: &Asker<'_>) -> Result<Reply, String> {
    let journal = journal(asker)?;
    let selection = Selection::of(wanted, &journal, asker)?;
    Ok(Reply::yes(if wanted.stats {
        stats::stats(&selection, wanted.json)
    } else if wanted.cost {
        stats::cost(&selection, wanted.json)
    } else {
        newest(&selection, wanted)
    }))
}

/// A hook of the catalog.
pub(crate) fn known_hook(name: &str) -> Result<String, String> {
    let known: Vec<&str> = section_names().collect();
    if known.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(unknown("hook", name, &known, &format!("; there are {}", known.join(", "))))
}

fn newest(selection: &Selection<'_>, wanted: &Log) -> String {
    let all = &selection.records;
    let earlier = all.len().saturating_sub(wanted.limit);
    let entries = &all[earlier..];
    if wanted.json {
        let (project, damaged) = (selection.project.as_deref(), selection.damaged);
        return json(&LogReport { version: 1, project, entries, earlier, damaged });
    }
    let first = (earlier > 0).then(|| format!("{earlier} earlier not shown; all of them: -n {}", all.len()));
    let none = all.is_empty().then(|| selection.nothing.clone());
    selection.text(first.into_iter().chain(lines_of(entries, wanted.all)), none)
}

/// What to say where no line is wanted; so many would be, if they were of this project.
fn nothing(is_narrow: bool, elsewhere: usize) -> String {
    let (fits, yet) =
        if is_narrow { ("nothing that fits is recorded", "") } else { ("nothing is recorded", " yet") };
    match elsewhere {
        0 => format!("{fits}{yet}"),
        1 => format!("{fits} of this project{yet}; 1 line is of another: --all"),
        more => format!("{fits} of this project{yet}; {more} lines are of others: --all"),
    }
}
