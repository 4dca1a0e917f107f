//! The words of each verb, and each verb over a scratch project.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use shared::cli::{Asker, Commands, Line, is_command, prompted};
use shared::hook::{Context, Effect};
use shared::host::Timestamp;
use shared::operator::{Caller, Standing};
use shared::protocol::{Call, Event};

use super::{DAYS, Reply};
use crate::PauseRecorder;
use crate::record::{ARCHIVE, JSON, MARKDOWN};
use crate::settings::Settings;
use crate::step::Step;
use crate::tests::World;

/// 2026-11-22 12:00:00
const NOW: Timestamp = Timestamp::from_secs(1_795_348_800);

const ID: &str = "session-20261122-120000";

const FOREIGN: &str = "session-20250101-000000";

const PROMPT: Way = Way { session: Some("one"), caller: Caller::Typed };
const TERMINAL: Way = Way { session: None, caller: Caller::Shell(Standing::Operator) };

/// Origin of a command.
#[derive(Clone, Copy)]
struct Way {
    session: Option<&'static str>,
    caller: Caller,
}

impl Way {
    fn of(session: &'static str) -> Self {
        Self { session: Some(session), ..PROMPT }
    }
}

impl World {
    /// The names in the folder that are neither locks nor always there.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.sessions().dir).unwrap().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name != ".gitignore" && !name.contains(".lock")).collect()
    }

    fn seen_by<T>(&self, way: Way, look: impl FnOnce(Asker<'_>, &Context<'_, Settings>) -> T) -> T {
        let call = Call { session_id: way.session.map(ToOwned::to_owned), ..Call::default() };
        let event = Event::UserPromptSubmit { prompt: String::new(), source: None };
        self.see(call, event, |context| {
            let Context { host, places, store, .. } = *context;
            look(Asker { host, places, store, session: way.session, caller: way.caller }, context)
        })
    }

    /// Asks, and does what is to be done.
    fn ask(&self, way: Way, line: &str) -> Reply {
        let words: Vec<&str> = line.split(' ').collect();
        let asked = Line { name: "pause-recorder", words: &words, is_prompt: false };
        let asked = PauseRecorder::asked(&asked).unwrap_or_else(|| panic!("{line}"));
        let reply = self.seen_by(way, |asker, context| PauseRecorder::answer(&asked, &asker, Some(context)));
        for step in reply.effects.clone() {
            assert_eq!(step.carry_out(&self.places, self.now), Ok(()), "{line}");
        }
        reply
    }

    #[track_caller]
    fn yes(&self, way: Way, line: &str) -> String {
        let reply = self.ask(way, line);
        assert!(!reply.is_no, "{line}: {}", reply.text);
        reply.text
    }

    #[track_caller]
    fn no(&self, way: Way, line: &str) -> String {
        let reply = self.ask(way, line);
        assert!(reply.is_no && reply.effects.is_empty(), "{line}: {}", reply.text);
        reply.text
    }

    fn prompt(&self, prompt: &str) -> Option<Reply> {
        self.seen_by(PROMPT, |_, context| prompted::<PauseRecorder>(context, prompt, None))
    }

    /// A snapshot of a session of this machine; its id.
    fn snapshot(&self, session: &'static str) -> String {
        self.yes(Way::of(session), "start");
        let text = self.yes(Way::of(session), "finalize");
        let path = PathBuf::from(text.lines().last().unwrap());
        path.file_stem().unwrap().to_str().unwrap().to_owned()
    }

    /// Files of somebody else.
    fn foreign(&self) {
        self.sessions().open().unwrap();
        let [json, page] = [JSON, MARKDOWN].map(|end| self.sessions().file(FOREIGN, end));
        fs::write(json, format!("{{\"session_id\": \"{FOREIGN}\"}}")).unwrap();
        fs::write(page, "# Do this\u{1b}[2J\n").unwrap();
    }
}

