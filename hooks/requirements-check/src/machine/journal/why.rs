//! `req why`: one line of the journal told in full, where its rule is set now, and what became of it.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::config::{Origin, Sources, load_by_schema, section_by_schema};
use shared::hook::Hook;
use shared::journal::Record;
use shared::run::configure;
use shared::switches::Switches;

use super::select::{self, Selection, Wanted, is_refusal};
use super::show::{EntryReport, short, steps, verb};
use super::{json, unreadable};
use crate::RequirementsCheck;
use crate::command::Reply;
use crate::command::arguments::Why;
use crate::machine::Machine;
use crate::registry::Registry;
use crate::words::age;

/// A shorter beginning of an id would mean too many.
const MIN_PREFIX: usize = 4;

/// So many lines are named where an id could mean several.
const MAX_NAMED: usize = 10;

/// What `req why --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhyReport {
    /// The version of this form: 1.
    version: u32,
    /// The line of the journal.
    entry: EntryReport,
    /// Where its rule is set now, seen from this project; none where that cannot be told.
    set_now: Option<PlaceReport>,
    /// What became of it.
    outcome: OutcomeReport,
    /// So many lines of the journal could not be read.
    damaged: u64,
}

/// Where a setting stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct PlaceReport {
    /// `default`, `global`, `project`, `local` or `switch`.
    layer: &'static str,
    /// File and line.
    r#where: String,
}

/// What became of a refusal, a block or an advice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct OutcomeReport {
    /// `followed`, `overridden`, `approve`, `waive` or `pause`, as the line of the journal says; `open`: nothing was seen.
    how: String,
    /// When, in UTC.
    at: Option<String>,
    /// The line of the journal that says so.
    id: Option<String>,
}

pub(crate) fn why(wanted: &Why, machine: &Machine<'_>) -> Reply {
    match find(wanted, machine) {
        Ok(found) => told(&found, wanted, machine),
        Err(why) => Reply::no(why),
    }
}

/// A line, what became of it, and why this one.
struct Found {
    record: Record,
    outcome: Option<Record>,
    damaged: u64,
    /// Nothing of this project is known, so it may be of another.
    is_of_anywhere: bool,
}

fn find(wanted: &Why, machine: &Machine<'_>) -> Result<Found, String> {
    let dir = select::folder(machine)?;
    let (record, is_of_anywhere) = match &wanted.id {
        Some(id) => (by_id(id, dir)?, false),
        None => last(wanted, dir, machine)?,
    };
    let mut after = Selection::of(dir, Wanted::default());
    let outcome =
        after.by_ref().skip_while(|other| other.id != record.id).skip(1).find(|other| ends(other, &record));
    // The rest of the lines is counted, too.
    let _ = after.by_ref().count();
    Ok(Found { record, outcome, damaged: after.damaged, is_of_anywhere })
}

/// The line with that id.
fn by_id(id: &str, dir: &Path) -> Result<Record, String> {
    let id = id.to_ascii_lowercase();
    if id.len() < MIN_PREFIX || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(format!("req: an id is what req log shows, or its first {MIN_PREFIX} digits or more"));
    }
    let mut matching: Vec<Record> = Vec::new();
    for record in Selection::of(dir, Wanted::default()).filter(|record| record.id.starts_with(&id)) {
        // The same line twice is one thing to tell.
        matching.retain(|other| other.id != record.id);
        matching.push(record);
    }
    match matching.len() {
        0 => Err(format!("req: the journal has no line {id}; req log shows what there is")),
        1 => matching.pop().ok_or_else(|| "req: the journal has no such line".to_owned()),
        _ => {
            let named = matching.iter().take(MAX_NAMED);
            let lines = named.map(|record| {
                format!("{}  {}  {} {}", record.id, record.at.local(), record.hook, verb(record))
            });
            let lines = lines.collect::<Vec<_>>().join("\n");
            Err(format!("req: several lines begin with {id}; give more of the one that is meant:\n{lines}"))
        }
    }
}

/// The last refusal: of the session that is named or asks, else of this project, else of any.
fn last(wanted: &Why, dir: &Path, machine: &Machine<'_>) -> Result<(Record, bool), String> {
    let refusals = |session| Selection::of(dir, Wanted { session, refusals_only: true, ..Wanted::default() });
    let named = wanted.session.as_deref().map(|named| select::session(named, dir, machine)).transpose()?;
    if let Some(session) = named.or_else(|| machine.session.map(ToOwned::to_owned)) {
        let found = refusals(Some(session.clone())).last();
        return found.map(|record| (record, false)).ok_or_else(|| {
            let session: String = session.chars().take(8).collect();
            format!(
                "req: nothing was refused or held in session {session}; req log --blocks shows other sessions"
            )
        });
    }
    let here = sessions_here(machine);
    let is_here = |record: &Record| record.session.as_ref().is_some_and(|session| here.contains(session));
    let (mut of_project, mut of_any) = (None, None);
    for record in refusals(None) {
        if is_here(&record) {
            of_project = Some(record);
        } else {
            of_any = Some(record);
        }
    }
    let found = of_project.map(|record| (record, false)).or_else(|| of_any.map(|record| (record, true)));
    found.ok_or_else(|| "req: nothing was refused or held yet, as far as the journal goes".to_owned())
}

/// The sessions of this project that have not ended.
fn sessions_here(machine: &Machine<'_>) -> BTreeSet<String> {
    let (Some(dir), Some(root)) = (&machine.places.state_dir, &machine.places.root) else {
        return BTreeSet::new();
    };
    let all = Registry::new(dir).all().into_iter();
    all.filter(|entry| entry.project == *root).map(|entry| entry.session).collect()
}

