//! What can be set: the requirements by name, and what the hook does at a session's start, stop and end. The keys are those
//! of the original tool where it had them. The defaults are in config/defaults.yaml, a requirement's own in this file,
//! because requirements have names of the user's choosing.

mod checked;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::config::Bounded;

pub use checked::{Age, CommandPattern, Glob, Pattern, parse_duration};

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
    #[schemars(extend("examples" = [true]))]
    pub enabled: bool,
    /// How it is met.
    #[serde(rename = "type")]
    #[schemars(extend("default" = "blocking", "examples" = ["evidence"]))]
    pub kind: Kind,
    /// Where a mark or evidence counts. A mark under `session` can be widened: `req satisfy NAME --branch`.
    #[schemars(extend("default" = "session", "examples" = ["branch"]))]
    pub scope: Scope,
    /// Where it is checked. Empty: `tool`, for evidence `stop`, for evidence with `trigger_tools` `both`.
    #[schemars(extend("examples" = ["both"]))]
    pub enforce: Option<Enforce>,
    /// Which calls need it: names or globs of tools, commands of a shell. Empty: `Edit`, `Write`, `MultiEdit` and
    /// `NotebookEdit`; evidence none.
    #[schemars(extend("examples" = [["Edit", "mcp__db__*", {"tool": "Bash", "command_pattern": "git push"}]]))]
    pub trigger_tools: Option<Vec<Trigger>>,
    /// What Claude reads when it is not met.
    #[schemars(extend("examples" = ["Write the plan first."]))]
    #[serde(alias = "blocking_message")]
    pub message: Option<String>,
    /// One line on what it is for, for lists.
    #[schemars(extend("examples" = ["every change has a plan"]))]
    #[serde(alias = "short_message")]
    pub description: Option<String>,
    /// What to do before it is marked; shown with the refusal.
    #[schemars(extend("examples" = [["tests planned", "no new dependency"]]))]
    pub checklist: Vec<String>,
    /// Who may mark it as met.
    #[schemars(extend("default" = "agent", "examples" = ["user"]))]
    pub satisfied_by: SatisfiedBy,
    /// Skills whose start without an error marks it as met; that one was carried through is Claude's word.
    #[schemars(extend("examples" = [["adr-review", "docs:adr"]]))]
    pub satisfied_by_skill: Option<OneOrMore<String>>,
    /// The skill to name in the refusal.
    #[schemars(extend("examples" = ["adr-review"]))]
    pub auto_resolve_skill: Option<String>,
    /// Marks and evidence older than so many seconds do not count.
    #[schemars(extend("examples" = [43_200]))]
    pub ttl_secs: Option<Bounded<1, 31_536_000>>,

    /// Dynamic: what is computed.
    #[schemars(extend("examples" = ["branch_size"]))]
    pub calculator: Option<Calculator>,
    /// Dynamic: from which value on the user is warned, and from which on calls are refused.
    #[schemars(extend("examples" = [{"warn": 250, "block": 400}]))]
    pub thresholds: Thresholds,
    /// Dynamic: the branch to compare with. Empty: upstream, else `origin/HEAD`, main, master.
    #[schemars(extend("examples" = ["origin/develop"]))]
    pub base: Option<String>,
    /// Dynamic: files that do not count.
    #[schemars(extend("examples" = [["**/*.snap"]]))]
    pub exclude: Vec<Glob>,
    /// Dynamic: after so many seconds everything is counted again. Empty: 30.
    #[schemars(extend("examples" = [120]))]
    pub cache_ttl: Option<Bounded<0, 3600>>,
    /// Dynamic: `req approve` holds for so many seconds. Empty: 300.
    #[schemars(extend("examples" = [3_600]))]
    pub approval_ttl: Option<Bounded<1, 604_800>>,

    /// Guard: the condition.
    #[schemars(extend("examples" = ["single_session"]))]
    pub guard_type: Option<GuardType>,
    /// Guard `protected_branch`: which branches. Empty: main and master.
    #[schemars(extend("examples" = [["main", "release/*"]]))]
    pub protected_branches: Option<Vec<Glob>>,

    /// Evidence: commands, one of which must have passed; words as in `cargo test`, or a regular expression.
    #[schemars(extend("examples" = [["npm test", "pytest( .*)?"]]))]
    pub command: Option<OneOrMore<CommandPattern>>,
    /// Evidence: the files it is about. Empty: all of the work tree.
    #[schemars(extend("examples" = [["src/**", "Cargo.toml"]]))]
    pub paths: Vec<Glob>,
    /// Evidence: a command with one of these arguments proves nothing. Empty: `--no-run`, `--list`, `--help` and the like.
    #[schemars(extend("examples" = [["--no-run", "--list"]]))]
    pub not_args: Option<Vec<String>>,
    /// Evidence: the command's output must match this regular expression.
    #[schemars(extend("examples" = ["[1-9][0-9]* passed"]))]
    pub min_output: Option<Pattern>,
    /// Evidence: a file that must be there.
    #[schemars(extend("examples" = ["docs/review.md"]))]
    pub file: Option<FileEvidence>,
    /// Evidence `file`: it must be newer than the last commit (`HEAD`) or than this long ago (`30m`, `2h`, `1d`).
    #[schemars(extend("examples" = ["HEAD"]))]
    pub newer_than: Option<Age>,
    /// Evidence `file`: each of these regular expressions must match somewhere in it.
    #[schemars(extend("examples" = [["^## Risks", "LGTM"]]))]
    pub contains: Vec<Pattern>,

    /// One of its keys is wrong, and nothing below holds in its place.
    #[serde(skip)]
    pub is_faulty: bool,
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
    /// From so many lines on the user and Claude are told, once per crossing.
    pub warn: Option<Bounded<1, 100_000_000>>,
    /// From so many lines on the requirement is not met.
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
