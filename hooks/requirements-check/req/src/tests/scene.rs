//! A session on a branch, for tests of commands.

#[path = "../../../src/tests/session.rs"]
mod session;

use std::path::PathBuf;

use requirements_check::registry::Entry;
use shared::host::Timestamp;
use shared::operator::Caller;

use crate::listing;
use crate::reply::Reply;
use crate::satisfy::RequestContext;
use crate::verb::{Verb, parse_words};
use session::origin;
pub(crate) use session::{OTHER, ROOT, SESSION, Scene};

impl Scene {
    /// A session that is live here since a minute, and was seen so many seconds ago.
    pub(crate) fn live(&mut self, session: &str, seen_secs: i64) {
        let ago = |secs: i64| Timestamp::from_micros(self.now.micros() - secs * 1_000_000);
        self.world.live.push(Entry {
            session: session.to_owned(),
            project: PathBuf::from(ROOT),
            branch: Some("feature".to_owned()),
            entrypoint: Some("cli".to_owned()),
            started_at: ago(60).micros() / 1_000_000,
            touched: ago(seen_secs),
        });
    }

    /// A command line of `req`, its changes carried out.
    #[track_caller]
    pub(crate) fn req(&mut self, words: &str, caller: Caller) -> Result<Reply, String> {
        let reply = self.answer(words, caller, None)?;
        self.carry_out(&reply.changes);
        Ok(reply)
    }

    /// The answer to a command line, where a file describes requirements in comments alone.
    #[track_caller]
    pub(crate) fn answer(
        &self,
        words: &str,
        caller: Caller,
        examples: Option<&str>,
    ) -> Result<Reply, String> {
        let line = requirements_check::command_line::parse(&format!("req {words}")).commands.unwrap();
        let verb = parse_words(&line[0].words[1..]).unwrap_or_else(|error| panic!("{words}: {error}"));
        let view = self.view();
        let examples = examples.map(ToOwned::to_owned);
        let asked =
            RequestContext { settings: &self.settings, view: &view, caller, origin: &origin, examples };
        match &verb {
            Verb::Status(wanted) => asked.status(wanted),
            Verb::Satisfy(wanted) => asked.satisfy(wanted),
            Verb::Approve(wanted) => asked.approve(wanted),
            Verb::Waive(wanted) => asked.waive(wanted),
            Verb::Clear(wanted) => asked.clear(wanted),
            Verb::List(wanted) => Ok(listing::list(wanted, &view)),
            Verb::Prune => listing::prune(&view),
            Verb::Sessions(wanted) => Ok(listing::sessions(wanted, &view)),
            _ => panic!("{words}: not about requirements"),
        }
    }
}
