//! The cases of each hook: the data of `xtask/dev/bench.yaml`, which says what each field means.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;

const FILE: &str = include_str!("../../bench.yaml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookCases {
    pub(super) budget: f64,
    pub(super) event: Event,
    pub(super) earlier: Vec<Event>,
    pub(super) edit: Option<Edit>,
    #[serde(default)]
    pub(super) files: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) git: Vec<String>,
    #[serde(default)]
    pub(super) state: BTreeMap<String, Value>,
    pub(super) cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) budget: Option<f64>,
    pub(super) event: Option<Event>,
    pub(super) edit: Option<Edit>,
    #[serde(default)]
    pub(super) transcript: Vec<Value>,
    #[serde(default)]
    pub(super) state: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) prints: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Event {
    pub(super) recording: String,
    #[serde(default)]
    pub(super) changes: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    pub(super) layer: String,
    pub(super) from: String,
    pub(super) to: String,
}

/// The cases by the name of the hook.
pub(super) fn all() -> anyhow::Result<BTreeMap<String, HookCases>> {
    serde_yaml::from_str(FILE).context("reading xtask/dev/bench.yaml")
}
