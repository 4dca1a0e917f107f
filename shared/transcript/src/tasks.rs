//! The session's task list, as calls and answers of the task tools in the transcript tell it.

use std::collections::HashMap;

use serde::Deserialize;

use super::line::{Block, Line};

/// An entry of the task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Claude Code's number of it.
    pub id: String,
    /// Empty if the lines do not tell.
    pub subject: String,
    pub progress: Progress,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Progress {
    /// Not begun, or in an unknown state.
    #[default]
    Pending,
    InProgress,
    Completed,
}

/// The answers of the task tools.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// From `TaskCreate` and `TaskGet`.
    task: Option<Told>,
    /// From `TaskList`: all tasks.
    tasks: Option<Vec<Told>>,
    /// From `TaskUpdate`.
    task_id: Option<String>,
    status_change: Option<StatusChange>,
}

#[derive(Deserialize)]
struct Told {
    id: String,
    subject: Option<String>,
    status: Option<String>,
}

#[derive(Deserialize)]
struct StatusChange {
    to: String,
}

/// Input of a `TaskUpdate`; its answer does not repeat a new subject.
#[derive(Deserialize)]
struct Wanted {
    subject: Option<String>,
}

/// The tasks that are not deleted, in the order of the list, as far as these lines tell.
pub fn tasks(lines: &[Line]) -> Vec<Task> {
    let mut list = List::default();
    let mut calls = HashMap::new();
    for line in lines {
        for block in &line.blocks {
            match block {
                Block::ToolUse(call) => {
                    calls.insert(call.id.as_str(), call);
                }
                Block::ToolResult { tool_use_id, .. } => {
                    let call = calls.remove(tool_use_id.as_str());
                    // A call further up than these lines is taken for one of the task tools' by its answer.
                    let input = call.map_or(Some("{}"), |call| {
                        call.name.starts_with("Task").then_some(call.input.as_str())
                    });
                    let answer = input.and(line.tool_answer.as_deref()).and_then(read);
                    if let (Some(answer), Some(input)) = (answer, input) {
                        list.take(answer, input);
                    }
                }
                Block::Text(_) => {}
            }
        }
    }
    list.0
}

/// Answers hold whole files; most of them need not be parsed.
fn read(answer: &str) -> Option<Answer> {
    if !answer.contains("\"task") {
        return None;
    }
    serde_json::from_str(answer).ok()
}

#[derive(Default)]
struct List(Vec<Task>);

impl List {
    fn take(&mut self, answer: Answer, input: &str) {
        if let Some(tasks) = answer.tasks {
            self.0.clear();
            for task in tasks {
                self.put(task);
            }
        }
        if let Some(task) = answer.task {
            self.put(task);
        }
        if let Some(id) = answer.task_id {
            let subject = serde_json::from_str::<Wanted>(input).ok().and_then(|wanted| wanted.subject);
            let status = answer.status_change.map(|change| change.to);
            if subject.is_some() || status.is_some() {
                self.put(Told { id, subject, status });
            }
        }
    }

    fn put(&mut self, told: Told) {
        if matches!(told.status.as_deref(), Some("deleted" | "cancelled")) {
            self.0.retain(|task| task.id != told.id);
            return;
        }
        let at = self.0.iter().position(|task| task.id == told.id).unwrap_or_else(|| {
            self.0.push(Task { id: told.id, subject: String::new(), progress: Progress::default() });
            self.0.len() - 1
        });
        let task = &mut self.0[at];
        if let Some(subject) = told.subject {
            task.subject = subject;
        }
        if let Some(status) = told.status {
            task.progress = match status.as_str() {
                "completed" => Progress::Completed,
                "in_progress" => Progress::InProgress,
                _ => Progress::Pending,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, tasks};

    fn call(id: &str, tool: &str, input: &str) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"{tool}","input":{input}}}]}}}}"#
        )
    }

    fn answer(id: &str, answer: &str) -> String {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}"}}]}},"toolUseResult":{answer}}}"#
        )
    }

    fn created(id: &str, subject: &str) -> String {
        answer("c", &format!(r#"{{"task":{{"id":"{id}","subject":"{subject}"}}}}"#))
    }

    fn moved(id: &str, to: &str) -> String {
        answer(
            "m",
            &format!(r#"{{"success":true,"taskId":"{id}","statusChange":{{"from":"pending","to":"{to}"}}}}"#),
        )
    }

    /// Each task as `id subject Progress`.
    #[track_caller]
    fn check(lines: &[String], expected: &[&str]) {
        let lines: Vec<Line> = lines.iter().filter_map(|line| Line::parse(line.as_bytes())).collect();
        let told: Vec<String> = tasks(&lines)
            .iter()
            .map(|task| format!("{} {} {:?}", task.id, task.subject, task.progress))
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_task_is_followed_from_its_creation_to_its_end() {
        check(&[created("1", "a")], &["1 a Pending"]);
        check(&[created("1", "a"), moved("1", "in_progress")], &["1 a InProgress"]);
        check(&[created("1", "a"), moved("1", "completed")], &["1 a Completed"]);
        check(&[created("1", "a"), moved("1", "completed"), moved("1", "pending")], &["1 a Pending"]);
        check(&[created("1", "a"), moved("1", "deleted"), created("2", "b")], &["2 b Pending"]);
    }

    #[test]
    fn they_stay_in_the_order_of_the_list() {
        let many: Vec<String> = (1..=11).map(|id| created(&id.to_string(), "t")).collect();
        let expected: Vec<String> = (1..=11).map(|id| format!("{id} t Pending")).collect();
        check(&many, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn the_whole_list_takes_the_place_of_what_was_known() {
        let list = answer(
            "l",
            r#"{"tasks":[{"id":"7","subject":"x","status":"completed"},{"id":"8","subject":"y","status":"in_progress"}]}"#,
        );
        check(&[created("1", "a"), list], &["7 x Completed", "8 y InProgress"]);
    }

    #[test]
    fn a_new_subject_is_told_by_the_call() {
        let update = call("u", "TaskUpdate", r#"{"taskId":"1","subject":"b"}"#);
        let done = answer("u", r#"{"success":true,"taskId":"1","updatedFields":["subject"]}"#);
        check(&[created("1", "a"), update, done], &["1 b Pending"]);
    }

    #[test]
    fn a_task_created_further_up_than_these_lines_has_no_subject() {
        check(&[moved("4", "in_progress")], &["4  InProgress"]);
        let looked = answer("g", r#"{"task":{"id":"4","subject":"a","status":"completed"}}"#);
        check(&[looked], &["4 a Completed"]);
    }

    #[test]
    fn the_answers_of_other_tools_are_none() {
        let foreign = call("f", "mcp__board__get", "{}");
        let theirs = answer("f", r#"{"task":{"id":"9","subject":"theirs"}}"#);
        check(&[foreign, theirs], &[]);
        check(&[answer("x", r#"{"task":{"task_id":"b1","output":"…"}}"#), answer("y", r#""text""#)], &[]);
    }
}
