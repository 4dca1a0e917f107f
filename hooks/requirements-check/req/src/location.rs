//! The project, its settings, and the caller of a command.

use std::path::PathBuf;
use std::time::Duration;

use shared::cli::Asker;
use shared::config::{Fault, LayerKind, Problem, Section};
use shared::hook::{Context, Hook};
use shared::host::{Host, Places};
use shared::operator::{Caller, Standing, standing};
use shared::protocol::{Call, Event, Request};
use shared::run::configure;
use shared::state::Store;
use shared::switches::Switches;

use crate::audit::{audit, exception};
use crate::known::Known;
use crate::pause;
use crate::reply::Reply;
use crate::request::RequestContext;
use requirements_check::RequirementsCheck;
use requirements_check::place::World;
use requirements_check::rule::Rule;
use requirements_check::satisfactions::{Folder, Key};
use requirements_check::settings::{Kind, Settings};
use requirements_check::state::Registry;
use requirements_check::state::State;
use requirements_check::typed::Asking;
use requirements_check::view::View;

/// So long a command waits for satisfactions that others are changing: no tool call waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) struct Location {
    pub(crate) host: Host,
    pub(crate) places: Places,
    pub(crate) store: Option<Store>,
    pub(crate) section: Section<Settings>,
    pub(crate) caller: Caller,
    /// The command as it was typed.
    line: String,
}

impl Location {
    /// Who asks, where a hook started this process for a typed prompt.
    pub(crate) fn asking() -> Option<Asking> {
        let host = Host::real();
        Asking::take(&Places::resolve(&host.environment, host.cwd().as_deref()))
    }

    /// In the project of the caller's session, else in the one it is started in.
    pub(crate) fn open(asking: Option<Asking>, line: &str) -> Result<Self, String> {
        let mut host = Host::real();
        let caller = if let Some(Asking { session, is_typed, project }) = asking {
            host.environment.session_id = Some(session);
            host.environment.project_dir = project;
            if is_typed { Caller::Typed } else { Caller::Untyped }
        } else {
            host.environment.project_dir = recorded_project(&host);
            Caller::Shell(standing(&host))
        };
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        let store = places.open_store();
        Self::of(host, places, store, caller, line)
    }

    /// In the checkout it is started in, without what was recorded anywhere.
    pub(crate) fn of_checkout() -> Result<Self, String> {
        let mut host = Host::real();
        (host.environment.project_dir, host.environment.state_dir) = (None, None);
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        let caller = Caller::Shell(standing(&host));
        Self::of(host, places, None, caller, "req ci")
    }

