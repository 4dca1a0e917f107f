//! What `req ci` prints: one line per rule, then what was not judged and what is wrong.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use requirements_check::settings::Kind;

/// What of a project's requirements a clean clone can tell, and the answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CiReport {
    /// The form of this object: 1.
    pub(super) version: u32,
    /// The answer, and the exit status (0 if true): every rule that is judged is satisfied, nothing is wrong in the files, and there are rules or a checkout.
    pub(super) met: bool,
    /// The branch that is judged; null on a commit of which nobody says a branch, and without git.
    pub(super) branch: Option<String>,
    /// Where that is known from: `HEAD`, `--branch`, or the name of a variable.
    pub(super) branch_from: Option<&'static str>,
    /// The rules that are judged.
    pub(super) rules: Vec<Judged>,
    /// The requirements, or parts of them, that cannot be judged in CI.
    pub(super) not_judged: Vec<NotJudged>,
    /// What is wrong in the configuration files, each with file, line and key. Any of it makes the answer no.
    pub(super) problems: Vec<String>,
    /// What else the reader should know.
    pub(super) notes: Vec<String>,
}

/// A rule that is judged.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Judged {
    /// Its name: the key under `requirements`.
    pub(super) name: String,
    /// How it is satisfied.
    #[serde(rename = "type")]
    #[schemars(with = "Kind")]
    pub(super) kind: &'static str,
    /// How it stands.
    pub(super) state: State,
    /// Why it stands so.
    pub(super) why: String,
    /// File and line that set it.
    pub(super) set_in: Option<String>,
}

/// How a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It is satisfied.
    Met,
    /// It is not.
    Open,
    /// This clone does not tell, which makes the answer no as well; `why` says what is missing.
    Unknown,
}

/// A requirement, or a part of one, that CI cannot judge.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotJudged {
    /// Its name; of a rule that is judged but for one part, too.
    pub(super) name: String,
    /// How it is satisfied.
    #[serde(rename = "type")]
    #[schemars(with = "Kind")]
    pub(super) kind: &'static str,
    /// Why not.
    pub(super) why: &'static str,
}

impl NotJudged {
    pub(super) fn new(name: &str, kind: Kind, why: &'static str) -> Self {
        Self { name: name.to_owned(), kind: kind.word(), why }
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Met => "met",
            Self::Open => "open",
            Self::Unknown => "unknown",
        })
    }
}

impl fmt::Display for CiReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rules.iter().map(|rule| rule.name.chars().count()).max().unwrap_or(0);
        let mut lines: Vec<String> = self.rules.iter().map(|rule| rule.line(width)).collect();
        let is_nowhere = !self.met && self.problems.is_empty();
        if self.rules.is_empty() && !is_nowhere {
            let all = if self.not_judged.is_empty() {
                "nothing is required here"
            } else {
                "nothing that is required here can be judged in CI"
            };
            lines.push(all.to_owned());
        }
        if !self.not_judged.is_empty() {
            lines.push(format!("not judged in CI: {}", by_reason(&self.not_judged)));
        }
        lines.extend(self.problems.iter().map(|problem| format!("wrong: {problem}")));
        lines.extend(self.notes.iter().cloned());
        formatter.write_str(&lines.join("\n"))
    }
}

impl Judged {
    fn line(&self, width: usize) -> String {
        let Self { name, state, why, .. } = self;
        let set_in = self.set_in.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
        format!("{state:7}  {name:width$}  {why}{set_in}")
    }
}

/// The names that share a reason, with it.
fn by_reason(all: &[NotJudged]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for NotJudged { name, why, .. } in all {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    let each = reasons.iter().map(|(why, names)| format!("{} ({why})", names.join(", ")));
    each.collect::<Vec<_>>().join("; ")
}
