//! What is said and asked in words that the user can replace: the built-in texts, and the user's own.

use shared::hook::Seen;
use shared::messages::own_message;
use shared::notices::not_yet_told;

use crate::settings::Settings;

/// A text, by the name of its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    /// The file's name without its ending: the key in `message_files`.
    pub(crate) name: &'static str,
    /// The built-in one.
    pub(crate) built_in: &'static str,
}

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

/// Texts as they are to be said, and what the user is to be told of those that cannot be read.
pub(crate) struct Reader<'a> {
    seen: &'a Seen<'a, Settings>,
    unreadable: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(seen: &'a Seen<'a, Settings>) -> Self {
        Self { seen, unreadable: Vec::new() }
    }

    /// The user's own text where there is one and it can be read, else the built-in one.
    pub(crate) fn read(&mut self, text: Text) -> String {
        let Seen { settings, places, host, .. } = self.seen;
        let own = settings.message_files.get(text.name).map(|file| own_message(file, host, places));
        let words = match own {
            Some(Ok(words)) if !words.trim().is_empty() => words,
            Some(Ok(_)) => self.without(text, "is empty"),
            Some(Err(file)) => self.without(text, &format!("({file}) cannot be read")),
            None => text.built_in.to_owned(),
        };
        words.trim().to_owned()
    }

    fn without(&mut self, text: Text, why: &str) -> String {
        let told = format!("tempo-stop: message_files.{} {why}; the built-in text was used", text.name);
        self.unreadable.push(told);
        text.built_in.to_owned()
    }

    /// What the user is to be told: once a session.
    pub(crate) fn notice(self) -> Option<String> {
        let (Some(store), Some(session)) = (self.seen.store, self.seen.input.call.session_id.as_deref())
        else {
            return None;
        };
        if self.unreadable.is_empty() {
            return None;
        }
        let fresh = not_yet_told(store, session, &self.unreadable);
        (!fresh.is_empty()).then(|| fresh.join("\n"))
    }
}

/// The text for a held stop with the feedback in it.
pub(crate) fn held(text: &str, feedback: &str) -> String {
    if text.contains("{feedback}") {
        text.replace("{feedback}", feedback)
    } else {
        format!("{text}\n\n{feedback}")
    }
}
