//! `req log`, `req why`: the actions of all hooks and their reasons, from the journal.

mod entry;
mod stats;
#[cfg(test)]
mod tests;
mod why;

use schemars::JsonSchema;
use serde::Serialize;
use shared::cli::Asker;
use shared::journal::{Journal, Record, project_name};
use shared::own_commands::section_names;

use crate::reply::{Reply, counted, json, unknown};
use crate::verb::Log;
use entry::{is_denial, lines_of};
pub(crate) use stats::StatsReport;
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

/// The project at hand, as lines name it.
fn project(asker: &Asker<'_>) -> Option<String> {
    asker.places.root.as_deref().map(project_name)
}

/// A line that names no project is about all of them.
fn is_of(project: Option<&str>, record: &Record) -> bool {
    project.is_none_or(|wanted| record.project.as_deref().is_none_or(|named| named == wanted))
}

pub(crate) fn log(wanted: &Log, asker: &Asker<'_>) -> Result<Reply, String> {
    let journal = journal(asker)?;
    let hook = wanted.hook.as_deref().map(known_hook).transpose()?;
    let since = wanted.since.map(|span| asker.host.now().minus(span));
    let project = project(asker).filter(|_| !wanted.all);
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
        return Ok(StatsReport::new(&records, wanted.cost, project).reply(wanted.json));
    }
    let earlier = records.len().saturating_sub(wanted.limit);
    let entries = &records[earlier..];
    let damaged = journal.damaged;
    if wanted.json {
        return Ok(Reply::yes(json(&LogReport { version: 1, project, entries, earlier, damaged })));
    }
    let first =
        (earlier > 0).then(|| format!("{earlier} earlier not shown; all of them: -n {}", records.len()));
    let none = records.is_empty().then(|| "nothing is recorded here; --all shows every project".to_owned());
    let torn =
        (damaged > 0).then(|| format!("left out because they cannot be read: {}", counted(damaged, "line")));
    let lines = first.into_iter().chain(lines_of(entries, wanted.all)).chain(none).chain(torn);
    Ok(Reply::yes(lines.collect::<Vec<_>>().join("\n")))
}

pub(crate) fn known_hook(name: &str) -> Result<String, String> {
    let known: Vec<&str> = section_names().collect();
    if known.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(unknown("hook", name, &known, &format!("; there are {}", known.join(", "))))
}
