//! `req log --stats`, `req log --cost`: was it worth it.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::journal::Record;

use super::{seconds, usd};

#[derive(Serialize)]
pub(super) struct Stats<'j> {
    project: Option<&'j str>,
    /// Per hook, or per hook and model.
    groups: Vec<Group<'j>>,
    total: Tally,
}

#[derive(Serialize)]
struct Group<'j> {
    hook: &'j str,
    model: Option<&'j str>,
    #[serde(flatten)]
    tally: Tally,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Tally {
    spoke: u64,
    followed: u64,
    /// Something else was done than it asked for, or the user excepted it.
    overridden: u64,
    slept_ms: u64,
    model_calls: u64,
    cost_micro_usd: u64,
}

impl Tally {
    fn count(&mut self, record: &Record) {
        match record.what.as_str() {
            "deny" | "ask" | "block" | "advise" => self.spoke += 1,
            "followed" => self.followed += 1,
            "overridden" => self.overridden += 1,
            _ => {}
        }
        self.model_calls += u64::from(is_model_call(record));
        self.slept_ms = self.slept_ms.saturating_add(record.slept_ms.unwrap_or(0));
        self.cost_micro_usd = self.cost_micro_usd.saturating_add(record.cost_micro_usd.unwrap_or(0));
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
        let parts = all.into_iter().filter(|(count, _)| *count > 0).map(|(_, part)| part);
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() { "nothing to count".to_owned() } else { parts.join(", ") }
    }
}

fn is_model_call(record: &Record) -> bool {
    record.what == "judge" || record.model.is_some()
}

impl<'j> Stats<'j> {
    pub(super) fn new(records: &[&'j Record], by_model: bool, project: Option<&'j str>) -> Self {
        let (mut groups, mut total) = (BTreeMap::<_, Tally>::new(), Tally::default());
        for record in records.iter().filter(|record| !by_model || is_model_call(record)) {
            let model = record.model.as_deref().filter(|_| by_model);
            groups.entry((record.hook.as_str(), model)).or_default().count(record);
            total.count(record);
        }
        let groups = groups.into_iter().map(|((hook, model), tally)| Group { hook, model, tally });
        Self { project, groups: groups.collect(), total }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let line = |Group { hook, model, tally }: &Group<'_>| {
            let model = model.map(|model| format!(", {model}")).unwrap_or_default();
            format!("{hook}{model}: {}", tally.words())
        };
        self.groups.iter().map(line).chain([format!("in all: {}", self.total.words())])
    }
}
