//! intent-validator under the real client: which edits are refused, that what the model reads is enough as it stands, and
//! what a judge was asked.

mod agents;
mod announced;
mod failures;
mod reviews;

use crate::judging::{self, Asked};
use crate::requirements_check::content;
use serde_json::{Value, json};
use tests::messages_api::{Recorded, Reply, Script, ToolResult};
use tests::sandbox::Sandbox;

/// What every model edits: core code.
pub(crate) const FILE: &str = "src/app.py";
pub(crate) const OLD: &str = "GREETING = 'hello'\n";
pub(crate) const NEW: &str = "GREETING = 'good day'\n";

/// What the user asks for.
pub(crate) const PROMPT: &str = "Make the greeting polite";

/// A declaration of the edit as it should be.
pub(crate) const DECLARED: &str = "FILE: src/app.py\nCHANGES: say good day in place of hello\nGOAL: a polite greeting\n\
                        TEST: tests/test_app.py - test_greeting";

/// The first words of every refusal.
const REFUSED: &str = "intent-validator: ";

/// A project whose user has the hook on, with these keys of `judge` and of its section.
fn project_with(judge: &str, section: &str) -> Sandbox {
    let section = format!("intent-validator: {{enabled: true{section}}}\n");
    code(judging::sandbox(&["intent-validator"], judge, &section))
}

fn project() -> Sandbox {
    project_with("", "")
}

/// With the code in it that every model edits.
pub(crate) fn code(sandbox: Sandbox) -> Sandbox {
    sandbox.write(FILE, OLD);
    sandbox.commit("the project");
    sandbox
}

fn read(sandbox: &Sandbox) -> Reply {
    Reply::tool("Read", json!({ "file_path": sandbox.project().join(FILE) }))
}

/// A message with these words, or without any, to which calls are added.
fn saying(words: &str) -> Reply {
    if words.is_empty() { Reply::empty() } else { Reply::text(words) }
}

/// The edit every model makes.
fn edit(sandbox: &Sandbox) -> Value {
    json!({ "file_path": sandbox.project().join(FILE), "old_string": OLD, "new_string": NEW })
}

fn write(sandbox: &Sandbox, file: &str, content: &str) -> Value {
    json!({ "file_path": sandbox.project().join(file), "content": content })
}

/// What a model does next.
#[derive(Clone, Copy)]
pub(crate) enum Turn {
    /// Makes the edit and says this.
    Says(&'static str),
    /// Makes it with no more than a thought.
    Thinks(&'static str),
    /// Makes it and writes the form it read in the last refusal, filled in.
    WritesTheForm,
    /// Runs the command it read there, filled in.
    RunsTheCommand,
}

use Turn::{RunsTheCommand, Says, Thinks, WritesTheForm};

/// A model that reads the file, then takes its turns, then ends.
pub(crate) fn script(sandbox: &Sandbox, turns: &[Turn]) -> Script {
    let begun = Script::new().reply(read(sandbox));
    let taken = turns.iter().fold(begun, |script, turn| {
        let (turn, edit) = (*turn, edit(sandbox));
        script.reply_with(move |request| take(turn, edit.clone(), request))
    });
    taken.reply("end")
}

fn take(turn: Turn, edit: Value, request: &Recorded) -> Reply {
    match turn {
        Says(words) => saying(words).and_tool("Edit", edit),
        Thinks(thought) => Reply::thinking(thought).and_tool("Edit", edit),
        WritesTheForm => Reply::text(&filled_in(lines(&newest(request)))).and_tool("Edit", edit),
        RunsTheCommand => Reply::bash(&filled_in(command(&newest(request)))),
    }
}

/// The newest refusal that the model has read.
fn newest(request: &Recorded) -> String {
    let mut texts = request.tool_results().into_iter().map(|result| result.text);
    texts.rfind(|text| text.contains(REFUSED)).unwrap_or_default()
}

/// The form that a refusal shows.
fn lines(refusal: &str) -> &str {
    between(refusal, ":\n\n", "\n\n")
}

/// The command that it names.
fn command(refusal: &str) -> &str {
    between(refusal, "run this first, filled in: ", "\n")
}

fn filled_in(form: &str) -> String {
    let form = form.replace("<what you change>", "say good day in place of hello");
    form.replace("<why you change it>", "a polite greeting")
        .replace("<test file or test>", "tests/test_app.py")
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let after = text.split_once(start).map_or("", |(_, after)| after);
    after.split(end).next().unwrap_or(after)
}

/// What came of every call but the reading, in words.
pub(crate) fn outcomes(asked: &Asked) -> Vec<&'static str> {
    let results = asked.last().tool_results();
    results.iter().skip(1).map(outcome).collect()
}

fn outcome(result: &ToolResult) -> &'static str {
    match result.is_error {
        true if result.text.contains(REFUSED) => "refused",
        true => "failed",
        false => "ran",
    }
}

/// What a judge was shown, part by part.
fn shown(request: &Recorded, name: &str) -> String {
    judging::part(request, name)
}

#[track_caller]
fn assert_changed(what: &str, sandbox: &Sandbox) {
    assert_eq!(content(sandbox, FILE), NEW, "{what}");
}
