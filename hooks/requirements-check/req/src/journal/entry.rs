//! A line of the journal, for people and for programs.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use shared::journal::{ID_SHOWN, Record};

use requirements_check::words::cut;

/// A text is shown up to this length in a list, in characters.
const MAX_SHOWN: usize = 100;

/// A line of the journal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Entry {
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

impl Entry {
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

/// A call, a stop or a prompt did not go on.
pub(super) fn is_refusal(record: &Record) -> bool {
    matches!(record.what.as_str(), "deny" | "ask" | "block")
}

/// One line each: when, its id, where, who, what, by which rules, how the text begins, and what it took.
pub(super) fn lines_of(records: &[&Record], with_projects: bool) -> impl Iterator<Item = String> {
    let width = |column: fn(&Record) -> &str| {
        records.iter().map(|record| column(record).chars().count()).max().unwrap_or(0)
    };
    let (who, place) = (width(|record| &record.hook), width(project));
    records.iter().map(move |record| {
        let rules = cut(&rules(record).collect::<Vec<_>>().join(", "), MAX_SHOWN);
        let project = if with_projects { format!("{:place$}", project(record)) } else { String::new() };
        let parts = [
            record.at.local(),
            short(record).to_owned(),
            project,
            format!("{:who$}", record.hook),
            verb(record),
            rules,
            first_words(record),
            spent(record),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
    })
}

/// The folder of the project; its path is for `req why`.
fn project(record: &Record) -> &str {
    let named = record.project.as_deref().unwrap_or("-");
    Path::new(named).file_name().and_then(|name| name.to_str()).unwrap_or(named)
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
    let (words, is_on_tool) = match (record.what.as_str(), record.event.as_str()) {
        ("deny", _) => ("refused", true),
        ("ask", _) => ("asked the user about", true),
        ("advise", _) => ("advised on", true),
        ("sleep", _) => ("held up", true),
        ("block", "UserPromptSubmit") => ("held the prompt", false),
        ("block", _) => ("held the stop", false),
        ("tell", _) => ("told Claude", false),
        ("reply", _) => ("answered a command", false),
        ("let-go", _) => ("let go", false),
        ("followed", _) => ("was followed", false),
        ("overridden", _) => ("was overridden", false),
        ("approve", _) => ("was told of an approval", false),
        ("waive", _) => ("was told of a waiver", false),
        ("clear", _) => ("was told that an approval or waiver ends", false),
        ("pause", _) => ("paused every hook", false),
        ("resume", _) => ("ended the pause", false),
        ("config", _) => ("changed a setting", false),
        ("judge", _) => ("asked a model", false),
        ("problem", _) => ("told a problem", false),
        ("error", _) => ("failed", false),
        (other, _) => (other, false),
    };
    match record.tool.as_ref().filter(|_| is_on_tool) {
        Some(tool) => format!("{words} {tool}"),
        None => words.to_owned(),
    }
}

/// What it took.
fn spent(record: &Record) -> String {
    let spent = &record.spent;
    let parts = [
        record.model.clone(),
        spent.slept_ms.map(|ms| format!("slept {}", seconds(ms))),
        spent.took_ms.map(|ms| format!("took {}", seconds(ms))),
        spent.cost_micro_usd.filter(|cost| *cost > 0).map(usd),
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
pub(super) fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

/// Millionths of a dollar as people read them: `0.0123 USD`, rounded up.
pub(super) fn usd(micros: u64) -> String {
    let hundredths_of_cents = micros.div_ceil(100);
    format!("{}.{:04} USD", hundredths_of_cents / 10_000, hundredths_of_cents % 10_000)
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
