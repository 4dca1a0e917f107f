//! Verdicts of a hook in our words; only [`crate::protocol`] turns them into the wire format.

use std::borrow::Cow;

use crate::host::Timestamp;

/// A `rule` is the key path of the setting behind a verdict; its file and line are added to the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    #[default]
    Pass,
    /// A text for the model beside whatever goes on.
    Advise { text: String },
    /// The tool does not run. The reason is for the model: hook, rule, next step.
    Deny { reason: String, rule: Cow<'static, str> },
    /// Claude Code asks the user.
    Ask { reason: String, rule: Cow<'static, str> },
    /// The prompt was one of our commands: this is its answer, and the model gets neither.
    Reply { text: String },
    /// A tool has run; the next request to the model waits. The notice beside it is given afterwards.
    Sleep { until: Timestamp, rule: Cow<'static, str> },
    /// The stop or the prompt does not happen. The reason is for the model (stop) or the user (prompt).
    Block { reason: String, rule: Cow<'static, str> },
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
