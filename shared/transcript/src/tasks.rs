//! The session's task list, as calls and answers of the task tools in the transcript tell it.

use std::collections::HashMap;

use serde_json::Value;

use super::line::{Block, Line, ToolUse};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
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

/// A tool call that came back.
#[derive(Debug, Clone, Copy)]
pub struct Finished<'a> {
    /// None if the call is further up than the lines.
    pub call: Option<&'a ToolUse>,
    pub is_error: bool,
    /// JSON text.
    pub answer: Option<&'a str>,
}

/// The calls that came back in these lines, in the order of their results.
pub fn finished(lines: &[Line]) -> Vec<Finished<'_>> {
    let mut calls = HashMap::new();
    let mut finished = Vec::new();
    for (line, block) in lines.iter().flat_map(|line| line.blocks.iter().map(move |block| (line, block))) {
        match block {
            Block::ToolUse(call) => drop(calls.insert(call.id.as_str(), call)),
            Block::ToolResult { tool_use_id, is_error } => {
                let (call, answer) = (calls.remove(tool_use_id.as_str()), line.tool_answer.as_deref());
                finished.push(Finished { call, is_error: *is_error, answer });
            }
            Block::Text(_) => {}
        }
    }
    finished
}

/// The tasks that are not deleted, in the order of the list, as far as these lines tell.
pub fn tasks(lines: &[Line]) -> Vec<Task> {
    let mut list = Vec::new();
    for Finished { call, answer, .. } in finished(lines) {
        // A call further up than these lines is taken for one of the task tools' by its answer.
        let is_task = call.is_none_or(|call| call.name.starts_with("Task"));
        if let Some(answer) = answer.filter(|_| is_task).and_then(read) {
            take(&mut list, &answer, call.map_or("{}", |call| call.input.as_str()));
        }
    }
    list
}

/// Answers hold whole files; most of them need not be parsed.
fn read(answer: &str) -> Option<Value> {
    if answer.contains("\"task") { serde_json::from_str(answer).ok() } else { None }
}

/// `TaskCreate` and `TaskGet` answer with a `task`, `TaskList` with all `tasks`, `TaskUpdate` with what has changed.
fn take(list: &mut Vec<Task>, answer: &Value, input: &str) {
    if let Some(tasks) = answer["tasks"].as_array() {
        list.clear();
        for task in tasks {
            put(list, &task["id"], &task["subject"], &task["status"]);
        }
    }
    let task = &answer["task"];
    put(list, &task["id"], &task["subject"], &task["status"]);
    // The answer does not repeat a new subject.
    let input: Value = serde_json::from_str(input).unwrap_or_default();
    let (subject, status) = (&input["subject"], &answer["statusChange"]["to"]);
    if subject.is_string() || status.is_string() {
        put(list, &answer["taskId"], subject, status);
    }
}

fn put(list: &mut Vec<Task>, id: &Value, subject: &Value, status: &Value) {
    let Some(id) = id.as_str() else { return };
    if matches!(status.as_str(), Some("deleted" | "cancelled")) {
        list.retain(|task| task.id != id);
        return;
    }
    let at = list.iter().position(|task| task.id == id).unwrap_or_else(|| {
        list.push(Task { id: id.to_owned(), subject: String::new(), progress: Progress::default() });
        list.len() - 1
    });
    let task = &mut list[at];
    if let Some(subject) = subject.as_str() {
        subject.clone_into(&mut task.subject);
    }
    if let Some(status) = status.as_str() {
        task.progress = match status {
            "completed" => Progress::Completed,
            "in_progress" => Progress::InProgress,
            _ => Progress::Pending,
        };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Line, Task, tasks};
    use crate::tests::{result, with};

    fn call(id: &str, tool: &str, input: &Value) -> Value {
        let block = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        json!({"type": "assistant", "message": {"content": [block]}})
    }

    fn answer(id: &str, answer: Value) -> Value {
        with(result(id, false), "toolUseResult", answer)
    }

    fn created(id: &str, subject: &str) -> Value {
        answer("c", json!({"task": {"id": id, "subject": subject}}))
    }

    fn moved(id: &str, to: &str) -> Value {
        answer("m", json!({"success": true, "taskId": id, "statusChange": {"from": "pending", "to": to}}))
    }

    #[test]
    fn each_task_is_followed_from_its_creation_to_its_end() {
        let task = |id, subject, status| json!({"id": id, "subject": subject, "status": status});
        let list = json!({"tasks": [task("7", "x", "completed"), task("8", "y", "in_progress")]});
        let update = call("u", "TaskUpdate", &json!({"taskId": "1", "subject": "b"}));
        let updated = answer("u", json!({"success": true, "taskId": "1", "updatedFields": ["subject"]}));
        let theirs = answer("f", json!({"task": {"id": "9", "subject": "theirs"}}));
        let (made, begun) = (|| created("1", "a"), || moved("1", "in_progress"));
        for (lines, expected) in [
            (vec![made()], &["1 a Pending"][..]),
            (vec![made(), begun()], &["1 a InProgress"]),
            (vec![made(), moved("1", "completed")], &["1 a Completed"]),
            (vec![made(), moved("1", "completed"), moved("1", "pending")], &["1 a Pending"]),
            (vec![made(), moved("1", "deleted"), created("2", "b")], &["2 b Pending"]),
            // The whole list takes the place of what was known.
            (vec![made(), answer("l", list)], &["7 x Completed", "8 y InProgress"]),
            // The call alone tells a new subject.
            (vec![made(), update, updated], &["1 b Pending"]),
            // It was created further up than these lines.
            (vec![begun()], &["1  InProgress"]),
            (vec![answer("g", json!({"task": task("4", "a", "completed")}))], &["4 a Completed"]),
            // Answers of other tools.
            (vec![call("f", "mcp__board__get", &json!({})), theirs], &[]),
            (vec![answer("x", json!({"task": {"task_id": "b1"}})), answer("y", json!("text"))], &[]),
        ] {
            let read = |line: &Value| Line::parse(line.to_string().as_bytes());
            let read: Vec<Line> = lines.iter().filter_map(read).collect();
            let told = |task: &Task| format!("{} {} {:?}", task.id, task.subject, task.progress);
            assert_eq!(tasks(&read).iter().map(told).collect::<Vec<_>>(), expected, "{lines:?}");
        }
    }
}
