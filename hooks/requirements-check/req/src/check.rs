//! `req check`: what the hook would answer to a call, from its own code.

use serde_json::json;
use serde_json::value::to_raw_value;
use shared::blocks::BlockCount;
use shared::claude_code::{TOOLS, misspelt_tool};
use shared::hook::{Hook, Input, Verdict};
use shared::own_commands::is_own_call;
use shared::protocol::{Event, ToolCall};

use crate::location::Location;
use crate::pause;
use crate::reply::{Answer, Reply};
use crate::request::Known;
use crate::verb::Check;
use requirements_check::RequirementsCheck;
use requirements_check::rule::Rule;
use requirements_check::state::State;

pub(crate) fn check(wanted: &Check, location: &Location) -> Answer {
    let call = call_of(wanted)?;
    let (skipped, problems) = location.problems();
    let mut notes: Vec<String> = pause::note(location).into_iter().collect();
    let (allowed, reason) = if !notes.is_empty() {
        ("the hooks are off, so nothing is denied", None)
    } else if !location.section.enabled {
        ("requirements-check is switched off: nothing is denied", None)
    } else if is_own_call(&call, &location.places) {
        ("our own commands are never denied", None)
    } else {
        let session = location.look_round(|_, world| {
            Known::of(world, location).session_or_own(wanted.session.as_deref(), location)
        })?;
        let tool = call.tool_name.as_str();
        if !TOOLS.contains(&tool) && !tool.starts_with("mcp__") {
            let near = misspelt_tool(tool).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            notes.push(format!("Claude Code has no tool `{tool}`{near}"));
        }
        if session.is_none() && Rule::all(&location.section.settings).next().is_some() {
            notes.push("(for a new session; --session names another)".to_owned());
        }
        ("this call would be allowed: no requirement blocks it", denial(location, call, session))
    };
    let is_no = reason.is_some();
    let reply = if wanted.output.json {
        let notes = [skipped, notes, problems].concat();
        Reply::json(&json!({ "allowed": !is_no, "reason": reason, "notes": notes }))
    } else {
        let answer =
            reason.map_or(allowed.to_owned(), |reason| format!("this call would be denied:\n{reason}"));
        let unregistered = location.unregistered().into_iter();
        Reply::lines(skipped.into_iter().chain([answer]).chain(unregistered).chain(notes).chain(problems))
    };
    Ok(Reply { is_no, ..reply })
}

/// The text that Claude would read if the hook denied the call.
fn denial(location: &Location, call: ToolCall, session: Option<String>) -> Option<String> {
    let mut request = location.request(Event::PreToolUse(call));
    // Without a session its satisfactions count as missing, as they would for a new one.
    request.call.session_id = session.or_else(|| Some("no-session".to_owned()));
    let context = location.context(&request);
    let facts = RequirementsCheck::observe(&context)?;
    let state: State = context.peek();
    let outcome = RequirementsCheck::decide(&Input {
        request: &request,
        facts: &facts,
        state: &state,
        state_is_usable: true,
        settings: &location.section.settings,
        blocks: BlockCount::default(),
        started: location.host.started,
        now: location.host.now(),
        headless: false,
        switched_off: false,
        origin: &|key| location.section.origin(key),
    });
    match outcome.verdict {
        // As in the hook, a reason for several requirements names the place of each itself.
        Verdict::Deny { reason, rule } => {
            let place = location.section.origin(&rule).map(|origin| origin.to_string());
            let place = place.filter(|place| !reason.contains(place));
            let place = place.map(|place| format!("\n({rule}: {place})")).unwrap_or_default();
            Some(reason + &place)
        }
        _ => None,
    }
}

fn call_of(wanted: &Check) -> anyhow::Result<ToolCall> {
    let (tool_name, fields) = match (&wanted.bash, &wanted.tool) {
        (Some(line), _) => ("Bash", json!({ "command": line })),
        (None, tool) => (tool.as_deref().unwrap_or_default(), json!({ "file_path": wanted.file })),
    };
    Ok(ToolCall {
        tool_name: tool_name.to_owned(),
        tool_use_id: Some("req-check".to_owned()),
        tool_input: Some(to_raw_value(&fields)?),
    })
}
