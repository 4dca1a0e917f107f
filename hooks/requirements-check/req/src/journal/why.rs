//! `req why`: one line of the journal in full, and what became of it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::cli::Asker;
use shared::config::LayerKind;
use shared::host::display_path;
use shared::journal::{Journal, Record};

use super::entry::{is_refusal, rules, short, verb};
use super::{is_of, journal, project, session, unreadable};
use crate::reply::{self, Reply, json};
use crate::verb::Why;
use requirements_check::words::age;

/// What `req why --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhyReport<'j> {
    /// The version of this form: 1.
    version: u32,
    /// The line of the journal.
    entry: &'j Record,
    /// What became of it.
    outcome: Outcome<'j>,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

/// What became of a denial, a block or an advice.
#[derive(Debug, Serialize, JsonSchema)]
struct Outcome<'j> {
    /// `followed`, `overridden`, `approve`, `waive` or `pause`, as the line of the journal says; `open`: nothing was seen.
    how: &'j str,
    /// When, in UTC.
    at: Option<String>,
    /// The line of the journal that says so.
    id: Option<&'j str>,
}

pub(crate) fn why(wanted: &Why, asker: &Asker<'_>) -> Result<Reply, String> {
    let journal = journal(asker)?;
    let record = match &wanted.id {
        Some(id) => by_id(id, &journal)?,
        None => last(wanted, &journal, asker)?,
    };
    let mut later = journal.records.iter().skip_while(|other| other.id != record.id).skip(1);
    let outcome = later.find(|later| settles(later, record));
    if wanted.json {
        let outcome = Outcome {
            how: outcome.map_or("open", |line| &line.what),
            at: outcome.map(|line| line.at.rfc3339()),
            id: outcome.map(|line| line.id.as_str()),
        };
        let damaged = journal.damaged;
        return Ok(Reply::yes(json(&WhyReport { version: 1, entry: record, outcome, damaged })));
    }
    let mut lines = vec![headline(record, asker), on(record)];
    lines.extend(rules(record).map(|rule| format!("Rule: {rule}")));
    if let Some(place) = place(record) {
        lines.insert(3, place);
    }
    if let Some(text) = &record.text {
        lines.push("It said:".to_owned());
        lines.extend(text.lines().map(|line| format!("  {line}").trim_end().to_owned()));
    }
    lines.extend(next(record, outcome));
    lines.extend(since(record, outcome));
    lines.extend(unreadable(journal.damaged));
    Ok(Reply::yes(lines.join("\n")))
}

/// The line with that id, or the beginning of one.
fn by_id<'j>(id: &str, journal: &'j Journal) -> Result<&'j Record, String> {
    const MIN_PREFIX: usize = 4;
    let id = id.to_ascii_lowercase();
    if id.len() < MIN_PREFIX || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(format!("req: an id is what req log shows, or its first {MIN_PREFIX} digits or more"));
    }
    let mut found = journal.records.iter().rev().filter(|record| record.id.starts_with(&id));
    let Some(record) = found.next() else {
        return Err(format!("req: the journal has no line {id}; req log shows what there is"));
    };
    // The same line may stand there twice.
    if found.any(|other| other.id != record.id) {
        return Err(format!("req: several lines begin with {id}; give more of its digits"));
    }
    Ok(record)
}

/// The last refusal: of the session that is named or asks, else of this project, or of any where that is asked for.
fn last<'j>(wanted: &Why, journal: &'j Journal, asker: &Asker<'_>) -> Result<&'j Record, String> {
    let mut refusals = journal.records.iter().rev().filter(|record| is_refusal(record));
    let named = wanted.session.as_deref().map(|named| session(named, journal, asker)).transpose()?;
    if let Some(id) = named.as_deref().or(asker.session.filter(|_| !wanted.all)) {
        return refusals.find(|record| record.session.as_deref() == Some(id)).ok_or_else(|| {
            let id = reply::short(id);
            format!("req: nothing was refused or held in session {id}; req log --blocks shows other sessions")
        });
    }
    let project = project(asker).filter(|_| !wanted.all);
    let has_any = refusals.clone().next().is_some();
    refusals.find(|record| is_of(project.as_deref(), record)).ok_or_else(|| {
        let any = "req: nothing was refused or held in this project yet; the last of any: req why --all";
        let none = "req: nothing was refused or held yet, as far as the journal goes";
        if has_any { any } else { none }.to_owned()
    })
}

