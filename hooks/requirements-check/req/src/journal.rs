//! `req log`, `req why`: the actions of all hooks and their reasons, from the journal.

mod entry;
mod stats;
#[cfg(test)]
mod tests;
mod why;

use anyhow::Context as _;
use schemars::JsonSchema;
use serde::Serialize;
use shared::journal::{Journal, Record, project_name};
use shared::own_commands::section_names;

use crate::location::Location;
use crate::reply::{Answer, Reply, counted, unknown};
use crate::verb::Log;
use entry::{is_denial, lines_of};
pub(crate) use stats::StatsReport;
pub(crate) use why::{WhyReport, why};

/// What `req log --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogReport<'j> {
    /// Lines of other projects are left out: the root of the one at hand; null: none is.
    project: Option<&'j str>,
    /// The lines, the newest last.
    entries: &'j [&'j Record],
    /// So many older lines match too and are left out.
    earlier: usize,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

fn journal(location: &Location) -> anyhow::Result<Journal> {
    let store = location.store.as_ref();
    let store = store.context("there is no state folder, so nothing is recorded; set HOME")?;
    Ok(Journal::read(store.dir()))
}

/// The project at hand, as lines name it.
fn project(location: &Location) -> Option<String> {
    location.places.root.as_deref().map(project_name)
}

/// A line that names no project is about all of them.
fn is_of(project: Option<&str>, record: &Record) -> bool {
    project.is_none_or(|wanted| record.project.as_deref().is_none_or(|named| named == wanted))
}

pub(crate) fn log(wanted: &Log, location: &Location) -> Answer {
    let journal = journal(location)?;
    let hook = wanted.hook.as_deref().map(known_hook).transpose()?;
    let since = wanted.since.map(|span| location.host.now().minus(span));
    let project = project(location).filter(|_| !wanted.all);
    let fits = |record: &&Record| {
        hook.as_ref().is_none_or(|hook| *hook == record.hook)
            && since.is_none_or(|since| record.at >= since)
            && is_of(project.as_deref(), record)
            && (!wanted.blocks || is_denial(record))
            && (wanted.all || record.what != "reply")
    };
    let records: Vec<&Record> = journal.records.iter().filter(fits).collect();
    let project = project.as_deref();
    if wanted.stats || wanted.cost {
        let report = StatsReport::new(&records, wanted.cost, project);
        return Ok(if wanted.json { Reply::json(&report) } else { Reply::lines(report.lines()) });
    }
    let earlier = records.len().saturating_sub(wanted.limit);
    let (entries, damaged) = (&records[earlier..], journal.damaged);
    if wanted.json {
        return Ok(Reply::json(&LogReport { project, entries, earlier, damaged }));
    }
    let first =
        (earlier > 0).then(|| format!("{earlier} earlier not shown; all of them: -n {}", records.len()));
    let none = records.is_empty().then(|| "nothing is recorded here; --all shows every project".to_owned());
    let torn =
        (damaged > 0).then(|| format!("left out because they cannot be read: {}", counted(damaged, "line")));
    Ok(Reply::lines(first.into_iter().chain(lines_of(entries, wanted.all)).chain(none).chain(torn)))
}

pub(crate) fn known_hook(name: &str) -> anyhow::Result<String> {
    let known: Vec<&str> = section_names().collect();
    if known.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(unknown("hook", name, &known, &format!("; there are {}", known.join(", "))))
}
