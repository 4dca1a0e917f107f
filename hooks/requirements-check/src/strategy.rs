//! How a requirement is satisfied: whether it is now, why not, and what would satisfy it in the permission mode of the call.
//! Pure, from what was looked at before.

use shared::text::{age, quoted};

use crate::evidence::{Late, is_asked_for, named, outdated};
use crate::rule::Rule;
use crate::satisfactions::By;
use crate::settings::{
    Age, Blocking, CommandPattern, Dynamic, Evidence, File, Glob, Guard, SatisfiedBy, Scope, Terms,
};
use crate::state::Uncounted;
use crate::world::{Freshness, View};

/// How a command counts: its exit status must be the line's.
const ALONE: &str = "run alone on a line (no pipe)";
const MAX_STAGED: usize = 20;

/// The way it is satisfied, or the reason why it is not.
pub type Standing = Result<String, String>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// `req satisfy`, which takes several names at once; or something instead of it.
    Satisfy(Option<String>),
    Do(String),
}

/// A requirement that is not satisfied, why, and what would satisfy it.
pub(crate) struct Unsatisfied<'a> {
    pub(crate) rule: Rule<'a>,
    pub(crate) why: String,
    pub(crate) remedy: Remedy,
    /// The call must be another one.
    pub(crate) is_late: bool,
}

impl<'a> Unsatisfied<'a> {
    /// The rule if it is not satisfied, or if it is `late`: not any more, perhaps, when the line comes to what needs it. Such a line
    /// needs splitting, too.
    pub(crate) fn of(rule: Rule<'a>, late: Option<Late>, view: &View<'_>) -> Option<Self> {
        let (lacks, (late, step)) = (rule.standing(view).err(), late.unzip());
        let is_late = late.is_some();
        let remedy = match (lacks.is_some().then(|| rule.remedy(view)), step) {
            (Some(Remedy::Do(what)), Some(step)) => Remedy::Do(format!("{what}. Besides, {step}")),
            (Some(remedy), _) => remedy,
            (None, step) => Remedy::Do(step?.to_owned()),
        };
        let why = lacks.into_iter().chain(late).collect::<Vec<_>>().join("; ");
        Some(Self { rule, why, remedy, is_late })
    }

    /// The rules that are not satisfied.
    pub(crate) fn all(rules: impl Iterator<Item = Rule<'a>>, view: &View<'_>) -> Vec<Self> {
        rules.filter_map(|rule| Self::of(rule, None, view)).collect()
    }
}

impl Rule<'_> {
    pub fn standing(&self, view: &View<'_>) -> Standing {
        if let Some(exception) = view.exception(self) {
            return Ok(exception);
        }
        match &self.set.terms {
            Terms::Blocking(blocking) => satisfied(self, blocking, view),
            Terms::Dynamic(dynamic) => below_limit(self, dynamic, view),
            Terms::Guard(Guard::ProtectedBranch(branches)) => unprotected(branches, view),
            Terms::Guard(Guard::SingleSession) => alone(view),
            Terms::Evidence(evidence) => proved(self, evidence, view),
            Terms::Off(_) => Ok("it is off".to_owned()),
        }
    }

    pub fn remedy(&self, view: &View<'_>) -> Remedy {
        let (name, there) = (self.word(), view.change_directory());
        let approve = || view.asks_user(&format!("approve {name}"), "it can be approved for a while");
        let waive =
            || view.asks_user(&format!("waive {name} --note \"the reason\""), "it can be waived for a while");
        Remedy::Do(match &self.set.terms {
            Terms::Blocking(blocking) if blocking.satisfied_by == SatisfiedBy::Agent => {
                let skill = blocking.skill_to_name.as_ref().or(blocking.skills.first());
                return Remedy::Satisfy(skill.map(|skill| format!("complete the skill {skill}")));
            }
            Terms::Blocking(_) => view.asks_user(&format!("satisfy {name}"), "only the user may satisfy it"),
            Terms::Dynamic(_) if view.world.sizes.get(self.name).is_some_and(Result::is_ok) => {
                format!("finish and merge what is there, or split it; or {}", approve())
            }
            Terms::Dynamic(_) => format!("remove what keeps it from being counted; or {}", approve()),
            Terms::Guard(Guard::ProtectedBranch(_)) => {
                format!("work on a branch of your own: {there}git switch -c my-change; or {}", waive())
            }
            Terms::Guard(Guard::SingleSession) => format!("end the other session first; or {}", waive()),
            Terms::Evidence(evidence) => format!("{}; or {}", proof(self, evidence, view), waive()),
            Terms::Off(_) => "switch it on".to_owned(),
        })
    }
}

