//! Whole settings files, generated: whatever they hold and however they are laid out, install and uninstall give the same
//! bytes back, and nothing of the user's is ever lost in between.

use proptest::prelude::*;
use proptest::sample::Index;

use super::files::any_file;
use super::world::{Part, World, any_plan, foreign_bytes, is_blank};
use crate::settings::present;

const CASES: u32 = 25000;

/// `text` is what became of `before`: everything foreign is in it, and of ours these parts.
#[track_caller]
fn assert_foreign_survives(world: &World, before: Option<&str>, parts: &[Part]) {
    let text = world.text.as_deref();
    assert_eq!(world.foreign(text), world.foreign(before), "{text:?}");
    let Some(text) = text else { return };
    for bytes in before.filter(|before| !is_blank(before)).map(foreign_bytes).unwrap_or_default() {
        assert!(text.contains(bytes), "{bytes} in {text}");
    }
    let there = present(text, &world.owner()).unwrap().as_wanted(&world.owner());
    let wanted = world.wanted(parts);
    assert_eq!(there.hooks.len(), wanted.hooks.len(), "{text}");
    assert!(wanted.hooks.iter().all(|hook| there.hooks.contains(hook)), "{text}");
    assert!(there.rules.len() == wanted.rules.len(), "{text}");
}

fn without(parts: &[Part], part: Part) -> Vec<Part> {
    parts.iter().copied().filter(|other| *other != part).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn what_is_installed_changed_and_taken_away_again_leaves_the_bytes_of_before(
        before in any_file(),
        plan in any_plan(),
        which in any::<Index>(),
    ) {
        let fresh = World::new(before.as_deref(), &plan);
        let parts = &plan.parts;
        let mut world = fresh.clone();
        world.change(parts);
        assert_foreign_survives(&world, before.as_deref(), parts);
        let installed = world.text.clone();
        world.change(parts);
        prop_assert_eq!(&world.text, &installed, "a second time changes nothing");

        if !parts.is_empty() {
            let fewer = without(parts, *which.get(parts));
            world.change(&fewer);
            assert_foreign_survives(&world, before.as_deref(), &fewer);
            prop_assert_eq!(&world.text, &fresh.with(&fewer), "as without it from the start");
            world.change(parts);
            prop_assert_eq!(&world.text, &installed, "and as before when it is back");
        }
        world.change(&[]);
        prop_assert_eq!(world.text, before);
    }
}
