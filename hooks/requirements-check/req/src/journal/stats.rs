//! `req log --stats`, `req log --cost`: was it worth it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use shared::journal::Record;

use super::entry::{seconds, usd};
use crate::reply::{Reply, json};

/// What `req log --stats --json` and `req log --cost --json` print.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatsReport {
    /// The version of this form: 1.
    version: u32,
    /// What is of other projects was not counted: the root of the one at hand; null: everything was.
    project: Option<String>,
    /// Per hook, with --cost per hook and model.
    groups: Vec<Group>,
    /// Of all of them.
    total: Tally,
}

/// What one hook did.
#[derive(Debug, Serialize, JsonSchema)]
struct Group {
    /// Which hook.
    hook: String,
    /// Which model; null without --cost, and where that was not said.
    model: Option<String>,
    /// How often.
    #[serde(flatten)]
    tally: Tally,
}

/// How often each thing happened, and what it took.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
struct Tally {
    /// Calls, stops and prompts it denied or blocked, and those it advised on.
    spoke: u64,
    /// Those after which the wanted step was taken.
    followed: u64,
    /// Those after which something else was done, or which the user excepted.
    overridden: u64,
    /// For so many milliseconds it held calls up, on purpose.
    slept_ms: u64,
    /// Times it asked a model.
    model_calls: u64,
    /// Cost of that, in millionths of a US dollar.
    cost_micro_usd: u64,
}

impl Tally {
    fn of(records: &[&Record]) -> Self {
        let mut tally = Self::default();
        for record in records {
            match record.what.as_str() {
                "deny" | "ask" | "block" | "advise" => tally.spoke += 1,
                "followed" => tally.followed += 1,
                "overridden" => tally.overridden += 1,
                _ => {}
            }
            tally.model_calls += u64::from(is_model_call(record));
            tally.slept_ms = tally.slept_ms.saturating_add(record.slept_ms.unwrap_or(0));
            tally.cost_micro_usd = tally.cost_micro_usd.saturating_add(record.cost_micro_usd.unwrap_or(0));
        }
        tally
    }

    fn words(self) -> String {
        let Self { spoke, followed, overridden, slept_ms, model_calls, cost_micro_usd } = self;
        let all = [
            (spoke, format!("spoke {spoke}")),
            (followed, format!("followed {followed}")),
            (overridden, format!("overridden {overridden}")),
            (slept_ms, format!("slept {}", seconds(slept_ms))),
            (model_calls, format!("models asked {model_calls}")),
            (cost_micro_usd, format!("spent {}", usd(cost_micro_usd))),
        ];
        let parts: Vec<String> =
            all.into_iter().filter(|(count, _)| *count > 0).map(|(_, part)| part).collect();
        if parts.is_empty() { "nothing to count".to_owned() } else { parts.join(", ") }
    }
}

fn is_model_call(record: &Record) -> bool {
    record.what == "judge" || record.model.is_some()
}

impl StatsReport {
    /// Groups the lines by hook, or the questions to models by hook and model.
    pub(super) fn new(records: &[&Record], by_model: bool, project: Option<&str>) -> Self {
        let counted: Vec<&Record> =
            records.iter().copied().filter(|record| !by_model || is_model_call(record)).collect();
        let mut groups: BTreeMap<(&str, Option<&str>), Vec<&Record>> = BTreeMap::new();
        for record in &counted {
            let model = record.model.as_deref().filter(|_| by_model);
            groups.entry((&record.hook, model)).or_default().push(record);
        }
        let group = |((hook, model), records): ((&str, Option<&str>), Vec<&Record>)| Group {
            hook: hook.to_owned(),
            model: model.map(ToOwned::to_owned),
            tally: Tally::of(&records),
        };
        let groups = groups.into_iter().map(group).collect();
        Self { version: 1, project: project.map(ToOwned::to_owned), groups, total: Tally::of(&counted) }
    }

    pub(super) fn reply(&self, is_json: bool) -> Reply {
        if is_json {
            return Reply::yes(json(self));
        }
        let line = |Group { hook, model, tally }: &Group| {
            let model = model.as_deref().map(|model| format!(", {model}")).unwrap_or_default();
            format!("{hook}{model}: {}", tally.words())
        };
        let total = format!("in all: {}", self.total.words());
        Reply::yes(self.groups.iter().map(line).chain([total]).collect::<Vec<_>>().join("\n"))
    }
}
