//! `dynamic`: met while a computed value stays below its limit, or while the user has approved it.

use super::{Remedy, Standing, Strategy};
use crate::rule::Rule;
use crate::settings::Requirement;
use crate::view::View;

pub(super) struct Dynamic;

impl Strategy for Dynamic {
    fn lacks(&self, set: &Requirement) -> Option<&'static str> {
        match (set.calculator, set.thresholds.block) {
            (None, _) => Some("a dynamic requirement needs `calculator: branch_size`; it is off"),
            (_, None) => Some("a dynamic requirement needs `thresholds.block`; it is off"),
            (Some(_), Some(_)) => None,
        }
    }

    fn standing(&self, rule: &Rule<'_>, view: &View<'_>) -> Standing {
        if let Some(approval) = view.exception(rule) {
            return Standing::Met(approval);
        }
        let Some(size) = view.world.sizes.get(rule.name) else {
            return Standing::Met("its size is not known".to_owned());
        };
        let at_least = if size.is_complete { "" } else { "at least " };
        let limit = rule.set.thresholds.block.map_or(u64::MAX, |limit| u64::from(limit.get()));
        let words = format!("{at_least}{} changed lines against {}, limit {limit}", size.lines, size.base);
        if size.lines >= limit { Standing::Unmet(words) } else { Standing::Met(words) }
    }

    fn remedy(&self, rule: &Rule<'_>, view: &View<'_>) -> Remedy {
        let approve = view.asks_user(&format!("approve {}", rule.word()), "it can be approved for a while");
        Remedy::Do(format!("finish and merge what is there, or split it; or {approve}"))
    }
}
