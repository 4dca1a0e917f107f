//! A record is begun, ended and dropped by a word.

use std::fs;

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
    assert!(world.sessions().active("one").is_some());
    assert_eq!(world.yes(PROMPT, "start"), format!("this session is being recorded already: {ID}, 1 action"));
    let entry = world.registry().entries.remove(0);
    assert_eq!((entry.id.as_str(), entry.session.as_str()), (ID, "one"));
}

#[test]
fn a_hook_that_is_off_records_nothing() {
    let world = World::new(NOW);
    let off = world.prompt("pause-recorder off").unwrap();
    for step in off.effects {
        shared::hook::Effect::carry_out(step, &world.places, world.now).unwrap();
    }
    assert!(world.no(PROMPT, "start").contains("it is off"));
}

#[test]
fn without_an_id_no_session_touches_the_record_of_another() {
    let world = World::new(NOW);
    world.yes(Way::of("two"), "start");
    let at = world.sessions().actives()[0].modified.local();
    for verb in ["finalize", "discard"] {
        let no = world.no(PROMPT, verb);
        assert!(no.starts_with("pause-recorder: this session has no record"), "{no}");
        assert!(no.ends_with(&format!("\n  last written {at}: pause-recorder {verb} {ID}")), "{no}");
        for line in [verb.to_owned(), format!("{verb} {ID}")] {
            let no = world.no(CLAUDES_SHELL, &line);
            assert!(no.contains("the user") && no.contains(&format!("pause-recorder {verb} {ID}")), "{no}");
        }
    }
    assert_eq!(world.sessions().actives().len(), 1);
    assert!(world.yes(PROMPT, &format!("finalize {ID}")).starts_with(ID));
}

#[test]
fn a_script_outside_of_any_session_finalizes_and_does_not_discard() {
    let world = World::new(NOW);
    for session in ["one", "two"] {
        world.yes(Way::of(session), "start");
    }
    assert!(world.no(SCRIPT, "finalize").contains("several sessions"));
    for line in [format!("discard {ID}"), format!("finalize --minimal {ID}")] {
        let no = world.no(SCRIPT, &line);
        assert!(
            no.contains("for the user to decide") && no.ends_with(&format!("type: pause-recorder {line}")),
            "{no}"
        );
    }
    assert!(world.yes(SCRIPT, &format!("finalize {ID}")).starts_with(&format!("{ID} is")));
    for line in ["discard", "finalize --minimal"] {
        let no = world.no(SCRIPT, line);
        assert!(no.ends_with(&format!("type: pause-recorder {line} {ID}-2")), "{no}");
    }
    assert!(world.no(SCRIPT, "prune --older-than 0").contains("for the user to decide"));
    assert!(world.yes(SCRIPT, "finalize").starts_with(&format!("{ID}-2 is")));
}

#[test]
fn whoever_is_within_a_session_and_not_the_user_is_bound_to_its_own_record() {
    let world = World::new(NOW);
    world.yes(Way::of("two"), "start");
    for way in [
        CLAUDES_SHELL,
        Way { session: None, ..CLAUDES_SHELL },
        Way { session: Some("one"), ..SCRIPT },
        Way { caller: Caller::Untyped, ..PROMPT },
    ] {
        for line in ["finalize".to_owned(), format!("finalize {ID}")] {
            let no = world.no(way, &line);
            assert!(no.contains("the user"), "{:?}: {no}", way.caller);
        }
    }
    let own = Way { session: Some("two"), caller: Caller::Shell(Standing::NoTerminal), is_prompt: false };
    assert!(world.yes(own, "finalize").starts_with(&format!("{ID} is")));
}

#[test]
fn a_record_is_known_by_its_id_with_or_without_its_first_word_and_by_its_files_name() {
    let name = World::new(NOW).sessions().active_path("one");
    let name = name.file_name().unwrap().to_str().unwrap();
    for part in ["20261122-120000", ID, &name[13..21], name] {
        let world = World::new(NOW);
        for session in ["one", "two"] {
            world.yes(Way::of(session), "start");
        }
        let text = world.yes(TERMINAL, &format!("finalize {part}"));
        assert!(text.starts_with(&format!("{ID} is")), "{part}: {text}");
    }
}

#[test]
fn a_record_without_a_snapshot_is_listed_as_that() {
    let world = World::new(NOW);
    world.yes(PROMPT, "start");
    world.yes(PROMPT, "finalize --minimal");
    assert_eq!(world.yes(PROMPT, "list"), format!("{ID}  record only, no snapshot"));
    let json: serde_json::Value = serde_json::from_str(&world.yes(PROMPT, "list --json")).unwrap();
    assert_eq!(json["snapshots"][0]["state"], "record only");
}

#[test]
fn of_several_records_the_own_one_is_meant_or_that_of_the_id() {
    let world = World::new(NOW);
    for session in ["one", "two"] {
        world.yes(Way::of(session), "start");
    }
    let which = world.no(TERMINAL, "finalize");
    assert!(which.contains("several sessions"), "{which}");
    for line in [ID, "session-20261122-120000-2"] {
        assert!(
            which.lines().any(|told| told.ends_with(&format!(": pause-recorder finalize {line}"))),
            "{which}"
        );
    }
    assert!(world.no(TERMINAL, "finalize 2026").contains("several ids contain that"));
    assert!(world.no(TERMINAL, "finalize 1999").contains("no id contains that"));
    assert!(world.yes(PROMPT, "finalize").starts_with(&format!("{ID} is")));
    assert!(world.yes(TERMINAL, "finalize 120000-2").starts_with(&format!("{ID}-2 is")));
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
    let text = world.yes(PROMPT, "discard");
    assert_eq!(text, format!("{ID} is discarded, 1 action; nothing of it is left"));
    assert_eq!((world.names(), world.registry().entries), (Vec::new(), Vec::new()));
    assert!(world.no(PROMPT, "discard").contains("nothing is being recorded"));
    world.yes(PROMPT, "start");
    assert!(world.yes(CLAUDES_SHELL, "finalize").contains(".json"));
}

#[test]
fn a_damaged_record_can_be_discarded_and_only_that() {
    for text in [&b""[..], b"\n\n", b"{\"torn", b"\xff\xfe\0"] {
        let world = World::new(NOW);
        world.sessions().open().unwrap();
        fs::write(world.sessions().dir.join("ACTIVE-PAUSE-1234abcd.jsonl"), text).unwrap();
        assert!(
            world.yes(TERMINAL, "list").starts_with("1234abcd  no line can be read, 0 actions, not begun")
        );
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
    assert!(world.yes(TERMINAL, "list").contains("not begun on this machine"));
    world.yes(TERMINAL, "discard");
    assert!(world.sessions().file(&id, JSON).is_file());
    assert!(world.registry().of(&world.at("project"), &id).is_some());
}

#[test]
fn the_path_stands_alone_on_the_last_line() {
    for (line, end) in [("finalize", ".json"), ("finalize --minimal", "-incremental.jsonl")] {
        let world = World::new(NOW);
        world.yes(PROMPT, "start");
        let text = world.yes(PROMPT, line);
        let path = world.sessions().dir.join(format!("{ID}{end}"));
        assert_eq!(text, format!("{ID} is finalized, 1 action:\n{}", path.display()));
        assert!(path.is_file(), "{line}");
        assert!(world.sessions().actives().is_empty());
        assert_eq!(world.no(PROMPT, "finalize"), "pause-recorder: nothing is being recorded in this project");
    }
}
