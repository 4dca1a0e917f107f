//! Settings: the requirements by name, and what the hook does at a session's start, stop and end. A requirement that could not
//! work is none of them: it is resolved when it is read, and `checked` compiles its texts. The keys are those of the original
//! tool where it had them. A requirement's defaults stand here, because users name requirements; the others in config/defaults.yaml.

mod checked;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shared::config::Bounded;

pub(crate) use checked::glob_set;
pub use checked::{Age, CommandPattern, Glob, Pattern, parse_duration};

/// The keys `requirements` and `hooks`, at the top of a file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The requirements, by name.
    #[schemars(with = "BTreeMap<String, Written>")]
    pub requirements: BTreeMap<String, Requirement>,
    /// The hook's work at a session's start, at a stop, and at its end.
    pub hooks: Hooks,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Written")]
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

/// The terms on which a requirement is satisfied.
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
    pub approval_ttl: u32,
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
    /// Beside the usual ones.
    pub not_args: Vec<String>,
    pub min_output: Option<Pattern>,
}

/// A file and what it must be like.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The file, from the project's root.
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SatisfiedBy {
    /// Claude, or the user.
    #[default]
    Agent,
    /// The user alone.
    User,
}

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

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionStart {
    /// Claude reads what is required and how to satisfy it.
    pub inject_context: bool,
    /// A line of yours above it.
    pub custom_header: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The turn does not end while something is due and not satisfied; once per prompt.
    pub verify_requirements: bool,
    /// Requirements of these scopes are looked at; `branch` and the others only where they stand here.
    pub verify_scopes: Vec<Scope>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionEnd {
    /// The session's own satisfactions are removed; else a resumed session finds them again.
    pub clear_session_state: bool,
}

/// One requirement, as a file writes it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Requirement")]
#[serde(deny_unknown_fields, default)]
struct Written {
    /// It is required. Without this key it is not, so that a file may describe what another one switches on.
    #[schemars(extend("examples" = [true]))]
    enabled: bool,
    /// The way to satisfy it.
    #[serde(rename = "type")]
    #[schemars(extend("default" = "blocking", "examples" = ["evidence"]))]
    kind: Kind,
    /// The reach of a satisfaction or of evidence. A satisfaction under `session` can be widened: `req satisfy NAME --branch`.
    #[schemars(extend("default" = "session", "examples" = ["branch"]))]
    scope: Scope,
    /// The place of the check. Empty: `tool`, for evidence `stop`, for evidence with `trigger_tools` `both`.
    #[schemars(extend("examples" = ["both"]))]
    enforce: Option<Enforce>,
    /// The calls that need it: names or globs of tools, commands of a shell. Empty: `Edit`, `Write`, `MultiEdit` and
    /// `NotebookEdit`; evidence none.
    #[schemars(extend("examples" = [["Edit", "mcp__db__*", {"tool": "Bash", "command_pattern": "git push"}]]))]
    trigger_tools: Option<Vec<OneOr<Glob, Trigger>>>,
    /// The text that Claude reads when it is not satisfied.
    #[schemars(extend("examples" = ["Write the plan first."]))]
    #[serde(alias = "blocking_message")]
    message: Option<String>,
    /// One line on what it is for, for lists.
    #[schemars(extend("examples" = ["every change has a plan"]))]
    #[serde(alias = "short_message")]
    description: Option<String>,
    /// Steps to take before it is satisfied; the denial shows them.
    #[schemars(extend("examples" = [["tests planned", "no new dependency"]]))]
    checklist: Vec<String>,
    /// The party that may satisfy it.
    #[schemars(extend("default" = "agent", "examples" = ["user"], "x-when-wrong" = "user"))]
    satisfied_by: SatisfiedBy,
    /// Skills whose start without an error satisfies it; that one was carried through is Claude's word.
    #[schemars(extend("examples" = [["adr-review", "docs:adr"]]))]
    satisfied_by_skill: Option<OneOr<String, Vec<String>>>,
    /// The skill to name in the denial.
    #[schemars(extend("examples" = ["adr-review"]))]
    auto_resolve_skill: Option<String>,
    /// Satisfactions and evidence older than so many seconds do not count.
    #[schemars(extend("examples" = [43_200]))]
    ttl_secs: Option<Bounded<1, 31_536_000>>,

    /// Dynamic: what is computed.
    #[schemars(extend("examples" = ["branch_size"]))]
    calculator: Option<Calculator>,
    /// Dynamic: from which value on the user is warned, and from which on calls are denied.
    #[schemars(extend("examples" = [{"warn": 250, "block": 400}]))]
    thresholds: Thresholds,
    /// Dynamic: the branch to compare with. Empty: upstream, else `origin/HEAD`, main, master.
    #[schemars(extend("examples" = ["origin/develop"]))]
    base: Option<String>,
    /// Dynamic: files that do not count.
    #[schemars(extend("examples" = [["**/*.snap"]]))]
    exclude: Vec<Glob>,
    /// Dynamic: after so many seconds everything is counted again. Empty: 30.
    #[schemars(extend("examples" = [120]))]
    cache_ttl: Option<Bounded<0, 3600>>,
    /// Dynamic: `req approve` holds for so many seconds. Empty: 300.
    #[schemars(extend("examples" = [3_600]))]
    approval_ttl: Option<Bounded<1, 604_800>>,

    /// Guard: the condition.
    #[schemars(extend("examples" = ["single_session"]))]
    guard_type: Option<GuardType>,
    /// Guard `protected_branch`: which branches. Empty: main and master.
    #[schemars(extend("examples" = [["main", "release/*"]]))]
    protected_branches: Option<Vec<Glob>>,

    /// Evidence: one of these commands must have passed; words as in `cargo test`, or a regular expression.
    #[schemars(extend("examples" = [["npm test", "pytest( .*)?"]]))]
    command: Option<OneOr<CommandPattern, Vec<CommandPattern>>>,
    /// Evidence: the files it is about. Empty: all of the work tree.
    #[schemars(extend("examples" = [["src/**", "Cargo.toml"]]))]
    paths: Vec<Glob>,
    /// Evidence: a command with one of these arguments proves nothing, beside `--no-run`, `--list`, `--help` and the like.
    #[schemars(extend("examples" = [["--fast"]]))]
    not_args: Vec<String>,
    /// Evidence: the command's output must match this regular expression.
    #[schemars(extend("examples" = ["[1-9][0-9]* passed"]))]
    min_output: Option<Pattern>,
    /// Evidence: a file that must be there.
    #[schemars(extend("examples" = ["docs/review.md"]))]
    file: Option<OneOr<Glob, File>>,
    /// Evidence `file`: it must be newer than the last commit (`HEAD`) or than this long ago (`30m`, `2h`, `1d`).
    #[schemars(extend("examples" = ["HEAD"]))]
    newer_than: Option<Age>,
    /// Evidence `file`: each of these regular expressions must match somewhere in it.
    #[schemars(extend("examples" = [["^## Risks", "LGTM"]]))]
    contains: Vec<Pattern>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Calculator {
    /// Lines inserted and deleted against the base branch, committed or not.
    #[serde(alias = "branch_size_calculator")]
    BranchSize,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Thresholds {
    /// From so many lines on the hook warns the user and Claude, once per crossing.
    warn: Option<Bounded<1, 100_000_000>>,
    /// From so many lines on the requirement is not satisfied.
    block: Option<Bounded<1, 100_000_000>>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GuardType {
    /// The branch is none of `protected_branches`.
    ProtectedBranch,
    /// No other live session works on this project.
    SingleSession,
}

// A short form, or the whole one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOr<A, B> {
    One(A),
    Whole(B),
}

impl<A, B> OneOr<A, B> {
    fn whole(self, of_one: impl FnOnce(A) -> B) -> B {
        match self {
            Self::One(one) => of_one(one),
            Self::Whole(whole) => whole,
        }
    }
}

impl<T> OneOr<T, Vec<T>> {
    fn all(self) -> Vec<T> {
        self.whole(|one| vec![one])
    }
}

impl TryFrom<Written> for Requirement {
    type Error = &'static str;

    fn try_from(mut written: Written) -> Result<Self, Self::Error> {
        let of_tool = |tool| Trigger { tool, command_pattern: None, command_regex: None };
        let triggers = written
            .trigger_tools
            .take()
            .map(|triggers| triggers.into_iter().map(|trigger| trigger.whole(of_tool)).collect::<Vec<_>>());
        let is_evidence = written.kind == Kind::Evidence;
        let usual = match triggers.as_deref() {
            _ if !is_evidence => Enforce::Tool,
            // Evidence has to hold at the end of a turn, and before the calls it names.
            None | Some([]) => Enforce::Stop,
            Some(_) => Enforce::Both,
        };
        Ok(Self {
            scope: written.scope,
            enforce: written.enforce.unwrap_or(usual),
            triggers: triggers.or_else(|| is_evidence.then(Vec::new)),
            message: written.message.take(),
            description: written.description.take(),
            checklist: std::mem::take(&mut written.checklist),
            ttl_secs: written.ttl_secs.map(|ttl| ttl.get().into()),
            terms: written.terms()?,
        })
    }
}

impl Written {
    /// A requirement that is switched on and lacks what its type needs is an error, so that the level below counts.
    fn terms(self) -> Result<Terms, &'static str> {
        Ok(match (self.kind, self.guard_type) {
            (kind, _) if !self.enabled => Terms::Off(kind),
            (Kind::Blocking, Some(_)) => return Err("`guard_type` needs `type: guard`"),
            (Kind::Blocking, _) if self.calculator.is_some() => {
                return Err("`calculator` needs `type: dynamic`");
            }
            (Kind::Blocking, _) if self.command.is_some() || self.file.is_some() => {
                return Err("`command` and `file` need `type: evidence`");
            }
            (Kind::Blocking, _) => Terms::Blocking(Blocking {
                satisfied_by: self.satisfied_by,
                skills: self.satisfied_by_skill.map(OneOr::all).unwrap_or_default(),
                skill_to_name: self.auto_resolve_skill,
            }),
            (Kind::Dynamic, _) => {
                self.calculator.ok_or("a dynamic requirement needs `calculator: branch_size`")?;
                let block = self.thresholds.block.ok_or("a dynamic requirement needs `thresholds.block`")?;
                Terms::Dynamic(Dynamic {
                    warn: self.thresholds.warn.map(|warn| warn.get().into()),
                    block: block.get().into(),
                    base: self.base,
                    exclude: self.exclude,
                    cache_ttl: self.cache_ttl.map_or(30, Bounded::get),
                    approval_ttl: self.approval_ttl.map_or(300, Bounded::get),
                })
            }
            (Kind::Guard, None) => {
                return Err("a guard needs `guard_type: protected_branch` or `single_session`");
            }
            (Kind::Guard, Some(GuardType::SingleSession)) => Terms::Guard(Guard::SingleSession),
            (Kind::Guard, Some(GuardType::ProtectedBranch)) => {
                let usual = || ["main", "master"].map(Glob::literal).into();
                Terms::Guard(Guard::ProtectedBranch(self.protected_branches.unwrap_or_else(usual)))
            }
            (Kind::Evidence, _) => {
                let commands = self.command.map(OneOr::all).unwrap_or_default();
                let of_glob = |glob| File { glob, newer_than: None, contains: Vec::new() };
                let file = self.file.map(|file| file.whole(of_glob)).map(|file| File {
                    newer_than: file.newer_than.or(self.newer_than),
                    contains: [file.contains, self.contains].concat(),
                    ..file
                });
                if commands.is_empty() && file.is_none() {
                    return Err("evidence needs `command` or `file`");
                }
                let (paths, not_args, min_output) = (self.paths, self.not_args, self.min_output);
                Terms::Evidence(Evidence { commands, file, paths, not_args, min_output })
            }
        })
    }
}

#[cfg(test)]
mod tests;
