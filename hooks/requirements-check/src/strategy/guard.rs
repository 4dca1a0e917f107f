//! `guard`: met by a condition of the moment, or while the user has waived it.

use super::{Remedy, Standing, Strategy};
use crate::rule::Rule;
use crate::settings::{GuardType, Requirement};
use crate::view::View;

pub(super) struct Guard;

/// What is protected where nothing is set.
const PROTECTED: [&str; 2] = ["main", "master"];

impl Strategy for Guard {
    fn lacks(&self, set: &Requirement) -> Option<&'static str> {
        let missing = "a guard needs `guard_type: protected_branch` or `single_session`; it is off";
        set.guard_type.is_none().then_some(missing)
    }

    fn standing(&self, rule: &Rule<'_>, view: &View<'_>) -> Standing {
        if let Some(waiver) = view.exception(rule) {
            return Standing::Met(waiver);
        }
        match rule.set.guard_type {
            Some(GuardType::ProtectedBranch) => protected_branch(rule, view),
            Some(GuardType::SingleSession) => single_session(view),
            None => Standing::Met("it has no condition".to_owned()),
        }
    }

    fn remedy(&self, rule: &Rule<'_>, view: &View<'_>) -> Remedy {
        let waive = view.asks_user(
            &format!("waive {} --note \"the reason\"", rule.word()),
            "it can be waived for a while",
        );
        Remedy::Do(match rule.set.guard_type {
            Some(GuardType::SingleSession) => format!("end the other session first; or {waive}"),
            Some(GuardType::ProtectedBranch) | None => format!(
                "work on a branch of its own, as after {}git switch -c my-change; or {waive}",
                view.change_directory()
            ),
        })
    }
}

fn protected_branch(rule: &Rule<'_>, view: &View<'_>) -> Standing {
    let Some(branch) = view.world.here.branch() else {
        return Standing::Met(format!("{} is no protected branch", view.world.here.shown()));
    };
    let is_protected = match &rule.set.protected_branches {
        Some(globs) => globs.iter().any(|glob| glob.is_name(branch)),
        None => PROTECTED.contains(&branch),
    };
    if is_protected {
        Standing::Unmet(format!("{branch} is a protected branch"))
    } else {
        Standing::Met(format!("{branch} is no protected branch"))
    }
}

fn single_session(view: &View<'_>) -> Standing {
    match view.world.others.as_slice() {
        [] => Standing::Met("no other session is live here".to_owned()),
        [other] => Standing::Unmet(format!("session {other} is live on this project too")),
        [other, more @ ..] => {
            Standing::Unmet(format!("session {other} and {} more are live on this project too", more.len()))
        }
    }
}
