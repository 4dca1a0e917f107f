//! What can be set: the requirements by name, and what the hook does at a session's start, stop and end. The keys are those
//! of the original tool where it had them. The defaults are in config/defaults.yaml, a requirement's own in this file,
//! because requirements have names of the user's choosing.

mod checked;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::Bounded;

pub(crate) use checked::{Age, CommandPattern, Glob, Pattern, parse_duration};

/// The keys `requirements` and `hooks`, at the top of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What is required, by name.
    pub requirements: BTreeMap<String, Requirement>,
    /// What is done at a session's start, at a stop, and at its end.
    pub hooks: Hooks,
}

/// One requirement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Requirement {
    /// It is required. Without this key it is not, so that a file may describe what another one switches on.
    pub enabled: bool,
    /// How it is met: by a mark (`blocking`), by a computed value (`dynamic`), by a condition (`guard`), or by a command that
    /// passed or a file that is there (`evidence`).
    #[serde(rename = "type")]
    pub kind: Kind,
    /// For whom and how long a mark counts.
    pub scope: Scope,
    /// Where it is enforced: before tool calls, at the end of a turn, or both. Empty: before tool calls; evidence at the end,
    /// and before the calls too where `trigger_tools` names some.
    pub enforce: Option<Enforce>,
    /// Which tool calls need it. Empty: Edit, Write, `MultiEdit` and `NotebookEdit`; evidence none.
    pub trigger_tools: Option<Vec<Trigger>>,
    /// What to say when it is not met.
    #[serde(alias = "blocking_message")]
    pub message: Option<String>,
    /// One line on what it is for.
    #[serde(alias = "short_message")]
    pub description: Option<String>,
    /// What to do before it counts as met; shown with the denial.
    pub checklist: Vec<String>,
    /// Who may mark it as met.
    pub satisfied_by: SatisfiedBy,
    /// Skills whose completion without error marks it as met.
    pub satisfied_by_skill: Option<OneOrMore<String>>,
    /// The skill to name in the denial.
    pub auto_resolve_skill: Option<String>,
    /// Marks older than so many seconds do not count.
    pub ttl_secs: Option<Bounded<1, 31_536_000>>,

    /// Dynamic: what is computed.
    pub calculator: Option<Calculator>,
    /// Dynamic: from which value on the user is warned, and from which on it is not met.
    pub thresholds: Thresholds,
    /// Dynamic: the branch to compare with. Empty: upstream, else origin's default, main, master.
    pub base: Option<String>,
    /// Dynamic: files that do not count.
    pub exclude: Vec<Glob>,
    /// Dynamic: after so many seconds everything is counted again.
    pub cache_ttl: Option<Bounded<0, 3600>>,
    /// Dynamic: an approval holds for so many seconds.
    pub approval_ttl: Option<Bounded<1, 604_800>>,

    /// Guard: the condition.
    pub guard_type: Option<GuardType>,
    /// Guard `protected_branch`: which branches. Empty: main and master.
    pub protected_branches: Option<Vec<Glob>>,

    /// Evidence: commands, one of which must have passed; words as in `cargo test`, or a regular expression.
    pub command: Option<OneOrMore<CommandPattern>>,
    /// Evidence: the files it is about. Empty: all of the work tree.
    pub paths: Vec<Glob>,
    /// Evidence: a command with one of these arguments proves nothing. Empty: `--no-run`, `--list`, `--help` and the like.
    pub not_args: Option<Vec<String>>,
    /// Evidence: the command's output must match this regular expression.
    pub min_output: Option<Pattern>,
    /// Evidence: a file that must be there.
    pub file: Option<FileEvidence>,
    /// Evidence `file`: it must be newer than the last commit (`HEAD`) or than this long ago (`30m`, `2h`, `1d`).
    pub newer_than: Option<Age>,
    /// Evidence `file`: each of these regular expressions must match somewhere in it.
    pub contains: Vec<Pattern>,

    /// One of its keys is wrong, and nothing below holds in its place.
    #[serde(skip)]
    pub(crate) is_faulty: bool,
}

/// How a requirement is met.
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

/// For whom and how long a mark counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
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

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Calculator {
    /// Lines inserted and deleted against the base branch, committed or not.
    #[serde(alias = "branch_size_calculator")]
    BranchSize,
}

/// From which value on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Thresholds {
    /// The user and Claude are told, once per crossing.
    pub warn: Option<Bounded<1, 100_000_000>>,
    /// The requirement is not met.
    pub block: Option<Bounded<1, 100_000_000>>,
}

/// A condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuardType {
    /// The branch is none of `protected_branches`.
    ProtectedBranch,
    /// No other live session works on this project.
    SingleSession,
}

/// A tool call that needs a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Trigger {
    /// A tool's name, or a glob of names (`mcp__*`).
    Tool(Glob),
    /// A tool, and for Bash which commands.
    Call(CallTrigger),
}

/// A tool, and for Bash which commands.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallTrigger {
    /// A tool's name, or a glob of names.
    pub tool: Glob,
    /// Words at the head of a command (`git commit`), or a regular expression.
    #[serde(default)]
    pub command_pattern: Option<CommandPattern>,
    /// A regular expression searched in a command's text, upper and lower case alike.
    #[serde(default)]
    pub command_regex: Option<Pattern>,
}

/// A file as evidence: a glob, or a map with its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FileEvidence {
    /// Which file; the conditions stand beside it.
    Glob(Glob),
    /// Which file, and its conditions.
    With(FileConditions),
}

/// A file and what it must be like.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileConditions {
    /// Which file, from the project's root.
    pub file: Glob,
    /// It must be newer than the last commit (`HEAD`) or than this long ago (`30m`, `2h`, `1d`).
    #[serde(default)]
    pub newer_than: Option<Age>,
    /// Each of these regular expressions must match somewhere in it.
    #[serde(default)]
    pub contains: Vec<Pattern>,
}

/// One, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMore<T> {
    /// One.
    One(T),
    /// A list.
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        match self {
            Self::One(one) => std::slice::from_ref(one).iter(),
            Self::More(more) => more.iter(),
        }
    }
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
    /// A line above it.
    pub custom_header: Option<String>,
}

/// At the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The turn does not end while something is due and not met; once per prompt.
    pub verify_requirements: bool,
    /// Requirements of these scopes are looked at.
    pub verify_scopes: Vec<Scope>,
}

/// At a session's end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEnd {
    /// The session's own marks go with it; else a resumed session finds them again.
    pub clear_session_state: bool,
}