fn satisfied(rule: &Rule<'_>, blocking: &Blocking, view: &View<'_>) -> Standing {
    let scope = view.scope(rule);
    let Some(found) = view.satisfaction(rule) else {
        let place = view.world.on();
        return Err(match scope {
            Scope::Session => format!("not satisfied in this session {place}"),
            Scope::Branch => format!("not satisfied {place}"),
            Scope::Permanent => "not satisfied in this repository".to_owned(),
            Scope::SingleUse => format!("not satisfied for this call {place}"),
        });
    };
    let how = format!("{} ago by {}", age(view.now.secs() - found.satisfied_at), found.satisfied_by);
    if blocking.satisfied_by == SatisfiedBy::User && found.satisfied_by != By::User {
        Err(format!("satisfied {how}, and only the user may satisfy it"))
    } else if !found.is_fresh(rule.set.ttl_secs, view.now) {
        Err(format!("its satisfaction, {how}, is too old"))
    } else if scope == Scope::SingleUse && view.state.is_spent(rule.name, found.identity(), view.call) {
        Err("its satisfaction was for one call, and another call has taken it".to_owned())
    } else {
        Ok(format!("satisfied {how}"))
    }
}

fn below_limit(rule: &Rule<'_>, dynamic: &Dynamic, view: &View<'_>) -> Standing {
    let size = match view.world.sizes.get(rule.name) {
        Some(Ok(size)) => size,
        Some(Err(why)) => return Err(format!("its size is not known: {why}")),
        None => return Ok("without git there is nothing to measure".to_owned()),
    };
    let at_least = if size.is_complete { "" } else { "at least " };
    let (lines, limit) = (size.lines, dynamic.block);
    let words = format!("{at_least}{lines} changed lines against {}, limit {limit}", size.base);
    if lines < limit { Ok(words) } else { Err(words) }
}

fn unprotected(branches: &[Glob], view: &View<'_>) -> Standing {
    let here = view.world;
    match here.branch().filter(|branch| branches.iter().any(|glob| glob.is_name(branch))) {
        Some(branch) => Err(format!("{branch} is a protected branch")),
        None => Ok(format!("{} is no protected branch", here.shown())),
    }
}

fn alone(view: &View<'_>) -> Standing {
    let others = view.world.others.join(" and ");
    let none = others.is_empty().then(|| "no other session is live here".to_owned());
    none.ok_or_else(|| format!("live on this project too: session {others}"))
}

/// By a command that passed on exactly the files that are there now, or by a file that is as it should be.
fn proved(rule: &Rule<'_>, evidence: &Evidence, view: &View<'_>) -> Standing {
    let lacks = |why: String| match uncounted(rule, view) {
        Some(run) => format!("{why}; `{}` did not count: {}", run.shown, run.why),
        None => why,
    };
    let passed = (!evidence.commands.is_empty()).then(|| counts(rule, view).map_err(lacks));
    let written = |file: &File| {
        view.world.files.get(rule.name).ok_or("its file was not looked at")?.clone()?;
        Ok(format!("{} {}", file.glob.as_str(), must_be(file)))
    };
    let written = evidence.file.as_ref().map(written);
    let both: Result<Vec<String>, String> = passed.into_iter().chain(written).collect();
    both.map(|how| how.join(", and "))
}

