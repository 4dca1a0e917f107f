//! The facts of a snapshot beside the record: the repository, the session's task list, its edits and prompts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use transcript::{Block, Line, MAX_TAIL_BYTES, Progress, Task, last_lines, requests, tasks};

use crate::git::GitContext;
use crate::text::{MAX_CHARS, file_of, one_line};

/// The tools that change a file.
pub(crate) const EDITING_TOOLS: [&str; 4] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/// The tasks in a list, and the prompts.
pub(crate) const MAX_OF_A_KIND: usize = 5;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todos {
    /// Not completed; what is being worked on first.
    pub active: Vec<String>,
    pub completed: Vec<String>,
}

/// The facts, as far as the end of the session's transcript tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// The project.
    pub root: PathBuf,
    pub git: GitContext,
    pub todos: Todos,
    /// Files that were written or edited, in the order of their first change.
    pub files: Vec<PathBuf>,
    /// The last prompts since the last compaction, oldest first.
    pub requests: Vec<String>,
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
    let mut calls = HashMap::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for block in lines.iter().flat_map(|line| &line.blocks) {
        match block {
            Block::ToolUse(call) if EDITING_TOOLS.contains(&call.name.as_str()) => {
                calls.insert(call.id.as_str(), call.input.as_str());
            }
            Block::ToolResult { tool_use_id, is_error: false } => {
                let file = calls.remove(tool_use_id.as_str()).and_then(file_of).map(PathBuf::from);
                files.extend(file.filter(|file| !files.contains(file)));
            }
            _ => {}
        }
    }
    files
}

#[cfg(test)]
mod tests;
