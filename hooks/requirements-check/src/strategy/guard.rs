//! `guard`: satisfied by a condition of the moment, or while the user has waived it.

use super::{Remedy, Standing};
use crate::rule::Rule;
use crate::settings::{Glob, Guard};
use crate::view::View;

pub(super) fn standing(rule: &Rule<'_>, guard: &Guard, view: &View<'_>) -> Standing {
    if let Some(waiver) = view.exception(rule) {
        return Standing::Met(waiver);
    }
    match guard {
        Guard::ProtectedBranch(branches) => protected_branch(branches, view),
        Guard::SingleSession => single_session(view),
    }
}

pub(super) fn remedy(rule: &Rule<'_>, guard: &Guard, view: &View<'_>) -> Remedy {
    let waive = view.asks_to_waive(rule);
    Remedy::Do(match guard {
        Guard::SingleSession => format!("end the other session first; or {waive}"),
        Guard::ProtectedBranch(_) => format!(
            "work on a branch of its own, as after {}git switch -c my-change; or {waive}",
            view.change_directory()
        ),
    })
}

fn protected_branch(branches: &[Glob], view: &View<'_>) -> Standing {
    let Some(branch) = view.world.here.branch() else {
        return Standing::Met(format!("{} is no protected branch", view.world.here.shown()));
    };
    if branches.iter().any(|glob| glob.is_name(branch)) {
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
