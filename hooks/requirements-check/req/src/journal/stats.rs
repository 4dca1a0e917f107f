//! `req log --stats`, `req log --cost`: was it worth it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use shared::host::Timestamp;
use shared::journal::Record;

use super::Selection;
use super::entry::{seconds, usd};
use crate::reply::{counted, json};

/// What `req log --stats --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatsReport {
    /// The version of this form: 1.
    version: u32,
    /// What is of other projects was not counted: the root of the one at hand; null: everything was.
    project: Option<String>,
    /// Nothing older was counted, in UTC; none: all there is.
    since: Option<String>,
    /// Per hook, by name; one that has written nothing is left out.
    hooks: Vec<HookStats>,
    /// Of all of them.
    total: Tally,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

/// What one hook did.
#[derive(Debug, Serialize, JsonSchema)]
struct HookStats {
    /// Which one.
    hook: String,
    /// How often.
    #[serde(flatten)]
    tally: Tally,
}

/// How often each thing happened, and what it took.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
struct Tally {
    /// Tool calls it denied.
    denied: u64,
    /// Tool calls it asked the user about.
    asked: u64,
    /// Stops and prompts it blocked.
    blocked: u64,
    /// Times it advised.
    advised: u64,
    /// Times it reported at a session's start what holds; nothing is asked for by that.
    told: u64,
    /// Denials, blocks and advice of which what they asked for was done.
    followed: u64,
    /// Those of which something else was done, or which the user excepted.
    overridden: u64,
    /// Times it had a reason to speak, and a better one not to.
    let_go: u64,
    /// Approvals and waivers of the user.
    exceptions: u64,
    /// Commands it answered.
    commands: u64,
    /// Mistakes in files that it reported.
    problems: u64,
    /// Times something failed.
    errors: u64,
    /// For so many milliseconds it held calls up, on purpose.
    slept_ms: u64,
    /// Times it asked a model.
    model_calls: u64,
    /// What that cost, in millionths of a US dollar.
    cost_micro_usd: u64,
}

impl Tally {
    fn of<'r>(records: impl IntoIterator<Item = &'r Record>) -> Self {
        let mut tally = Self::default();
        for record in records {
            for (count, _, word) in tally.counts() {
                *count += u64::from(word == if record.what == "waive" { "approve" } else { &record.what });
            }
            tally.model_calls += u64::from(is_model_call(record));
            tally.slept_ms = tally.slept_ms.saturating_add(record.slept_ms.unwrap_or(0));
            tally.cost_micro_usd = tally.cost_micro_usd.saturating_add(record.cost_micro_usd.unwrap_or(0));
        }
        tally
    }

    /// Each count, the words for people, and the word of the journal that it counts.
    fn counts(&mut self) -> [(&mut u64, &'static str, &'static str); 12] {
        [
            (&mut self.denied, "refused", "deny"),
            (&mut self.asked, "asked", "ask"),
            (&mut self.blocked, "held", "block"),
            (&mut self.advised, "advised", "advise"),
            (&mut self.told, "told at a start", "tell"),
            (&mut self.followed, "followed", "followed"),
            (&mut self.overridden, "overridden", "overridden"),
            (&mut self.let_go, "let go", "let-go"),
            (&mut self.exceptions, "excepted by the user", "approve"),
            (&mut self.commands, "commands answered", "reply"),
            (&mut self.problems, "problems told", "problem"),
            (&mut self.errors, "failed", "error"),
        ]
    }

    /// What is not nothing, in words.
    fn words(mut self) -> String {
        let counts = self.counts().map(|(count, words, _)| (*count, format!("{words} {count}")));
        let rest = [
            (self.model_calls, format!("models asked {}", self.model_calls)),
            (self.slept_ms, format!("slept {}", seconds(self.slept_ms))),
            (self.cost_micro_usd, format!("spent {}", usd(self.cost_micro_usd))),
        ];
        let parts = counts.into_iter().chain(rest).filter(|(count, _)| *count > 0).map(|(_, words)| words);
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "nothing to count".to_owned() } else { parts.join(", ") }
    }

    /// Was it worth it.
    fn verdict(&self) -> String {
        let Self { followed, overridden, .. } = *self;
        let spoke = self.denied + self.asked + self.blocked + self.advised;
        let times = if spoke == 1 { "once".to_owned() } else { format!("{spoke} times") };
        let slept = if self.slept_ms > 0 { seconds(self.slept_ms) } else { "no time".to_owned() };
        let cost = if self.cost_micro_usd > 0 { usd(self.cost_micro_usd) } else { "no money".to_owned() };
        let rest = match spoke.saturating_sub(followed + overridden) {
            0 => String::new(),
            rest => format!(", {rest} without a known outcome"),
        };
        format!(
            "in all: spoke {times}: followed {followed}, overridden {overridden}{rest}; cost {slept} and {cost}"
        )
    }
}

