//! The snapshot of a recorded session, from its record, its transcript and the repository: one content, which `render` writes as YAML
//! and Markdown.

mod render;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::host::{Timestamp, flat};
use transcript::{Line, MAX_TAIL_BYTES, Progress, Task, finished, last_lines, requests, tasks};

pub(crate) use render::{markdown, yaml};

use crate::git::GitContext;
use crate::record::{Action, Kind, NOT_RECORDED, Recorded};
use crate::text::{MAX_CHARS, MAX_PATH_CHARS, file_of, one_line, shortened};

/// The tasks in a list, and the prompts.
const MAX_OF_A_KIND: usize = 5;

/// The version of this form. Raised when a key changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

const MAX_ACTIONS_SUMMARY: usize = 10;
/// The turns whose last words are listed.
const MAX_TURNS: usize = 3;

/// Two prompts are the same if they begin so: the record has only the beginning of a long one.
const SAME_CHARS: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The record's id: `session-YYYYMMDD-HHMMSS`, in UTC, with `-2` and so on where two began in one second.
    pub(crate) session_id: String,
    /// When the record ended, in UTC.
    pub(crate) paused_at: String,
    pub(crate) duration_hours: f64,
    pub(crate) context_usage: ContextUsage,
    pub(crate) incremental_pause: IncrementalPause,
    pub(crate) schema_version: u32,
    pub(crate) git: GitContext,
    pub(crate) todos: Todos,
    /// Files that were written or edited, relative to the project where they lie in it, in the order of their first change.
    pub(crate) files_touched: Vec<String>,
    /// Work that is done: tasks that were completed, commits that were made, and the last words of turns.
    pub(crate) accomplishments: Vec<String>,
    /// Work that is open: the last prompt, answered or not, tasks that are not completed, and what was asked before, the last first.
    pub(crate) next_steps: Vec<String>,
    pub(crate) skipped_lines: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Todos {
    /// Not completed; what is being worked on first.
    pub(crate) active: Vec<String>,
    pub(crate) completed: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContextUsage {
    pub(crate) tokens_used: u64,
    /// Tokens that fit; 0: not known.
    pub(crate) tokens_total: u64,
    /// Percent, 0 to 100, to two digits.
    pub(crate) percentage: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct IncrementalPause {
    pub(crate) enabled: bool,
    /// Recorded actions, the first one included, `pause_finalized` not; with those that were only counted.
    pub(crate) action_count: u64,
    pub(crate) duration_seconds: u64,
    /// How full the context was at the beginning and at the end, 0 to 1.
    pub(crate) context_range: [f64; 2],
    pub(crate) tool_calls: u64,
    pub(crate) actions_summary: Vec<ActionSummary>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ActionSummary {
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    pub(crate) timestamp: String,
}

impl Snapshot {
    /// How full the context was in whole percent; none where the window is not known.
    pub(crate) fn percent(&self) -> Option<f64> {
        let usage = self.context_usage;
        (usage.tokens_total > 0).then(|| usage.percentage.floor())
    }

    /// The end of the record on the reader's clock; as it stands where it is no time.
    pub(crate) fn paused_at(&self) -> String {
        Timestamp::from_rfc3339(&self.paused_at).map_or_else(|| self.paused_at.clone(), Timestamp::local)
    }
}

/// The facts beside the record, as far as the end of the session's transcript tells.
#[derive(Debug, Default)]
pub(crate) struct Material {
    root: PathBuf,
    git: GitContext,
    todos: Todos,
    /// Files that were written or edited, in the order of their first change.
    files: Vec<PathBuf>,
    /// The last prompts since the last compaction, oldest first.
    requests: Vec<String>,
}

/// The facts with this state of the repository.
pub(crate) fn gather(root: &Path, git: GitContext, transcript: Option<&Path>) -> Material {
    let lines = transcript.map(|transcript| last_lines(transcript, MAX_TAIL_BYTES)).unwrap_or_default();
    Material {
        root: root.to_path_buf(),
        git,
        todos: todos(&tasks(&lines)),
        files: edited(&lines),
        requests: transcript.map(|transcript| requests(transcript, MAX_OF_A_KIND)).unwrap_or_default(),
    }
}

fn todos(tasks: &[Task]) -> Todos {
    let subject = |task: &Task| one_line(&task.subject, MAX_CHARS);
    let of = |progress| tasks.iter().filter(move |task| task.progress == progress).map(subject);
    let active = of(Progress::InProgress).chain(of(Progress::Pending)).collect();
    Todos { active, completed: of(Progress::Completed).collect() }
}

/// The files of calls that came back without an error.
fn edited(lines: &[Line]) -> Vec<PathBuf> {
    let done = finished(lines).into_iter().filter(|finished| !finished.is_error);
    let edits = done.filter_map(|finished| finished.call).filter(|call| is_editing(&call.name));
    edits.filter_map(|call| file_of(&call.input)).map(PathBuf::from).collect()
}

fn is_editing(tool: &str) -> bool {
    matches!(tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit")
}

/// A record in numbers, at `at` or at its own end where it has one.
pub(crate) struct Numbers {
    pub(crate) began: Timestamp,
    ended: Timestamp,
    pub(crate) pause: IncrementalPause,
}

impl Numbers {
    pub(crate) fn new(recorded: &Recorded, at: Timestamp) -> Self {
        let (first, last) = (recorded.actions.first(), recorded.actions.last());
        let end = last.filter(|action| action.kind == Kind::PauseFinalized);
        let ended = end.map_or(at, |end| end.at);
        let began = first.map_or(ended, |first| first.at);
        let happened = &recorded.actions[..recorded.actions.len() - usize::from(end.is_some())];
        let left_out = happened.iter().filter_map(|action| action.data.get(NOT_RECORDED)?.as_u64());
        let summary = |action: &Action| ActionSummary { kind: action.kind, timestamp: action.at.rfc3339() };
        let newest = &happened[happened.len().saturating_sub(MAX_ACTIONS_SUMMARY)..];
        let pause = IncrementalPause {
            enabled: true,
            action_count: left_out.fold(happened.len() as u64, u64::saturating_add),
            duration_seconds: ended.since(began).as_secs(),
            context_range: [first, last]
                .map(|action| action.map_or(0.0, |action| action.share.clamp(0.0, 1.0))),
            tool_calls: happened.iter().filter(|action| action.kind == Kind::ToolCall).count() as u64,
            actions_summary: newest.iter().map(summary).collect(),
        };
        Self { began, ended, pause }
    }

    /// The data of the line that ends the record.
    pub(crate) fn of_end(&self) -> Value {
        json!({
            "total_actions": self.pause.action_count,
            "final_percentage": self.pause.context_range[1],
            "pause_started_at": self.began.rfc3339(),
            "duration_seconds": self.pause.duration_seconds,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
pub(crate) fn build(recorded: &Recorded, material: &Material, at: Timestamp) -> Snapshot {
    let Numbers { began, ended, pause } = Numbers::new(recorded, at);
    Snapshot {
        session_id: recorded.id.clone(),
        paused_at: ended.rfc3339(),
        duration_hours: (pause.duration_seconds as f64 / 36.0).round() / 100.0,
        context_usage: context_usage(pause.context_range[1], recorded),
        incremental_pause: pause,
        schema_version: SCHEMA_VERSION,
        git: material.git.clone(),
        todos: material.todos.clone(),
        files_touched: files_touched(recorded, material),
        accomplishments: accomplishments(recorded, material, began),
        next_steps: next_steps(recorded, material),
        skipped_lines: recorded.skipped_lines,
    }
}

/// The window is the one that the record names last.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tokens are far below 2^52, and a share is at most 1"
)]
fn context_usage(share: f64, recorded: &Recorded) -> ContextUsage {
    let total = |action: &Action| {
        let initial = action.data.get("initial_state").and_then(Value::as_object);
        initial.unwrap_or(&action.data).get("tokens_total")?.as_u64()
    };
    let tokens_total = recorded.actions.iter().rev().find_map(total).unwrap_or_default();
    ContextUsage {
        // Rounded: 0.93 of 200,000 is a little less than 186,000 in binary.
        tokens_used: (share * tokens_total as f64).round() as u64,
        tokens_total,
        percentage: (share * 10_000.0).round() / 100.0,
    }
}

/// Tasks that were completed, commits that were made since the record began, and the last words of turns, newest first.
fn accomplishments(recorded: &Recorded, material: &Material, began: Timestamp) -> Vec<String> {
    let completed = &material.todos.completed;
    let tasks =
        completed[completed.len().saturating_sub(MAX_OF_A_KIND)..].iter().map(|task| line("task", task));
    // Git counts whole seconds.
    let second = &began.rfc3339()[..19];
    let commits = material.git.recent_commits.iter().filter(|commit| commit.timestamp.as_str() >= second);
    let commits =
        commits.map(|commit| line(&format!("commit {}", one_line(&commit.sha, 40)), &commit.message));
    let words = texts(recorded, Kind::AssistantResponse, "summary").filter(|said| !said.is_empty());
    let words = words.take(MAX_TURNS).map(|said| line("last words of a turn", &said));
    tasks.chain(commits).chain(words).collect()
}

/// The last prompt, tasks that are not completed, and what was asked before, the last first.
fn next_steps(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut asked = asked(recorded, material).into_iter();
    let is_turn = |action: &&Action| matches!(action.kind, Kind::UserMessage | Kind::AssistantResponse);
    let word = match recorded.actions.iter().rev().find(is_turn).map(|action| action.kind) {
        Some(Kind::AssistantResponse) => "asked last, answered",
        Some(_) => "asked last, without an answer",
        None => "asked last",
    };
    let last = asked.next().map(|prompt| line(word, &prompt));
    let tasks = material.todos.active.iter().take(MAX_OF_A_KIND).map(|task| line("task", task));
    let asked = asked.map(|prompt| line("asked", &prompt));
    last.into_iter().chain(tasks).chain(asked).collect()
}

/// The prompts of the record and of the transcript, the last first: the record may have begun with none.
fn asked(recorded: &Recorded, material: &Material) -> Vec<String> {
    let mut all: Vec<String> = texts(recorded, Kind::UserMessage, "message").collect();
    for request in material.requests.iter().rev().map(|request| one_line(request, MAX_CHARS)) {
        let is_same = |known: &String| known.chars().take(SAME_CHARS).eq(request.chars().take(SAME_CHARS));
        if !all.iter().any(is_same) {
            all.push(request);
        }
    }
    all.into_iter().filter(|prompt| !prompt.is_empty()).take(MAX_OF_A_KIND).collect()
}

fn line(head: &str, text: &str) -> String {
    format!("{head}: {}", one_line(text, MAX_CHARS))
}

/// The texts of this kind of action, the last first.
fn texts<'a>(recorded: &'a Recorded, kind: Kind, key: &'a str) -> impl Iterator<Item = String> + 'a {
    let actions = recorded.actions.iter().rev().filter(move |action| action.kind == kind);
    actions.map(|action| one_line(action.text(key).unwrap_or_default(), MAX_CHARS))
}

/// Files that were written or edited, once each, relative to the project where they lie in it.
fn files_touched(recorded: &Recorded, material: &Material) -> Vec<String> {
    let root = flat(&material.root);
    let is_edit =
        |action: &&Action| action.kind == Kind::ToolCall && action.text("tool").is_some_and(is_editing);
    let edits = recorded.actions.iter().filter(is_edit).filter_map(|action| action.text("path"));
    let mut files: Vec<String> = Vec::new();
    for path in material.files.iter().cloned().chain(edits.map(PathBuf::from)) {
        let file = relative(&path, &root);
        if !file.is_empty() && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// Masked first: with `//` and `..` gone, an address with a password in it is no longer known as one.
fn relative(path: &Path, root: &Path) -> String {
    let masked = secrets::masked(&path.to_string_lossy()).into_owned();
    let path = flat(Path::new(&masked));
    shortened(&path.strip_prefix(root).unwrap_or(&path).to_string_lossy(), MAX_PATH_CHARS)
}

#[cfg(test)]
pub(crate) mod tests;
