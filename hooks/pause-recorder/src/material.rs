//! The facts of a snapshot beside the record: the repository, the session's task list and its edits.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use shared::host::Host;
use transcript::{
    Block, Line, MAX_TAIL_BYTES, Progress, Speaker, Task, ToolUse, conversation, last_lines, requests, tasks,
};

use crate::git::{self, GitContext};
use crate::snapshot::{Todos, one_line};

/// The last tasks of each kind.
const MAX_TASKS: usize = 100;

/// The characters of a task's subject.
const MAX_SUBJECT_CHARS: usize = 200;

/// The last prompts.
const MAX_REQUESTS: usize = 5;

/// The characters of a prompt.
const MAX_REQUEST_CHARS: usize = 200;

/// The tools that change a file.
pub(crate) const EDITING_TOOLS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// The facts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// The project.
    pub root: PathBuf,
    /// The repository.
    pub git: GitContext,
    /// The session's task list, as far as its transcript tells.
    pub todos: Todos,
    /// Files that were written or edited in the session, as its transcript names them, in the order of their first change.
    pub files: Vec<PathBuf>,
    /// The last prompts since the last compaction, as its transcript tells, oldest first.
    pub requests: Vec<String>,
    /// The model's last question, if the conversation ends with one.
    pub question: Option<String>,
}

/// Gathers the facts. `None`: the repository did not answer within `patience`.
#[must_use]
pub(crate) fn gather(
    host: &Host,
    root: &Path,
    transcript: Option<&Path>,
    patience: Duration,
) -> Option<Material> {
    git::look(host, root, patience).map(|git| with(root, git, transcript))
}

/// The facts with this state of the repository.
#[must_use]
pub(crate) fn with(root: &Path, git: GitContext, transcript: Option<&Path>) -> Material {
    let (todos, files) = transcript.map(of_transcript).unwrap_or_default();
    let requests = transcript.map(requested).unwrap_or_default();
    let question = transcript.and_then(question);
    Material { root: root.to_path_buf(), git, todos, files, requests, question }
}

fn requested(transcript: &Path) -> Vec<String> {
    let all = requests(transcript, MAX_REQUESTS);
    all.iter().map(|request| one_line(request, MAX_REQUEST_CHARS)).collect()
}

fn question(transcript: &Path) -> Option<String> {
    let last = conversation(transcript, 1).pop().filter(|said| said.by == Speaker::Model)?;
    let line = last.text.trim_end().lines().next_back()?;
    line.ends_with('?').then(|| one_line(line, MAX_REQUEST_CHARS))
}

/// As far as the last [`MAX_TAIL_BYTES`] of it tell, compactions or not.
fn of_transcript(transcript: &Path) -> (Todos, Vec<PathBuf>) {
    let lines = last_lines(transcript, MAX_TAIL_BYTES).unwrap_or_default();
    (todos(&tasks(&lines)), edited(&lines))
}

fn todos(tasks: &[Task]) -> Todos {
    let of = |progress: Progress| {
        let those: Vec<&Task> = tasks.iter().filter(|task| task.progress == progress).collect();
        let last = those.len().saturating_sub(MAX_TASKS);
        those[last..].iter().map(|task| subject(task)).collect::<Vec<_>>()
    };
    let active = of(Progress::InProgress).into_iter().chain(of(Progress::Pending)).take(MAX_TASKS).collect();
    Todos { active, completed: of(Progress::Completed) }
}

fn subject(task: &Task) -> String {
    let subject = one_line(&task.subject, MAX_SUBJECT_CHARS);
    if subject.is_empty() { format!("task {}", one_line(&task.id, 20)) } else { subject }
}

/// The files of calls that came back without an error.
fn edited(lines: &[Line]) -> Vec<PathBuf> {
    let mut calls = HashMap::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for block in lines.iter().flat_map(|line| &line.blocks) {
        match block {
            Block::ToolUse(call) if EDITING_TOOLS.contains(&call.name.as_str()) => {
                calls.insert(call.id.as_str(), call);
            }
            Block::ToolResult { tool_use_id, is_error: false } => {
                let file = calls.remove(tool_use_id.as_str()).and_then(file_of);
                files.extend(file.filter(|file| !files.contains(file)));
            }
            _ => {}
        }
    }
    files
}

fn file_of(call: &ToolUse) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Input {
        #[serde(alias = "notebook_path")]
        file_path: PathBuf,
    }
    serde_json::from_str::<Input>(&call.input).ok().map(|input| input.file_path)
}

#[cfg(test)]
mod tests;
