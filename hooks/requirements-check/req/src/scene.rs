//! A session on a branch, for tests of commands.

#[path = "../../src/scene/session.rs"]
mod session;

use std::path::PathBuf;

use requirements_check::registry::Entry;
use shared::host::Timestamp;
use shared::operator::Caller;

use crate::command::{Reply, answer, parse_words};
use session::origin;
pub(crate) use session::{OTHER, ROOT, SESSION, Scene};

impl Scene {
    /// A session that is live here since a minute, and was seen so many seconds ago.
    pub(crate) fn live(&mut self, session: &str, seen_secs: i64) {
        let ago = |secs: i64| Timestamp::from_micros(self.now.micros() - secs * 1_000_000);
        self.world.live.push(Entry {
            session: session.to_owned(),
            project: PathBuf::from(ROOT),
            common_dir: None,
            branch: Some("feature".to_owned()),
            entrypoint: Some("cli".to_owned()),
            started_at: ago(60).micros() / 1_000_000,
            touched: ago(seen_secs),
        });
    }

    /// A command line of `req`, its changes carried out.
    #[track_caller]
    pub(crate) fn req(&mut self, words: &str, caller: Caller) -> Reply {
        let line = requirements_check::command_line::parse(&format!("req {words}")).commands.unwrap();
        let asked = parse_words(&line[0].words[1..]).unwrap_or_else(|error| panic!("{words}: {error}"));
        let reply = answer(&asked, &self.settings, &self.view(), caller, &origin);
        self.carry_out(&reply.changes);
        reply
    }
}
