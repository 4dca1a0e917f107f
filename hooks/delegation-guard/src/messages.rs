//! The texts: config/messages, compiled in, or the user's own.

use shared::hook::{Context, Hook};
use shared::messages::{Text, Texts};

use crate::DelegationGuard;
use crate::settings::Settings;

/// A text with its key under `message_files`.
macro_rules! text {
    ($key:literal, $name:literal) => {
        Text {
            name: $key,
            built_in: include_str!(concat!("../../../config/messages/delegation-guard-", $name, ".md")),
        }
    };
}

pub(crate) const ALL: [Text; 8] = [
    text!("first_call_denial", "denial"),
    text!("first_call_advice", "first-call"),
    text!("advice_1", "advice-1"),
    text!("advice_2", "advice-2"),
    text!("advice_3", "advice-3"),
    text!("advice_4", "advice-4"),
    text!("advice_5", "advice-5"),
    text!("reminder", "reminder"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    FirstCallDenial,
    /// In place of that denial.
    FirstCallAdvice,
    /// The advice of this number, from 1. The fifth text stands for all further ones.
    Advice(u32),
    /// After every few executed tools.
    Reminder,
}

impl Message {
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::FirstCallDenial => 0,
            Self::FirstCallAdvice => 1,
            Self::Advice(number) => 1 + if number < 5 { number as usize } else { 5 },
            Self::Reminder => 7,
        }
    }
}

/// The texts in the order of `ALL`, and the notice about those of the user's own that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    pub(crate) texts: [String; 8],
    pub(crate) notice: Option<String>,
}

impl Wording {
    pub(crate) fn read(context: &Context<'_, Settings>) -> Self {
        let mut read = Texts::new(&context.settings.message_files, context.host, context.places);
        let texts = ALL.map(|text| read.read(text));
        let session = context.request.call.session_id.as_deref();
        Self { texts, notice: read.notice(DelegationGuard::NAME, context.store, session) }
    }
}
