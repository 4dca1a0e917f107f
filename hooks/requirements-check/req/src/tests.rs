//! Commands about requirements as tables: who asks for what, what they read, what is changed.

pub(crate) mod desk;
mod listing;
mod satisfy;
#[path = "../../src/tests/session.rs"]
mod session;
mod status;
mod words;

use std::path::PathBuf;

use requirements_check::satisfactions::Key;
use requirements_check::state::Entry;
use requirements_check::view::View;
use serde_json::Value;
use shared::host::Timestamp;
use shared::operator::{Caller, Standing};

use crate::known::Known;
use crate::reply::Reply;
use crate::request::RequestContext;
use crate::verb::{Verb, parse_words};
use session::{OTHER, ROOT, SESSION, Scene, origin};

pub(crate) const USER: Caller = Caller::Shell(Standing::Operator);
pub(crate) const CLAUDE: Caller = Caller::Shell(Standing::InsideClaude);
const SCRIPT: Caller = Caller::Shell(Standing::NoTerminal);

/// Everybody who can ask, the user first.
const ALL: [Caller; 5] = [USER, Caller::Typed, CLAUDE, SCRIPT, Caller::Untyped];

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
    fn req(&mut self, words: &str, caller: Caller) -> Result<Reply, String> {
        let reply = self.answer(words, caller, None)?;
        self.carry_out(&reply.changes);
        Ok(reply)
    }

    /// The answer to a command line, in a project with this requirements file.
    #[track_caller]
    fn answer(&self, words: &str, caller: Caller, file: Option<&str>) -> Result<Reply, String> {
        let line = &format!("req {words}");
        let parsed = requirements_check::command_line::parse(line).commands.unwrap();
        let verb = parse_words(&parsed[0].words[1..]).unwrap_or_else(|error| panic!("{words}: {error}"));
        let (view, file) = (self.view(), file.map(ToOwned::to_owned));
        let asked = RequestContext {
            settings: &self.settings,
            view: &view,
            known: &self.known,
            caller,
            line,
            own: view.session,
            origin: &origin,
            file,
            pause: None,
        };
        match &verb {
            Verb::Status(wanted) => {
                let session = asked.session(wanted.session.as_deref())?;
                let view = View { session: session.as_deref(), ..view };
                RequestContext { view: &view, ..asked }.status(wanted)
            }
            Verb::Satisfy(wanted) => asked.satisfy(wanted),
            Verb::Approve(wanted) => asked.except(wanted, "approve"),
            Verb::Waive(wanted) => asked.except(wanted, "waive"),
            Verb::Clear(wanted) => asked.clear(wanted),
            Verb::List(wanted) => Ok(asked.list(wanted)),
            Verb::Prune => asked.prune(),
            Verb::Sessions(wanted) => Ok(asked.sessions(wanted)),
            _ => panic!("{words}: not about requirements"),
        }
    }

    /// The answer where it is yes; fails if it is no.
    #[track_caller]
    fn yes(&mut self, words: &str, caller: Caller) -> String {
        self.req(words, caller).unwrap_or_else(|why| panic!("req {words}: {why}")).text
    }

    /// The answer where it is no; fails if it is yes.
    #[track_caller]
    fn no(&mut self, words: &str, caller: Caller) -> String {
        let Err(text) = self.req(words, caller) else { panic!("req {words} is answered") };
        assert!(text.starts_with("req: "), "{text}");
        text
    }

    #[track_caller]
    fn json(&mut self, words: &str) -> Value {
        serde_json::from_str(&self.yes(words, CLAUDE)).unwrap()
    }
}
