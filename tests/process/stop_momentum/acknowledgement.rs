//! The token's life: shown with a block, asked for again, accepted once, forgotten with the session. State files of the
//! original tool and of newer versions are part of it.

use crate::driver::is_block;
use crate::gate::{Gate, INSISTS, ON, WORDS, other_token, token};
use std::collections::BTreeSet;
use std::fs;

#[test]
fn blocks_a_stop_after_work_and_gives_a_token() {
    let gate = Gate::new(ON);
    let token = token(&gate.blocked(WORDS));
    assert!(fs::read_to_string(gate.token_file()).unwrap().contains(&token));
}

#[test]
fn a_wrong_token_is_blocked_again_with_another_token() {
    let gate = Gate::new(INSISTS);
    let first = token(&gate.blocked(WORDS));
    let second = token(&gate.blocked(&format!("Done, {}.", other_token(&first))));
    assert_ne!(first, second);
    let third = token(&gate.blocked(&format!("Done, {first}.")));
    assert_ne!(second, third, "a token that was replaced is none");
}

#[test]
fn the_right_token_lets_go_and_is_forgotten() {
    let gate = Gate::new(INSISTS);
    let token = token(&gate.blocked(WORDS));
    gate.passes(&format!("Everything is done: {token}."));
    assert!(!gate.token_file().exists());
    assert!(gate.journal().contains("acknowledged"), "{}", gate.journal());
}

#[test]
fn one_acknowledgement_is_enough_for_a_prompt_and_a_token_works_once() {
    let mut gate = Gate::new(INSISTS);
    let message = format!("Done. {}", token(&gate.blocked(WORDS)));
    gate.passes(&message);
    // Another hook has sent the turn on meanwhile.
    gate.passes(WORDS);
    gate.session.prompt_id = "another-turn".to_owned();
    crate::gate::worked(&gate.session);
    gate.blocked(&message);
}

#[test]
fn a_token_holds_in_the_next_turn_of_the_session() {
    let gate = Gate::new(ON);
    let token = token(&gate.blocked(WORDS));
    let next = gate.session.clone().with_prompt_id("another-turn");
    crate::gate::worked(&next);
    assert_eq!(gate.ask(&next.stop(&format!("Done. {token}"))), None);
}

#[test]
fn a_token_of_one_session_means_nothing_in_another() {
    let gate = Gate::new(ON);
    let token = token(&gate.blocked(WORDS));
    let other = gate.session.clone().with_id("another-session");
    crate::gate::worked(&other);
    assert!(is_block(&gate.ask(&other.stop(&format!("Done. {token}"))).unwrap()));
}

#[test]
fn insisting_blocks_three_stops_of_a_turn_and_then_lets_go() {
    let gate = Gate::new(INSISTS);
    assert_eq!(gate.blocks_in_a_row(), 3);
    assert!(!gate.token_file().exists());
    assert!(gate.journal().contains("let go without acknowledgement"), "{}", gate.journal());
}

#[test]
fn without_insisting_one_stop_of_a_turn_is_blocked() {
    assert_eq!(Gate::new(ON).blocks_in_a_row(), 1);
}

#[test]
fn each_turn_is_counted_for_itself() {
    let mut gate = Gate::new(ON);
    assert_eq!(gate.blocks_in_a_row(), 1);
    gate.session.prompt_id = "another-turn".to_owned();
    crate::gate::worked(&gate.session);
    assert_eq!(gate.blocks_in_a_row(), 1);
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

#[test]
fn the_end_of_a_session_is_noticed_by_a_hook_that_was_switched_off_meanwhile() {
    let gate = Gate::new(ON);
    gate.blocked(WORDS);
    gate.sandbox.requirements(tests::sandbox::Level::User, "stop-momentum: {enabled: false}\n");
    assert_eq!(gate.ask(&gate.session.session_end("clear")), None);
    assert!(!gate.token_file().exists());
}

#[test]
fn the_bare_token_of_the_original_tool_is_accepted() {
    let gate = Gate::new(INSISTS);
    fs::write(gate.token_file(), "ACK-X7K2\n").unwrap();
    gate.blocked("Done. ACK-X7K3");
    fs::write(gate.token_file(), "ACK-X7K2").unwrap();
    gate.passes("Done. ACK-X7K2");
    assert!(!gate.token_file().exists());
}

#[test]
fn state_of_a_newer_version_is_left_alone_and_the_stop_passes() {
    let gate = Gate::new(ON);
    let blocks = gate.state(&format!("{}-blocks.json", gate.session.id));
    let newer = format!(
        r#"{{"version":999,"session":"{}","state":{{"token":"ACK-AAAA"}},"more":1}}"#,
        gate.session.id
    );
    for file in [gate.token_file(), blocks] {
        fs::write(&file, &newer).unwrap();
        gate.passes(WORDS);
        gate.passes("Done. ACK-AAAA");
        assert_eq!(fs::read_to_string(&file).unwrap(), newer, "{}", file.display());
        assert!(gate.journal().contains("newer version"), "{}", gate.journal());
        fs::remove_file(&file).unwrap();
    }
    gate.blocked(WORDS);
}
