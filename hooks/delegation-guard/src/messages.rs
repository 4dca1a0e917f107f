//! What the model reads: config/messages, compiled in, or the user's own texts in their place.

use std::path::Path;

use serde::{Deserialize, Serialize};
use shared::hook::Context;
use shared::messages::own_message;

use crate::settings::{MessageFiles, Settings};

/// One text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The refusal of the first call.
    FirstCallDenial,
    /// The advice in its place.
    FirstCallAdvice,
    /// The first advice.
    #[serde(rename = "advice_1")]
    Advice1,
    /// The second.
    #[serde(rename = "advice_2")]
    Advice2,
    /// The third.
    #[serde(rename = "advice_3")]
    Advice3,
    /// The fourth.
    #[serde(rename = "advice_4")]
    Advice4,
    /// All further ones.
    #[serde(rename = "advice_5")]
    Advice5,
    /// The line after every few executed tools.
    Reminder,
}

impl Message {
    /// What may be said before a call.
    pub(crate) const BEFORE_A_CALL: [Self; 7] = [
        Self::FirstCallDenial,
        Self::FirstCallAdvice,
        Self::Advice1,
        Self::Advice2,
        Self::Advice3,
        Self::Advice4,
        Self::Advice5,
    ];

    /// The advice of that number, counted from 1: the tone rises up to the fifth.
    pub(crate) const fn advice(number: u32) -> Self {
        match number {
            0 | 1 => Self::Advice1,
            2 => Self::Advice2,
            3 => Self::Advice3,
            4 => Self::Advice4,
            _ => Self::Advice5,
        }
    }

    /// Its key under `message_files`.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::FirstCallDenial => "first_call_denial",
            Self::FirstCallAdvice => "first_call_advice",
            Self::Advice1 => "advice_1",
            Self::Advice2 => "advice_2",
            Self::Advice3 => "advice_3",
            Self::Advice4 => "advice_4",
            Self::Advice5 => "advice_5",
            Self::Reminder => "reminder",
        }
    }

    /// The text compiled in.
    pub(crate) const fn built_in(self) -> &'static str {
        match self {
            Self::FirstCallDenial => include_str!("../../../config/messages/delegation-guard-denial.md"),
            Self::FirstCallAdvice => include_str!("../../../config/messages/delegation-guard-first-call.md"),
            Self::Advice1 => include_str!("../../../config/messages/delegation-guard-advice-1.md"),
            Self::Advice2 => include_str!("../../../config/messages/delegation-guard-advice-2.md"),
            Self::Advice3 => include_str!("../../../config/messages/delegation-guard-advice-3.md"),
            Self::Advice4 => include_str!("../../../config/messages/delegation-guard-advice-4.md"),
            Self::Advice5 => include_str!("../../../config/messages/delegation-guard-advice-5.md"),
            Self::Reminder => include_str!("../../../config/messages/delegation-guard-reminder.md"),
        }
    }

    fn file(self, files: &MessageFiles) -> Option<&Path> {
        match self {
            Self::FirstCallDenial => files.first_call_denial.as_deref(),
            Self::FirstCallAdvice => files.first_call_advice.as_deref(),
            Self::Advice1 => files.advice_1.as_deref(),
            Self::Advice2 => files.advice_2.as_deref(),
            Self::Advice3 => files.advice_3.as_deref(),
            Self::Advice4 => files.advice_4.as_deref(),
            Self::Advice5 => files.advice_5.as_deref(),
            Self::Reminder => files.reminder.as_deref(),
        }
    }
}

/// The user's own texts: each as it reads, or the file that cannot be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnTexts(pub Vec<(Message, Result<String, String>)>);

impl OwnTexts {
    /// Reads those of `messages` that the user has replaced; no file is touched where there are none.
    pub(crate) fn read(messages: &[Message], context: &Context<'_, Settings>) -> Self {
        let own = |message: &Message| {
            let file = message.file(&context.settings.message_files)?;
            let text = own_message(file, context.host, context.places);
            let is_blank = text.as_ref().is_ok_and(|text| text.trim().is_empty());
            Some((*message, if is_blank { Err(file.display().to_string()) } else { text }))
        };
        Self(messages.iter().filter_map(own).collect())
    }

    /// The text to say, and the user's own file that was to be said and cannot be used.
    pub(crate) fn text(&self, message: Message) -> (&str, Option<&str>) {
        match self.0.iter().find(|(own, _)| *own == message) {
            Some((_, Ok(text))) => (text.trim(), None),
            Some((_, Err(file))) => (message.built_in().trim(), Some(file)),
            None => (message.built_in().trim(), None),
        }
    }
}
