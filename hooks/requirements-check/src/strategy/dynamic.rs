//! `dynamic`: satisfied while a computed value stays below its limit, or while the user has approved it.

use super::{Remedy, Standing};
use crate::rule::Rule;
use crate::settings::Dynamic;
use crate::view::View;

pub(super) fn standing(rule: &Rule<'_>, dynamic: &Dynamic, view: &View<'_>) -> Standing {
    if let Some(approval) = view.exception(rule) {
        return Standing::Met(approval);
    }
    let Some(size) = view.world.sizes.get(rule.name) else {
        return match view.world.unmeasured.get(rule.name) {
            Some(why) => Standing::Unmet(format!("its size is not known: {why}")),
            None => Standing::Met("without git there is nothing to measure".to_owned()),
        };
    };
    let at_least = if size.is_complete { "" } else { "at least " };
    let limit = dynamic.block;
    let words = format!("{at_least}{} changed lines against {}, limit {limit}", size.lines, size.base);
    if size.lines >= limit { Standing::Unmet(words) } else { Standing::Met(words) }
}

pub(super) fn remedy(rule: &Rule<'_>, view: &View<'_>) -> Remedy {
    let approve = view.asks_user(&format!("approve {}", rule.word()), "it can be approved for a while");
    let is_known = view.world.sizes.contains_key(rule.name);
    let what =
        if is_known { "finish and merge what is there, or split it" } else { "see to what is in the way" };
    Remedy::Do(format!("{what}; or {approve}"))
}
