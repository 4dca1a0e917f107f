//! The result of a check: one line for a person, the same as data for a program, and its repair.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::Serialize;

use crate::places::Scope;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It is as it should be.
    Ok,
    /// Good to know.
    Note,
    /// It works, or is somebody else's; something should be done about it.
    Warning,
    /// Something that is promised does not hold.
    Broken,
}

impl Severity {
    /// The first word of its line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Broken => "broken",
        }
    }
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What is there.
    pub what: String,
    /// The file it is about, as a person reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in that file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The key in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What to do, or to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// `req doctor --fix` mends it.
    pub fixable: bool,
    /// How.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) repair: Option<Repair>,
}

/// A repair without a question: it loosens nothing and touches nothing of somebody else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    /// A command is linked.
    Link {
        /// The hook it belongs to.
        hook: String,
        command: String,
    },
    /// A deployed file is made executable again.
    MakeExecutable(String),
    /// The state folder is closed to others.
    CloseState,
    /// Our entries in the settings of this scope are put right.
    Register(Scope),
}

impl Repair {
    /// It changes Claude Code's settings: Claude may not.
    pub(crate) const fn is_the_users(&self) -> bool {
        matches!(self, Self::Register(_))
    }
}

impl Finding {
    pub(crate) fn new(severity: Severity, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { severity, what, file: None, line: None, key: None, next: None, fixable: false, repair: None }
    }

    pub(crate) fn ok(what: impl Into<String>) -> Self {
        Self::new(Severity::Ok, what)
    }

    pub(crate) fn note(what: impl Into<String>) -> Self {
        Self::new(Severity::Note, what)
    }

    pub(crate) fn warning(what: impl Into<String>) -> Self {
        Self::new(Severity::Warning, what)
    }

    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Self::new(Severity::Broken, what)
    }

    /// In this file, and line where it is known.
    pub(crate) fn at(self, file: &str, line: Option<usize>) -> Self {
        Self { file: Some(file.to_owned()), line, ..self }
    }

    pub(crate) fn key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    pub(crate) fn repair(self, repair: Repair) -> Self {
        Self { fixable: true, repair: Some(repair), ..self }
    }

    /// The finding on one line, with what to do.
    pub(crate) fn sentence(&self) -> String {
        let next = self.next.iter().map(|next| format!("; {next}"));
        [self.place_and_what()].into_iter().chain(next).collect()
    }

    fn place_and_what(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = self.file.iter().map(|file| format!("{file}{line}: "));
        let key = self.key.iter().map(|key| format!("{key}: "));
        place.chain(key).chain([self.what.clone()]).collect()
    }
}

impl Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "  {:8} {}", self.severity.word(), self.place_and_what())?;
        if let Some(next) = &self.next {
            write!(formatter, "\n           {next}")?;
        }
        if self.fixable {
            formatter.write_str("\n           mended by: req doctor --fix")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, Repair};

    #[test]
    fn a_finding_says_how_bad_where_what_and_what_to_do() {
        let finding = Finding::broken("no such event")
            .at("~/.claude/settings.json", Some(7))
            .key("hooks.Stopp")
            .next("did you mean Stop?");
        assert_eq!(
            finding.to_string(),
            "  broken   ~/.claude/settings.json:7: hooks.Stopp: no such event\n           did you mean Stop?"
        );
        assert_eq!(Finding::ok("as it was").to_string(), "  ok       as it was");
        let mended = Finding::warning("no link").repair(Repair::CloseState).to_string();
        assert!(mended.ends_with("\n           mended by: req doctor --fix"), "{mended}");
    }
}
