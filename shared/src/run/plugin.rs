//! A plugin's copy of a hook steps back where the user's settings.json starts the installed program for the same call:
//! Claude Code runs both, and what counts would count twice. Claude Code also adds up a project's settings; those do not
//! count here, because a stranger may have written them. Twice is better than no gate; `req doctor` reports it.

use std::path::Path;

use serde_json::Value;

use crate::config::read_text;
use crate::host::{Places, is_program};
use crate::protocol::Request;

/// With this argument a plugin starts a hook. The environment would not do: a project's settings may define it.
pub const BY_PLUGIN: &str = "--plugin";

/// Larger files are no settings, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The user's settings.json registers the installed program of this hook for this call, and the program is there.
pub(super) fn is_left_to_settings(hook: &str, places: &Places, request: &Request) -> bool {
    let Some(config) = &places.config_dir else { return false };
    let installed = config.join("hooks").join(format!("{hook}{}", std::env::consts::EXE_SUFFIX));
    let tool = request.event.tool_call().map(|call| &*call.tool_name);
    // Without an installed program nobody needs settings.json.
    is_program(&installed)
        && read_text(&config.join("settings.json"), None, MAX_BYTES)
            .is_ok_and(|text| starts(&text, request.event.name(), tool, &installed))
}

/// The text registers `program`, without arguments, for this event and tool.
fn starts(settings: &str, event: &str, tool: Option<&str>, program: &Path) -> bool {
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    // This does not judge what a regular expression matches.
    let is_for_it = |group: &Value| match &group["matcher"] {
        Value::Null => true,
        Value::String(all) if ["", "*", ".*"].contains(&all.as_str()) => true,
        Value::String(names) => tool.is_some_and(|tool| names.split('|').any(|name| name == tool)),
        _ => false,
    };
    let is_ours = |entry: &Value| {
        entry["command"].as_str().is_some_and(|command| Path::new(command) == program)
            && entry["args"].as_array().is_some_and(Vec::is_empty)
    };
    let mut groups = list(&settings["hooks"][event]).iter().filter(|group| is_for_it(group));
    groups.any(|group| list(&group["hooks"]).iter().any(is_ours))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::starts;

    #[test]
    fn steps_back_for_the_installed_program_on_this_event_and_tool() {
        let program = "/home/me/.claude/hooks/a-gate";
        let text = |event: &str, matcher: &str, command: &str, args: &str| {
            let hook = format!(r#"{{"type":"command","command":"{command}","args":{args}}}"#);
            format!(r#"{{"hooks":{{"{event}":[{{"matcher":{matcher},"hooks":[{hook}]}}]}}}}"#)
        };
        for (text, expected) in [
            (text("PreToolUse", "null", program, "[]"), true),
            (text("PreToolUse", r#""*""#, program, "[]"), true),
            (text("PreToolUse", r#""Write|Edit""#, program, "[]"), true),
            (text("PreToolUse", r#""Write""#, program, "[]"), false),
            (text("PreToolUse", r#""Ed.*""#, program, "[]"), false),
            (text("Stop", "null", program, "[]"), false),
            (text("PreToolUse", "null", "/elsewhere/a-gate", "[]"), false),
            (text("PreToolUse", "null", program, r#"["status"]"#), false),
            (format!("{} }}", text("PreToolUse", "null", program, "[]")), false),
        ] {
            assert_eq!(starts(&text, "PreToolUse", Some("Edit"), Path::new(program)), expected, "{text}");
        }
    }
}
