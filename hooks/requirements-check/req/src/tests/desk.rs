//! A home and a project in it, for tests of commands that read files.

use std::fs;
use std::path::{Path, PathBuf};

use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::Caller;

use super::verb_of;
use crate::location::Location;
use crate::verb::Verb;
use crate::{config, journal};

pub(crate) const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);

pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// With these files, each by its path from the home directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        for (file, text) in [("project/.git/HEAD", "")].iter().chain(files) {
            let path = desk.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        desk
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
        let host = Host { started: NOW, clock: Clock::Fixed(NOW), environment };
        let location = Location::of(host, Places::open_store, caller, &line).unwrap();
        let answer = match verb_of(&line) {
            Verb::Config(wanted) => config::config(&wanted, &location),
            Verb::Enable(wanted) => config::turn(&wanted, true, &location),
            Verb::Disable(wanted) => config::turn(&wanted, false, &location),
            Verb::Log(wanted) => journal::log(&wanted, &location),
            Verb::Why(wanted) => journal::why(&wanted, &location),
            _ => panic!("{line}"),
        };
        answer.map(|reply| reply.text).map_err(|why| format!("{why:#}"))
    }
}