/// `later` says what became of `record`.
fn settles(later: &Record, record: &Record) -> bool {
    let is_of_session = later.session == record.session && later.hook == record.hook;
    // A turn's stop may be held by one rule and let go by the next.
    let is_of_stop = later.event == "Stop" && record.event == "Stop" && later.prompt == record.prompt;
    let is_of_rule = later.rule.as_deref().is_some_and(|rule| rules(record).any(|other| other == rule));
    is_refusal(record)
        && match later.what.as_str() {
            "followed" | "overridden" => is_of_session && (is_of_rule || is_of_stop),
            "approve" | "waive" => is_of_rule && (later.session.is_none() || later.session == record.session),
            "pause" => true,
            _ => false,
        }
}

fn headline(record: &Record, asker: &Asker<'_>) -> String {
    let secs = i64::try_from(asker.host.now().since(record.at).as_secs()).unwrap_or(i64::MAX);
    let home = asker.host.environment.home.as_deref();
    let elsewhere = record.project.as_ref().filter(|_| record.project != project(asker));
    let elsewhere =
        elsewhere.map(|path| format!(" of another project ({})", display_path(Path::new(path), home)));
    let session = match record.session.as_deref() {
        None => String::new(),
        Some(session) if Some(session) == asker.session => ", in this session".to_owned(),
        Some(session) => format!(", in session {}{}", reply::short(session), elsewhere.unwrap_or_default()),
    };
    let (hook, what, id) = (&record.hook, verb(record), short(record));
    format!("{hook} {what}, {} ago ({}){session}. Its id is {id}.", age(secs), record.at.local())
}

fn on(record: &Record) -> String {
    let event = if record.event.is_empty() { "no event" } else { &record.event };
    let call = record.call.as_deref().map(|call| format!(", call {call}")).unwrap_or_default();
    let agent = record.agent.as_deref().map(|agent| format!(", of subagent {agent}")).unwrap_or_default();
    format!("On: {event}{call}{agent}. What was put into the call is not kept.")
}

/// The place that set the first rule at the time of the answer, with the layer where the place does not say that itself.
fn place(record: &Record) -> Option<String> {
    record.rule.as_ref()?;
    let (place, layer) = (record.r#where.as_deref()?, record.layer.as_deref().unwrap_or_default());
    let is_said = ["", LayerKind::Defaults.word(), LayerKind::Switch.word()].contains(&layer);
    Some(if is_said { format!("Set: {place}") } else { format!("Set: {place} ({layer})") })
}

/// What it asks for; what it asked for, where that is settled.
fn next(record: &Record, outcome: Option<&Record>) -> Vec<String> {
    let is_settled = outcome.is_some_and(|outcome| match outcome.what.as_str() {
        "followed" | "overridden" => true,
        // An exception is of one rule, and a pause ends.
        "approve" | "waive" => record.also.is_empty(),
        _ => false,
    });
    let head = if is_settled { "It asked for" } else { "Next" };
    match record.next.as_slice() {
        [] if is_refusal(record) && !is_settled => vec!["Next: as it says above".to_owned()],
        [] => Vec::new(),
        [step] => vec![format!("{head}: {step}")],
        steps => {
            std::iter::once(format!("{head}:")).chain(steps.iter().map(|step| format!("  {step}"))).collect()
        }
    }
}

fn since(record: &Record, outcome: Option<&Record>) -> Option<String> {
    let Some(outcome) = outcome else {
        return is_refusal(record).then(|| "Since then: nothing was seen that settles it".to_owned());
    };
    let what = match outcome.what.as_str() {
        "followed" => "it was followed",
        "overridden" => "it was not followed, or excepted",
        "approve" => "it was approved by the user",
        "waive" => "it was waived by the user",
        _ => "every hook was paused by the user",
    };
    Some(format!("Since then: {what} ({}, {})", outcome.at.local(), short(outcome)))
}
