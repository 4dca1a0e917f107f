//! `req ci`: the requirements that a clean clone can judge, by the hook's own strategies.
//!
//! What only the developer's machine knows (satisfactions, approvals, sessions, runs of commands, times of files) is taken for
//! unknown even where it is there, so that the answer is the same everywhere, and is listed. What this clone should tell and
//! does not makes the answer no: a gate that cannot look must not say "satisfied".

mod branch;
#[cfg(test)]
mod tests;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use shared::host::Timestamp;

use crate::location::Location;
use crate::reply::{Reply, json};
use crate::verb::Ci;
use requirements_check::git;
use requirements_check::observe::Look;
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{Key, Satisfactions};
use requirements_check::settings::{Dynamic, Evidence, File, Guard, Kind, Requirement, Terms};
use requirements_check::state::State as Session;
use requirements_check::view::View;
use requirements_check::wording;

const SATISFACTION: &str = "satisfactions are kept where they were made";
const RUN: &str = "that a command passed is known only where it ran";
const SESSIONS: &str = "sessions are live elsewhere";
const AGE: &str = "newer_than: in a clone all files are new";
const DETACHED: &str = "HEAD is a commit and nobody says of which branch; say it with --branch";
const NO_CHECKOUT: &str = "so it is not known what is required; start req ci in the checkout";

/// For whoever runs this after a merge, too: it would fail every time.
const ON_PROTECTED: &str = "a protected branch is changed through a branch of its own: in CI, run req ci for pull requests, not for pushes to a protected branch";

/// What of a project's requirements a clean clone can tell, and the answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CiReport {
    /// The form of this object: 1.
    version: u32,
    /// The answer, and the exit status (0 if true): every rule that is judged is satisfied, nothing is wrong in the files, and there are rules or a checkout.
    met: bool,
    /// The branch that is judged; null on a commit of which nobody says a branch, and without git.
    branch: Option<String>,
    /// Where that is known from: `HEAD`, `--branch`, or the name of a variable.
    branch_from: Option<&'static str>,
    /// The rules that are judged.
    rules: Vec<Judged>,
    /// The requirements, or parts of them, that cannot be judged in CI.
    not_judged: Vec<NotJudged>,
    /// What is wrong in the configuration files, each with file, line and key. Any of it makes the answer no.
    problems: Vec<String>,
    /// What else the reader should know.
    notes: Vec<String>,
}

/// A rule that is judged.
#[derive(Debug, Serialize, JsonSchema)]
struct Judged {
    /// Its name: the key under `requirements`.
    name: String,
    /// How it is satisfied.
    #[serde(rename = "type")]
    #[schemars(with = "Kind")]
    kind: &'static str,
    /// How it stands.
    state: State,
    /// Why it stands so.
    why: String,
    /// File and line that set it.
    set_in: Option<String>,
}

/// How a rule stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It is satisfied.
    Met,
    /// It is not.
    Open,
    /// This clone does not tell, which makes the answer no as well; `why` says what is missing.
    Unknown,
}

/// A requirement, or a part of one, that CI cannot judge.
#[derive(Debug, Serialize, JsonSchema)]
struct NotJudged {
    /// Its name; of a rule that is judged but for one part, too.
    name: String,
    /// How it is satisfied.
    #[serde(rename = "type")]
    #[schemars(with = "Kind")]
    kind: &'static str,
    /// Why not.
    why: &'static str,
}

impl fmt::Display for CiReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rules.iter().map(|rule| rule.name.chars().count()).max().unwrap_or(0);
        let rule = |Judged { name, state, why, set_in, .. }: &Judged| {
            let state = match state {
                State::Met => "met",
                State::Open => "open",
                State::Unknown => "unknown",
            };
            let set_in = set_in.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
            format!("{state:7}  {name:width$}  {why}{set_in}")
        };
        let mut lines: Vec<String> = self.rules.iter().map(rule).collect();
        if self.rules.is_empty() && (self.met || !self.problems.is_empty()) {
            let all = if self.not_judged.is_empty() {
                "nothing is required here"
            } else {
                "nothing that is required here can be judged in CI"
            };
            lines.push(all.to_owned());
        }
        let reasons = [SATISFACTION, RUN, SESSIONS, AGE].into_iter().filter_map(|reason| {
            let names = self.not_judged.iter().filter(|part| part.why == reason);
            let names: Vec<&str> = names.map(|part| part.name.as_str()).collect();
            (!names.is_empty()).then(|| format!("{} ({reason})", names.join(", ")))
        });
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        lines.extend((!reasons.is_empty()).then(|| format!("not judged in CI: {reasons}")));
        lines.extend(self.problems.iter().map(|problem| format!("wrong: {problem}")));
        lines.extend(self.notes.iter().cloned());
        formatter.write_str(&lines.join("\n"))
    }
}

/// Judges the checkout this is started in.
pub(crate) fn ci(wanted: &Ci, location: &Location) -> Result<Reply, String> {
    let report = location.look_round(|look| judge(wanted, location, look))?;
    let text = if wanted.json { json(&report) } else { report.to_string() };
    Ok(Reply { is_no: !report.met, ..Reply::yes(text) })
}

