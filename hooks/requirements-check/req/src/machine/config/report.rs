//! `req config --json`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use shared::config::{Entry, LayerKind, Origin, Problem, dotted};

/// What is in force, key by key, and what is wrong in the files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConfigReport {
    /// The form of this object: 1.
    version: u32,
    /// The keys asked for.
    entries: Vec<KeyReport>,
    /// What is wrong in the files; nothing of it is in force.
    problems: Vec<ProblemReport>,
}

/// A key.
#[derive(Debug, Serialize, JsonSchema)]
struct KeyReport {
    /// Its path, with dots; a part that holds dots itself is in quotes.
    key: String,
    #[serde(flatten)]
    said: SaidReport,
    /// The global file locks it.
    locked: bool,
    /// Only the global file may set it.
    global_only: bool,
    /// What lower layers say, the highest first.
    overridden: Vec<SaidReport>,
}

/// What one layer says.
#[derive(Debug, Serialize, JsonSchema)]
struct SaidReport {
    /// What it is set to there.
    value: Value,
    /// `defaults`, `global`, `project`, `local` or `switch`.
    layer: &'static str,
    /// The file; null of the defaults and of a switch.
    file: Option<String>,
    /// The line, counted from 1, where it is known.
    line: Option<usize>,
}

/// Something wrong in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct ProblemReport {
    /// The file.
    file: String,
    /// The line, counted from 1, where it is known.
    line: Option<usize>,
    /// The key; empty for the whole file.
    key: String,
    /// All of it in a sentence.
    text: String,
}

impl ConfigReport {
    pub(super) fn new<'e>(entries: impl Iterator<Item = &'e Entry>, problems: &[Problem]) -> Self {
        let key = |entry: &Entry| KeyReport {
            key: dotted(&entry.path),
            said: said(&entry.value, &entry.origin),
            locked: entry.locked,
            global_only: entry.global_only,
            overridden: entry.overridden.iter().map(|below| said(&below.value, &below.origin)).collect(),
        };
        let problem = |problem: &Problem| ProblemReport {
            file: problem.file.clone(),
            line: problem.line,
            key: problem.key.clone(),
            text: problem.to_string(),
        };
        Self {
            version: 1,
            entries: entries.map(key).collect(),
            problems: problems.iter().map(problem).collect(),
        }
    }
}

fn said(value: &Value, origin: &Origin) -> SaidReport {
    let (layer, is_file) = match origin.layer {
        LayerKind::Defaults => ("defaults", false),
        LayerKind::Switch => ("switch", false),
        layer => (layer.word(), true),
    };
    SaidReport { value: value.clone(), layer, file: is_file.then(|| origin.file.clone()), line: origin.line }
}
