//! A record is begun, ended and dropped by a word.

use std::fs;

use shared::hook::Effect;
use shared::operator::{Caller, Standing};

use super::{NOW, PROMPT, TERMINAL, Way};
use crate::record::{ARCHIVE, JSON};
use crate::tests::World;

const ID: &str = "session-20261122-120000";

#[test]
fn a_session_is_recorded_once() {
    let world = World::new(NOW);
    assert!(world.no(TERMINAL, "start").contains("there is no session here"));
    let text = world.yes(PROMPT, "start");
    assert!(text.starts_with("from here on this session is recorded in .claude/sessions"), "{text}");
    assert!(world.yes(PROMPT, "start").starts_with("this session is being recorded already"));
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
        assert_eq!(world.sessions().file(ID, JSON).exists(), end == JSON);
        assert!(world.no(PROMPT, "finalize").contains("nothing is being recorded"));
    }
}

#[test]
fn record_of_another_session_needs_its_id() {
    for verb in ["finalize", "discard"] {
        let world = World::new(NOW);
        world.yes(Way::of("two"), "start");
        assert!(world.no(PROMPT, verb).contains("nothing is being recorded"));
        assert!(
            world.no(PROMPT, &format!("{verb} session-20250101-000000")).contains("no record has the id")
        );
        assert!(world.yes(PROMPT, &format!("{verb} {ID}")).starts_with(ID));
    }
}

#[test]
fn only_the_user_loses_what_was_recorded_or_touches_another_sessions_record() {
    let world = World::new(NOW);
    let inside = Way { caller: Caller::Shell(Standing::InsideClaude), ..PROMPT };
    world.yes(inside, "start");
    for line in ["finalize --minimal", "discard"] {
        let end = format!("type: pause-recorder {line} {ID}");
        for way in [inside, Way { caller: Caller::Untyped, ..PROMPT }] {
            assert!(world.no(way, line).ends_with(&end), "{line}");
        }
    }
    assert!(world.no(inside, "prune").ends_with("type: pause-recorder prune --older-than 90"));
    let other = Way { session: Some("two"), ..inside };
    assert!(
        world.no(other, &format!("finalize {ID}")).ends_with(&format!("type: pause-recorder finalize {ID}"))
    );
    let script = Way { session: None, caller: Caller::Shell(Standing::NoTerminal) };
    assert!(world.no(script, "discard").contains("no terminal"));
    assert!(world.yes(script, "finalize").starts_with(ID));
}

#[test]
fn only_record_is_meant_outside_of_sessions() {
    let world = World::new(NOW);
    for session in ["one", "two"] {
        world.yes(Way::of(session), "start");
    }
    assert!(world.no(TERMINAL, "finalize").contains("there are several"));
    assert!(world.yes(PROMPT, "finalize").starts_with(&format!("{ID} is")));
    assert!(world.yes(TERMINAL, "finalize").starts_with(&format!("{ID}-2 is")));
}

#[test]
fn discard_leaves_nothing() {
    let world = World::new(NOW);
    world.yes(PROMPT, "start");
    let text = world.yes(PROMPT, &format!("discard {ID}"));
    assert_eq!(text, format!("{ID} is discarded, 1 action; nothing of it is left"));
    assert_eq!((world.names(), world.registry().entries), (Vec::new(), Vec::new()));
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