    fn of(
        host: Host,
        places: Places,
        store: Option<Store>,
        caller: Caller,
        line: &str,
    ) -> Result<Self, String> {
        let switches = store.as_ref().map(Switches::read).unwrap_or_default();
        let switch = switches.of(RequirementsCheck::NAME, host.environment.session_id.as_deref());
        let sources = places.sources(host.environment.home.as_deref());
        let section = configure::<RequirementsCheck>(&sources, switch)
            .ok_or("req: the built-in defaults cannot be read; this is a bug")?;
        Ok(Self { host, places, store, section, caller, line: line.to_owned() })
    }

    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker {
            host: &self.host,
            places: &self.places,
            store: self.store.as_ref(),
            session: self.host.environment.session_id.as_deref(),
            caller: self.caller,
        }
    }

    /// Looks round for nobody's session.
    pub(crate) fn look_round<T>(&self, answer: impl FnOnce(&Context<'_, Settings>, &mut World) -> T) -> T {
        let mut request = self.request(Event::Other("req".to_owned()));
        request.call.session_id = None;
        request.call.cwd = self.places.root.clone().or(request.call.cwd);
        let context = self.context(&request);
        answer(&context, &mut World::new(&context))
    }

    /// Looks at everything that is required, of the session and branch that are named, else of the caller's; answers, and
    /// carries out the changes of the answer.
    pub(crate) fn about(
        &self,
        (session, branch): (Option<&str>, Option<&str>),
        answer: impl FnOnce(&RequestContext<'_>) -> Result<Reply, String>,
    ) -> Result<Reply, String> {
        let request = self.request(Event::Other("req".to_owned()));
        let context = self.context(&request);
        let mut world = World::new(&context);
        let mut known = Known::of(&world, self.store.as_ref(), self.host.now());
        known.recorded = world.folder.as_ref().map(Folder::list).unwrap_or_default();
        known.heads = world.heads();
        world.is_user = !matches!(self.caller, Caller::Shell(Standing::InsideClaude) | Caller::Untyped);
        if let Some(branch) = branch {
            let key = Key::Branch(branch.to_owned());
            known.is_turned = key != world.key;
            world.key = key;
            world.read_satisfactions();
        }
        let session = self.session(session, &known)?;
        let state = self.state_of(session.as_deref());
        world.session.clone_from(&session);
        // What is checked out says nothing of another branch.
        let is_measured =
            |rule: &Rule<'_>| !known.is_turned || !matches!(rule.kind(), Kind::Dynamic | Kind::Evidence);
        let rules: Vec<Rule<'_>> = Rule::all(&self.section.settings).filter(is_measured).collect();
        world.measure(&context, &rules);
        let (skipped, problems) = self.problems();
        known.skipped = skipped;
        world.notes.extend(problems);
        if !self.section.enabled {
            let note = "requirements-check is switched off: nothing of this is enforced";
            world.notes.push(note.to_owned());
        }
        let view = View {
            session: session.as_deref(),
            call: None,
            state: &state,
            world: &world,
            now: self.host.now(),
        };
        let asked = RequestContext {
            settings: &self.section.settings,
            view: &view,
            known: &known,
            caller: self.caller,
            line: &self.line,
            own: self.host.environment.session_id.as_deref(),
            origin: &|key| self.section.origin(key),
            file: self.file(),
            pause: pause::note(&self.asker()),
        };
        self.carry_out(answer(&asked)?)
    }

    fn file(&self) -> Option<String> {
        let sources = self.places.sources(self.host.environment.home.as_deref());
        let level =
            [LayerKind::Local, LayerKind::Project].into_iter().find(|level| sources.text(*level).is_ok())?;
        Some(sources.shown(level, sources.file(level)?))
    }

    fn carry_out(&self, mut reply: Reply) -> Result<Reply, String> {
        let now = self.host.now();
        for (number, change) in std::mem::take(&mut reply.changes).into_iter().enumerate() {
            let record = exception(&change);
            let Err(why) = change.carry_out_within(PATIENCE, &self.places, now) else {
                if let Some(record) = record {
                    audit(&self.places, now, true, record);
                }
                continue;
            };
            if reply.is_recorded && self.caller == Caller::Shell(Standing::InsideClaude) {
                reply.text +=
                    " (not written from this shell; the hook records it when the command has ended)";
                return Ok(reply);
            }
            let what = if number == 0 { "Nothing" } else { "Not everything" };
            return Err(format!("{why}\n{what} was changed."));
        }
        Ok(reply)
    }

    /// What is wrong in the files: those that are skipped as a whole, and the rest.
    pub(crate) fn problems(&self) -> (Vec<String>, Vec<String>) {
        // A problem of a whole file has no key.
        let is_skip = |problem: &&Problem| problem.key.is_empty() && matches!(problem.fault, Fault::Other(_));
        let (skipped, others): (Vec<_>, Vec<_>) = self.section.problems.iter().partition(is_skip);
        let told = |problems: Vec<_>| problems.into_iter().map(ToString::to_string).collect();
        (told(skipped), told(others))
    }

    fn state_of(&self, session: Option<&str>) -> State {
        let found =
            self.store.as_ref().zip(session).and_then(|(store, session)| store.read::<State>(session));
        found.unwrap_or_default()
    }

    /// The session that is named, else that of this shell, else the only live one here.
    pub(crate) fn session(&self, named: Option<&str>, known: &Known) -> Result<Option<String>, String> {
        let only = if let [only] = known.live.as_slice() { Some(only.session.as_str()) } else { None };
        known.session(named, self.host.environment.session_id.as_deref().or(only))
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
