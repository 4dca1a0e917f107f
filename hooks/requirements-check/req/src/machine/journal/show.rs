//! A line of the journal, for people and for programs.

use std::collections::VecDeque;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::journal::{ID_SHOWN, Record};

use requirements_check::words::cut;

/// Of a text so many characters are shown in a list.
const MAX_SHOWN: usize = 100;

/// A line of the journal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntryReport {
    /// By which `req why` finds it; a beginning of it is enough.
    id: String,
    /// When, in UTC.
    at: String,
    /// Which hook.
    hook: String,
    /// On which event; empty where there was none.
    event: String,
    /// In which project, by its root; null where it is about all of them, or an older version did not say.
    project: Option<String>,
    /// In which session.
    session: Option<String>,
    /// In which turn.
    prompt: Option<String>,
    /// In which subagent.
    agent: Option<String>,
    /// On which tool call.
    call: Option<String>,
    /// Of which tool.
    tool: Option<String>,
    /// `deny`, `ask`, `block`, `advise`, `tell`, `reply`, `let-go`, `followed`, `overridden`, `approve`, `waive`, `clear`, `pause`,
    /// `resume`, `config`, `sleep`, `judge`, `problem`, `error`; a newer version may write others.
    what: String,
    /// The setting behind it.
    rule: Option<String>,
    /// The settings behind it beside that.
    also: Vec<String>,
    /// The layer that set it when it was written.
    layer: Option<String>,
    /// File and line where it was set then.
    r#where: Option<String>,
    /// Why, or what was said.
    text: Option<String>,
    /// What the text asks for.
    next: Vec<String>,
    /// Which model was asked.
    model: Option<String>,
    /// A call was held up for so many milliseconds, on purpose.
    slept_ms: Option<u64>,
    /// A model took so many milliseconds to answer.
    took_ms: Option<u64>,
    /// Tokens it read.
    input_tokens: Option<u64>,
    /// Tokens it wrote.
    output_tokens: Option<u64>,
    /// What that cost, in millionths of a US dollar.
    cost_micro_usd: Option<u64>,
}

impl EntryReport {
    pub(super) fn of(record: &Record) -> Self {
        let entry = record.entry.clone();
        Self {
            id: record.id.clone(),
            at: record.at.rfc3339(),
            next: steps(record).map(ToOwned::to_owned).collect(),
            also: also(record).map(ToOwned::to_owned).collect(),
            hook: entry.hook,
            event: entry.event,
            project: entry.project,
            session: entry.session,
            prompt: entry.prompt,
            agent: entry.agent,
            call: entry.call,
            tool: entry.tool,
            what: entry.what,
            rule: entry.rule,
            layer: entry.layer,
            r#where: entry.place,
            text: entry.text,
            model: entry.model,
            slept_ms: entry.spent.slept_ms,
            took_ms: entry.spent.took_ms,
            input_tokens: entry.spent.input_tokens,
            output_tokens: entry.spent.output_tokens,
            cost_micro_usd: entry.spent.cost_micro_usd,
        }
    }
}

/// How wide what stands in columns is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    hook: usize,
    /// None where the projects are not shown.
    project: Option<usize>,
}

impl Columns {
    pub(super) fn of(records: &VecDeque<Record>, with_projects: bool) -> Self {
        let width = |column: fn(&Record) -> &str| {
            records.iter().map(|record| column(record).chars().count()).max().unwrap_or(0)
        };
        Self { hook: width(|record| &record.hook), project: with_projects.then(|| width(project)) }
    }
}

/// The folder of the project; its path is for `req why`.
fn project(record: &Record) -> &str {
    let named = record.project.as_deref().unwrap_or("-");
    Path::new(named).file_name().and_then(|name| name.to_str()).unwrap_or(named)
}

/// One line: when, its id, where, who, what, by which rules, and how the text begins.
pub(super) fn line(record: &Record, columns: Columns) -> String {
    let width = columns.hook;
    let who = format!("{:width$}", record.hook);
    let place = columns.project.map(|width| format!("{:width$}", project(record)));
    let text = record.text.as_deref().map(|text| first_words(record, text));
    let spent = spent(record);
    let spent = (!spent.is_empty()).then(|| spent.join(", "));
    let rules: Vec<&str> = rules(record).collect();
    let rules = (!rules.is_empty()).then(|| cut(&rules.join(", "), MAX_SHOWN));
    let parts = [Some(record.at.local()), Some(short(record).to_owned()), place, Some(who)];
    let rest = [Some(verb(record)), rules, text, spent];
    parts.into_iter().chain(rest).flatten().collect::<Vec<_>>().join("  ")
}

