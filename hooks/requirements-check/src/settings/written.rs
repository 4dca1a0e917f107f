//! A requirement as a file writes it, and how it becomes one that can work. A requirement that is switched on and lacks what its
//! type needs is an error, so that the level below counts; what has no effect becomes a remark.

use schemars::JsonSchema;
use serde::Deserialize;
use shared::config::Bounded;

use super::checked::{Age, CommandPattern, Glob, Pattern};
use super::{
    Blocking, Dynamic, Enforce, Evidence, File, Guard, Kind, Requirement, SatisfiedBy, Scope, Terms, Trigger,
};

/// One requirement, as a file writes it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Requirement")]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Written {
    /// It is required. Without this key it is not, so that a file may describe what another one switches on.
    #[schemars(extend("examples" = [true]))]
    enabled: bool,
    /// How it is satisfied.
    #[serde(rename = "type")]
    #[schemars(extend("default" = "blocking", "examples" = ["evidence"]))]
    kind: Kind,
    /// Where a satisfaction or evidence counts. A satisfaction under `session` can be widened: `req satisfy NAME --branch`.
    #[schemars(extend("default" = "session", "examples" = ["branch"]))]
    scope: Scope,
    /// Where it is checked. Empty: `tool`, for evidence `stop`, for evidence with `trigger_tools` `both`.
    #[schemars(extend("examples" = ["both"]))]
    enforce: Option<Enforce>,
    /// Which calls need it: names or globs of tools, commands of a shell. Empty: `Edit`, `Write`, `MultiEdit` and
    /// `NotebookEdit`; evidence none.
    #[schemars(extend("examples" = [["Edit", "mcp__db__*", {"tool": "Bash", "command_pattern": "git push"}]]))]
    trigger_tools: Option<Vec<GlobOr<Trigger>>>,
    /// What Claude reads when it is not satisfied.
    #[schemars(extend("examples" = ["Write the plan first."]))]
    #[serde(alias = "blocking_message")]
    message: Option<String>,
    /// One line on what it is for, for lists.
    #[schemars(extend("examples" = ["every change has a plan"]))]
    #[serde(alias = "short_message")]
    description: Option<String>,
    /// What to do before it is satisfied; shown with the denial.
    #[schemars(extend("examples" = [["tests planned", "no new dependency"]]))]
    checklist: Vec<String>,
    /// Who may satisfy it.
    #[schemars(extend("default" = "agent", "examples" = ["user"], "x-when-wrong" = "user"))]
    satisfied_by: SatisfiedBy,
    /// Skills whose start without an error satisfies it; that one was carried through is Claude's word.
    #[schemars(extend("examples" = [["adr-review", "docs:adr"]]))]
    satisfied_by_skill: Option<OneOrMore<String>>,
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

    /// Evidence: commands, one of which must have passed; words as in `cargo test`, or a regular expression.
    #[schemars(extend("examples" = [["npm test", "pytest( .*)?"]]))]
    command: Option<OneOrMore<CommandPattern>>,
    /// Evidence: the files it is about. Empty: all of the work tree.
    #[schemars(extend("examples" = [["src/**", "Cargo.toml"]]))]
    paths: Vec<Glob>,
    /// Evidence: a command with one of these arguments proves nothing. Empty: `--no-run`, `--list`, `--help` and the like.
    #[schemars(extend("examples" = [["--no-run", "--list"]]))]
    not_args: Option<Vec<String>>,
    /// Evidence: the command's output must match this regular expression.
    #[schemars(extend("examples" = ["[1-9][0-9]* passed"]))]
    min_output: Option<Pattern>,
    /// Evidence: a file that must be there.
    #[schemars(extend("examples" = ["docs/review.md"]))]
    file: Option<GlobOr<File>>,
    /// Evidence `file`: it must be newer than the last commit (`HEAD`) or than this long ago (`30m`, `2h`, `1d`).
    #[schemars(extend("examples" = ["HEAD"]))]
    newer_than: Option<Age>,
    /// Evidence `file`: each of these regular expressions must match somewhere in it.
    #[schemars(extend("examples" = [["^## Risks", "LGTM"]]))]
    contains: Vec<Pattern>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Calculator {
    /// Lines inserted and deleted against the base branch, committed or not.
    #[serde(alias = "branch_size_calculator")]
    BranchSize,
}

