//! `blocking`: met by a mark that Claude, the user or a skill has set.

use super::{Remedy, Standing};
use crate::rule::Rule;
use crate::satisfactions::By;
use crate::settings::{Blocking, SatisfiedBy, Scope};
use crate::view::View;
use crate::words::age;

pub(super) fn standing(rule: &Rule<'_>, blocking: &Blocking, view: &View<'_>) -> Standing {
    let Some(mark) = view.mark(rule) else {
        return Standing::Unmet(missing(rule, view));
    };
    let set = format!("{} ago by {}", age(view.now_secs() - mark.satisfied_at), mark.satisfied_by.word());
    if blocking.satisfied_by == SatisfiedBy::User && mark.satisfied_by != By::User {
        return Standing::Unmet(format!("satisfied {set}, and only the user may satisfy it"));
    }
    if !view.is_fresh(rule, mark) {
        return Standing::Unmet(format!("its satisfaction, {set}, is too old"));
    }
    match view.scope(rule) {
        Scope::SingleUse if view.state.is_spent(rule.name, mark.identity(), view.call) => {
            Standing::Unmet("its satisfaction was for one call and is used".to_owned())
        }
        _ => Standing::Met(format!("satisfied {set}")),
    }
}

pub(super) fn remedy(rule: &Rule<'_>, blocking: &Blocking, view: &View<'_>) -> Remedy {
    let skill = blocking.skill_to_name.as_ref().or(blocking.skills.first());
    match blocking.satisfied_by {
        SatisfiedBy::Agent => Remedy::Mark { or: skill.map(|skill| format!("complete the skill {skill}")) },
        SatisfiedBy::User => {
            Remedy::Do(view.asks_user(&format!("satisfy {}", rule.word()), "only the user may satisfy it"))
        }
    }
}

fn missing(rule: &Rule<'_>, view: &View<'_>) -> String {
    let place = view.world.here.on();
    match view.scope(rule) {
        Scope::Session => format!("not satisfied in this session {place}"),
        Scope::Branch => format!("not satisfied {place}"),
        Scope::Permanent => "not satisfied in this repository".to_owned(),
        Scope::SingleUse => format!("not satisfied for this call {place}"),
    }
}
