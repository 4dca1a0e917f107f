//! requirements-check under the real client: what is refused and held, and that every command a text of ours names does
//! what the text says when it is run as it stands.

mod branches;
mod evidence;
mod remedies;
mod set_up;
mod stops;
mod typed_verbs;
mod users_word;

use crate::registered::installed;
use serde_json::{Value, json};
use std::fs;
use tests::client::Client;
use tests::messages_api::{MessagesApi, Recorded, Reply, Script, ToolResult};
use tests::sandbox::{Level, Sandbox};
use tests::terminal::{DEADLINE as SOON, Key, Terminal};

/// Where the installer puts the programs.
pub(crate) const HOOKS: &str = "home/.claude/hooks";

/// A project that requires this, the hook installed for its user.
fn project(requirements: &str) -> Sandbox {
    let sandbox = installed(&["requirements-check"], HOOKS, "");
    sandbox.requirements(Level::Project, requirements);
    sandbox.write("notes.txt", "before\n");
    sandbox.commit("the project");
    sandbox
}

/// The client, with the installer's links on its search path.
pub(crate) fn client<'a>(sandbox: &'a Sandbox, api: &MessagesApi) -> Client<'a> {
    let path = format!("{}:{}", sandbox.home().join(".local/bin").display(), sandbox.env()["PATH"]);
    Client::new(sandbox, api).env("PATH", path)
}

fn read(sandbox: &Sandbox, file: &str) -> Reply {
    Reply::tool("Read", json!({ "file_path": sandbox.project().join(file) }))
}

pub(crate) fn write(sandbox: &Sandbox, file: &str, content: &str) -> Reply {
    Reply::tool("Write", json!({ "file_path": sandbox.project().join(file), "content": content }))
}

/// Changes one word of a file that was read before.
fn edit(sandbox: &Sandbox, file: &str, from: &str, to: &str) -> Reply {
    let path = sandbox.project().join(file);
    Reply::tool("Edit", json!({ "file_path": path, "old_string": from, "new_string": to }))
}

pub(crate) fn content(sandbox: &Sandbox, file: &str) -> String {
    fs::read_to_string(sandbox.project().join(file)).unwrap_or_default()
}

/// What the model does next when it obeys the newest text of ours: runs the command that stands in it.
trait Obeying {
    fn obey(self, command: fn(&str) -> Option<&str>) -> Self;
}

impl Obeying for Script {
    fn obey(self, command: fn(&str) -> Option<&str>) -> Self {
        self.reply_with(move |request| {
            let text = newest_of_ours(request);
            text.as_deref().and_then(command).map_or_else(|| Reply::text("there is no command"), Reply::bash)
        })
    }
}

/// The newest text of ours that the model was shown.
fn newest_of_ours(request: &Recorded) -> Option<String> {
    request.shown_texts().into_iter().rev().find(|text| text.contains("requirements-check: "))
}

/// The command with which a text says that marks are set.
fn to_mark(text: &str) -> Option<&str> {
    between(text, "run in Bash: ", "\n")
}

/// The line with which a text says that evidence would count.
fn to_pass(text: &str) -> Option<&str> {
    between(text, "run alone on a line (no pipe): ", "; or ")
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let after = text.split_once(start)?.1;
    Some(after.split(end).next().unwrap_or(after))
}

/// What came of each tool call, in order, as the last request of the main loop shows it.
fn results(api: &MessagesApi) -> Vec<ToolResult> {
    api.main_requests().last().map(|request| request.tool_results()).unwrap_or_default()
}

/// The same in words: refused by us, failed, or ran.
fn outcomes(api: &MessagesApi) -> Vec<&'static str> {
    results(api).iter().map(outcome).collect()
}

fn outcome(result: &ToolResult) -> &'static str {
    match result.is_error {
        true if result.text.contains("requirements-check: ") => "refused",
        true => "failed",
        false => "ran",
    }
}

/// Every mark there is: the files of the marks, by name.
fn marks(sandbox: &Sandbox) -> Value {
    let folder = sandbox.project().join(".git/requirements");
    let Ok(entries) = fs::read_dir(folder) else { return json!({}) };
    let files = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"));
    let read = |path: std::path::PathBuf| {
        let content = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        (path.file_name().unwrap().to_string_lossy().into_owned(), content)
    };
    Value::Object(files.map(read).collect())
}

/// Types one of our commands as a prompt and waits for its answer; then clears the input line, because the client puts a
/// prompt that a hook has answered there again.
#[track_caller]
fn command(terminal: &mut Terminal, prompt: &str, answer: &str) {
    let line = format!("❯\u{a0}{prompt}");
    terminal.type_text(prompt);
    terminal.wait_for(&line);
    terminal.press(Key::Enter);
    terminal.wait_for(answer);
    terminal.wait_for(&line);
    terminal.press(Key::Ctrl('u'));
    terminal.wait_until_gone(&line, SOON);
}
