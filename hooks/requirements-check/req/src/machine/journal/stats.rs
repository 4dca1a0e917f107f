//! `req log --stats`, `req log --cost`: was it worth it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use shared::host::Timestamp;
use shared::journal::{Record, Spent};

use super::select::Selection;
use super::show::{seconds, usd};
use super::{json, nothing, unreadable};
use crate::command::Reply;
use crate::command::arguments::Log;

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
    damaged: u64,
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
    /// Tool calls it refused.
    denied: u64,
    /// Tool calls it asked the user about.
    asked: u64,
    /// Stops and prompts it held.
    blocked: u64,
    /// Times it advised.
    advised: u64,
    /// Times it told at a session's start what holds; nothing is asked for by that.
    told: u64,
    /// Refusals, blocks and advice of which what they asked for was done.
    followed: u64,
    /// Those of which something else was done, or which the user excepted.
    overridden: u64,
    /// Times it had a reason to speak, and a better one not to.
    let_go: u64,
    /// Approvals and waivers of the user.
    exceptions: u64,
    /// Commands it answered.
    commands: u64,
    /// Mistakes in files that it told.
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
    fn add(&mut self, record: &Record) {
        let counted = match record.what.as_str() {
            "deny" => Some(&mut self.denied),
            "ask" => Some(&mut self.asked),
            "block" => Some(&mut self.blocked),
            "advise" => Some(&mut self.advised),
            "tell" => Some(&mut self.told),
            "followed" => Some(&mut self.followed),
            "overridden" => Some(&mut self.overridden),
            "let-go" => Some(&mut self.let_go),
            "approve" | "waive" => Some(&mut self.exceptions),
            "reply" => Some(&mut self.commands),
            "problem" => Some(&mut self.problems),
            "error" => Some(&mut self.errors),
            _ => None,
        };
        if let Some(counted) = counted {
            *counted += 1;
        }
        self.slept_ms = self.slept_ms.saturating_add(record.spent.slept_ms.unwrap_or(0));
        self.model_calls += u64::from(is_model_call(record));
        self.cost_micro_usd = self.cost_micro_usd.saturating_add(record.spent.cost_micro_usd.unwrap_or(0));
    }

    const fn spoke(&self) -> u64 {
        self.denied + self.asked + self.blocked + self.advised
    }

    /// What is not nothing, in words.
    fn words(&self) -> String {
        let counts = [
            ("refused", self.denied),
            ("asked", self.asked),
            ("held", self.blocked),
            ("advised", self.advised),
            ("told at a start", self.told),
            ("followed", self.followed),
            ("overridden", self.overridden),
            ("let go", self.let_go),
            ("excepted by the user", self.exceptions),
            ("commands answered", self.commands),
            ("problems told", self.problems),
            ("failed", self.errors),
            ("models asked", self.model_calls),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let mut parts: Vec<String> = counts.map(|(what, count)| format!("{what} {count}")).collect();
        parts.extend((self.slept_ms > 0).then(|| format!("slept {}", seconds(self.slept_ms))));
        parts.extend((self.cost_micro_usd > 0).then(|| format!("spent {}", usd(self.cost_micro_usd))));
        if parts.is_empty() { "nothing to count".to_owned() } else { parts.join(", ") }
    }

    /// Was it worth it.
    fn verdict(&self) -> String {
        let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let slept = if self.slept_ms > 0 { seconds(self.slept_ms) } else { "no time".to_owned() };
        let cost = if self.cost_micro_usd > 0 { usd(self.cost_micro_usd) } else { "no money".to_owned() };
        let known = self.followed.saturating_add(self.overridden);
        let rest = match self.spoke().saturating_sub(known) {
            0 => String::new(),
            rest => format!(", {rest} without a known outcome"),
        };
        format!(
            "in all: spoke {}: followed {}, overridden {}{rest}; cost {slept} and {cost}",
            times(self.spoke()),
            self.followed,
            self.overridden
        )
    }
}

/// Per hook and in all.
pub(super) fn stats(mut selection: Selection, since: Option<Timestamp>, wanted: &Log) -> Reply {
    let mut hooks: BTreeMap<String, Tally> = BTreeMap::new();
    let mut total = Tally::default();
    for record in selection.by_ref() {
        total.add(&record);
        hooks.entry(record.entry.hook.clone()).or_default().add(&record);
    }
    if wanted.json {
        let project = selection.project();
        let hooks = hooks.into_iter().map(|(hook, tally)| HookStats { hook, tally }).collect();
        let since = since.map(Timestamp::rfc3339);
        return json(&StatsReport { version: 1, project, since, hooks, total, damaged: selection.damaged });
    }
    let mut lines: Vec<String> =
        hooks.iter().map(|(hook, tally)| format!("{hook}: {}", tally.words())).collect();
    let none = || nothing(wanted, selection.elsewhere);
    lines.push(if hooks.is_empty() { none() } else { total.verdict() });
    lines.extend(unreadable(selection.damaged));
    Reply::yes(lines.join("\n"))
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
    damaged: u64,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct Bill {
    /// How many calls.
    calls: u64,
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
        let calls = if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", self.calls) };
        format!(
            "{calls}, {} tokens in, {} out, {}, {}",
            self.input_tokens,
            self.output_tokens,
            usd(self.cost_micro_usd),
            seconds(self.took_ms)
        )
    }
}

/// A model was asked.
fn is_model_call(record: &Record) -> bool {
    record.what == "judge" || record.model.is_some()
}

/// Per hook and model.
pub(super) fn cost(mut selection: Selection, since: Option<Timestamp>, is_json: bool) -> Reply {
    let mut models: BTreeMap<(String, Option<String>), Bill> = BTreeMap::new();
    let mut total = Bill::default();
    for record in selection.by_ref().filter(is_model_call) {
        total.add(&record.spent);
        let whose = (record.entry.hook.clone(), record.entry.model.clone());
        models.entry(whose).or_default().add(&record.spent);
    }
    if is_json {
        let models =
            models.into_iter().map(|((hook, model), cost)| ModelCost { hook, model, cost }).collect();
        let (project, since) = (selection.project(), since.map(Timestamp::rfc3339));
        return json(&CostReport { version: 1, project, since, models, total, damaged: selection.damaged });
    }
    let mut lines: Vec<String> = models
        .iter()
        .map(|((hook, model), cost)| {
            let model = model.as_deref().unwrap_or("a model it did not name");
            format!("{hook}, {model}: {}", cost.words())
        })
        .collect();
    lines.push(match total.calls {
        0 if selection.project().is_some() => {
            "no hook has asked a model in this project, so nothing was spent".to_owned()
        }
        0 => "no hook has asked a model, so nothing was spent".to_owned(),
        _ => format!("in all: {}", total.words()),
    });
    lines.extend(unreadable(selection.damaged));
    Reply::yes(lines.join("\n"))
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
