//! The texts: config/messages, compiled in, or the user's own.

use std::path::Path;

use serde::{Deserialize, Serialize};
use shared::hook::Context;
use shared::messages::own_message;

use crate::settings::{MessageFiles, Settings};

/// A text; the fifth advice stands for all further ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    FirstCallDenial,
    /// In place of that denial.
    FirstCallAdvice,
    #[serde(rename = "advice_1")]
    Advice1,
    #[serde(rename = "advice_2")]
    Advice2,
    #[serde(rename = "advice_3")]
    Advice3,
    #[serde(rename = "advice_4")]
    Advice4,
    #[serde(rename = "advice_5")]
    Advice5,
    /// After every few executed tools.
    Reminder,
}

/// The built-in texts.
macro_rules! built_in {
    ($name:literal) => {
        include_str!(concat!("../../../config/messages/delegation-guard-", $name, ".md"))
    };
}

impl Message {
    /// The texts before a call: the denial, the advice in its place, and the advice whose tone rises.
    pub(crate) const BEFORE_A_CALL: [Self; 7] = [
        Self::FirstCallDenial,
        Self::FirstCallAdvice,
        Self::Advice1,
        Self::Advice2,
        Self::Advice3,
        Self::Advice4,
        Self::Advice5,
    ];

    /// The advice of that number, counted from 1.
    pub(crate) const fn advice(number: u32) -> Self {
        Self::BEFORE_A_CALL[if number < 5 { number as usize + 1 } else { 6 }]
    }

    /// The key under `message_files`, and the text that is compiled in.
    pub(crate) const fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::FirstCallDenial => ("first_call_denial", built_in!("denial")),
            Self::FirstCallAdvice => ("first_call_advice", built_in!("first-call")),
            Self::Advice1 => ("advice_1", built_in!("advice-1")),
            Self::Advice2 => ("advice_2", built_in!("advice-2")),
            Self::Advice3 => ("advice_3", built_in!("advice-3")),
            Self::Advice4 => ("advice_4", built_in!("advice-4")),
            Self::Advice5 => ("advice_5", built_in!("advice-5")),
            Self::Reminder => ("reminder", built_in!("reminder")),
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
pub(crate) struct OwnTexts(pub(crate) Vec<(Message, Result<String, String>)>);

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
            Some((_, Err(file))) => (message.text().1.trim(), Some(file)),
            None => (message.text().1.trim(), None),
        }
    }
}