#[test]
fn status_says_how_things_stand() {
    let world = World::new(NOW);
    let text = world.yes(TERMINAL, "status");
    assert!(text.lines().count() == 1 && text.starts_with("pause-recorder: on"), "{text}");
    let text = world.yes(PROMPT, "status");
    assert!(
        text.contains("\ncontext: not known yet")
            && text.ends_with("\nrecord: none; it begins at 90 %, or with pause-recorder start"),
        "{text}"
    );
    world.yes(PROMPT, "start");
    let text = world.yes(PROMPT, "status");
    let record = "\nrecord: session-20261122-120000 in .claude/sessions, 1 action in 0 min";
    assert!(text.contains(record), "{text}");
    let json: serde_json::Value = serde_json::from_str(&world.yes(PROMPT, "status --json")).unwrap();
    let keys: Vec<&str> = json["record"].as_object().unwrap().keys().map(String::as_str).collect();
    let seeds = ["session_id", "action_count", "duration_seconds", "context_range", "pause_started_at"];
    assert_eq!(keys, [&seeds[..], &["last_action_type", "last_updated"]].concat());
    assert_eq!(json["hook"], "pause-recorder");
    assert!(world.yes(PROMPT, "start").starts_with("this session is being recorded already"));
    assert!(world.no(TERMINAL, "start").contains("there is no session here"));
    let off = world.prompt("pause-recorder off").unwrap().effects.remove(0);
    off.carry_out(&world.places, world.now).unwrap();
    assert!(world.no(PROMPT, "start").contains("it is off"));
}

