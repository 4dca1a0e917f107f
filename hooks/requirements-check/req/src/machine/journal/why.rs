//! `req why`: one line of the journal told in full, where its rule is set now, and what became of it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::cli::Asker;
use shared::config::{LayerKind, Origin, load_by_schema, section_by_schema};
use shared::hook::Hook;
use shared::host::display_path;
use shared::journal::Record;
use shared::run::configure;

use super::select::{self, Selection, Wanted, is_refusal};
use super::show::{EntryReport, also, rules, short, steps, verb};
use super::{json, unreadable};
use crate::command::Reply;
use crate::command::arguments::Why;
use requirements_check::RequirementsCheck;
use requirements_check::words::age;

/// A shorter beginning of an id would mean too many.
const MIN_PREFIX: usize = 4;

/// What `req why --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WhyReport {
    /// The version of this form: 1.
    version: u32,
    /// The line of the journal.
    entry: EntryReport,
    /// Where its rule is set now; none where that cannot be told from this project.
    set_now: Option<PlaceReport>,
    /// The same of each setting behind it beside its rule.
    also: Vec<RuleReport>,
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

/// A setting behind a line beside its rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct RuleReport {
    /// Its key.
    rule: String,
    /// Where it is set now; none where that cannot be told from this project.
    set_now: Option<PlaceReport>,
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

pub(crate) fn why(wanted: &Why, asker: &Asker<'_>) -> Reply {
    match find(wanted, asker) {
        Ok(found) => told(&found, wanted, asker),
        Err(why) => Reply::no(why),
    }
}

/// A line, what became of it, and why this one.
struct Found {
    record: Record,
    outcome: Option<Record>,
    damaged: u64,
}

fn find(wanted: &Why, asker: &Asker<'_>) -> Result<Found, String> {
    let dir = select::folder(asker)?;
    let record = match &wanted.id {
        Some(id) => by_id(id, dir)?,
        None => last(wanted, dir, asker)?,
    };
    let mut after = Selection::of(dir, Wanted::default());
    let outcome =
        after.by_ref().skip_while(|other| other.id != record.id).skip(1).find(|other| ends(other, &record));
    // The rest of the lines is counted, too.
    let _ = after.by_ref().count();
    Ok(Found { record, outcome, damaged: after.damaged })
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
        _ => Err(format!("req: several lines begin with {id}; give more of its digits")),
    }
}

/// The last refusal: of the session that is named or asks, else of this project, or of any where that is asked for.
fn last(wanted: &Why, dir: &Path, asker: &Asker<'_>) -> Result<Record, String> {
    let refusals = |session, project| {
        Selection::of(dir, Wanted { session, project, refusals_only: true, ..Wanted::default() })
    };
    let named = wanted.session.as_deref().map(|named| select::session(named, dir, asker)).transpose()?;
    let asks = || asker.session.filter(|_| !wanted.all).map(ToOwned::to_owned);
    if let Some(session) = named.or_else(asks) {
        return refusals(Some(session.clone()), None).last().ok_or_else(|| {
            let session: String = session.chars().take(8).collect();
            format!(
                "req: nothing was refused or held in session {session}; req log --blocks shows other sessions"
            )
        });
    }
    let project = select::project(asker).filter(|_| !wanted.all);
    let mut refusals = refusals(None, project);
    let found = refusals.by_ref().last();
    found.ok_or_else(|| match refusals.elsewhere {
        0 => "req: nothing was refused or held yet, as far as the journal goes".to_owned(),
        _ => {
            "req: nothing was refused or held in this project yet; the last of any: req why --all".to_owned()
        }
    })
}

/// `later` says what became of `record`.
fn ends(later: &Record, record: &Record) -> bool {
    if !is_refusal(record) {
        return false;
    }
    let is_of_session = later.session == record.session && later.hook == record.hook;
    // A turn's stop may be held by one rule and let go by the next.
    let is_of_stop = later.event == "Stop" && record.event == "Stop" && later.prompt == record.prompt;
    let is_of_rule = later.rule.as_deref().is_some_and(|rule| rules(record).any(|other| other == rule));
    match later.what.as_str() {
        "followed" | "overridden" => is_of_session && (is_of_rule || is_of_stop),
        "approve" | "waive" => is_of_rule && (later.session.is_none() || later.session == record.session),
        "pause" => true,
        _ => false,
    }
}

