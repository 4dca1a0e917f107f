//! What becomes of refusals and of blocks: what they asked for is done, or the user has excepted it. Seen where the same
//! requirement is looked at again, so it costs nothing where nothing was refused.

use shared::hook::{Input, Reaction, ReactionKind};

use crate::RequirementsCheck;
use crate::rule::Rule;
use crate::state::State;
use crate::view::View;

/// What has become of what was asked for, now that these requirements are met.
pub(super) fn reactions<'a, 'r: 'a>(
    input: &Input<'_, RequirementsCheck>,
    view: &View<'_>,
    met: &(impl Iterator<Item = &'a Rule<'r>> + Clone),
    state: &mut State,
) -> Vec<Reaction> {
    state.settle(|name| match Rule::named(input.settings, name) {
        // It was switched off meanwhile.
        None => Some(ReactionKind::Overridden),
        Some(_) => met.clone().find(|rule| rule.name == name).map(|rule| match view.exception(rule) {
            Some(_) => ReactionKind::Overridden,
            None => ReactionKind::Followed,
        }),
    })
}