/// `later` says what became of `record`.
fn ends(later: &Record, record: &Record) -> bool {
    if !is_refusal(record) {
        return false;
    }
    let is_of_session = later.session == record.session && later.hook == record.hook;
    // A turn's stop may be held by one rule and let go by the next.
    let is_of_stop = later.event == "Stop" && record.event == "Stop" && later.prompt == record.prompt;
    let is_of_rule = later.rule.is_some() && later.rule == record.rule;
    match later.what.as_str() {
        "followed" | "overridden" => is_of_session && (is_of_rule || is_of_stop),
        "approve" | "waive" => is_of_rule && (later.session.is_none() || later.session == record.session),
        "pause" => true,
        _ => false,
    }
}

fn told(found: &Found, wanted: &Why, machine: &Machine<'_>) -> Reply {
    let Found { record, outcome, damaged, .. } = found;
    let set_now = record.rule.as_deref().and_then(|rule| set_now(&record.hook, rule, machine));
    if wanted.json {
        let outcome = outcome.as_ref().map_or_else(
            || OutcomeReport { how: "open".to_owned(), ..OutcomeReport::default() },
            |line| OutcomeReport {
                how: line.what.clone(),
                at: Some(line.at.rfc3339()),
                id: Some(line.id.clone()),
            },
        );
        let entry = EntryReport::of(record);
        return json(&WhyReport { version: 1, entry, set_now, outcome, damaged: *damaged });
    }
    let mut lines = vec![headline(found, machine), on(record)];
    lines.extend(rule(record, set_now.as_ref()));
    if let Some(text) = &record.text {
        lines.push("It said:".to_owned());
        lines.extend(text.lines().map(|line| format!("  {line}").trim_end().to_owned()));
    }
    lines.extend(next(record));
    lines.extend(since(record, outcome.as_ref()));
    lines.extend(unreadable(*damaged));
    Reply::yes(lines.join("\n"))
}

fn headline(found: &Found, machine: &Machine<'_>) -> String {
    let record = &found.record;
    let secs = i64::try_from(machine.host.now().since(record.at).as_secs()).unwrap_or(i64::MAX);
    let session = match record.session.as_deref() {
        None => String::new(),
        Some(session) if Some(session) == machine.session => ", in this session".to_owned(),
        Some(session) => {
            let short: String = session.chars().take(8).collect();
            let anywhere = if found.is_of_anywhere { ", which is not live in this project" } else { "" };
            format!(", in session {short}{anywhere}")
        }
    };
    format!(
        "{} {}, {} ago ({}){session}. Its id is {}.",
        record.hook,
        verb(record),
        age(secs),
        record.at.local(),
        short(record)
    )
}

fn on(record: &Record) -> String {
    let event = if record.event.is_empty() { "no event" } else { &record.event };
    let call = record.call.as_deref().map(|call| format!(", call {call}")).unwrap_or_default();
    let agent = record.agent.as_deref().map(|agent| format!(", of subagent {agent}")).unwrap_or_default();
    format!("On: {event}{call}{agent}. What was put into the call is not kept.")
}

/// The rule, and where it is set: now, and when it spoke if that was elsewhere.
fn rule(record: &Record, now: Option<&PlaceReport>) -> Vec<String> {
    let Some(rule) = &record.rule else { return Vec::new() };
    let then =
        record.place.as_deref().map(|place| (record.layer.as_deref().unwrap_or("unknown layer"), place));
    let mut lines = vec![format!("Rule: {rule}")];
    match (now, then) {
        (Some(now), Some((layer, place))) if (now.layer, now.r#where.as_str()) != (layer, place) => {
            lines.push(format!("Set now: {} ({})", now.r#where, now.layer));
            lines.push(format!("Set then: {place} ({layer})"));
        }
        (Some(now), _) => lines.push(format!("Set: {} ({})", now.r#where, now.layer)),
        (None, Some((layer, place))) => lines.push(format!("Set then: {place} ({layer})")),
        (None, None) => lines.push("Set: nowhere any more".to_owned()),
    }
    lines
}

fn next(record: &Record) -> Vec<String> {
    let steps: Vec<&str> = steps(record).collect();
    match steps.as_slice() {
        [] if is_refusal(record) => vec!["Next: as it says above".to_owned()],
        [] => Vec::new(),
        [step] => vec![format!("Next: {step}")],
        steps => {
            let steps = steps.iter().map(|step| format!("  {step}"));
            std::iter::once("Next:".to_owned()).chain(steps).collect()
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
fn set_now(hook: &str, rule: &str, machine: &Machine<'_>) -> Option<PlaceReport> {
    let sources = Sources::of(machine.places, machine.host.environment.home.as_deref());
    let switches = machine.store.map(Switches::read).unwrap_or_default();
    let switch = switches.position(hook, machine.session);
    let own = rule.strip_prefix(hook).and_then(|rest| rest.strip_prefix('.'));
    let origin: Option<Origin> = if hook == RequirementsCheck::NAME {
        configure::<RequirementsCheck>(RequirementsCheck::section(), &sources, switch)?
            .origin(own.unwrap_or(rule))
    } else {
        let (spec, schema) = section_by_schema(hook)?;
        load_by_schema(spec, schema, &sources, switch)?.origin(own?)
    };
    origin.map(|origin| PlaceReport { layer: origin.layer.word(), r#where: origin.to_string() })
}