fn proof(rule: &Rule<'_>, evidence: &Evidence, view: &View<'_>) -> String {
    let there = view.change_directory();
    if let Some(Freshness::StagedOtherwise(files)) = view.world.evidence.get(rule.name) {
        // `:/` is the top of the work tree.
        let is_at_top = view.world.worktree_root() == Some(&view.world.cwd) || view.world.elsewhere.is_some();
        let path = |file: &String| quoted(&if is_at_top { file.clone() } else { format!(":/{file}") });
        let files: Vec<String> = files.iter().take(MAX_STAGED).map(path).collect();
        return format!("stage what was tested: {there}git add {}", files.join(" "));
    }
    let commands: Vec<&str> = evidence.commands.iter().map(|command| command.text.as_str()).collect();
    let line = uncounted(rule, view).map(|run| run.line.clone()).filter(|line| !line.is_empty());
    // A command that failed may never pass here; another one that is set may.
    let is_other = |words: &&str| line.as_ref().is_none_or(|line| !line.contains(words));
    let words = evidence.commands.iter().filter_map(CommandPattern::typed).find(is_other);
    let words = words.map(|words| format!("{there}{words}"));
    // A run of the user's own is none of a session.
    let alone = if view.world.is_user { "Claude has to " } else { "" }.to_owned() + ALONE;
    let run = match (line, words) {
        (Some(line), Some(words)) => format!("{alone}: {line}; or: {words}"),
        (Some(line), None) | (None, Some(line)) => format!("{alone}: {line}"),
        (None, None) => format!("{alone} a command that matches {}", commands.join(" or ")),
    };
    let run = (!commands.is_empty()).then_some(run);
    let to_write = |file: &File| format!("write {} so that it {}", file.glob.as_str(), must_be(file));
    let write = evidence.file.as_ref().map(to_write);
    run.into_iter().chain(write).collect::<Vec<_>>().join(", and ")
}

/// How the last run that counted stands to the files and the settings of now.
fn counts(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    let found = view.satisfaction(rule).ok_or("no command has passed for it here")?;
    let command = found.metadata.command.as_deref().unwrap_or("the command");
    if !found.is_fresh(rule.set.ttl_secs, view.now) {
        return Err(format!("`{command}` passed too long ago"));
    }
    if let Some(why) = outdated(rule, found) {
        return Err(format!("`{command}` passed, but {why}"));
    }
    let (since, end) = match view.world.evidence.get(rule.name) {
        Some(Freshness::Same) => {
            let when = age(view.now.secs() - found.satisfied_at);
            return Ok(format!("`{command}` passed {when} ago on these files"));
        }
        Some(Freshness::StagedOtherwise(files)) => {
            ("what is staged is not what", format!(" on{}", named(files)))
        }
        Some(Freshness::Different(files)) => ("files have changed since", named(files)),
        Some(Freshness::Unknown(why)) => {
            ("whether files have changed since", format!(" is not known: {why}"))
        }
        None => ("its files were not looked at since", String::new()),
    };
    Err(format!("{since} `{command}` passed{end}"))
}

/// `is newer than the last commit and contains a match of /.../`.
fn must_be(wanted: &File) -> String {
    let newer = wanted.newer_than.map(|than| match than {
        Age::Head => "is newer than the last commit".to_owned(),
        Age::Ago(span) => format!("is newer than {}", age(i64::try_from(span.as_secs()).unwrap_or(i64::MAX))),
    });
    let contains = wanted.contains.iter().map(|pattern| format!("contains a match of /{}/", pattern.text));
    let all: Vec<String> = newer.into_iter().chain(contains).collect();
    if all.is_empty() { "is there".to_owned() } else { all.join(" and ") }
}

/// The last run that did not count, if the requirement still asks for its command.
fn uncounted<'v>(rule: &Rule<'_>, view: &View<'v>) -> Option<&'v Uncounted> {
    let run = view.state.uncounted.get(&view.world.run_of(rule.name))?;
    (run.line.is_empty() || is_asked_for(rule, &run.line)).then_some(run)
}

#[cfg(test)]
mod tests;
