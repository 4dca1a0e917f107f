//! What is set: the requirements by name, and what the hook does at a session's start, stop and end. A requirement that could
//! not work is none of them: it is resolved when it is read (`written`), and its texts are checked and compiled (`checked`). The
//! keys are those of the original tool where it had them. The defaults are in config/defaults.yaml, a requirement's own in
//! `written`, because requirements have names of the user's choosing.

mod checked;
mod written;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use checked::{Age, CommandPattern, Glob, Pattern, parse_duration};

/// The keys `requirements` and `hooks`, at the top of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What is required, by name.
    #[schemars(with = "BTreeMap<String, written::Written>")]
    pub requirements: BTreeMap<String, Requirement>,
    /// What is done at a session's start, at a stop, and at its end.
    pub hooks: Hooks,
}

/// One requirement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "written::Written")]
pub struct Requirement {
    /// What satisfies it.
    pub terms: Terms,
    /// Where a satisfaction or evidence counts.
    pub scope: Scope,
    /// Where it is checked.
    pub enforce: Enforce,
    /// The calls that need it; `None`: edits.
    pub triggers: Option<Vec<Trigger>>,
    /// What Claude reads when it is not satisfied.
    pub message: Option<String>,
    /// One line on what it is for.
    pub description: Option<String>,
    /// What to do before it is satisfied.
    pub checklist: Vec<String>,
    /// Satisfactions and evidence older than so many seconds do not count.
    pub ttl_secs: Option<u64>,
    /// What has no effect in it: by key, what is wrong and what follows.
    pub remarks: Vec<(&'static str, String)>,
}

/// What satisfies a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terms {
    /// A satisfaction by Claude, the user or a skill.
    Blocking(Blocking),
    /// A computed value below its limit.
    Dynamic(Dynamic),
    /// A condition.
    Guard(Guard),
    /// A command that passed on exactly these files, or a file.
    Evidence(Evidence),
    /// It is not switched on, so nothing of it has to be complete.
    Off(Kind),
}

/// A satisfaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocking {
    /// Who may satisfy it.
    pub satisfied_by: SatisfiedBy,
    /// Skills whose start without an error satisfies it.
    pub skills: Vec<String>,
    /// The skill to name in the denial.
    pub skill_to_name: Option<String>,
}

impl Blocking {
    /// The completion of that skill satisfies it. A plugin's skill is `plugin:skill` and may be named by the second part alone.
    pub(crate) fn is_by_skill(&self, skill: &str) -> bool {
        let plain = skill.rsplit_once(':').map(|(_, plain)| plain);
        self.skills.iter().any(|wanted| wanted == skill || plain == Some(wanted.as_str()))
    }
}

/// The size of the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dynamic {
    /// From so many lines on the user and Claude are told.
    pub warn: Option<u64>,
    /// From so many lines on it is not satisfied.
    pub block: u64,
    /// The branch to compare with.
    pub base: Option<String>,
    /// Files that do not count.
    pub exclude: Vec<Glob>,
    /// After so many seconds everything is counted again.
    pub cache_ttl: u32,
    /// An approval holds for so many seconds.
    pub approval_ttl: Option<u32>,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    /// The branch is none of these.
    ProtectedBranch(Vec<Glob>),
    /// No other live session works on this project.
    SingleSession,
}

/// A command that passed, a file, or both; one of them at least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Commands, one of which must have passed.
    pub commands: Vec<CommandPattern>,
    /// A file that must be there.
    pub file: Option<File>,
    /// The files the command is about; empty: all of the work tree.
    pub paths: Vec<Glob>,
    /// Arguments with which a command proves nothing; `None`: the usual ones.
    pub not_args: Option<Vec<String>>,
    /// What the command's output must match.
    pub min_output: Option<Pattern>,
}

/// A file and what it must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Which file, from the project's root.
    pub glob: Glob,
    /// It must be newer than this.
    pub newer_than: Option<Age>,
    /// Each of these must match somewhere in it.
    pub contains: Vec<Pattern>,
}

/// A tool call that needs a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// A tool's name, or a glob of names.
    pub tool: Glob,
    /// Which commands of a shell; empty: any call of the tool.
    pub commands: Vec<CommandPattern>,
}

impl Requirement {
    /// It is switched on.
    pub const fn is_on(&self) -> bool {
        !matches!(self.terms, Terms::Off(_))
    }

    /// Its type.
    pub const fn kind(&self) -> Kind {
        match self.terms {
            Terms::Blocking(_) => Kind::Blocking,
            Terms::Dynamic(_) => Kind::Dynamic,
            Terms::Guard(_) => Kind::Guard,
            Terms::Evidence(_) => Kind::Evidence,
            Terms::Off(kind) => kind,
        }
    }

    /// Only the user may satisfy it.
    pub fn is_the_users(&self) -> bool {
        matches!(&self.terms, Terms::Blocking(blocking) if blocking.satisfied_by == SatisfiedBy::User)
    }

    /// It is about which branch is checked out.
    pub const fn guards_branch(&self) -> bool {
        matches!(self.terms, Terms::Guard(Guard::ProtectedBranch(_)))
    }

    /// The evidence it asks for.
    pub const fn evidence(&self) -> Option<&Evidence> {
        match &self.terms {
            Terms::Evidence(evidence) => Some(evidence),
            _ => None,
        }
    }

    /// The size it asks for.
    pub const fn dynamic(&self) -> Option<&Dynamic> {
        match &self.terms {
            Terms::Dynamic(dynamic) => Some(dynamic),
            _ => None,
        }
    }
}

/// How a requirement is satisfied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// By a mark.
    #[default]
    Blocking,
    /// By a computed value below a threshold.
    Dynamic,
    /// By a condition.
    Guard,
    /// By a command that passed on exactly these files, or by a file.
    Evidence,
}

impl Kind {
    /// Its word in the settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Blocking => "blocking",
            Self::Dynamic => "dynamic",
            Self::Guard => "guard",
            Self::Evidence => "evidence",
        }
    }
}

/// For whom and how long a mark counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In this session, on this branch.
    #[default]
    Session,
    /// On this branch, in every session.
    Branch,
    /// In this repository, on all branches.
    Permanent,
    /// For one call that needs it.
    SingleUse,
}

/// Where a requirement is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Enforce {
    /// Before the tool calls that need it.
    Tool,
    /// At the end of a turn that made it due.
    Stop,
    /// In both places.
    Both,
}

/// Who may mark a requirement as met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SatisfiedBy {
    /// Claude, or the user.
    #[default]
    Agent,
    /// The user alone.
    User,
}

/// What is done beside tool calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hooks {
    /// At a session's start.
    pub session_start: SessionStart,
    /// At the end of a turn.
    pub stop: Stop,
    /// At a session's end.
    pub session_end: SessionEnd,
}

/// At a session's start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionStart {
    /// Claude is told what is required and how it is met.
    pub inject_context: bool,
    /// A line of yours above it.
    pub custom_header: Option<String>,
}

/// At the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The turn does not end while something is due and not met; once per prompt.
    pub verify_requirements: bool,
    /// Requirements of these scopes are looked at; `branch` and the others only where they stand here.
    pub verify_scopes: Vec<Scope>,
}

/// At a session's end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEnd {
    /// The session's own marks go with it; else a resumed session finds them again.
    pub clear_session_state: bool,
}

#[cfg(test)]
mod tests;
