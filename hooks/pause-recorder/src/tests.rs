//! A scratch project for tests, with a state folder of its own.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use shared::config::{self, SectionSpec, Sources};
use shared::hook::{Context, Effect};
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::protocol::{Call, Event, Request};
use shared::switches::Position;

use crate::record::{Action, Kind, Record, Sessions};
use crate::registry::{self, Entry, Registry};
use crate::settings::Settings;
use crate::step::Step;

/// The settings as compiled in, so that a new setting changes no test.
pub(crate) fn defaults() -> Settings {
    let spec = SectionSpec { name: "pause-recorder", ..SectionSpec::default() };
    config::load(spec, &Sources::default(), Position::Auto).unwrap().settings
}

pub(crate) struct World {
    scratch: tempfile::TempDir,
    pub(crate) now: Timestamp,
    pub(crate) settings: Settings,
    pub(crate) places: Places,
}

impl World {
    pub(crate) fn new(now: Timestamp) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().canonicalize().unwrap();
        fs::create_dir_all(folder.join("project/.git")).unwrap();
        let places = Places {
            config_dir: Some(folder.join("config")),
            state_dir: Some(folder.join("state")),
            default_state_dir: Some(folder.join("state")),
            root: Some(folder.join("project")),
            project_claude_dir: Some(folder.join("project/.claude")),
            state_dir_ignored: None,
        };
        Self { scratch, now, settings: defaults(), places }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::of(&self.places).unwrap()
    }

    pub(crate) fn registry(&self) -> Registry {
        registry::read(self.places.open_store().as_ref())
    }

    pub(crate) fn does(&self, step: Step) -> Result<(), String> {
        step.carry_out(&self.places, self.now)
    }

    /// The record of a session begins.
    pub(crate) fn begins(&self, session: &str) -> Record {
        let actions = vec![Action::new(Kind::PauseStarted, self.now, json!({}), 0.9)];
        self.does(Step::Append { session: session.into(), transcript: None, actions }).unwrap();
        self.sessions().active(session).unwrap()
    }

    /// The session's record gets a line.
    pub(crate) fn appends(&self, session: &str, kind: Kind, data: Value) {
        let actions = vec![Action::new(kind, self.now, data, 0.9)];
        self.does(Step::Append { session: session.into(), transcript: None, actions }).unwrap();
    }

    pub(crate) fn entry(&self) -> Entry {
        self.registry().entries.remove(0)
    }

    /// Looks at this event as the hook does.
    pub(crate) fn see<T>(
        &self,
        call: Call,
        event: Event,
        look: impl FnOnce(&Context<'_, Settings>) -> T,
    ) -> T {
        let environment = Environment { search_path: std::env::var_os("PATH"), ..Environment::default() };
        let host = Host { started: self.now, clock: Clock::Fixed(self.now), environment };
        let store = self.places.open_store();
        look(&Context {
            request: &Request { call, event },
            settings: &self.settings,
            places: &self.places,
            host: &host,
            locked: &[],
            set_in_project: false,
            store: store.as_ref(),
        })
    }
}
