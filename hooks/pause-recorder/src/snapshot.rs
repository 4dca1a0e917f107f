//! The snapshot of a recorded session, from its record, its transcript and the repository: one content as JSON, as YAML, and as a
//! page for people.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shared::host::{Timestamp, flat, rfc3339};
use shared::text::is_hidden;
use transcript::{Line, MAX_TAIL_BYTES, Progress, Task, finished, last_lines, requests, tasks};

use crate::git::{Commit, GitContext};
use crate::record::{Action, Kind, NOT_RECORDED, Recorded};
use crate::text::{MAX_PATH_CHARS, counted, file_of, full, one_line, shortened};

/// The tasks in a list, and the prompts.
const MAX_OF_A_KIND: usize = 5;

/// Raised when a key changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

const MAX_ACTIONS_SUMMARY: usize = 10;

/// The turns whose last words are listed.
const MAX_TURNS: usize = 3;

/// Two prompts are the same if they begin so: the record has only the beginning of a long one.
const SAME_CHARS: usize = 100;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) session_id: String,
    #[serde(with = "rfc3339")]
    pub(crate) paused_at: Timestamp,
    pub(crate) duration_hours: f64,
    pub(crate) context_usage: ContextUsage,
    pub(crate) incremental_pause: IncrementalPause,
    pub(crate) schema_version: u32,
    pub(crate) git: GitContext,
    pub(crate) todos: Todos,
    /// In the order of their first change.
    pub(crate) files_touched: Vec<String>,
    /// Tasks that were completed, commits of the record, and the last words of turns.
    pub(crate) accomplishments: Vec<String>,
    /// The last prompt, answered or not, tasks that are not completed, and earlier prompts, the last first.
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
    pub(crate) percentage: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct IncrementalPause {
    pub(crate) enabled: bool,
    /// Recorded actions, the first one included, `pause_finalized` not; with those that were only counted.
    pub(crate) action_count: u64,
    pub(crate) duration_seconds: u64,
    /// At the beginning and at the end, 0 to 1.
    pub(crate) context_range: [f64; 2],
    pub(crate) tool_calls: u64,
    pub(crate) actions_summary: Vec<ActionSummary>,
    #[serde(skip)]
    pub(crate) began: Timestamp,
    #[serde(skip)]
    ended: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ActionSummary {
    #[serde(rename = "type")]
    pub(crate) kind: Kind,
    #[serde(with = "rfc3339")]
    pub(crate) timestamp: Timestamp,
}

impl Snapshot {
    /// How full the context was in whole percent; none where the window is not known.
    pub(crate) fn percent(&self) -> Option<f64> {
        let usage = self.context_usage;
        (usage.tokens_total > 0).then(|| usage.percentage.floor())
    }
}

/// The files of calls that came back without an error, by the end of a transcript.
fn edited(lines: &[Line]) -> Vec<PathBuf> {
    let done = finished(lines).into_iter().filter(|finished| !finished.is_error);
    let edits = done.filter_map(|finished| finished.call).filter(|call| is_editing(&call.name));
    edits.filter_map(|call| file_of(&call.input)).map(PathBuf::from).collect()
}

fn is_editing(tool: &str) -> bool {
    matches!(tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit")
}

impl Todos {
    fn of(tasks: &[Task]) -> Self {
        let subject = |task: &Task| one_line(&task.subject);
        let of = |progress| tasks.iter().filter(move |task| task.progress == progress).map(subject);
        let active = of(Progress::InProgress).chain(of(Progress::Pending)).collect();
        Self { active, completed: of(Progress::Completed).collect() }
    }
}

impl IncrementalPause {
    /// A record in numbers, at `at` or at its own end where it has one.
    pub(crate) fn of(recorded: &Recorded, at: Timestamp) -> Self {
        let (first, last) = (recorded.actions.first(), recorded.actions.last());
        let end = last.filter(|action| action.kind == Kind::PauseFinalized);
        let ended = end.map_or(at, |end| end.at);
        let began = first.map_or(ended, |first| first.at);
        let happened = &recorded.actions[..recorded.actions.len() - usize::from(end.is_some())];
        let left_out = happened.iter().filter_map(|action| action.data.get(NOT_RECORDED)?.as_u64());
        let summary = |action: &Action| ActionSummary { kind: action.kind, timestamp: action.at };
        let newest = &happened[happened.len().saturating_sub(MAX_ACTIONS_SUMMARY)..];
        let share = |action: Option<&Action>| action.map_or(0.0, |action| action.share.clamp(0.0, 1.0));
        Self {
            enabled: true,
            action_count: left_out.fold(happened.len() as u64, u64::saturating_add),
            duration_seconds: ended.since(began).as_secs(),
            context_range: [share(first), share(last)],
            tool_calls: happened.iter().filter(|action| action.kind == Kind::ToolCall).count() as u64,
            actions_summary: newest.iter().map(summary).collect(),
            began,
            ended,
        }
    }

    /// The line that ends the record.
    pub(crate) fn last_line(&self, at: Timestamp) -> Action {
        let share = self.context_range[1];
        let data = json!({
            "total_actions": self.action_count,
            "final_percentage": share,
            "pause_started_at": self.began.rfc3339(),
            "duration_seconds": self.duration_seconds,
        });
        Action::new(Kind::PauseFinalized, at, data, share)
    }
}

/// The snapshot of a record that ends now, or has ended, with this state of the repository.
#[expect(clippy::cast_precision_loss, reason = "seconds are far below 2^52")]
pub(crate) fn build(
    recorded: &Recorded,
    root: &Path,
    git: GitContext,
    transcript: Option<&Path>,
    at: Timestamp,
) -> Snapshot {
    let pause = IncrementalPause::of(recorded, at);
    let lines = transcript.map(|transcript| last_lines(transcript, MAX_TAIL_BYTES)).unwrap_or_default();
    let requests = transcript.map(|transcript| requests(transcript, MAX_OF_A_KIND)).unwrap_or_default();
    let todos = Todos::of(&tasks(&lines));
    Snapshot {
        session_id: recorded.id.clone(),
        paused_at: pause.ended,
        duration_hours: (pause.duration_seconds as f64 / 36.0).round() / 100.0,
        context_usage: context_usage(pause.context_range[1], recorded),
        schema_version: SCHEMA_VERSION,
        files_touched: files_touched(recorded, edited(&lines), root),
        accomplishments: accomplishments(recorded, &todos, &git, pause.began),
        next_steps: next_steps(recorded, &todos, &requests),
        git,
        todos,
        skipped_lines: recorded.skipped_lines,
        incremental_pause: pause,
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

fn accomplishments(recorded: &Recorded, todos: &Todos, git: &GitContext, began: Timestamp) -> Vec<String> {
    let tasks = todos.completed.iter().rev().take(MAX_OF_A_KIND).rev().map(|task| line("task", task));
    // Git counts whole seconds.
    let second = &began.rfc3339()[..19];
    let commits = git.recent_commits.iter().filter(|commit| commit.timestamp.as_str() >= second);
    let commits = commits.map(|commit| line(&format!("commit {}", commit.sha), &commit.message));
    let words = texts(recorded, Kind::AssistantResponse, "summary").filter(|said| !said.is_empty());
    let words = words.take(MAX_TURNS).map(|said| line("last words of a turn", &said));
    tasks.chain(commits).chain(words).collect()
}

/// The prompts are those of the record and of the transcript: the record may have begun with none.
fn next_steps(recorded: &Recorded, todos: &Todos, requests: &[String]) -> Vec<String> {
    let mut asked: Vec<String> = texts(recorded, Kind::UserMessage, "message").collect();
    for request in requests.iter().rev().map(|request| one_line(request)) {
        let is_same = |known: &String| known.chars().take(SAME_CHARS).eq(request.chars().take(SAME_CHARS));
        if !asked.iter().any(is_same) {
            asked.push(request);
        }
    }
    let mut asked = asked.into_iter().filter(|prompt| !prompt.is_empty()).take(MAX_OF_A_KIND);
    let is_turn = |action: &&Action| matches!(action.kind, Kind::UserMessage | Kind::AssistantResponse);
    let word = match recorded.actions.iter().rev().find(is_turn).map(|action| action.kind) {
        Some(Kind::AssistantResponse) => "asked last, answered",
        Some(_) => "asked last, without an answer",
        None => "asked last",
    };
    let last = asked.next().map(|prompt| line(word, &prompt));
    let tasks = todos.active.iter().take(MAX_OF_A_KIND).map(|task| line("task", task));
    last.into_iter().chain(tasks).chain(asked.map(|prompt| line("asked", &prompt))).collect()
}

fn line(head: &str, text: &str) -> String {
    format!("{head}: {}", one_line(text))
}

/// The texts of this kind of action, the last first.
fn texts<'a>(recorded: &'a Recorded, kind: Kind, key: &'a str) -> impl Iterator<Item = String> + 'a {
    let actions = recorded.actions.iter().rev().filter(move |action| action.kind == kind);
    actions.map(|action| one_line(action.text(key).unwrap_or_default()))
}

/// Files that were written or edited by the transcript and the record, once each.
fn files_touched(recorded: &Recorded, mut edited: Vec<PathBuf>, root: &Path) -> Vec<String> {
    let is_edit =
        |action: &&Action| action.kind == Kind::ToolCall && action.text("tool").is_some_and(is_editing);
    let edits = recorded.actions.iter().filter(is_edit).filter_map(|action| action.text("path"));
    edited.extend(edits.map(PathBuf::from));
    let mut files: Vec<String> = Vec::new();
    for file in edited.iter().map(|path| relative(path, &flat(root))) {
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

/// The page, with times on the reader's clock. Texts of a session or a repository cannot become markup.
pub(crate) fn markdown(snapshot: &Snapshot) -> String {
    let Snapshot { session_id: id, context_usage: usage, incremental_pause: pause, git, .. } = snapshot;
    let context = snapshot
        .percent()
        .map_or("not known".to_owned(), |percent| full(percent, usage.tokens_used, usage.tokens_total));
    let branch = git.branch.as_deref().map_or("none".to_owned(), code);
    let mut page = format!(
        "# Paused session {}\n\n- paused at: {}\n- context: {context}\n- recorded: {} in {} min\n\
         - each action: {}, beside this file once the record has ended\n- lines that cannot be read: {}\n\
         - branch: {branch}\n",
        code(id),
        code(&snapshot.paused_at.local()),
        counted(pause.action_count),
        pause.duration_seconds / 60,
        code(&format!("{id}-incremental.jsonl")),
        snapshot.skipped_lines
    );
    let commit = |commit: &Commit| format!("{} {}, {}", commit.sha, commit.message, commit.author);
    let commits: Vec<String> = git.recent_commits.iter().map(commit).collect();
    for (heading, lines) in [
        ("Open", &snapshot.next_steps),
        ("Done", &snapshot.accomplishments),
        ("Files touched", &snapshot.files_touched),
        ("Tasks, not completed", &snapshot.todos.active),
        ("Tasks, completed", &snapshot.todos.completed),
        ("Commits", &commits),
        ("Modified files", &git.status.modified_files),
        ("Untracked files", &git.status.untracked_files),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(page, "\n## {heading}\n");
        }
        for line in lines {
            let _ = writeln!(page, "- {}", code(line));
        }
    }
    page
}

/// The text as code, in which nothing is markup but a backtick, which becomes `'`; on one line, because an empty line would end it. Unseen characters are spelled
/// out, in double quotes then.
fn code(text: &str) -> String {
    let text = text.replace('`', "'");
    if text.contains(is_hidden) || text.is_empty() { format!("`{text:?}`") } else { format!("`{text}`") }
}

/// The value as a YAML document. Its keys are plain words. Every text stands in double quotes, because some readers take `yes`, `1:30` or a
/// date for something else.
pub(crate) fn yaml(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, "");
    text
}

fn block(text: &mut String, value: &Value, indent: &str) {
    let entries: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, entry)| (format!("{key}:"), entry)).collect(),
        Value::Array(list) => list.iter().map(|entry| ("-".to_owned(), entry)).collect(),
        _ => Vec::new(),
    };
    for (name, entry) in entries {
        let entries = entry.as_object().map(Map::len).or(entry.as_array().map(Vec::len));
        let is_block = entries.is_some_and(|entries| entries > 0);
        if is_block {
            let _ = writeln!(text, "{indent}{name}");
            block(text, entry, &format!("{indent}  "));
        } else {
            let _ = writeln!(text, "{indent}{name} {}", quoted(entry));
        }
    }
}

/// JSON is YAML but for the characters that YAML does not allow in a file.
fn quoted(scalar: &Value) -> String {
    let is_allowed = |char| char > '\u{ffff}' || char < '\u{fff0}' && !is_hidden(char);
    scalar.to_string().chars().fold(String::new(), |mut text, char| {
        if is_allowed(char) {
            text.push(char);
        } else {
            let _ = write!(text, "\\u{:04x}", u32::from(char));
        }
        text
    })
}

#[cfg(test)]
pub(crate) mod tests;
