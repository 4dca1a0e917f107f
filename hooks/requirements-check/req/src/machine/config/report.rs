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
    /// What is in force.
    value: Value,
    #[serde(flatten)]
    place: PlaceReport,
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
    #[serde(flatten)]
    place: PlaceReport,
}

/// Who says so.
#[derive(Debug, Serialize, JsonSchema)]
struct PlaceReport {
    /// Which layer.
    layer: Layer,
    /// The file; null of the defaults and of a switch.
    file: Option<String>,
    /// The line, counted from 1, where it is known.
    line: Option<usize>,
}

/// A layer, from the lowest to the highest.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Layer {
    /// Compiled in.
    Defaults,
    /// The user's own file for every project.
    Global,
    /// The team's file, in git.
    Project,
    /// The user's own file for this project.
    Local,
    /// What was typed.
    Switch,
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
        Self {
            version: 1,
            entries: entries.map(KeyReport::from).collect(),
            problems: problems.iter().map(ProblemReport::from).collect(),
        }
    }
}

impl From<&Entry> for KeyReport {
    fn from(entry: &Entry) -> Self {
        let said = |said: &shared::config::Said| SaidReport {
            value: said.value.clone(),
            place: (&said.origin).into(),
        };
        Self {
            key: dotted(&entry.path),
            value: entry.value.clone(),
            place: (&entry.origin).into(),
            locked: entry.locked,
            global_only: entry.global_only,
            overridden: entry.overridden.iter().map(said).collect(),
        }
    }
}

impl From<&Origin> for PlaceReport {
    fn from(origin: &Origin) -> Self {
        let layer = match origin.layer {
            LayerKind::Defaults => Layer::Defaults,
            LayerKind::Global => Layer::Global,
            LayerKind::Project => Layer::Project,
            LayerKind::Local => Layer::Local,
            LayerKind::Switch => Layer::Switch,
        };
        let is_file = !matches!(layer, Layer::Defaults | Layer::Switch);
        Self { layer, file: is_file.then(|| origin.file.clone()), line: origin.line }
    }
}

impl From<&Problem> for ProblemReport {
    fn from(problem: &Problem) -> Self {
        let Problem { file, line, key, .. } = problem;
        Self { file: file.clone(), line: *line, key: key.clone(), text: problem.to_string() }
    }
}
