//! `dynamic`: satisfied while a computed value stays below its limit, or while the user has approved it.

use super::{Remedy, Standing};
use crate::rule::Rule;
use crate::settings::Dynamic;
use crate::view::View;

pub(super) fn standing(rule: &Rule<'_>, dynamic: &Dynamic, view: &View<'_>) -> Standing {
    if let Some(approval) = view.exception(rule) {
        return Standing::Met(approval);
    }
    let size = match view.world.sizes.get(rule.name) {
        Some(Ok(size)) => size,
        Some(Err(why)) => return Standing::Unmet(format!("its size is not known: {why}")),
        None => return Standing::Met("without git there is nothing to measure".to_owned()),
    };
    let at_least = if size.is_complete { "" } else { "at least " };
    let limit = dynamic.block;
    let words = format!("{at_least}{} changed lines against {}, limit {limit}", size.lines, size.base);
    if size.lines >= limit { Standing::Unmet(words) } else { Standing::Met(words) }
}

pub(super) fn remedy(rule: &Rule<'_>, view: &View<'_>) -> Remedy {
    let approve = view.asks_user(&format!("approve {}", rule.word()), "it can be approved for a while");
    let what = match view.world.sizes.get(rule.name) {
        Some(Ok(_)) => "finish and merge what is there, or split it",
        _ => "see to what is in the way",
    };
    Remedy::Do(format!("{what}; or {approve}"))
}
