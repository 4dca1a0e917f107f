//! Commands as tables: who asks for what, what they read, what is changed. A [`Scene`] is kept in memory, a [`Fixture`] has files.

mod listing;
mod satisfy;
#[path = "../../src/tests/session.rs"]
mod session;
mod status;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use requirements_check::satisfactions::Key;
use requirements_check::state::Entry;
use serde_json::Value;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::{Caller, Standing};

use crate::location::Location;
use crate::reply::Answer;
use crate::request::{Known, RequestContext};
use crate::run;
use crate::verb::{Verb, parse_words};
use requirements_check::world::View;
use session::{OTHER, ROOT, SESSION, Scene};

pub(crate) const USER: Caller = Caller::Shell(Standing::Operator);
pub(crate) const CLAUDE: Caller = Caller::Shell(Standing::InsideClaude);
const SCRIPT: Caller = Caller::Shell(Standing::NoTerminal);

/// Everybody who can ask, the user first.
const ALL: [Caller; 5] = [USER, Caller::Typed, CLAUDE, SCRIPT, Caller::Untyped];

/// The verb of a command line.
#[track_caller]
pub(crate) fn verb_of(line: &str) -> Verb {
    let commands = command_line::parse(line).commands.unwrap();
    parse_words(&commands[0].words[1..]).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn location(environment: Environment, now: Timestamp, caller: Caller, line: &str) -> Location {
    let host = Host { started: now, clock: Clock::Fixed(now), environment };
    Location::of(host, Places::open_store, caller, line).unwrap()
}

/// Two sessions and two branches.
fn known() -> Known {
    let heads = ["feature", "main"].map(|name| Key::Branch(name.to_owned()));
    let sessions = vec![OTHER.to_owned(), SESSION.to_owned()];
    Known { sessions, heads: Some(heads.into()), ..Known::default() }
}

impl Scene {
    /// A session that is live here since a minute, and was seen so many seconds ago.
    fn live(&mut self, session: &str, seen_secs: i64) {
        let ago = |secs: i64| Timestamp::from_micros(self.now.micros() - secs * 1_000_000);
        self.known.live.push(Entry {
            session: session.to_owned(),
            project: PathBuf::from(ROOT),
            branch: Some("feature".to_owned()),
            started_at: ago(60).micros() / 1_000_000,
            touched: ago(seen_secs),
            ..Entry::default()
        });
    }

    /// Answers a command line of `req` and carries out its changes.
    #[track_caller]
    fn req(&mut self, words: &str, caller: Caller) -> Answer {
        let line = format!("req {words}");
        let (session_id, project_dir) = (self.session.clone(), Some(PathBuf::from(ROOT)));
        let environment = Environment { session_id, project_dir, ..Environment::default() };
        let mut location = location(environment, self.now, caller, &line);
        location.section.settings = self.settings.clone();
        let view = self.view();
        let asked = RequestContext { location: &location, view: &view, known: &self.known };
        let reply = match &verb_of(&line) {
            Verb::Status(wanted) => {
                let session = asked.session(wanted.session.as_deref())?;
                let view = View { session: session.as_deref(), ..view };
                RequestContext { view: &view, ..asked }.status(wanted)
            }
            Verb::Satisfy(wanted) => asked.satisfy(wanted),
            Verb::Approve(wanted) => asked.except(wanted, "approve"),
            Verb::Waive(wanted) => asked.except(wanted, "waive"),
            Verb::Clear(wanted) => asked.clear(wanted),
            Verb::List(output) => Ok(asked.list(output.json)),
            Verb::Prune => crate::listing::prune(&asked),
            Verb::Sessions(output) => Ok(asked.sessions(output.json)),
            _ => panic!("{line}: not about requirements"),
        }?;
        self.carry_out(&reply.changes);
        Ok(reply)
    }

    #[track_caller]
    fn yes(&mut self, words: &str, caller: Caller) -> String {
        self.req(words, caller).unwrap_or_else(|why| panic!("req {words}: {why}")).text
    }

    #[track_caller]
    fn no(&mut self, words: &str, caller: Caller) -> String {
        let Err(why) = self.req(words, caller) else { panic!("req {words} is answered") };
        why.to_string()
    }

    #[track_caller]
    fn json(&mut self, words: &str) -> Value {
        serde_json::from_str(&self.yes(words, CLAUDE)).unwrap()
    }
}

pub(crate) const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);

/// A home and a project in it.
pub(crate) struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    /// With these files, each by its path from the home directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        for (file, text) in [("project/.git/HEAD", "")].iter().chain(files) {
            let path = fixture.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fixture
    }

    pub(crate) fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(file)
    }

    pub(crate) fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_default()
    }

    /// The answer to a command line of `req`, or why not.
    #[track_caller]
    pub(crate) fn ask(&self, line: &str, caller: Caller, session: Option<&str>) -> Result<String, String> {
        let line = format!("req {line}");
        let environment = Environment {
            home: Some(self.path("")),
            project_dir: Some(self.path("project")),
            session_id: session.map(ToOwned::to_owned),
            ..Environment::default()
        };
        let answer = run(&verb_of(&line), &line, || Ok(location(environment, NOW, caller, &line)));
        answer.map(|reply| reply.text).map_err(|why| format!("{why:#}"))
    }

    #[track_caller]
    pub(crate) fn yes(&self, line: &str) -> String {
        self.ask(line, USER, None).unwrap_or_else(|why| panic!("{line}: {why}"))
    }
}
