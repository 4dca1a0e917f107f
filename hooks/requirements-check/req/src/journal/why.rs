//! `req why`: one line of the journal in full, where its rules are set now, and what became of it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::cli::Asker;
use shared::config::{LayerKind, Origin, load_by_schema, section_by_schema};
use shared::hook::Hook;
use shared::host::display_path;
use shared::journal::Record;
use shared::run::configure;

use super::entry::{Entry, is_refusal, rules, short, steps, verb};
use super::{Journal, is_of, project};
use crate::reply::{Reply, json};
use crate::verb::Why;
use requirements_check::RequirementsCheck;
use requirements_check::words::age;

/// What `req why --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhyReport {
    /// The version of this form: 1.
    version: u32,
    /// The line of the journal.
    entry: Entry,
    /// Where its rule is set now; none where that cannot be told from this project.
    set_now: Option<Place>,
    /// The same of each setting behind it beside its rule.
    also: Vec<Rule>,
    /// What became of it.
    outcome: Outcome,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

/// Where a setting stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Place {
    /// `default`, `global`, `project`, `local` or `switch`.
    layer: String,
    /// File and line.
    r#where: String,
}

/// A setting behind a line beside its rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule {
    /// Its key.
    rule: String,
    /// Where it is set now; none where that cannot be told from this project.
    set_now: Option<Place>,
}

/// What became of a denial, a block or an advice.
#[derive(Debug, Serialize, JsonSchema)]
struct Outcome {
    /// `followed`, `overridden`, `approve`, `waive` or `pause`, as the line of the journal says; `open`: nothing was seen.
    how: String,
    /// When, in UTC.
    at: Option<String>,
    /// The line of the journal that says so.
    id: Option<String>,
}

pub(crate) fn why(wanted: &Why, asker: &Asker<'_>) -> Result<Reply, String> {
    let journal = Journal::of(asker)?;
    let record = match &wanted.id {
        Some(id) => by_id(id, &journal)?,
        None => last(wanted, &journal, asker)?,
    };
    let later = journal.records.iter().skip_while(|other| other.id != record.id).skip(1);
    let outcome = later.into_iter().find(|later| settles(later, record));
    let is_here = record.project.is_none() || record.project == project(asker);
    let set_now: Vec<Rule> = rules(record)
        .map(|rule| Rule {
            rule: rule.to_owned(),
            set_now: is_here.then(|| set_now(&record.hook, rule, asker)).flatten(),
        })
        .collect();
    Ok(Reply::yes(if wanted.json {
        report(record, outcome, set_now, journal.damaged)
    } else {
        let mut lines = vec![headline(record, is_here, asker), on(record)];
        for (number, rule) in set_now.iter().enumerate() {
            let then = if number == 0 { place_then(record) } else { None };
            lines.extend(place(rule, then, is_here));
        }
        if let Some(text) = &record.text {
            lines.push("It said:".to_owned());
            lines.extend(text.lines().map(|line| format!("  {line}").trim_end().to_owned()));
        }
        lines.extend(next(record, outcome));
        lines.extend(since(record, outcome));
        lines.extend(journal.unreadable());
        lines.join("\n")
    }))
}

