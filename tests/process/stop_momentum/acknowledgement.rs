//! The token's life: shown with a block, asked for again, accepted once, forgotten with the session. State files of newer
//! versions are part of it.

use crate::driver::is_block;
use crate::gate::{Gate, INSISTS, WORDS, token};
use std::collections::BTreeSet;

#[test]
fn the_right_token_lets_go_and_is_forgotten() {
    let gate = Gate::new(INSISTS);
    let token = token(&gate.blocked(WORDS));
    gate.passes(&format!("Everything is done: {token}."));
    assert!(!gate.token_file().exists());
    assert!(gate.journal().contains("acknowledged"), "{}", gate.journal());
}

#[test]
fn the_end_of_a_session_leaves_nothing_of_it_and_all_of_the_others() {
    let gate = Gate::new("stop-momentum: {enabled: true, unheard_of: 1}\n");
    let other = gate.session.clone().with_id("another-session");
    crate::gate::worked(&other);
    assert!(is_block(&gate.ask(&other.stop(WORDS)).unwrap()));
    let before = gate.state_names();
    gate.blocked(WORDS);
    let own: Vec<_> = gate.state_names().into_iter().filter(|name| name.contains(&gate.session.id)).collect();
    assert!(own.len() >= 3, "token, count and what was told: {own:?}");

    assert_eq!(gate.ask(&gate.session.session_end("other")), None);

    assert_eq!(gate.state_names(), before.union(&BTreeSet::from(["swept".to_owned()])).cloned().collect());
}
