//! The texts that the user can replace.

use shared::messages::Text;

pub(crate) const PROMPT: Text = Text {
    name: "stop_hook_validator_prompt",
    built_in: include_str!("../../../config/prompts/stop/stop_hook_validator_prompt.md"),
};

/// The text for Claude at a session's start.
pub(crate) const ANNOUNCEMENT: Text = Text {
    name: "session_start_message",
    built_in: include_str!("../../../config/prompts/session_start/session_start_message.md"),
};

/// The text for Claude at a blocked stop; `{feedback}` is the model's.
pub(crate) const HELD: Text =
    Text { name: "tempo-stop", built_in: include_str!("../../../config/messages/tempo-stop.md") };

pub(crate) const ALL: [Text; 3] = [PROMPT, ANNOUNCEMENT, HELD];

/// The text for a held stop with the feedback in it.
pub(crate) fn held(text: &str, feedback: &str) -> String {
    if text.contains("{feedback}") {
        text.replace("{feedback}", feedback)
    } else {
        format!("{text}\n\n{feedback}")
    }
}