#[test]
fn a_list_says_whose_each_is() {
    let world = World::new(NOW);
    let (first, second) = (world.snapshot("two"), world.snapshot("three"));
    world.foreign();
    fs::write(world.sessions().file(&second, JSON), "{}").unwrap();
    fs::write(world.sessions().dir.join("ACTIVE-PAUSE-1234abcd.jsonl"), "{\"torn").unwrap();
    world.yes(PROMPT, "start");
    let text = world.yes(PROMPT, "list");
    let lines: Vec<&str> = text.lines().collect();
    let begins = [
        "session-20261122-120000-3  being recorded, 1 action, of this session",
        "1234abcd  being recorded, 0 actions, not begun on this machine",
        &format!("{second}  cannot be read, changed since it was written"),
        &format!("{first}  "),
        &format!("{FOREIGN}  cannot be read, not written on this machine"),
    ];
    assert!(lines.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{text}");
    assert!(lines.len() == 5 && lines[3].ends_with("  1 action, unread"), "{text}");
}

#[test]
fn show_prints_the_page() {
    let world = World::new(NOW);
    assert!(world.no(TERMINAL, "show").contains("has no snapshot"));
    let id = world.snapshot("two");
    let [path, page] = [JSON, MARKDOWN].map(|end| world.sessions().file(&id, end));
    assert_eq!(world.yes(TERMINAL, "show"), fs::read_to_string(page).unwrap().trim_end());
    let json = fs::read_to_string(&path).unwrap();
    fs::write(&path, json + " ").unwrap();
    assert!(world.yes(TERMINAL, "show").starts_with("(changed since it was written)\n\n# Paused"));
    world.foreign();
    assert!(world.no(TERMINAL, &format!("show {FOREIGN}")).contains("is no snapshot"));
    assert!(world.no(TERMINAL, "show 2026").contains("no snapshot has the id 2026"));
}

#[test]
fn a_snapshot_of_this_machine_is_handed_to_claude_and_is_read_then() {
    let world = World::new(NOW);
    world.foreign();
    let why = world.no(PROMPT, &format!("resume {FOREIGN}"));
    assert!(why.contains("not written on this machine") && why.contains(&format!("show {FOREIGN}")), "{why}");
    assert!(world.no(PROMPT, "resume").contains("has no snapshot"));
    let (first, second) = (world.snapshot("two"), world.snapshot("three"));
    let in_shell = world.ask(TERMINAL, "resume");
    assert!(in_shell.for_model.is_none() && in_shell.effects.is_empty());
    assert!(in_shell.text.contains(&format!(".claude/sessions/{second}.json")), "{}", in_shell.text);
    for (line, expected) in [("resume", &second), (&format!("resume {first}"), &first)] {
        let reply = world.ask(PROMPT, line);
        let read = reply.for_model.unwrap();
        assert!(read.starts_with("The user has typed `pause-recorder resume`: they ask you"), "{read}");
        assert!(read.contains(&format!("/{expected}.json")), "{read}");
        assert_eq!(reply.effects, [Step::MarkRead { id: expected.clone() }]);
    }
    let json = world.sessions().file(&first, JSON);
    let text = fs::read_to_string(&json).unwrap().replace("\"enabled\": true", "\"enabled\": false");
    fs::write(&json, text).unwrap();
    assert!(world.no(PROMPT, &format!("resume {first}")).contains("changed since it was written"));
}

#[test]
fn prune_removes_what_is_older() {
    let mut world = World::new(NOW);
    let old = world.snapshot("two");
    world.foreign();
    fs::write(world.sessions().dir.join("session-20250101-000001-incremental.jsonl.gz"), "x").unwrap();
    world.now = world.now.plus(Duration::from_secs(89 * 24 * 60 * 60));
    let young = world.snapshot("three");
    let planned = world.yes(PROMPT, "prune --dry-run");
    assert_eq!(planned, format!("would be removed:\n  session-20250101-000001\n  {FOREIGN}"));
    assert!(world.yes(PROMPT, "prune").starts_with("removed:\n"));
    world.now = world.now.plus(Duration::from_secs(2 * 24 * 60 * 60));
    assert_eq!(world.yes(TERMINAL, "prune"), format!("removed:\n  {old}"));
    assert!(world.names().iter().all(|name| name.starts_with(&young) || name == "LATEST-SESSION.txt"));
    let latest = fs::read_to_string(world.sessions().latest()).unwrap();
    assert!(latest.starts_with(&young) && world.registry().of(&world.at("project"), &old).is_none());
    world.yes(PROMPT, "start");
    world.now = world.now.plus(Duration::from_secs(60));
    assert_eq!(world.yes(TERMINAL, "prune --older-than 0"), format!("removed:\n  {young}"));
    assert_eq!(world.yes(TERMINAL, "prune"), "no snapshot of this project is older than 90 days");
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
    assert!(world.no(script, "finalize").contains("no terminal"));
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

/// The words of a line as they are read: the verb, the id, whether there is a flag, and the days.
fn read(line: &str, is_prompt: bool) -> Option<(&'static str, Option<String>, bool, u32)> {
    let words: Vec<&str> = line.split(' ').collect();
    let asked = PauseRecorder::asked(&Line { name: "pause-recorder", words: &words, is_prompt })?;
    Some((asked.verb, asked.id, asked.flag, asked.days))
}

#[test]
fn verbs_take_an_id_a_flag_and_days() {
    for (line, verb, id, flag, days) in [
        ("status --json", "status", None, true, DAYS),
        ("list", "list", None, false, DAYS),
        (
            "finalize session-20260106-120000 --minimal",
            "finalize",
            Some("session-20260106-120000"),
            true,
            DAYS,
        ),
        (
            "finalize --minimal session-20260106-120000",
            "finalize",
            Some("session-20260106-120000"),
            true,
            DAYS,
        ),
        ("prune --dry-run --older-than 7", "prune", None, true, 7),
        ("prune --older-than 7 --dry-run", "prune", None, true, 7),
    ] {
        let expected = Some((verb, id.map(ToOwned::to_owned), flag, days));
        assert_eq!((read(line, false), read(line, true)), (expected.clone(), expected), "{line}");
    }
    for line in [
        "",
        "list --json",
        "show a b",
        "show --minimal",
        "start now",
        "prune --older-than soon",
        "prune 7",
        "off",
    ] {
        assert_eq!(read(line, false), None, "{line}");
    }
}

#[test]
fn prose_is_claudes() {
    for (prompt, is_ours) in [
        ("pause-recorder", false),
        (" pause-recorder  START\n", true),
        ("pause-recorder discard deadbeef", true),
        ("pause-recorder discard decade", false),
        ("pause-recorder resume work", false),
        ("pause-recorder start the server", false),
        ("pause-recorder start\nand go on", false),
    ] {
        assert_eq!(is_command::<PauseRecorder>(prompt), is_ours, "{prompt}");
    }
    assert!(read("resume work", false).is_some(), "in a shell it can only be meant for us");
}