/// The lines by what `key` makes of them.
fn grouped<'j, K: Ord>(
    records: impl Iterator<Item = &'j Record>,
    key: impl Fn(&'j Record) -> K,
) -> BTreeMap<K, Vec<&'j Record>> {
    let mut groups: BTreeMap<K, Vec<&Record>> = BTreeMap::new();
    for record in records {
        groups.entry(key(record)).or_default().push(record);
    }
    groups
}

/// Per hook and in all.
pub(super) fn stats(selection: &Selection<'_>, is_json: bool) -> String {
    let total = Tally::of(selection.records.iter().copied());
    let hooks = grouped(selection.records.iter().copied(), |record| record.hook.clone()).into_iter();
    let hooks: Vec<HookStats> =
        hooks.map(|(hook, records)| HookStats { hook, tally: Tally::of(records) }).collect();
    if is_json {
        let (project, damaged) = (selection.project.clone(), selection.damaged);
        let since = selection.since.map(Timestamp::rfc3339);
        return json(&StatsReport { version: 1, project, since, hooks, total, damaged });
    }
    let last = if hooks.is_empty() { selection.nothing.clone() } else { total.verdict() };
    selection.text(hooks.iter().map(|one| format!("{}: {}", one.hook, one.tally.words())), Some(last))
}

/// What `req log --cost --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CostReport {
    /// The version of this form: 1.
    version: u32,
    /// What is of other projects was not counted: the root of the one at hand; null: everything was.
    project: Option<String>,
    /// Nothing older was counted, in UTC; none: all there is.
    since: Option<String>,
    /// Per hook and model, by name.
    models: Vec<ModelCost>,
    /// Of all of them.
    total: Bill,
    /// So many lines of the journal could not be read.
    damaged: usize,
}

/// What one hook had one model do.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelCost {
    /// Which hook.
    hook: String,
    /// Which model; none where that was not said.
    model: Option<String>,
    /// What it took.
    #[serde(flatten)]
    cost: Bill,
}

/// What calls of a model took.
#[derive(Debug, Serialize, JsonSchema)]
struct Bill {
    /// How many calls.
    calls: usize,
    /// Tokens read.
    input_tokens: u64,
    /// Tokens written.
    output_tokens: u64,
    /// In millionths of a US dollar.
    cost_micro_usd: u64,
    /// In milliseconds.
    took_ms: u64,
}

impl Bill {
    fn of(records: &[&Record]) -> Self {
        let sum = |part: fn(&Record) -> Option<u64>| {
            records.iter().filter_map(|record| part(record)).fold(0, u64::saturating_add)
        };
        Self {
            calls: records.len(),
            input_tokens: sum(|record| record.input_tokens),
            output_tokens: sum(|record| record.output_tokens),
            cost_micro_usd: sum(|record| record.cost_micro_usd),
            took_ms: sum(|record| record.took_ms),
        }
    }

    fn words(&self) -> String {
        let Self { calls, input_tokens, output_tokens, .. } = self;
        let (cost, took) = (usd(self.cost_micro_usd), seconds(self.took_ms));
        format!("{}, {input_tokens} tokens in, {output_tokens} out, {cost}, {took}", counted(*calls, "call"))
    }
}

fn is_model_call(record: &Record) -> bool {
    record.what == "judge" || record.model.is_some()
}

/// Per hook and model.
pub(super) fn cost(selection: &Selection<'_>, is_json: bool) -> String {
    let calls: Vec<&Record> =
        selection.records.iter().copied().filter(|record| is_model_call(record)).collect();
    let total = Bill::of(&calls);
    let models = grouped(calls.into_iter(), |record| (record.hook.clone(), record.model.clone())).into_iter();
    let models: Vec<ModelCost> =
        models.map(|((hook, model), records)| ModelCost { hook, model, cost: Bill::of(&records) }).collect();
    if is_json {
        let (project, damaged) = (selection.project.clone(), selection.damaged);
        let since = selection.since.map(Timestamp::rfc3339);
        return json(&CostReport { version: 1, project, since, models, total, damaged });
    }
    let lines = models.iter().map(|ModelCost { hook, model, cost }| {
        format!("{hook}, {}: {}", model.as_deref().unwrap_or("a model it did not name"), cost.words())
    });
    let place = if selection.project.is_some() { " in this project" } else { "" };
    let last = match total.calls {
        0 => format!("no hook has asked a model{place}, so nothing was spent"),
        _ => format!("in all: {}", total.words()),
    };
    selection.text(lines, Some(last))
}
