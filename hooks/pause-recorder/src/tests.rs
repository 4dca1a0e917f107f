//! A scratch project for tests, with a state folder of its own.

use std::fs;
use std::path::PathBuf;

use shared::config::{self, SectionSpec, Sources};
use shared::hook::Context;
use shared::host::{Clock, Environment, Host, Places, Timestamp};
use shared::protocol::{Call, Event, Request};
use shared::switches::Position;

use crate::record::Sessions;
use crate::registry::{self, Registry};
use crate::settings::Settings;

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
            store: store.as_ref(),
        })
    }
}
