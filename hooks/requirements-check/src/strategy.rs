//! How a requirement is satisfied: whether it is now, why not, and what would satisfy it in the permission mode of the call.
//! Pure, from what was looked at before.

mod evidence;

use crate::rule::Rule;
use crate::satisfactions::By;
use crate::settings::{Blocking, Dynamic, Glob, Guard, SatisfiedBy, Scope, Terms};
use crate::view::View;
use crate::words::age;

pub type Standing = Result<String, String>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// `req satisfy`, which takes several names at once; or something instead of it.
    Satisfy {
        or: Option<String>,
    },
    Do(String),
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
            Terms::Evidence(evidence) => evidence::standing(self, evidence, view),
            Terms::Off(_) => Ok("it is off".to_owned()),
        }
    }

    pub fn remedy(&self, view: &View<'_>) -> Remedy {
        let name = self.word();
        let waive =
            || view.asks_user(&format!("waive {name} --note \"the reason\""), "it can be waived for a while");
        Remedy::Do(match &self.set.terms {
            Terms::Blocking(blocking) if blocking.satisfied_by == SatisfiedBy::Agent => {
                let skill = blocking.skill_to_name.as_ref().or(blocking.skills.first());
                return Remedy::Satisfy { or: skill.map(|skill| format!("complete the skill {skill}")) };
            }
            Terms::Blocking(_) => view.asks_user(&format!("satisfy {name}"), "only the user may satisfy it"),
            Terms::Dynamic(_) => {
                let is_known = view.world.sizes.get(self.name).is_some_and(Result::is_ok);
                let what = if is_known {
                    "finish and merge what is there, or split it"
                } else {
                    "see to what is in the way"
                };
                let approve = view.asks_user(&format!("approve {name}"), "it can be approved for a while");
                format!("{what}; or {approve}")
            }
            Terms::Guard(Guard::ProtectedBranch(_)) => {
                let there = view.change_directory();
                format!("work on a branch of your own: {there}git switch -c my-change; or {}", waive())
            }
            Terms::Guard(Guard::SingleSession) => format!("end the other session first; or {}", waive()),
            Terms::Evidence(evidence) => {
                format!("{}; or {}", evidence::proof(self, evidence, view), waive())
            }
            Terms::Off(_) => "switch it on".to_owned(),
        })
    }

    /// The session has done what makes it due at the end of a turn.
    pub(crate) fn is_due(&self, view: &View<'_>) -> bool {
        let is_edited = self.set.evidence().is_some() && view.state.edited.contains(self.name);
        is_edited || view.state.triggered.contains(self.name)
    }
}

fn satisfied(rule: &Rule<'_>, blocking: &Blocking, view: &View<'_>) -> Standing {
    let scope = view.scope(rule);
    let Some(found) = view.satisfaction(rule) else {
        let place = view.world.here.on();
        return Err(match scope {
            Scope::Session => format!("not satisfied in this session {place}"),
            Scope::Branch => format!("not satisfied {place}"),
            Scope::Permanent => "not satisfied in this repository".to_owned(),
            Scope::SingleUse => format!("not satisfied for this call {place}"),
        });
    };
    let how = format!("{} ago by {}", age(view.now_secs() - found.satisfied_at), found.satisfied_by.word());
    if blocking.satisfied_by == SatisfiedBy::User && found.satisfied_by != By::User {
        Err(format!("satisfied {how}, and only the user may satisfy it"))
    } else if !found.is_fresh(rule.set.ttl_secs, view.now) {
        Err(format!("its satisfaction, {how}, is too old"))
    } else if scope == Scope::SingleUse && view.state.is_spent(rule.name, found.identity(), view.call) {
        Err("its satisfaction was for one call and is used".to_owned())
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
    let limit = dynamic.block;
    let words = format!("{at_least}{} changed lines against {}, limit {limit}", size.lines, size.base);
    if size.lines < limit { Ok(words) } else { Err(words) }
}

fn unprotected(branches: &[Glob], view: &View<'_>) -> Standing {
    let here = &view.world.here;
    match here.branch().filter(|branch| branches.iter().any(|glob| glob.is_name(branch))) {
        Some(branch) => Err(format!("{branch} is a protected branch")),
        None => Ok(format!("{} is no protected branch", here.shown())),
    }
}

fn alone(view: &View<'_>) -> Standing {
    match view.world.others.as_slice() {
        [] => Ok("no other session is live here".to_owned()),
        [other] => Err(format!("session {other} is live on this project too")),
        [other, more @ ..] => {
            Err(format!("session {other} and {} more are live on this project too", more.len()))
        }
    }
}

#[cfg(test)]
mod tests;