/// As much of the id as is shown.
pub(super) fn short(record: &Record) -> &str {
    record.id.get(..ID_SHOWN).unwrap_or(&record.id)
}

/// What the text asks for.
pub(super) fn steps(record: &Record) -> impl Iterator<Item = &str> {
    record.next.as_deref().unwrap_or_default().lines()
}

/// The settings behind it beside its rule.
pub(super) fn also(record: &Record) -> impl Iterator<Item = &str> {
    record.also.as_deref().unwrap_or_default().lines()
}

/// All the settings behind it.
pub(super) fn rules(record: &Record) -> impl Iterator<Item = &str> {
    record.rule.as_deref().into_iter().chain(also(record))
}

/// What the hook did, as it stands behind its name: `refused Edit`, `held the stop`.
pub(super) fn verb(record: &Record) -> String {
    let on = |word: &str| match (&record.tool, record.event.as_str()) {
        (Some(tool), _) => format!("{word} {tool}"),
        _ => word.to_owned(),
    };
    match (record.what.as_str(), record.event.as_str()) {
        ("deny", _) => on("refused"),
        ("ask", _) => on("asked the user about"),
        ("block", "UserPromptSubmit") => "held the prompt".to_owned(),
        ("block", _) => "held the stop".to_owned(),
        ("advise", _) => on("advised on"),
        ("tell", _) => "told Claude".to_owned(),
        ("reply", _) => "answered a command".to_owned(),
        ("let-go", _) => "let go".to_owned(),
        ("followed", _) => "was followed".to_owned(),
        ("overridden", _) => "was overridden".to_owned(),
        ("approve", _) => "was told of an approval".to_owned(),
        ("waive", _) => "was told of a waiver".to_owned(),
        ("clear", _) => "was told that an approval or waiver ends".to_owned(),
        ("pause", _) => "paused every hook".to_owned(),
        ("resume", _) => "ended the pause".to_owned(),
        ("config", _) => "changed a setting".to_owned(),
        ("sleep", _) => on("held up"),
        ("judge", _) => "asked a model".to_owned(),
        ("problem", _) => "told a problem".to_owned(),
        ("error", _) => "failed".to_owned(),
        (other, _) => other.to_owned(),
    }
}

/// What it took.
fn spent(record: &Record) -> Vec<String> {
    let spent = &record.spent;
    let parts = [
        record.model.clone(),
        spent.slept_ms.map(|ms| format!("slept {}", seconds(ms))),
        spent.took_ms.map(|ms| format!("took {}", seconds(ms))),
        spent.cost_micro_usd.filter(|cost| *cost > 0).map(usd),
    ];
    parts.into_iter().flatten().collect()
}

/// How the text begins, without the hook's name, which stands before it already. A line that only leads to a list is told
/// with what stands there.
fn first_words(record: &Record, text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let own = first.strip_prefix(&record.hook).and_then(|rest| rest.strip_prefix(": "));
    let first = own.unwrap_or(first);
    let point = lines.next().filter(|_| first.ends_with(':'));
    let point = point.map(|point| format!(" {}", point.trim_start_matches("- "))).unwrap_or_default();
    cut(&format!("{first}{point}"), MAX_SHOWN)
}

/// Milliseconds as people read them: `0.4 s`, `12.0 s`.
pub(super) fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

/// Millionths of a dollar as people read them: `0.0123 USD`. What is less than the last digit is no nothing.
pub(super) fn usd(micros: u64) -> String {
    let tenths_of_cents = micros.div_ceil(100);
    format!("{}.{:04} USD", tenths_of_cents / 10_000, tenths_of_cents % 10_000)
}

#[cfg(test)]
mod tests {
    use super::{seconds, usd};

    #[test]
    fn times_and_money_are_read_as_people_write_them() {
        for (ms, words) in [(0, "0.0 s"), (99, "0.0 s"), (100, "0.1 s"), (12_345, "12.3 s")] {
            assert_eq!(seconds(ms), words);
        }
        for (micros, words) in [
            (0, "0.0000 USD"),
            (1, "0.0001 USD"),
            (100, "0.0001 USD"),
            (1_234_567, "1.2346 USD"),
            (20_000_000, "20.0000 USD"),
        ] {
            assert_eq!(usd(micros), words);
        }
    }
}
