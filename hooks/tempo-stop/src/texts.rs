//! What is said and asked in words that the user can replace.

use shared::hook::Context;
use shared::messages::{Text, Unusable};
use shared::notices::not_yet_told;

use crate::settings::Settings;

/// What the model is told to do.
pub(crate) const PROMPT: Text = Text {
    name: "stop_hook_validator_prompt",
    built_in: include_str!("../../../config/prompts/stop/stop_hook_validator_prompt.md"),
};

/// What Claude is told at a session's start.
pub(crate) const ANNOUNCEMENT: Text = Text {
    name: "session_start_message",
    built_in: include_str!("../../../config/prompts/session_start/session_start_message.md"),
};

/// What Claude is told where a stop is held; `{feedback}` is the model's.
pub(crate) const HELD: Text =
    Text { name: "tempo-stop", built_in: include_str!("../../../config/messages/tempo-stop.md") };

/// All of them.
pub(crate) const ALL: [Text; 3] = [PROMPT, ANNOUNCEMENT, HELD];

/// What Claude is told at a session's start has at most so many characters.
pub(crate) const MAX_ANNOUNCEMENT_CHARS: usize = 400;

/// What the user is to be told of their own texts that cannot be used: once a session.
pub(crate) fn notice(context: &Context<'_, Settings>, unusable: &[Unusable]) -> Option<String> {
    let (Some(store), Some(session)) = (context.store, context.request.call.session_id.as_deref()) else {
        return None;
    };
    if unusable.is_empty() {
        return None;
    }
    let told = |Unusable { name, why }: &Unusable| {
        format!("tempo-stop: message_files.{name} {why}; the built-in text was used")
    };
    let told: Vec<String> = unusable.iter().map(told).collect();
    let fresh = not_yet_told(store, session, &told);
    (!fresh.is_empty()).then(|| fresh.join("\n"))
}

/// The text for a held stop with the feedback in it.
pub(crate) fn held(text: &str, feedback: &str) -> String {
    if text.contains("{feedback}") {
        text.replace("{feedback}", feedback)
    } else {
        format!("{text}\n\n{feedback}")
    }
}
