//! Declarations in Claude's shell: the lines of a call that has run and come through.

use secrets::masked;
use serde_json::Value;
use shared::hook::Context;
use shared::own_commands::own_command_lines;
use shared::protocol::ToolResult;

use super::{DeclaredFacts, Spot};
use crate::declare;
use crate::form::Form;
use crate::settings::Settings;
use crate::source::{self, Kind};
use crate::state::Recorded;

const OWN: &str = "intent-validator";

/// The message on a line that is more than plain words, or may not have run as a whole.
const NOT_PLAIN: &str = "intent-validator: this declaration was not recorded: it is not made of plain words, too long, or may not have run. Give each value in \
                         quotes, without $, `, ! and backslashes between double ones, and run nothing else in the same line.";

pub(super) fn after(context: &Context<'_, Settings>, result: &ToolResult) -> Option<DeclaredFacts> {
    context.request.call.session_id.as_ref()?;
    // Most lines have nothing to do with us.
    let raw = result.call.tool_input.as_ref()?.get();
    if !raw.contains(OWN) || !raw.contains("declare") || !has_succeeded(result) {
        return None;
    }
    let Some(lines) = own_command_lines(&result.call, context.places) else {
        let is_shell = matches!(result.call.tool_name.as_str(), "Bash" | "PowerShell");
        let is_meant = is_shell && raw.contains("intent-validator declare --");
        let unheard = Some(NOT_PLAIN.to_owned());
        return is_meant.then(|| DeclaredFacts { unheard, ..DeclaredFacts::default() });
    };
    let recorded: Vec<Recorded> = lines.iter().filter_map(|words| recorded(context, words)).collect();
    (!recorded.is_empty()).then_some(DeclaredFacts { recorded, unheard: None })
}

fn has_succeeded(result: &ToolResult) -> bool {
    let text = result.tool_response.as_ref().map_or("{}", |raw| raw.get());
    let response: Value = serde_json::from_str(text).unwrap_or_default();
    response["success"] != false && response["interrupted"] != true && response["backgroundTaskId"].is_null()
}

fn recorded(context: &Context<'_, Settings>, words: &[String]) -> Option<Recorded> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [OWN, "declare", words @ ..] = words.as_slice() else { return None };
    let form = declare::parse(words).ok()?;
    let call = &context.request.call;
    let spots = form.files().flat_map(|file| Spot::meant(context.places, call.cwd.as_deref(), file));
    let spots: Vec<Spot> = spots.collect();
    let mut kinds = spots.iter().filter_map(|spot| source::kind(&spot.file, context.settings));
    let wants_test = context.settings.tdd && kinds.any(|kind| kind == Kind::Core);
    if declare::fault(&form, wants_test).is_some() || spots.is_empty() {
        return None;
    }
    let names = spots.into_iter().map(|spot| spot.in_project).collect();
    // The state is a file.
    let (changes, goal) = (masked(&form.changes).into_owned(), masked(&form.goal).into_owned());
    let form = Form { changes, goal, ..form };
    Some(Recorded { names, agent: call.agent_id.clone(), form, at: context.host.now() })
}
