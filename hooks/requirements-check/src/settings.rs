//! Settings: the requirements by name, and what the hook does at a session's start, stop and end. A requirement that could not
//! work is none of them: `written` resolves it when it is read, `checked` checks and compiles its texts. The keys are those of
//! the original tool where it had them. A requirement's defaults stand in `written`, because users name requirements; the others
//! in config/defaults.yaml.

mod checked;
mod written;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use checked::glob_set;
pub use checked::{Age, CommandPattern, Glob, Pattern, parse_duration};

/// The keys `requirements` and `hooks`, at the top of a file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What is required, by name.
    #[schemars(with = "BTreeMap<String, written::Written>")]
    pub requirements: BTreeMap<String, Requirement>,
    /// What is done at a session's start, at a stop, and at its end.
    pub hooks: Hooks,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "written::Written")]
pub struct Requirement {
    pub terms: Terms,
    pub scope: Scope,
    pub enforce: Enforce,
    /// The calls that need it; `None`: edits.
    pub triggers: Option<Vec<Trigger>>,
    pub message: Option<String>,
    pub description: Option<String>,
    pub checklist: Vec<String>,
    pub ttl_secs: Option<u64>,
}

/// What satisfies a requirement.
#[derive(Debug, Clone)]
pub enum Terms {
    Blocking(Blocking),
    Dynamic(Dynamic),
    Guard(Guard),
    Evidence(Evidence),
    /// Switched off, so nothing of it has to be complete.
    Off(Kind),
}

#[derive(Debug, Clone)]
pub struct Blocking {
    pub satisfied_by: SatisfiedBy,
    pub skills: Vec<String>,
    pub skill_to_name: Option<String>,
}

impl Blocking {
    /// A plugin's skill is `plugin:skill` and may be set by the second part alone.
    pub(crate) fn is_by_skill(&self, skill: &str) -> bool {
        let plain = skill.rsplit_once(':').map(|(_, plain)| plain);
        self.skills.iter().any(|wanted| wanted == skill || plain == Some(wanted.as_str()))
    }
}

/// The size of the branch, in lines.
#[derive(Debug, Clone)]
pub struct Dynamic {
    pub warn: Option<u64>,
    pub block: u64,
    pub base: Option<String>,
    pub exclude: Vec<Glob>,
    /// Seconds.
    pub cache_ttl: u32,
    /// Seconds.
    pub approval_ttl: Option<u32>,
}

#[derive(Debug, Clone)]
pub enum Guard {
    /// The branch is none of these.
    ProtectedBranch(Vec<Glob>),
    /// No other live session works on this project.
    SingleSession,
}

/// Commands, a file, or both.
#[derive(Debug, Clone)]
pub struct Evidence {
    pub commands: Vec<CommandPattern>,
    pub file: Option<File>,
    /// Empty: all of the work tree.
    pub paths: Vec<Glob>,
    /// `None`: the usual ones.
    pub not_args: Option<Vec<String>>,
    pub min_output: Option<Pattern>,
}

/// A file and what it must be like.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Which file, from the project's root.
    #[serde(rename = "file")]
    pub glob: Glob,
    /// It must be newer than the last commit (`HEAD`) or than this long ago (`30m`, `2h`, `1d`).
    #[serde(default)]
    pub newer_than: Option<Age>,
    /// Each of these regular expressions must match somewhere in it.
    #[serde(default)]
    pub contains: Vec<Pattern>,
}

/// A tool, and for Bash which commands.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// A tool's name, or a glob of names.
    pub tool: Glob,
    /// Words at the head of a command (`git commit`), or a regular expression.
    #[serde(default)]
    command_pattern: Option<CommandPattern>,
    /// A regular expression searched in a command's text, upper and lower case alike.
    #[serde(default, deserialize_with = "checked::expression")]
    #[schemars(with = "Option<Pattern>")]
    command_regex: Option<CommandPattern>,
}

impl Trigger {
    /// Commands of a shell; none: any call of the tool.
    pub fn commands(&self) -> impl Iterator<Item = &CommandPattern> {
        self.command_pattern.iter().chain(&self.command_regex)
    }

    pub(crate) fn is_any_call(&self) -> bool {
        self.commands().next().is_none()
    }
}

impl Requirement {
    pub const fn is_on(&self) -> bool {
        !matches!(self.terms, Terms::Off(_))
    }

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

    pub const fn evidence(&self) -> Option<&Evidence> {
        match &self.terms {
            Terms::Evidence(evidence) => Some(evidence),
            _ => None,
        }
    }

    pub const fn dynamic(&self) -> Option<&Dynamic> {
        match &self.terms {
            Terms::Dynamic(dynamic) => Some(dynamic),
            _ => None,
        }
    }
}

/// How a requirement is satisfied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// By `req satisfy`, a skill, or the user.
    #[default]
    Blocking,
    /// By a computed value below a threshold.
    Dynamic,
    /// By a condition.
    Guard,
    /// By a command that passed on exactly these files, or by a file.
    Evidence,
}

/// For whom and how long a satisfaction counts.
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

impl Scope {
    /// Sessions have a satisfaction each.
    pub const fn is_own(self) -> bool {
        matches!(self, Self::Session | Self::SingleUse)
    }
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

/// Who may satisfy a requirement.
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
    /// Claude reads what is required and how to satisfy it.
    pub inject_context: bool,
    /// A line of yours above it.
    pub custom_header: Option<String>,
}

/// At the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The turn does not end while something is due and not satisfied; once per prompt.
    pub verify_requirements: bool,
    /// Requirements of these scopes are looked at; `branch` and the others only where they stand here.
    pub verify_scopes: Vec<Scope>,
}

/// At a session's end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEnd {
    /// The session's own satisfactions are removed; else a resumed session finds them again.
    pub clear_session_state: bool,
}

#[cfg(test)]
mod tests;