fn told(found: &Found, wanted: &Why, asker: &Asker<'_>) -> Reply {
    let Found { record, outcome, damaged, .. } = found;
    let is_here = elsewhere(record, asker).is_none();
    let place = |rule: &str| if is_here { set_now(&record.hook, rule, asker) } else { None };
    let set_now = record.rule.as_deref().and_then(place);
    let also: Vec<RuleReport> =
        also(record).map(|rule| RuleReport { rule: rule.to_owned(), set_now: place(rule) }).collect();
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
        return json(&WhyReport { version: 1, entry, set_now, also, outcome, damaged: *damaged });
    }
    let mut lines = vec![headline(found, asker), on(record)];
    lines.extend(rule(record, set_now.as_ref(), is_here));
    for RuleReport { rule, set_now } in also {
        lines.push(format!("Rule: {rule}"));
        let place = set_now.map(|place| format!("Set: {}", place.words()));
        lines.extend(place.or_else(|| is_here.then(nowhere)));
    }
    if let Some(text) = &record.text {
        lines.push("It said:".to_owned());
        lines.extend(text.lines().map(|line| format!("  {line}").trim_end().to_owned()));
    }
    lines.extend(next(record, outcome.as_ref()));
    lines.extend(since(record, outcome.as_ref()));
    lines.extend(unreadable(*damaged));
    Reply::yes(lines.join("\n"))
}

fn headline(found: &Found, asker: &Asker<'_>) -> String {
    let record = &found.record;
    let secs = i64::try_from(asker.host.now().since(record.at).as_secs()).unwrap_or(i64::MAX);
    let session = match record.session.as_deref() {
        None => String::new(),
        Some(session) if Some(session) == asker.session => ", in this session".to_owned(),
        Some(session) => {
            let short: String = session.chars().take(8).collect();
            format!(", in session {short}{}", elsewhere(record, asker).unwrap_or_default())
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

/// Where it was, if that was in another project.
fn elsewhere(record: &Record, asker: &Asker<'_>) -> Option<String> {
    let project = record.project.as_ref().filter(|project| Some(*project) != select::project(asker).as_ref());
    let home = asker.host.environment.home.as_deref();
    project.map(|project| format!(" of another project ({})", display_path(Path::new(project), home)))
}

fn on(record: &Record) -> String {
    let event = if record.event.is_empty() { "no event" } else { &record.event };
    let call = record.call.as_deref().map(|call| format!(", call {call}")).unwrap_or_default();
    let agent = record.agent.as_deref().map(|agent| format!(", of subagent {agent}")).unwrap_or_default();
    format!("On: {event}{call}{agent}. What was put into the call is not kept.")
}

/// The rule, and where it is set: now, and when it spoke if that was elsewhere.
fn rule(record: &Record, now: Option<&PlaceReport>, is_here: bool) -> Vec<String> {
    let Some(rule) = &record.rule else { return Vec::new() };
    let then = record.place.as_deref().map(|place| (record.layer.as_deref().unwrap_or_default(), place));
    let mut lines = vec![format!("Rule: {rule}")];
    match (now, then) {
        (Some(now), Some((layer, place))) if (now.layer, now.r#where.as_str()) != (layer, place) => {
            lines.push(format!("Set now: {}", now.words()));
            lines.push(format!("Set then: {}", in_layer(place, layer)));
        }
        (Some(now), _) => lines.push(format!("Set: {}", now.words())),
        (None, Some((layer, place))) => lines.push(format!("Set then: {}", in_layer(place, layer))),
        (None, None) => lines.extend(is_here.then(nowhere)),
    }
    lines
}

impl PlaceReport {
    fn words(&self) -> String {
        in_layer(&self.r#where, self.layer)
    }
}

/// A place with its layer, where the place does not say that itself.
fn in_layer(place: &str, layer: &str) -> String {
    let is_said = [LayerKind::Defaults, LayerKind::Switch].map(LayerKind::word).contains(&layer);
    if is_said || layer.is_empty() { place.to_owned() } else { format!("{place} ({layer})") }
}

fn nowhere() -> String {
    "Set: nowhere any more".to_owned()
}

/// What it asks for; of what is settled what it asked for.
fn next(record: &Record, outcome: Option<&Record>) -> Vec<String> {
    let steps: Vec<&str> = steps(record).collect();
    let is_settled = outcome.is_some_and(|outcome| match outcome.what.as_str() {
        "followed" | "overridden" => true,
        // An exception is of one rule, and a pause ends.
        "approve" | "waive" => record.also.is_none(),
        _ => false,
    });
    let head = if is_settled { "It asked for" } else { "Next" };
    match steps.as_slice() {
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
fn set_now(hook: &str, rule: &str, asker: &Asker<'_>) -> Option<PlaceReport> {
    let sources = asker.sources();
    let switches = asker.switches();
    let switch = switches.of(hook, asker.session);
    let own = rule.strip_prefix(hook).and_then(|rest| rest.strip_prefix('.'));
    let origin: Option<Origin> = if hook == RequirementsCheck::NAME {
        configure::<RequirementsCheck>(&sources, switch)?.origin(own.unwrap_or(rule))
    } else {
        let (spec, schema) = section_by_schema(hook)?;
        load_by_schema(spec, schema, &sources, switch)?.origin(own?)
    };
    origin.map(|origin| PlaceReport { layer: origin.layer.word(), r#where: origin.to_string() })
}
