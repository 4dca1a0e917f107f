//! `req check`: what the hook would answer to a call, from its own code.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::blocks::BlockCount;
use shared::claude_code::unknown_tool;
use shared::hook::{Hook, Input, Verdict};
use shared::own_calls::is_own_call;
use shared::protocol::{Event, ToolCall};

use super::Desk;
use crate::command::{Check, Reply};
use crate::machine;
use requirements_check::RequirementsCheck;
use requirements_check::observe::Look;
use requirements_check::rule::Rule;
use requirements_check::state::State;

/// Why most calls are not refused.
const FREE: &str = "nothing required keeps this call from running";

/// What would happen to a tool call.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckReport {
    /// The form of this object: 1.
    version: u32,
    /// The call would run, as far as requirements are concerned.
    allowed: bool,
    /// What Claude would read; null where the call is allowed.
    reason: Option<String>,
    /// What to know of this answer: a pause, files that are skipped, a tool that nobody knows, which session was meant.
    notes: Vec<String>,
}

/// What the hook says.
enum Answer {
    /// The call would run; why nothing keeps it.
    Runs(&'static str),
    /// It would be refused; what Claude would read.
    Refused(String),
}

impl Desk {
    pub(super) fn check(&self, check: &Check, look: &Look<'_, '_>) -> Result<Reply, String> {
        let session = self.session(check.session.as_deref(), look)?;
        let call = call_of(check)?;
        let (skipped, problems) = self.problems();
        let mut notes: Vec<String> = machine::pause::note(&self.host, &self.places).into_iter().collect();
        let answer = if !notes.is_empty() {
            Answer::Runs("the hooks are off, so nothing is refused")
        } else if !self.section.enabled {
            Answer::Runs("requirements-check is switched off: nothing is refused")
        } else if is_own_call(&call, &self.places) {
            Answer::Runs("our own commands are never refused")
        } else {
            notes.extend(unknown(&call.tool_name));
            notes.extend(session.is_none().then(|| self.whose(look)).flatten());
            self.would_answer(call, session)
        };
        notes.extend(problems);
        Ok(reply(check, answer, &skipped, &notes))
    }

    fn would_answer(&self, call: ToolCall, session: Option<String>) -> Answer {
        let mut request = self.request(Event::PreToolUse(call));
        // Without a session its marks count as not set, as they would for a new one.
        request.call.session_id = session.or_else(|| Some("no-session".to_owned()));
        let context = self.context(&request);
        let Some(facts) = RequirementsCheck::observe(&context) else { return Answer::Runs(FREE) };
        let state: State = context.peek();
        let outcome = RequirementsCheck::decide(&Input {
            request: &request,
            facts: &facts,
            state: &state,
            state_is_usable: true,
            settings: &self.section.settings,
            blocks: BlockCount::default(),
            started: self.host.started,
            now: self.host.now(),
            headless: false,
            switched_off: false,
            origin: &|key| self.section.origin(key),
        });
        match outcome.verdict {
            Verdict::Deny { reason, .. } => Answer::Refused(reason),
            _ => Answer::Runs(FREE),
        }
    }

    /// For whom the answer is, where no session is named or plain; none where it is the same for all.
    fn whose(&self, look: &Look<'_, '_>) -> Option<String> {
        Rule::all(&self.section.settings).next()?;
        Some(match look.world.live_names().as_slice() {
            [] => "(for a new session; none is live here)".to_owned(),
            live => format!("(for a new session; live here: {}; name one with --session)", live.join(", ")),
        })
    }
}

fn call_of(check: &Check) -> Result<ToolCall, String> {
    let (tool_name, fields) = match (&check.bash, &check.tool) {
        (Some(line), _) => ("Bash".to_owned(), json!({ "command": line })),
        (None, Some(tool)) => (tool.clone(), json!({ "file_path": check.file })),
        (None, None) => return Err("req: name a tool or a line".to_owned()),
    };
    let tool_input = to_raw_value(&fields).map_err(|error| error.to_string())?;
    Ok(ToolCall { tool_name, tool_use_id: Some("req-check".to_owned()), tool_input: Some(tool_input) })
}

/// What to say of a tool that the client does not have, as far as anybody knows.
fn unknown(tool: &str) -> Option<String> {
    let near = unknown_tool(tool)?.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Some(format!("no tool `{tool}` is known of Claude Code{near}"))
}

fn reply(check: &Check, answer: Answer, skipped: &[String], notes: &[String]) -> Reply {
    let (said, reason) = match answer {
        Answer::Runs(why) => (why.to_owned(), None),
        Answer::Refused(reason) => (format!("this call would be refused:\n{reason}"), Some(reason)),
    };
    let is_no = reason.is_some();
    let text = if check.json {
        let report = CheckReport { version: 1, allowed: !is_no, reason, notes: [skipped, notes].concat() };
        serde_json::to_string(&report).unwrap_or_default()
    } else {
        [skipped, &[said], notes].concat().join("\n")
    };
    Reply { text, is_no, is_report: is_no, ..Reply::default() }
}
