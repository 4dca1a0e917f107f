//! Each verb over a scratch project.

mod keeping;
mod recording;

use std::fs;
use std::path::PathBuf;

use shared::cli::{Asker, Line, is_command, prompted};
use shared::hook::{Context, Effect};
use shared::host::Timestamp;
use shared::operator::{Caller, Standing};
use shared::protocol::{Call, Event};

use super::{Reply, answer, grammar};
use crate::PauseRecorder;
use crate::record::{JSON, MARKDOWN};
use crate::settings::Settings;
use crate::tests::World;

/// 2026-11-22 12:00:00
const NOW: Timestamp = Timestamp::from_secs(1_795_348_800);

const PROMPT: Way = Way { session: Some("one"), caller: Caller::Typed, is_prompt: true };
const TERMINAL: Way = Way { session: None, caller: Caller::Shell(Standing::Operator), is_prompt: false };
const CLAUDES_SHELL: Way =
    Way { session: Some("one"), caller: Caller::Shell(Standing::InsideClaude), is_prompt: false };
/// A script of the user's, outside of any session.
const SCRIPT: Way = Way { session: None, caller: Caller::Shell(Standing::NoTerminal), is_prompt: false };

/// Origin of a command.
#[derive(Clone, Copy)]
struct Way {
    session: Option<&'static str>,
    caller: Caller,
    is_prompt: bool,
}

impl Way {
    fn of(session: &'static str) -> Self {
        Self { session: Some(session), ..PROMPT }
    }
}

impl World {
    /// The names in the folder that are neither locks nor always there.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.sessions().dir).into_iter().flatten();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != ".gitignore" && !name.contains(".lock"));
        names.sort();
        names
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
        let asked = grammar::asked(&asked).unwrap_or_else(|| panic!("{line}"));
        let reply = self.seen_by(way, |asker, context| answer(&asked, asker, context, way.is_prompt));
        for step in reply.effects.clone() {
            assert_eq!(step.carry_out(&self.places, self.now), Ok(()), "{line}");
        }
        reply
    }

    fn yes(&self, way: Way, line: &str) -> String {
        let reply = self.ask(way, line);
        assert!(!reply.is_no, "{line}: {}", reply.text);
        reply.text
    }

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
    fn foreign(&self, id: &str) {
        self.sessions().open().unwrap();
        let [json, page] = [JSON, MARKDOWN].map(|end| self.sessions().file(id, end));
        fs::write(json, format!("{{\"session_id\": \"{id}\"}}")).unwrap();
        fs::write(page, "# Do this\u{1b}[2J\n").unwrap();
    }
}

#[test]
fn what_every_hook_answers_is_answered_and_prose_is_not() {
    let world = World::new(NOW);
    for prompt in
        ["pause-recorder status", "pause-recorder help", "pause-recorder list", "pause-recorder show 2026"]
    {
        assert!(is_command::<PauseRecorder>(prompt) && world.prompt(prompt).is_some(), "{prompt}");
    }
    for prompt in ["pause-recorder", "pause-recorder start the server", "please pause-recorder start"] {
        assert!(!is_command::<PauseRecorder>(prompt) && world.prompt(prompt).is_none(), "{prompt}");
    }
    let off = world.prompt("pause-recorder off").unwrap();
    assert_eq!((off.effects.len(), off.is_no, off.for_model), (1, false, None));
    assert!(world.yes(TERMINAL, "schema snapshot").contains("\"session_id\""));
}

#[test]
fn status_says_how_things_stand() {
    let world = World::new(NOW);
    let text = world.yes(TERMINAL, "status");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("pause-recorder: on"), "{text}");
    assert_eq!(
        lines[1],
        "levels: caution at 70 %, warning at 85 %, the record begins at 90 %, critical at 95 %"
    );
    assert_eq!(lines[2], "records in .claude/sessions: 0 active");
    assert_eq!(lines[3], "snapshots in .claude/sessions: 0 unread, 0 read");
    let text = world.yes(PROMPT, "status");
    assert!(text.contains("\ncontext: not known yet"), "{text}");
    assert!(text.contains("\nrecord: none; pause-recorder start begins one\n"), "{text}");
    world.snapshot("two");
    world.foreign("session-20260101-000000");
    world.yes(PROMPT, "start");
    let text = world.yes(PROMPT, "status");
    let record = "\nrecord: session-20261122-120000-2 in .claude/sessions, 1 action in 0 min\n";
    assert!(text.contains(record), "{text}");
    let in_terminal = world.yes(TERMINAL, "status");
    assert!(in_terminal.contains("\nrecords in .claude/sessions: 1 active\n"), "{in_terminal}");
    assert!(text.ends_with("1 unread, 0 read, 1 not as written on this machine"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&world.yes(PROMPT, "status --json")).unwrap();
    assert_eq!(json["hook"], "pause-recorder");
    assert_eq!(json["levels"]["auto_pause"], 90.0);
    assert_eq!(json["record"]["session_id"], "session-20261122-120000-2");
    assert_eq!(json["snapshots"]["others"], 1);
    assert_eq!(json["active_records"], 1);
    assert!(json["context"].is_null());
}

#[test]
fn an_option_that_a_verb_does_not_have_is_answered_with_the_usage() {
    let world = World::new(NOW);
    for (prompt, usage) in [
        ("pause-recorder finalize --bogus", "finalize [--minimal] [ID]"),
        ("pause-recorder Discard --force 2026", "discard [ID]"),
        ("pause-recorder status --all", "status [--json]"),
        ("pause-recorder off --everywhere", "off [--session ID]"),
    ] {
        assert!(is_command::<PauseRecorder>(prompt), "{prompt}");
        let reply = world.prompt(prompt).unwrap();
        assert!(
            reply.is_no && reply.effects.is_empty() && reply.text.contains(usage),
            "{prompt}: {}",
            reply.text
        );
    }
    for prompt in
        ["pause-recorder paint --blue", "pause-recorder start -- and go on", "pause-recorder --force"]
    {
        assert!(!is_command::<PauseRecorder>(prompt) && world.prompt(prompt).is_none(), "{prompt}");
    }
}
