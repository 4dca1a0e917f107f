//! Whole settings files, generated: whatever they hold and however they are laid out, install and uninstall give the same
//! bytes back, and nothing of the user's is ever lost in between.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::edits::{Edit, any_edit};
use super::files::{any_file, written};
use super::world::{Part, World, any_plan, foreign_bytes, is_blank};
use crate::present;

const CASES: u32 = 400;

/// `world` is what became of `before`: everything foreign is in it, and of ours these parts.
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
    assert_eq!(there.rules.len(), wanted.rules.len(), "{text}");
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
        let mut world = World::new(before.as_deref(), &plan);
        let parts = &plan.parts;
        world.change(parts);
        assert_foreign_survives(&world, before.as_deref(), parts);
        let installed = world.text.clone();
        world.change(parts);
        prop_assert_eq!(&world.text, &installed, "a second time changes nothing");

        if !parts.is_empty() {
            let fewer = without(parts, *which.get(parts));
            world.change(&fewer);
            assert_foreign_survives(&world, before.as_deref(), &fewer);
            world.change(parts);
            prop_assert_eq!(&world.text, &installed, "as before when it is back");
        }
        world.change(&[]);
        prop_assert_eq!(world.text, before);
    }

    #[test]
    fn what_the_user_changes_in_between_stays(
        before in written(),
        plan in any_plan(),
        edit in any_edit(),
        which in any::<Index>(),
    ) {
        let mut world = World::new(Some(&before), &plan);
        world.change(&plan.parts);
        let installed = world.text.take().unwrap_or_default();
        let (Some(expected), Some(edited)) = (edit.apply(&before), edit.apply(&installed)) else {
            return Ok(());
        };
        world.text = Some(edited);
        assert_foreign_survives(&world, Some(&expected), &plan.parts);
        if !plan.parts.is_empty() {
            let fewer = without(&plan.parts, *which.get(&plan.parts));
            world.change(&fewer);
            assert_foreign_survives(&world, Some(&expected), &fewer);
        }
        world.change(&[]);
        assert_foreign_survives(&world, Some(&expected), &[]);
        if edit != Edit::RewriteWithGroup {
            prop_assert_eq!(world.text.as_deref(), Some(expected.as_str()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES / 2))]

    #[test]
    fn however_parts_come_and_go_the_bytes_are_those_of_the_parts_that_are_there(
        before in any_file(),
        plan in any_plan(),
        steps in vec(vec(any::<bool>(), 6), 1..5),
    ) {
        let fresh = World::new(before.as_deref(), &plan);
        let mut world = fresh.clone();
        for step in steps {
            let on = plan.parts.iter().zip(step).filter_map(|(part, is_on)| is_on.then_some(*part));
            let on: Vec<Part> = on.collect();
            world.change(&on);
            prop_assert_eq!(&world.text, &fresh.with(&on), "{:?}", on);
        }
        world.change(&[]);
        prop_assert_eq!(world.text, before);
    }
}
