//! Verdicts of a hook in our words; only [`crate::protocol`] turns them into the wire format.

use std::borrow::Cow;

use crate::host::Timestamp;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Pass,
    /// A text for the model beside whatever goes on.
    Advise { text: String },
    /// The tool does not run.
    Deny {
        /// Text for the model: hook, rule, next step.
        reason: String,
        /// The key path of the setting behind it; its file and line are added to the reason.
        rule: Cow<'static, str>,
    },
    /// Claude Code asks the user.
    Ask {
        reason: String,
        /// The key path of the setting behind it.
        rule: Cow<'static, str>,
    },
    /// The prompt was one of our commands: this is its answer, and the model gets neither.
    Reply { text: String },
    /// A tool has run; the next request to the model waits. The notice beside it is given afterwards.
    Sleep {
        /// Until then.
        until: Timestamp,
        /// The key path of the setting behind it.
        rule: Cow<'static, str>,
    },
    /// The stop or the prompt does not happen.
    Block {
        /// Text for the model (Stop) or the user (prompt).
        reason: String,
        /// The key path of the setting behind it.
        rule: Cow<'static, str>,
    },
}

impl Verdict {
    /// The word the journal uses.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Advise { .. } => "advise",
            Self::Reply { .. } => "reply",
            Self::Deny { .. } => "deny",
            Self::Ask { .. } => "ask",
            Self::Sleep { .. } => "sleep",
            Self::Block { .. } => "block",
        }
    }
}
