//! The project, its settings, and the caller of a command.

use std::path::PathBuf;

use anyhow::{Context as _, Error, anyhow};
use shared::cli::unregistered;
use shared::config::{Fault, LayerKind, Problem, Section, Sources};
use shared::hook::{Context, Hook};
use shared::host::{Host, Places};
use shared::journal::{self, Record};
use shared::operator::{Caller, standing};
use shared::protocol::{Call, Event, Request};
use shared::run::configure;
use shared::state::Store;
use shared::switches::Switches;

use requirements_check::RequirementsCheck;
use requirements_check::settings::Settings;
use requirements_check::state::Registry;
use requirements_check::typed::Asking;
use requirements_check::world::World;

pub(crate) struct Location {
    pub(crate) host: Host,
    pub(crate) places: Places,
    pub(crate) store: Option<Store>,
    pub(crate) section: Section<Settings>,
    pub(crate) caller: Caller,
    /// The command as it was typed.
    pub(crate) line: String,
}

impl Location {
    /// The caller, if a hook started this process for a typed prompt.
    pub(crate) fn asking() -> Option<Asking> {
        let host = Host::real();
        Asking::of_hook(&Places::resolve(&host.environment, host.cwd().as_deref()), host.started)
    }

    /// In the project of the caller's session, else in the one it is started in.
    pub(crate) fn open(asking: Option<Asking>, line: &str) -> anyhow::Result<Self> {
        let mut host = Host::real();
        let caller = if let Some(Asking { session, is_typed, project }) = asking {
            host.environment.session_id = Some(session);
            host.environment.project_dir = project;
            if is_typed { Caller::Typed } else { Caller::Untyped }
        } else {
            host.environment.project_dir = recorded_project(&host);
            Caller::Shell(standing(&host))
        };
        Self::of(host, Places::open_store, caller, line)
    }

    /// In the checkout it is started in, without what was recorded anywhere.
    pub(crate) fn of_checkout(line: &str) -> anyhow::Result<Self> {
        let mut host = Host::real();
        (host.environment.project_dir, host.environment.state_dir) = (None, None);
        let caller = Caller::Shell(standing(&host));
        Self::of(host, |_| None, caller, line)
    }

    pub(crate) fn of(
        host: Host,
        store: impl FnOnce(&Places) -> Option<Store>,
        caller: Caller,
        line: &str,
    ) -> anyhow::Result<Self> {
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        let store = store(&places);
        let switches = store.as_ref().map(Switches::read).unwrap_or_default();
        let switch = switches.of(RequirementsCheck::NAME, host.environment.session_id.as_deref());
        let sources = places.sources(host.environment.home.as_deref());
        let section = configure::<RequirementsCheck>(&sources, switch)
            .context("the built-in defaults cannot be read; this is a bug")?;
        Ok(Self { host, places, store, section, caller, line: line.to_owned() })
    }

    /// The session of the caller's shell or prompt.
    pub(crate) fn session(&self) -> Option<&str> {
        self.host.environment.session_id.as_deref()
    }

    pub(crate) fn sources(&self) -> Sources {
        self.places.sources(self.host.environment.home.as_deref())
    }

    /// Claude, a script or a schedule reads this; the user can type the line.
    pub(crate) fn refusal(&self, why: &str) -> Error {
        anyhow!("denied, because {}", self.caller.refusal_because(why, &self.line, true))
    }

    /// Journals an action of the user that loosens: `req log` shows it beside the actions of the hooks.
    pub(crate) fn audit(&self, is_here: bool, record: Record) {
        let Some(store) = &self.store else { return };
        let project = self.places.root.as_deref().filter(|_| is_here).map(journal::project_name);
        let hook = RequirementsCheck::NAME.to_owned();
        journal::write(store, self.host.now(), Record { hook, project, ..record });
    }

    pub(crate) fn look_round<T>(&self, answer: impl FnOnce(&Context<'_, Settings>, &mut World) -> T) -> T {
        let mut request = self.request(Event::Other("req".to_owned()));
        request.call.session_id = None;
        request.call.cwd = self.places.root.clone().or(request.call.cwd);
        let context = self.context(&request);
        answer(&context, &mut World::new(&context))
    }

    /// The file of this project that is there.
    pub(crate) fn file(&self) -> Option<String> {
        let sources = self.sources();
        let level =
            [LayerKind::Local, LayerKind::Project].into_iter().find(|level| sources.text(*level).is_ok())?;
        Some(sources.shown(level, sources.file(level)?))
    }

    /// The faults of the files: those that are skipped as a whole, and the rest.
    pub(crate) fn problems(&self) -> (Vec<String>, Vec<String>) {
        // A problem of a whole file has no key.
        let is_skip = |problem: &&Problem| problem.key.is_empty() && matches!(problem.fault, Fault::Other(_));
        let (skipped, others): (Vec<_>, Vec<_>) = self.section.problems.iter().partition(is_skip);
        let shown = |problems: Vec<_>| problems.into_iter().map(ToString::to_string).collect();
        (shown(skipped), shown(others))
    }

    /// How to register the hook, where Claude Code seems not to run it: it is in no settings, and no session is live.
    pub(crate) fn unregistered(&self) -> Option<String> {
        let (store, root) = (self.store.as_ref()?, self.places.root.as_ref()?);
        let runs = || {
            self.caller == Caller::Typed || !Registry::new(store.dir()).live(root, self.host.now()).is_empty()
        };
        unregistered(&self.places, RequirementsCheck::NAME).filter(|_| !runs())
    }

    pub(crate) fn request(&self, event: Event) -> Request {
        let session_id = self.host.environment.session_id.clone();
        Request { call: Call { session_id, cwd: self.host.cwd(), ..Call::default() }, event }
    }

    pub(crate) fn context<'a>(&'a self, request: &'a Request) -> Context<'a, Settings> {
        Context {
            request,
            settings: &self.section.settings,
            places: &self.places,
            host: &self.host,
            locked: &self.section.locked,
            set_in_project: self.section.is_set_in_project(),
            store: self.store.as_ref(),
        }
    }
}

/// The project of this shell's session, so that a `cd` elsewhere does not change what is required.
fn recorded_project(host: &Host) -> Option<PathBuf> {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let session = host.environment.session_id.as_deref()?;
    Registry::new(places.state_dir.as_deref()?).entry(session).map(|entry| entry.project)
}