fn judge(wanted: &Ci, location: &Location, look: &mut Look<'_, '_>) -> Result<CiReport, String> {
    let section = &location.section;
    (look.world.branch, look.world.permanent) = (Satisfactions::default(), Satisfactions::default());
    let branch_from = turn_to_branch(wanted, location, look)?;
    let mut report = CiReport {
        version: 1,
        met: false,
        branch: look.world.here.branch().map(ToOwned::to_owned),
        branch_from,
        rules: Vec::new(),
        not_judged: Vec::new(),
        problems: section.problems.iter().map(ToString::to_string).collect(),
        notes: Vec::new(),
    };
    if section.enabled {
        for rule in Rule::all(&section.settings) {
            report.not_judged.extend(not_judged(&rule));
            report.rules.extend(judged(&rule, wanted, look, location.host.now()).map(|(state, why)| {
                Judged {
                    name: rule.name.to_owned(),
                    kind: rule.kind().word(),
                    state,
                    why,
                    set_in: section.origin(&rule.key()).map(|origin| origin.to_string()),
                }
            }));
        }
    } else {
        let by = section.origin("enabled").map(|origin| format!(" by {origin}")).unwrap_or_default();
        report.notes.push(format!("requirements-check is switched off{by}: nothing is judged"));
    }
    report.notes.extend(Rule::all(&section.settings).filter_map(|rule| warning(&rule, look)));
    let is_on_protected = report.rules.iter().any(|rule| rule.kind == "guard" && rule.state == State::Open);
    report.notes.extend(is_on_protected.then(|| ON_PROTECTED.to_owned()));
    // A wrong folder must not be taken for a project without rules.
    let is_nowhere = look.world.here.worktree.is_none() && Rule::all(&section.settings).next().is_none();
    report.notes.extend(is_nowhere.then(|| format!("{}, {NO_CHECKOUT}", look.without_git())));
    report.met =
        !is_nowhere && report.problems.is_empty() && report.rules.iter().all(|rule| rule.state == State::Met);
    Ok(report)
}

/// Looks at the branch that is meant; who said which.
///
/// # Errors
/// `--branch` names none.
fn turn_to_branch(
    wanted: &Ci,
    location: &Location,
    look: &mut Look<'_, '_>,
) -> Result<Option<&'static str>, String> {
    let here = &mut look.world.here;
    let remotes =
        here.worktree.as_ref().map(|worktree| git::remotes(&worktree.common_dir)).unwrap_or_default();
    let named = wanted.branch.as_deref().map(|text| branch::named(text, &remotes)).transpose()?;
    if here.worktree.is_none() {
        return Ok(None);
    }
    let said = match (named, &here.key) {
        (Some(branch), _) => Some((branch, "--branch")),
        (None, Key::Detached(_)) => branch::of_variables(&remotes, |name| location.host.variable(name)),
        (None, _) => return Ok(here.branch().map(|_| "HEAD")),
    };
    Ok(said.map(|(branch, by)| {
        here.key = Key::Branch(branch);
        by
    }))
}

/// What of the rule CI cannot judge.
fn not_judged<'a>(rule: &'a Rule<'_>) -> impl Iterator<Item = NotJudged> + 'a {
    let evidence = rule.set.evidence();
    let has_age = |file: &File| file.newer_than.is_some();
    let reasons = [
        (matches!(rule.set.terms, Terms::Blocking(_)), SATISFACTION),
        (matches!(rule.set.terms, Terms::Guard(Guard::SingleSession)), SESSIONS),
        (evidence.is_some_and(|evidence| !evidence.commands.is_empty()), RUN),
        (evidence.and_then(|evidence| evidence.file.as_ref()).is_some_and(has_age), AGE),
    ];
    let those = reasons.into_iter().filter(|(holds, _)| *holds);
    those.map(|(_, why)| NotJudged { name: rule.name.to_owned(), kind: rule.kind().word(), why })
}

/// How the rule stands and why; `None` where CI cannot judge it.
fn judged(rule: &Rule<'_>, wanted: &Ci, look: &mut Look<'_, '_>, now: Timestamp) -> Option<(State, String)> {
    let terms = match &rule.set.terms {
        Terms::Dynamic(dynamic) => {
            let base = wanted.base.clone().or_else(|| dynamic.base.clone());
            Terms::Dynamic(Dynamic { base, ..dynamic.clone() })
        }
        Terms::Evidence(evidence) => {
            // However old the file is: a clone's files are all as old as the clone.
            let file = File { newer_than: None, ..evidence.file.clone()? };
            Terms::Evidence(Evidence { commands: Vec::new(), file: Some(file), ..evidence.clone() })
        }
        Terms::Guard(Guard::ProtectedBranch(_)) => match look.world.here.key {
            Key::Branch(_) => rule.set.terms.clone(),
            Key::Detached(_) => return Some((State::Unknown, DETACHED.to_owned())),
            Key::NoGit | Key::Permanent => return Some((State::Unknown, look.without_git())),
        },
        Terms::Blocking(_) | Terms::Guard(_) | Terms::Off(_) => return None,
    };
    let set = Requirement { terms, ..rule.set.clone() };
    let rule = Rule { name: rule.name, set: &set };
    if let Err(why) = look.measure_afresh(&rule) {
        return Some((State::Unknown, format!("its size is not known: {why}")));
    }
    let session = Session::default();
    let view = View { session: None, call: None, state: &session, world: &look.world, now };
    Some(match rule.standing(&view) {
        Ok(how) => (State::Met, how),
        Err(why) => (State::Open, why),
    })
}

/// A size that is past its warning and below its limit.
fn warning(rule: &Rule<'_>, look: &Look<'_, '_>) -> Option<String> {
    let size = look.world.sizes.get(rule.name)?.as_ref().ok()?;
    let dynamic = rule.set.dynamic()?;
    let warn = dynamic.warn?;
    let is_between = (warn..dynamic.block).contains(&size.lines);
    is_between.then(|| wording::warning(rule.name, dynamic.block, size, warn))
}