fn report(record: &Record, outcome: Option<&Record>, rules: Vec<Rule>, damaged: usize) -> String {
    let mut rules = rules.into_iter();
    let own = record.rule.as_ref().and_then(|_| rules.next()?.set_now);
    let outcome = Outcome {
        how: outcome.map_or("open", |line| &line.what).to_owned(),
        at: outcome.map(|line| line.at.rfc3339()),
        id: outcome.map(|line| line.id.clone()),
    };
    json(&WhyReport {
        version: 1,
        entry: Entry::of(record),
        set_now: own,
        also: rules.collect(),
        outcome,
        damaged,
    })
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
    let named = wanted.session.as_deref().map(|named| journal.session(named, asker)).transpose()?;
    if let Some(session) = named.as_deref().or(asker.session.filter(|_| !wanted.all)) {
        return refusals.find(|record| record.session.as_deref() == Some(session)).ok_or_else(|| {
            let session: String = session.chars().take(8).collect();
            format!(
                "req: nothing was refused or held in session {session}; req log --blocks shows other sessions"
            )
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

fn headline(record: &Record, is_here: bool, asker: &Asker<'_>) -> String {
    let secs = i64::try_from(asker.host.now().since(record.at).as_secs()).unwrap_or(i64::MAX);
    let home = asker.host.environment.home.as_deref();
    let elsewhere = record
        .project
        .as_ref()
        .filter(|_| !is_here)
        .map(|project| format!(" of another project ({})", display_path(Path::new(project), home)));
    let session = match record.session.as_deref() {
        None => String::new(),
        Some(session) if Some(session) == asker.session => ", in this session".to_owned(),
        Some(session) => {
            let short: String = session.chars().take(8).collect();
            format!(", in session {short}{}", elsewhere.unwrap_or_default())
        }
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

/// Where the line says that its rule was set.
fn place_then(record: &Record) -> Option<Place> {
    record.rule.as_ref()?;
    let layer = record.layer.clone().unwrap_or_default();
    Some(Place { layer, r#where: record.place.clone()? })
}

/// A rule, and where it is set: now, and when the hook spoke if that was elsewhere.
fn place(rule: &Rule, then: Option<Place>, is_here: bool) -> Vec<String> {
    let head = format!("Rule: {}", rule.rule);
    match (&rule.set_now, then) {
        (Some(now), Some(then)) if *now != then => {
            vec![head, format!("Set now: {}", now.words()), format!("Set then: {}", then.words())]
        }
        (Some(now), _) => vec![head, format!("Set: {}", now.words())],
        (None, Some(then)) => vec![head, format!("Set then: {}", then.words())],
        (None, None) if is_here => vec![head, "Set: nowhere any more".to_owned()],
        (None, None) => vec![head],
    }
}

impl Place {
    /// The place with its layer, where the place does not say that itself.
    fn words(&self) -> String {
        let Self { layer, r#where } = self;
        let is_said = [LayerKind::Defaults, LayerKind::Switch].map(LayerKind::word).contains(&layer.as_str());
        if is_said || layer.is_empty() { r#where.clone() } else { format!("{where} ({layer})") }
    }
}

/// What it asks for; what it asked for, where that is settled.
fn next(record: &Record, outcome: Option<&Record>) -> Vec<String> {
    let is_settled = outcome.is_some_and(|outcome| match outcome.what.as_str() {
        "followed" | "overridden" => true,
        // An exception is of one rule, and a pause ends.
        "approve" | "waive" => record.also.is_none(),
        _ => false,
    });
    let head = if is_settled { "It asked for" } else { "Next" };
    match steps(record).collect::<Vec<_>>().as_slice() {
        [] if is_refusal(record) && !is_settled => vec!["Next: as it says above".to_owned()],
        [] => Vec::new(),
        [step] => vec![format!("{head}: {step}")],
        steps => {
            let steps = steps.iter().map(|step| format!("  {step}"));
            std::iter::once(format!("{head}:")).chain(steps).collect()
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

/// Where a rule of a hook is set now, for whoever is here.
fn set_now(hook: &str, rule: &str, asker: &Asker<'_>) -> Option<Place> {
    let (sources, switch) = (asker.sources(), asker.switches().of(hook, asker.session));
    let own = rule.strip_prefix(hook).and_then(|rest| rest.strip_prefix('.'));
    let origin: Option<Origin> = if hook == RequirementsCheck::NAME {
        configure::<RequirementsCheck>(&sources, switch)?.origin(own.unwrap_or(rule))
    } else {
        let (spec, schema) = section_by_schema(hook)?;
        load_by_schema(spec, schema, &sources, switch)?.origin(own?)
    };
    origin.map(|origin| Place { layer: origin.layer.word().to_owned(), r#where: origin.to_string() })
}