/// From which value on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Thresholds {
    /// From so many lines on the user and Claude are told, once per crossing.
    warn: Option<Bounded<1, 100_000_000>>,
    /// From so many lines on the requirement is not satisfied.
    block: Option<Bounded<1, 100_000_000>>,
}

/// A condition.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum GuardType {
    /// The branch is none of `protected_branches`.
    ProtectedBranch,
    /// No other live session works on this project.
    SingleSession,
}

/// A glob, or a map of a glob and its conditions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum GlobOr<T> {
    Glob(Glob),
    Map(T),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> From<OneOrMore<T>> for Vec<T> {
    fn from(written: OneOrMore<T>) -> Self {
        match written {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }
}

/// Seconds after which the size of a branch is counted again.
const CACHE_TTL: u32 = 30;
const PROTECTED: [&str; 2] = ["main", "master"];

impl TryFrom<Written> for Requirement {
    type Error = &'static str;

    fn try_from(mut written: Written) -> Result<Self, Self::Error> {
        let triggers = written.trigger_tools.take();
        let triggers: Option<Vec<Trigger>> =
            triggers.map(|triggers| triggers.into_iter().map(Trigger::from).collect());
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
    fn terms(self) -> Result<Terms, &'static str> {
        Ok(match self.kind {
            kind if !self.enabled => Terms::Off(kind),
            Kind::Blocking => Terms::Blocking(Blocking {
                satisfied_by: self.satisfied_by,
                skills: self.satisfied_by_skill.map(Vec::from).unwrap_or_default(),
                skill_to_name: self.auto_resolve_skill,
            }),
            Kind::Dynamic => {
                self.calculator.ok_or("a dynamic requirement needs `calculator: branch_size`")?;
                let block = self.thresholds.block.ok_or("a dynamic requirement needs `thresholds.block`")?;
                Terms::Dynamic(Dynamic {
                    warn: self.thresholds.warn.map(|warn| warn.get().into()),
                    block: block.get().into(),
                    base: self.base,
                    exclude: self.exclude,
                    cache_ttl: self.cache_ttl.map_or(CACHE_TTL, Bounded::get),
                    approval_ttl: self.approval_ttl.map(Bounded::get),
                })
            }
            Kind::Guard => {
                let needed = "a guard needs `guard_type: protected_branch` or `single_session`";
                let usual = || PROTECTED.map(Glob::literal).into();
                Terms::Guard(match self.guard_type.ok_or(needed)? {
                    GuardType::SingleSession => Guard::SingleSession,
                    GuardType::ProtectedBranch => {
                        Guard::ProtectedBranch(self.protected_branches.unwrap_or_else(usual))
                    }
                })
            }
            Kind::Evidence => {
                let commands = self.command.map(Vec::from).unwrap_or_default();
                if commands.is_empty() && self.file.is_none() {
                    return Err("evidence needs `command` or `file`");
                }
                let file = self.file.map(File::from).map(|file| File {
                    newer_than: file.newer_than.or(self.newer_than),
                    contains: [file.contains, self.contains].concat(),
                    ..file
                });
                let (paths, not_args, min_output) = (self.paths, self.not_args, self.min_output);
                Terms::Evidence(Evidence { commands, file, paths, not_args, min_output })
            }
        })
    }
}

impl From<GlobOr<Self>> for Trigger {
    fn from(written: GlobOr<Self>) -> Self {
        match written {
            GlobOr::Glob(tool) => Self { tool, command_pattern: None, command_regex: None },
            GlobOr::Map(trigger) => trigger,
        }
    }
}

impl From<GlobOr<Self>> for File {
    fn from(written: GlobOr<Self>) -> Self {
        match written {
            GlobOr::Glob(glob) => Self { glob, newer_than: None, contains: Vec::new() },
            GlobOr::Map(file) => file,
        }
    }
}
