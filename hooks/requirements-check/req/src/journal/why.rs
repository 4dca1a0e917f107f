//! `req why`: one line of the journal in full, and its outcome.

use anyhow::{Context as _, bail};
use serde_json::json;
use shared::config::LayerKind;
use shared::journal::{Journal, Record};

use super::{actor, is_denial, is_of, journal, project, rules, short, verb};
use crate::location::Location;
use crate::reply::{self, Answer, Reply};
use crate::verb::Why;
use shared::text::age;

pub(crate) fn why(wanted: &Why, location: &Location) -> Answer {
    let journal = journal(location)?;
    let record = match &wanted.id {
        Some(id) => by_id(id, &journal)?,
        None => last(&journal, location)?,
    };
    let mut later = journal.records.iter().skip_while(|other| other.id != record.id).skip(1);
    let outcome = later.find(|later| settles(later, record));
    if wanted.output.json {
        let how = outcome.map_or("open", |line| &line.what);
        let (at, id) = (outcome.map(|line| line.at.rfc3339()), outcome.map(|line| &line.id));
        let outcome = json!({ "how": how, "at": at, "id": id });
        return Ok(Reply::json(&json!({ "entry": record, "outcome": outcome })));
    }
    let mut lines = vec![headline(record, location), on(record)];
    let mut places = place(record).into_iter().chain(record.also_where.iter().cloned());
    for rule in rules(record) {
        lines.push(format!("Rule: {rule}"));
        lines.extend(places.next().filter(|place| !place.is_empty()).map(|place| format!("Set: {place}")));
    }
    if let Some(text) = &record.text {
        lines.push("It said:".to_owned());
        lines.extend(text.lines().map(|line| format!("  {line}").trim_end().to_owned()));
    }
    lines.extend(next(record, outcome));
    lines.extend(is_denial(record).then(|| since(outcome)));
    Ok(Reply::lines(lines))
}

/// The line with that id, or the beginning of one.
fn by_id<'j>(id: &str, journal: &'j Journal) -> anyhow::Result<&'j Record> {
    const MIN_PREFIX: usize = 4;
    let id = id.to_ascii_lowercase();
    if id.len() < MIN_PREFIX || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        bail!("an id is what req log shows, or its first {MIN_PREFIX} digits or more");
    }
    let mut found = journal.records.iter().rev().filter(|record| record.id.starts_with(&id));
    let none = || format!("the journal has no line {id}; req log shows what there is");
    let record = found.next().with_context(none)?;
    // The same line may stand there twice.
    if found.any(|other| other.id != record.id) {
        bail!("several lines begin with {id}; give more of its digits");
    }
    Ok(record)
}

/// The last denial or block of the session that asks, else of this project.
fn last<'j>(journal: &'j Journal, location: &Location) -> anyhow::Result<&'j Record> {
    let project = project(location);
    let is_meant = |record: &&Record| match location.session() {
        Some(id) => record.session.as_deref() == Some(id),
        None => is_of(project.as_deref(), record),
    };
    let mut denials = journal.records.iter().rev().filter(|record| is_denial(record));
    denials.find(is_meant).with_context(|| {
        let session = location.session().map(|id| format!("session {}", reply::short(id)));
        let place = session.as_deref().unwrap_or("this project");
        format!("nothing was denied or blocked in {place} yet; req log --blocks --all shows all there is")
    })
}

fn settles(later: &Record, record: &Record) -> bool {
    let is_of_session = later.session == record.session && later.hook == record.hook;
    // A turn's stop may be blocked by one rule and allowed by the next.
    let is_of_stop = later.event == "Stop" && record.event == "Stop" && later.prompt == record.prompt;
    let is_of_rule = later.rule.as_deref().is_some_and(|rule| rules(record).any(|other| other == rule));
    is_denial(record)
        && match later.what.as_str() {
            "followed" | "overridden" => is_of_session && (is_of_rule || is_of_stop),
            "approve" | "waive" => is_of_rule && (later.session.is_none() || later.session == record.session),
            "pause" => true,
            _ => false,
        }
}

fn headline(record: &Record, location: &Location) -> String {
    let secs = i64::try_from(location.host.now().since(record.at).as_secs()).unwrap_or(i64::MAX);
    let session = match record.session.as_deref() {
        None => String::new(),
        Some(session) if Some(session) == location.session() => ", in this session".to_owned(),
        Some(session) => format!(", in session {}", reply::short(session)),
    };
    let (hook, what, id) = (actor(record), verb(record), short(record));
    format!("{hook} {what}, {} ago ({}){session}. Its id is {id}.", age(secs), record.at.local())
}

fn on(record: &Record) -> String {
    let event = if record.event.is_empty() { "no event" } else { &record.event };
    let call = record.call.as_deref().map(|call| format!(", call {call}")).unwrap_or_default();
    let agent = record.agent.as_deref().map(|agent| format!(", of subagent {agent}")).unwrap_or_default();
    format!("On: {event}{call}{agent}. The input of the call is not kept.")
}

/// The place that set the first rule at the time of the answer, with the layer where the place does not say that itself.
fn place(record: &Record) -> Option<String> {
    record.rule.as_ref()?;
    let (place, layer) =
        (record.r#where.as_deref().unwrap_or_default(), record.layer.as_deref().unwrap_or_default());
    let is_said = ["", LayerKind::Defaults.word(), LayerKind::Switch.word()].contains(&layer);
    Some(if is_said { place.to_owned() } else { format!("{place} ({layer})") })
}

/// The steps it asks for; the steps it asked for, where they were taken or passed over.
fn next(record: &Record, outcome: Option<&Record>) -> Vec<String> {
    let is_settled =
        outcome.is_some_and(|outcome| matches!(outcome.what.as_str(), "followed" | "overridden"));
    let head = if is_settled { "It asked for" } else { "Next" };
    match record.next.as_slice() {
        [] if is_denial(record) && !is_settled => vec!["Next: as it says above".to_owned()],
        [] => Vec::new(),
        [step] => vec![format!("{head}: {step}")],
        steps => {
            std::iter::once(format!("{head}:")).chain(steps.iter().map(|step| format!("  {step}"))).collect()
        }
    }
}

fn since(outcome: Option<&Record>) -> String {
    let Some(outcome) = outcome else {
        return "Since then: nothing was seen that settles it".to_owned();
    };
    let what = match outcome.what.as_str() {
        "followed" => "it was followed",
        "overridden" => "it was not followed, or excepted",
        "approve" => "the user approved it",
        "waive" => "the user waived it",
        _ => "the user paused every hook",
    };
    format!("Since then: {what} ({}, {})", outcome.at.local(), short(outcome))
}
