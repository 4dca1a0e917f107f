//! A home and a project in it, for tests of commands that read files.

use std::fs;
use std::path::{Path, PathBuf};

use requirements_check::command_line;
use shared::cli::Asker;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::operator::Caller;

use crate::reply::Reply;
use crate::verb::{Verb, parse_words};
use crate::{config, journal};

pub(crate) const NOW: Timestamp = Timestamp::from_secs(1_795_300_000);

pub(crate) struct Desk {
    folder: tempfile::TempDir,
    host: Host,
    places: Places,
}

impl Desk {
    /// With these files, each by its path from the home directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let project = home.join("project");
        fs::create_dir_all(project.join(".git")).unwrap();
        let environment =
            Environment { home: Some(home), project_dir: Some(project.clone()), ..Environment::default() };
        let host = Host { started: NOW, clock: Clock::Fixed(NOW), environment };
        let places = Places::resolve(&host.environment, Some(&project));
        let desk = Self { folder, host, places };
        for (file, text) in files {
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

    /// The answer to a command line of `req`.
    #[track_caller]
    pub(crate) fn ask(&self, line: &str, caller: Caller, session: Option<&str>) -> Result<Reply, String> {
        let line = &format!("req {line}");
        let words = command_line::parse(line).commands.unwrap();
        let verb = parse_words(&words[0].words[1..]).unwrap_or_else(|error| panic!("{line}: {error}"));
        let store = self.places.open_store();
        let asker = Asker { host: &self.host, places: &self.places, store: store.as_ref(), session, caller };
        match verb {
            Verb::Config(wanted) => config::config(&wanted, &asker, line),
            Verb::Enable(wanted) => config::turn(&wanted, true, &asker, line),
            Verb::Disable(wanted) => config::turn(&wanted, false, &asker, line),
            Verb::Log(wanted) => journal::log(&wanted, &asker),
            Verb::Why(wanted) => journal::why(&wanted, &asker),
            _ => panic!("{line}"),
        }
    }
}
