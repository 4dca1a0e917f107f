//! What became of a row that the model was told of: it ends with the next call, or it goes on. Told once.

use std::time::Duration;

use shared::config::ZeroOr;
use shared::hook::{Reaction, ReactionKind};

use super::World;
use crate::settings::{Audience, Mode};

fn world(audience: Audience, mode: Mode) -> World {
    let mut world = World::with_loops();
    world.settings.audience = audience;
    world.settings.mode = mode;
    world.settings.repeat = ZeroOr::new(3).unwrap();
    world.settings.ping_pong = ZeroOr::new(0).unwrap();
    world
}

/// What the journal is told at each of these calls, which are some time apart.
fn told(world: &mut World, calls: &str, apart: Duration) -> Vec<(usize, Reaction)> {
    let mut told = Vec::new();
    for (index, letter) in calls.chars().enumerate() {
        world.now = world.now.plus(apart);
        told.extend(world.call(letter).audit.reactions.into_iter().map(|reaction| (index + 1, reaction)));
    }
    told
}

const THINKING: Duration = Duration::from_secs(5);

#[test]
fn a_row_that_ends_at_the_limit_was_heeded_and_one_that_goes_on_was_not() {
    let (followed, overridden) = (ReactionKind::Followed.of("repeat"), ReactionKind::Overridden.of("repeat"));
    for (audience, mode) in
        [(Audience::Model, Mode::Advise), (Audience::Both, Mode::Advise), (Audience::User, Mode::Deny)]
    {
        for (calls, expected) in [
            ("aab", vec![]),
            ("aaab", vec![(4, followed.clone())]),
            ("aaaa", vec![(4, overridden.clone())]),
            ("aaaaaaab", vec![(4, overridden.clone())]),
            ("aaabaaab", vec![(4, followed.clone()), (8, followed.clone())]),
        ] {
            assert_eq!(told(&mut world(audience, mode), calls, THINKING), expected, "{calls} {mode:?}");
        }
    }
}

#[test]
fn what_the_model_was_not_told_or_could_not_have_read_yet_tells_nothing() {
    assert_eq!(told(&mut world(Audience::User, Mode::Advise), "aaab", THINKING), []);
    let mut unseen = world(Audience::Model, Mode::Advise);
    unseen.headless = true;
    assert_eq!(told(&mut unseen, "aaab", THINKING), []);
    let almost = Duration::from_millis(499);
    assert_eq!(told(&mut world(Audience::Model, Mode::Advise), "aaab", almost), []);
    let enough = Duration::from_millis(500);
    assert_eq!(told(&mut world(Audience::Model, Mode::Advise), "aaab", enough).len(), 1);
    let mut off = world(Audience::Model, Mode::Advise);
    off.settings.repeat = ZeroOr::new(0).unwrap();
    assert_eq!(told(&mut off, "aaab", THINKING), []);
}
