//! The reasons that stop a question, their order, and their notices.

use super::{Silence, obstacle};
use crate::settings::defaults;
use crate::tests::Scene;

#[test]
fn the_first_obstacle_counts() {
    let mut scene = Scene::new();
    assert_eq!(scene.with(obstacle), None);
    scene.is_refused = true;
    assert_eq!(scene.with(obstacle), Some(Silence::BlockedElsewhere));
    scene.past_the_line();
    assert_eq!(scene.with(obstacle), Some(Silence::Pacing));
    scene.settings.yield_to_pacing = false;
    assert_eq!(scene.with(obstacle), Some(Silence::BlockedElsewhere));
    scene.misled();
    assert_eq!(scene.with(obstacle), Some(Silence::Misled));
    scene.has_state = false;
    assert_eq!(scene.with(obstacle), Some(Silence::NoState));
    scene.settings.backend = None;
    assert_eq!(scene.with(obstacle), Some(Silence::NoBackend));
}

#[test]
fn a_limit_is_named_with_its_setting_and_file() {
    let told = Silence::MoneySpent.explained(&defaults(), "F");
    assert_eq!(told, "the limit of 2.00 US dollars a day is reached (judge.max_cost_usd_per_day in F)");
}
