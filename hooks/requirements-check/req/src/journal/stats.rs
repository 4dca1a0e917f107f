//! `req log --stats`, `req log --cost`: was it worth it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use shared::host::Timestamp;
use shared::journal::{Record, Spent};

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
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
            tally.add(record);
        }
        tally
    }

    /// Each count, the words for people, and the words of the journal that it counts.
    fn counts(&mut self) -> [(&mut u64, &'static str, &'static [&'static str]); 12] {
        [
            (&mut self.denied, "refused", &["deny"]),
            (&mut self.asked, "asked", &["ask"]),
            (&mut self.blocked, "held", &["block"]),
            (&mut self.advised, "advised", &["advise"]),
            (&mut self.told, "told at a start", &["tell"]),
            (&mut self.followed, "followed", &["followed"]),
            (&mut self.overridden, "overridden", &["overridden"]),
            (&mut self.let_go, "let go", &["let-go"]),
            (&mut self.exceptions, "excepted by the user", &["approve", "waive"]),
            (&mut self.commands, "commands answered", &["reply"]),
            (&mut self.problems, "problems told", &["problem"]),
            (&mut self.errors, "failed", &["error"]),
        ]
    }

    fn add(&mut self, record: &Record) {
        for (count, _, words) in self.counts() {
            *count += u64::from(words.contains(&record.what.as_str()));
        }
        self.model_calls += u64::from(is_model_call(record));
        self.slept_ms = self.slept_ms.saturating_add(record.spent.slept_ms.unwrap_or(0));
        self.cost_micro_usd = self.cost_micro_usd.saturating_add(record.spent.cost_micro_usd.unwrap_or(0));
    }

    /// What is not nothing, in words.
    fn words(mut self) -> String {
        let (models, slept, cost) = (self.model_calls, self.slept_ms, self.cost_micro_usd);
        let counts = self.counts().map(|(count, words, _)| (*count, format!("{words} {count}")));
        let rest = [
            (models, format!("models asked {models}")),
            (slept, format!("slept {}", seconds(slept))),
            (cost, format!("spent {}", usd(cost))),
        ];
        let parts: Vec<String> =
            counts.into_iter().chain(rest).filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
        if parts.is_empty() { "nothing to count".to_owned() } else { parts.join(", ") }
    }

    /// Was it worth it.
    fn verdict(&self) -> String {
        let spoke = self.denied + self.asked + self.blocked + self.advised;
        let times = if spoke == 1 { "once".to_owned() } else { format!("{spoke} times") };
        let slept = if self.slept_ms > 0 { seconds(self.slept_ms) } else { "no time".to_owned() };
        let cost = if self.cost_micro_usd > 0 { usd(self.cost_micro_usd) } else { "no money".to_owned() };
        let (followed, overridden) = (self.followed, self.overridden);
        let rest = match spoke.saturating_sub(followed + overridden) {
            0 => String::new(),
            rest => format!(", {rest} without a known outcome"),
        };
        format!(
            "in all: spoke {times}: followed {followed}, overridden {overridden}{rest}; cost {slept} and {cost}"
        )
    }
}

/// Per hook and in all.
pub(super) fn stats(selection: &Selection<'_>, is_json: bool) -> String {
    let mut hooks: BTreeMap<&str, Tally> = BTreeMap::new();
    for record in &selection.records {
        hooks.entry(&record.hook).or_default().add(record);
    }
    let total = Tally::of(selection.records.iter().copied());
    if is_json {
        let hooks = hooks.into_iter().map(|(hook, tally)| HookStats { hook: hook.to_owned(), tally });
        return json(&StatsReport {
            version: 1,
            project: selection.project.clone(),
            since: selection.since.map(Timestamp::rfc3339),
            hooks: hooks.collect(),
            total,
            damaged: selection.journal.damaged,
        });
    }
    let lines = hooks.iter().map(|(hook, tally)| format!("{hook}: {}", tally.words()));
    let last = if hooks.is_empty() { selection.nothing.clone() } else { total.verdict() };
    lines.chain([last]).chain(selection.journal.unreadable()).collect::<Vec<_>>().join("\n")
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
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
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
    fn add(&mut self, spent: &Spent) {
        self.calls += 1;
        for (sum, part) in [
            (&mut self.input_tokens, spent.input_tokens),
            (&mut self.output_tokens, spent.output_tokens),
            (&mut self.cost_micro_usd, spent.cost_micro_usd),
            (&mut self.took_ms, spent.took_ms),
        ] {
            *sum = sum.saturating_add(part.unwrap_or(0));
        }
    }

    fn words(&self) -> String {
        let Self { calls, input_tokens, output_tokens, .. } = *self;
        let (cost, took) = (usd(self.cost_micro_usd), seconds(self.took_ms));
        format!("{}, {input_tokens} tokens in, {output_tokens} out, {cost}, {took}", counted(calls, "call"))
    }
}

fn is_model_call(record: &Record) -> bool {
    record.what == "judge" || record.model.is_some()
}

/// Per hook and model.
pub(super) fn cost(selection: &Selection<'_>, is_json: bool) -> String {
    let mut models: BTreeMap<(&str, Option<&str>), Bill> = BTreeMap::new();
    let mut total = Bill::default();
    for record in selection.records.iter().filter(|record| is_model_call(record)) {
        total.add(&record.spent);
        models.entry((&record.hook, record.model.as_deref())).or_default().add(&record.spent);
    }
    if is_json {
        let models = models.into_iter().map(|((hook, model), cost)| ModelCost {
            hook: hook.to_owned(),
            model: model.map(ToOwned::to_owned),
            cost,
        });
        return json(&CostReport {
            version: 1,
            project: selection.project.clone(),
            since: selection.since.map(Timestamp::rfc3339),
            models: models.collect(),
            total,
            damaged: selection.journal.damaged,
        });
    }
    let lines = models.iter().map(|((hook, model), bill)| {
        format!("{hook}, {}: {}", model.unwrap_or("a model it did not name"), bill.words())
    });
    let place = if selection.project.is_some() { " in this project" } else { "" };
    let last = match total.calls {
        0 => format!("no hook has asked a model{place}, so nothing was spent"),
        _ => format!("in all: {}", total.words()),
    };
    lines.chain([last]).chain(selection.journal.unreadable()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn a_tally_says_what_it_counted_and_whether_it_was_worth_it() {
        let tally = Tally {
            denied: 2,
            blocked: 1,
            advised: 1,
            followed: 2,
            overridden: 1,
            let_go: 3,
            ..Tally::default()
        };
        let tally = Tally { slept_ms: 9000, cost_micro_usd: 3300, ..tally };
        assert_eq!(
            tally.words(),
            "refused 2, held 1, advised 1, followed 2, overridden 1, let go 3, slept 9.0 s, spent 0.0033 USD"
        );
        assert_eq!(
            tally.verdict(),
            "in all: spoke 4 times: followed 2, overridden 1, 1 without a known outcome; cost 9.0 s and 0.0033 USD"
        );
        assert_eq!(Tally::default().words(), "nothing to count");
    }
}
