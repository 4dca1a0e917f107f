//! Declarations in Claude's shell: the lines of a call that has run and come through.

use secrets::masked;
use serde::Deserialize;
use shared::hook::Context;
use shared::own_calls::own_command_lines;
use shared::protocol::{ToolCall, ToolResult};

use super::{DeclaredFacts, Spot};
use crate::declare;
use crate::form::Form;
use crate::settings::Settings;
use crate::source::{self, Kind};
use crate::state::Recorded;

const OWN: &str = "intent-validator";

/// Said of a line that is more than plain words, or of which not all need have run.
const NOT_PLAIN: &str = "intent-validator: this declaration was not recorded: it is not made of plain words, too long, or may not have run. Give each value in \
                         quotes, without $, `, ! and backslashes between double ones, and run nothing else in the same line.";

/// A shell's answer, as far as it matters.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Response {
    interrupted: Option<bool>,
    background_task_id: Option<serde::de::IgnoredAny>,
    success: Option<bool>,
}

pub(super) fn after(context: &Context<'_, Settings>, result: &ToolResult) -> Option<DeclaredFacts> {
    context.request.call.session_id.as_ref()?;
    // Most lines are somebody else's.
    let raw = result.call.tool_input.as_ref()?.get();
    let is_ours = raw.contains(OWN) && raw.contains("declare");
    if !is_ours || !has_succeeded(result) {
        return None;
    }
    let Some(lines) = own_command_lines(&result.call, context.places) else {
        let unheard = is_meant(&result.call).then(|| NOT_PLAIN.to_owned());
        return unheard.map(|text| DeclaredFacts { unheard: Some(text), ..DeclaredFacts::default() });
    };
    let recorded: Vec<Recorded> = lines.iter().filter_map(|words| recorded(context, words)).collect();
    (!recorded.is_empty()).then_some(DeclaredFacts { recorded, unheard: None })
}

fn has_succeeded(result: &ToolResult) -> bool {
    let text = result.tool_response.as_ref().map_or("{}", |raw| raw.get());
    let response: Response = serde_json::from_str(text).unwrap_or_default();
    response.success.unwrap_or(true)
        && !response.interrupted.unwrap_or(false)
        && response.background_task_id.is_none()
}

/// A shell's line that reads like a declaration, whatever else is in it.
fn is_meant(call: &ToolCall) -> bool {
    let raw = call.tool_input.as_ref().map_or("", |raw| raw.get());
    matches!(call.tool_name.as_str(), "Bash" | "PowerShell") && raw.contains("intent-validator declare --")
}

/// What a command declares; one that is wrong has said so itself.
fn recorded(context: &Context<'_, Settings>, words: &[String]) -> Option<Recorded> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [OWN, "declare", words @ ..] = words.as_slice() else { return None };
    let form = declare::parse(words).ok()?;
    let call = &context.request.call;
    let spots = form.files().flat_map(|file| Spot::meant(context.places, call.cwd.as_deref(), file));
    let spots: Vec<Spot> = spots.collect();
    let kinds = spots.iter().filter_map(|spot| source::kind(&spot.file, context.settings));
    let wants_test = context.settings.tdd && kinds.into_iter().any(|kind| kind == Kind::Core);
    if declare::fault(&form, wants_test).is_some() || spots.is_empty() {
        return None;
    }
    let names = spots.into_iter().map(|spot| spot.in_project).collect();
    // It is kept in a file.
    let (changes, goal) = (masked(&form.changes).into_owned(), masked(&form.goal).into_owned());
    let form = Form { changes, goal, ..form };
    Some(Recorded { names, agent: call.agent_id.clone(), form, at: context.host.now() })
}
