//! `req log`, `req why`: the actions of all hooks and their reasons, from the journal.

mod stats;
#[cfg(test)]
mod tests;
mod why;

use std::path::Path;

use anyhow::Context as _;
use serde_json::json;
use shared::journal::{ID_SHOWN, Journal, Record, project_name};
use shared::own_commands::section_names;
use shared::text::cut;

use crate::location::Location;
use crate::reply::{Answer, Reply, counted, unknown};
use crate::verb::Log;
use stats::Stats;
pub(crate) use why::why;

/// A text is shown up to this length in a list, in characters.
const MAX_SHOWN: usize = 100;

fn journal(location: &Location) -> anyhow::Result<Journal> {
    let store =
        location.store.as_ref().context("there is no state folder, so nothing is recorded; set HOME")?;
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
        let report = Stats::new(&records, wanted.cost, project);
        return Ok(if wanted.output.json { Reply::json(&report) } else { Reply::lines(report.lines()) });
    }
    let earlier = records.len().saturating_sub(wanted.limit);
    let (entries, damaged) = (&records[earlier..], journal.damaged);
    if wanted.output.json {
        let report =
            json!({ "project": project, "entries": entries, "earlier": earlier, "damaged": damaged });
        return Ok(Reply::json(&report));
    }
    let first =
        (earlier > 0).then(|| format!("{earlier} earlier not shown; to see them, add: -n {}", records.len()));
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

/// A call, a stop or a prompt did not go on.
fn is_denial(record: &Record) -> bool {
    matches!(record.what.as_str(), "deny" | "ask" | "block")
}

/// One line each: when, its id, where, who, what, by which rules, how the text begins, and what it took.
fn lines_of(records: &[&Record], with_projects: bool) -> impl Iterator<Item = String> {
    let width = |column: fn(&Record) -> &str| {
        records.iter().map(|record| column(record).chars().count()).max().unwrap_or(0)
    };
    let (who, place) = (width(actor), width(folder));
    records.iter().map(move |record| {
        let project = if with_projects { format!("{:place$}", folder(record)) } else { String::new() };
        let parts = [
            record.at.local(),
            short(record).to_owned(),
            project,
            format!("{:who$}", actor(record)),
            verb(record),
            cut(&rules(record).collect::<Vec<_>>().join(", "), MAX_SHOWN),
            first_words(record),
            spent(record),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    })
}

/// The hook; `req`, by which the user changed something.
fn actor(record: &Record) -> &str {
    match record.what.as_str() {
        "approve" | "waive" | "clear" | "pause" | "resume" | "config" => "req",
        _ => &record.hook,
    }
}

/// The folder of the project; its path is for `req why`.
fn folder(record: &Record) -> &str {
    let named = record.project.as_deref().unwrap_or("-");
    Path::new(named).file_name().and_then(|name| name.to_str()).unwrap_or(named)
}

fn short(record: &Record) -> &str {
    record.id.get(..ID_SHOWN).unwrap_or(&record.id)
}

fn rules(record: &Record) -> impl Iterator<Item = &str> {
    record.rule.iter().chain(&record.also).map(String::as_str)
}

/// The action, as it stands behind the hook's name: `denied Edit`, `blocked the stop`.
fn verb(record: &Record) -> String {
    let words = match (record.what.as_str(), record.event.as_str()) {
        ("deny", _) => "denied",
        ("ask", _) => "asked the user about",
        ("advise", _) => "advised on",
        ("sleep", _) => "delayed",
        ("block", "UserPromptSubmit") => "blocked the prompt",
        ("block", _) => "blocked the stop",
        ("tell", _) => "informed Claude",
        ("reply", _) => "answered a command",
        ("let-go", "Stop") => "allowed the stop",
        ("let-go", _) => "allowed",
        ("followed", _) => "was followed",
        ("overridden", _) => "was overridden",
        ("approve", _) => "recorded an approval",
        ("waive", _) => "recorded a waiver",
        ("pause", _) => "paused every hook",
        ("resume", _) => "ended the pause",
        ("switch", _) => "was switched",
        ("config", _) => "changed a setting",
        ("judge", _) => "asked a model",
        ("problem", _) => "reported a problem",
        ("error", _) => "failed",
        (other, _) => other,
    };
    let is_on_tool = matches!(record.what.as_str(), "deny" | "ask" | "advise" | "sleep")
        || record.what == "let-go" && record.event != "Stop";
    let tool = record.tool.as_ref().filter(|_| is_on_tool).map(|tool| format!(" {tool}"));
    format!("{words}{}", tool.unwrap_or_default())
}

fn spent(record: &Record) -> String {
    let parts = [
        record.model.clone(),
        record.slept_ms.map(|ms| format!("slept {}", seconds(ms))),
        record.took_ms.map(|ms| format!("took {}", seconds(ms))),
        record.cost_micro_usd.filter(|cost| *cost > 0).map(usd),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How the text begins, without the hook's name, which stands before it already. After a line that only leads to a list, the
/// first point follows.
fn first_words(record: &Record) -> String {
    let text = record.text.as_deref().unwrap_or_default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let own = first.strip_prefix(&record.hook).and_then(|rest| rest.strip_prefix(": "));
    let first = own.unwrap_or(first);
    let point = lines.next().filter(|_| first.ends_with(':'));
    let point = point.map(|point| format!(" {}", point.trim_start_matches("- "))).unwrap_or_default();
    cut(&format!("{first}{point}"), MAX_SHOWN)
}

/// Milliseconds as people read them: `0.4 s`, `12.0 s`.
fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

/// Millionths of a dollar as people read them: `0.0123 USD`, rounded up.
fn usd(micros: u64) -> String {
    let hundredths_of_cents = micros.div_ceil(100);
    format!("{}.{:04} USD", hundredths_of_cents / 10_000, hundredths_of_cents % 10_000)
}
