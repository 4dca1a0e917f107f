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
use shared::config::nearest;
use shared::host::Timestamp;
use shared::journal::{Line, Record, project_name, read};

use crate::reply::{Reply, counted, json};
use crate::verb::Log;
use entry::{Entry, is_refusal, lines_of};
use requirements_check::satisfactions::resolve_session;
use requirements_check::words::cut;
pub(crate) use stats::{CostReport, StatsReport};
pub(crate) use why::{WhyReport, why};

/// What `req log --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogReport {
    /// The version of this form: 1.
    version: u32,
    /// Lines of other projects are left out: the root of the one at hand; null: none is.
    project: Option<String>,
    /// The lines, the newest last.
    entries: Vec<Entry>,
    /// So many older lines match too and are left out.
    earlier: usize,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

/// All of the journal, the newest line last. Two files of 8 MiB are its limit.
struct Journal {
    records: Vec<Record>,
    /// So many lines could not be read.
    damaged: usize,
}

impl Journal {
    fn of(asker: &Asker<'_>) -> Result<Self, String> {
        let store = asker.store.ok_or("req: there is no state folder, so nothing is recorded; set HOME")?;
        let mut journal = Self { records: Vec::new(), damaged: 0 };
        for line in read(store.dir()) {
            match line {
                Line::Record(record) => journal.records.push(*record),
                Line::Damaged => journal.damaged += 1,
            }
        }
        Ok(journal)
    }

    /// The session that is meant by an id or the beginning of one.
    fn session(&self, named: &str, asker: &Asker<'_>) -> Result<String, String> {
        let recorded = self.records.iter().filter_map(|record| record.session.as_deref());
        let known: BTreeSet<&str> = recorded.chain(asker.session).collect();
        resolve_session(named, known.into_iter()).map_err(|error| format!("req: {error}"))
    }

    /// What to say of lines that are none.
    fn unreadable(&self) -> Option<String> {
        let are = if self.damaged == 1 { "is" } else { "are" };
        let lines = counted(self.damaged, "line");
        (self.damaged > 0).then(|| format!("{lines} of the journal could not be read and {are} left out"))
    }
}

/// The project at hand, as lines name it.
fn project(asker: &Asker<'_>) -> Option<String> {
    asker.places.root.as_deref().map(project_name)
}

/// The lines names no project are about all of them, or of a version that did not say.
fn is_of(project: Option<&str>, record: &Record) -> bool {
    project.is_none_or(|wanted| record.project.as_deref().is_none_or(|named| named == wanted))
}

/// What is wanted of the journal.
struct Selection<'j> {
    journal: &'j Journal,
    records: Vec<&'j Record>,
    /// The project it is limited to.
    project: Option<String>,
    since: Option<Timestamp>,
    /// What to say where there are none.
    nothing: String,
}

impl<'j> Selection<'j> {
    fn of(wanted: &Log, journal: &'j Journal, asker: &Asker<'_>) -> Result<Self, String> {
        let hook = wanted.hook.as_deref().map(known_hook).transpose()?;
        let session = wanted.session.as_deref().map(|named| journal.session(named, asker)).transpose()?;
        let since = wanted.since.map(|span| asker.host.now().minus(span));
        // A session is meant wherever it is.
        let project = project(asker).filter(|_| !wanted.all && session.is_none());
        let is_narrow = wanted.blocks || hook.is_some() || session.is_some() || since.is_some();
        let fits = |record: &&Record| {
            hook.as_ref().is_none_or(|hook| *hook == record.hook)
                && session.as_ref().is_none_or(|session| Some(session) == record.session.as_ref())
                && since.is_none_or(|since| record.at >= since)
                && (!wanted.blocks || is_refusal(record))
        };
        let (records, elsewhere): (Vec<_>, Vec<_>) =
            journal.records.iter().filter(fits).partition(|record| is_of(project.as_deref(), record));
        let nothing = nothing(is_narrow, elsewhere.len());
        Ok(Self { journal, records, project, since, nothing })
    }
}

pub(crate) fn log(wanted: &Log, asker: &Asker<'_>) -> Result<Reply, String> {
    let journal = Journal::of(asker)?;
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
    let name = cut(name, 60);
    let rest = nearest(&name, &known).map(|near| format!("did you mean {near}?"));
    let rest = rest.unwrap_or_else(|| format!("there are {}", known.join(", ")));
    Err(format!("req: there is no hook {name}; {rest}"))
}

/// The newest lines, one for each.
fn newest(selection: &Selection<'_>, wanted: &Log) -> String {
    let all = &selection.records;
    let earlier = all.len().saturating_sub(wanted.limit);
    let newest = &all[earlier..];
    if wanted.json {
        let entries = newest.iter().map(|record| Entry::of(record)).collect();
        let (project, damaged) = (selection.project.clone(), selection.journal.damaged);
        return json(&LogReport { version: 1, project, entries, earlier, damaged });
    }
    let mut text: Vec<String> = Vec::new();
    text.extend(all.is_empty().then(|| selection.nothing.clone()));
    text.extend((earlier > 0).then(|| format!("{earlier} earlier not shown; all of them: -n {}", all.len())));
    text.extend(lines_of(newest, wanted.all));
    text.extend(selection.journal.unreadable());
    text.join("\n")
}

/// What to say where no line is wanted; so many would be, if they were of this project.
fn nothing(is_narrow: bool, elsewhere: usize) -> String {
    let fits = if is_narrow { "nothing that fits is recorded" } else { "nothing is recorded" };
    match (is_narrow, elsewhere) {
        (false, 0) => format!("{fits} yet"),
        (true, 0) => fits.to_owned(),
        _ => {
            let yet = if is_narrow { "" } else { " yet" };
            let others = if elsewhere == 1 {
                "1 line is of another"
            } else {
                &format!("{elsewhere} lines are of others")
            };
            format!("{fits} of this project{yet}; {others}: --all")
        }
    }
}
