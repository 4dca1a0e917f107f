//! A record is begun, ended and dropped by a word.

use std::fs;

use shared::hook::Effect;
use shared::operator::{Caller, Standing};

use super::{CLAUDES_SHELL, NOW, PROMPT, SCRIPT, TERMINAL, Way};
use crate::record::{ARCHIVE, JSON};
use crate::tests::World;

const ID: &str = "session-20261122-120000";

#[test]
fn a_session_is_recorded_once() {
    let world = World::new(NOW);
    assert!(world.no(TERMINAL, "start").contains("there is no session here"));
    let text = world.yes(CLAUDES_SHELL, "start");
    assert!(text.starts_with("from here on this session is recorded in .claude/sessions"), "{text}");
    assert_eq!(world.yes(PROMPT, "start"), format!("this session is being recorded already: {ID}, 1 action"));
    let entry = world.registry().entries.remove(0);
    assert_eq!((entry.id.as_str(), entry.session.as_str()), (ID, "one"));
    let off = world.prompt("pause-recorder off").unwrap().effects.remove(0);
    off.carry_out(&world.places, world.now).unwrap();
    assert!(world.no(PROMPT, "start").contains("it is off"));
}

#[test]
fn path_stands_alone_on_the_last_line() {
    for (line, end) in [("finalize", JSON), ("finalize --minimal", ARCHIVE)] {
        let world = World::new(NOW);
        world.yes(PROMPT, "start");
        let path = world.sessions().file(ID, end);
        assert_eq!(world.yes(PROMPT, line), format!("{ID} is finalized, 1 action:\n{}", path.display()));
        assert!(path.is_file() && world.sessions().actives().is_empty(), "{line}");
        assert_eq!(world.no(PROMPT, "finalize"), "pause-recorder: nothing is being recorded in this project");
    }
}

#[test]
fn record_of_another_session_is_the_users_and_needs_its_id() {
    let world = World::new(NOW);
    world.yes(Way::of("two"), "start");
    let at = world.sessions().actives()[0].modified.local();
    for verb in ["finalize", "discard"] {
        let no = world.no(PROMPT, verb);
        assert!(no.starts_with("pause-recorder: this session has no record"), "{no}");
        assert!(no.ends_with(&format!("\n  last written {at}: pause-recorder {verb} {ID}")), "{no}");
        for way in [
            CLAUDES_SHELL,
            Way { session: None, ..CLAUDES_SHELL },
            Way { session: Some("one"), ..SCRIPT },
            Way { caller: Caller::Untyped, ..PROMPT },
        ] {
            for line in [verb.to_owned(), format!("{verb} {ID}")] {
                let no = world.no(way, &line);
                assert!(
                    no.contains("the user") && no.contains(&format!("pause-recorder {verb} {ID}")),
                    "{no}"
                );
            }
        }
    }
    let own = Way { session: Some("two"), caller: Caller::Shell(Standing::NoTerminal), is_prompt: false };
    assert!(world.yes(own, "finalize").starts_with(&format!("{ID} is")));
    world.yes(Way::of("two"), "start");
    assert!(world.yes(PROMPT, &format!("finalize {ID}-2")).starts_with(ID));
}

#[test]
fn a_script_outside_of_any_session_finalizes_and_does_not_discard() {
    let world = World::new(NOW);
    for session in ["one", "two"] {
        world.yes(Way::of(session), "start");
    }
    assert!(world.no(SCRIPT, "finalize").contains("there are several"));
    assert!(world.yes(SCRIPT, &format!("finalize {ID}")).starts_with(&format!("{ID} is")));
    for line in ["discard", "finalize --minimal"] {
        let no = world.no(SCRIPT, line);
        assert!(no.ends_with(&format!("type: pause-recorder {line} {ID}-2")), "{no}");
    }
    assert!(world.no(SCRIPT, "prune --older-than 0").contains("for the user to decide"));
    assert!(world.yes(SCRIPT, "finalize").starts_with(&format!("{ID}-2 is")));
}

#[test]
fn only_the_user_discards_or_drops_the_snapshot() {
    let world = World::new(NOW);
    world.yes(PROMPT, "start");
    for line in ["finalize --minimal", "discard"] {
        let refused = world.no(CLAUDES_SHELL, line);
        let end = format!("type: pause-recorder {line} {ID}");
        assert!(refused.starts_with("pause-recorder: ") && refused.ends_with(&end), "{refused}");
    }
    let text = world.yes(PROMPT, "discard 20261122-120000");
    assert_eq!(text, format!("{ID} is discarded, 1 action; nothing of it is left"));
    assert_eq!((world.names(), world.registry().entries), (Vec::new(), Vec::new()));
    assert!(world.no(PROMPT, "discard").contains("nothing is being recorded"));
}

#[test]
fn a_damaged_record_can_be_discarded_and_only_that() {
    for text in [&b""[..], b"{\"torn", b"\xff\xfe\0"] {
        let world = World::new(NOW);
        world.sessions().open().unwrap();
        fs::write(world.sessions().dir.join("ACTIVE-PAUSE-1234abcd.jsonl"), text).unwrap();
        let no = world.no(TERMINAL, "finalize");
        assert!(no.ends_with("pause-recorder discard 1234abcd removes it"), "{no}");
        world.yes(TERMINAL, "discard 1234abcd");
        assert!(world.sessions().actives().is_empty());
    }
}

#[test]
fn somebody_elses_record_touches_nothing_of_ours() {
    let world = World::new(NOW);
    let id = world.snapshot("one");
    let ours = fs::read(world.sessions().file(&id, ARCHIVE)).unwrap();
    fs::write(world.sessions().dir.join("ACTIVE-PAUSE-foreign1.jsonl"), ours).unwrap();
    world.yes(TERMINAL, "discard");
    assert!(world.sessions().file(&id, JSON).is_file() && world.sessions().actives().is_empty());
    assert!(world.registry().of(&world.at("project"), &id).is_some());
}
