//! Where commands are answered that are typed in a shell: the project, its settings, and who asks.

mod check;

use shared::cli::Asker;
use shared::config::{Fault, Problem, Section};
use shared::hook::{Context, Hook};
use shared::host::{Host, Places};
use shared::operator::{Caller, Standing, standing};
use shared::protocol::{Call, Event, Request};
use shared::run::configure;
use shared::state::Store;
use shared::switches::Switches;

use crate::command::{Asked, Reply, answer};
use crate::machine;
pub(super) use check::CheckReport;
use requirements_check::RequirementsCheck;
use requirements_check::observe::Look;
use requirements_check::registry::Registry;
use requirements_check::rule::Rule;
use requirements_check::settings::Settings;
use requirements_check::state::State;
use requirements_check::typed::Asking;
use requirements_check::view::View;

/// Where a shell's commands are answered.
pub(super) struct Desk {
    pub(super) host: Host,
    pub(super) places: Places,
    store: Option<Store>,
    pub(super) section: Section<Settings>,
    pub(super) caller: Caller,
}

impl Desk {
    /// In the project of this shell's session, else in the one it is started in.
    pub(super) fn open() -> Result<Self, String> {
        let mut host = Host::real();
        host.environment.project_dir = recorded_project(&host);
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        let store = places.open_store();
        Self::of(host, places, store)
    }

    /// Who asks, where a hook started this process for a typed prompt.
    pub(super) fn asking() -> Option<Asking> {
        let host = Host::real();
        Asking::take(&Places::resolve(&host.environment, host.cwd().as_deref()))
    }

    /// For a prompt, in its session and project.
    pub(super) fn of_prompt(asking: Asking) -> Result<Self, String> {
        let mut host = Host::real();
        let Asking { session, is_typed, project } = asking;
        host.environment.session_id = Some(session);
        host.environment.project_dir = project;
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        let store = places.open_store();
        let caller = if is_typed { Caller::Typed } else { Caller::Untyped };
        Ok(Self { caller, ..Self::of(host, places, store)? })
    }

    /// In the project it is started in, with nothing that was remembered anywhere: that checkout alone is what is asked about.
    pub(super) fn open_here() -> Result<Self, String> {
        let mut host = Host::real();
        (host.environment.project_dir, host.environment.state_dir) = (None, None);
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        Self::of(host, places, None)
    }

    fn of(host: Host, places: Places, store: Option<Store>) -> Result<Self, String> {
        let caller = Caller::Shell(standing(&host));
        let switches = store.as_ref().map(Switches::read).unwrap_or_default();
        let switch = switches.of(RequirementsCheck::NAME, host.environment.session_id.as_deref());
        let sources = places.sources(host.environment.home.as_deref());
        let section = configure::<RequirementsCheck>(&sources, switch)
            .ok_or("req: the built-in defaults cannot be read; this is a bug")?;
        Ok(Self { host, places, store, section, caller })
    }

    /// Looks round for nobody's session.
    pub(super) fn look_round<T>(&self, answer: impl FnOnce(&mut Look<'_, '_>) -> T) -> T {
        let mut request = self.request(Event::Other("req".to_owned()));
        request.call.session_id = None;
        answer(&mut Look::new(&self.context(&request)))
    }

    /// Answers what is not the shell's alone, and changes what is to be changed.
    pub(super) fn serve(&self, asked: &Asked) -> Result<Reply, String> {
        let who = Asker {
            host: &self.host,
            places: &self.places,
            store: self.store.as_ref(),
            session: self.host.environment.session_id.as_deref(),
            caller: self.caller,
        };
        match machine::serve(asked, &who) {
            Some(reply) => self.carry_out(asked, reply),
            None => self.of_requirements(asked),
        }
    }

    fn carry_out(&self, asked: &Asked, mut reply: Reply) -> Result<Reply, String> {
        let changes = std::mem::take(&mut reply.changes);
        for (number, change) in changes.into_iter().enumerate() {
            if let Err(why) = change.carry_out_patiently(&self.places, self.host.now()) {
                return self.not_kept(asked, &reply, &why, number);
            }
        }
        Ok(reply)
    }

    fn of_requirements(&self, asked: &Asked) -> Result<Reply, String> {
        let request = self.request(Event::Other("req".to_owned()));
        let context = self.context(&request);
        let mut look = Look::new(&context);
        look.know_sessions();
        look.know_branches();
        look.world.reader.is_user = self.caller.is_operator();
        let named = match asked {
            Asked::Status(status) => {
                look.turn_to(status.branch.as_deref());
                status.session.as_deref()
            }
            Asked::Check(check) => return self.check(check, &look),
            _ => None,
        };
        let rules: Vec<Rule<'_>> = Rule::all(&self.section.settings).collect();
        let session = self.session(named, &look)?;
        let state = self.state_of(session.as_deref());
        look.look_for(session.clone());
        look.deadline = None;
        look.measure(&rules);
        (look.world.skipped, look.world.notes) = {
            let (skipped, problems) = self.problems();
            (skipped, [std::mem::take(&mut look.world.notes), problems].concat())
        };
        look.world.notes.splice(0..0, machine::pause::note(&self.host, &self.places));
        if !self.section.enabled {
            look.world
                .notes
                .push("requirements-check is switched off: nothing of this is enforced".to_owned());
        }
        let view = View {
            session: session.as_deref(),
            call: None,
            state: &state,
            world: &look.world,
            now: self.host.now(),
        };
        let origin = |key: &str| self.section.origin(key);
        let reply = answer(asked, &self.section.settings, &view, self.caller, &origin);
        self.carry_out(asked, reply)
    }

    /// What is wrong in the files: those that are skipped as a whole, and the rest.
    fn problems(&self) -> (Vec<String>, Vec<String>) {
        let (skipped, others): (Vec<&Problem>, Vec<&Problem>) =
            self.section.problems.iter().partition(|problem| matches!(problem.fault, Fault::Unreadable(_)));
        let told = |problems: Vec<&Problem>| problems.into_iter().map(ToString::to_string).collect();
        (told(skipped), told(others))
    }

    /// What a session has done.
    fn state_of(&self, session: Option<&str>) -> State {
        let found =
            self.store.as_ref().zip(session).and_then(|(store, session)| store.read::<State>(session));
        found.unwrap_or_default()
    }

    /// In a shell that may not write, the hook, which may, sees the command and records it.
    fn not_kept(&self, asked: &Asked, reply: &Reply, why: &str, done: usize) -> Result<Reply, String> {
        let is_seen = matches!(asked, Asked::Satisfy { session: None, branch: None, .. })
            && self.caller == Caller::Shell(Standing::InsideClaude);
        if !is_seen {
            let what = if done == 0 { "Nothing" } else { "Not everything" };
            return Err(format!("{why}\n{what} was changed."));
        }
        let text = format!(
            "{} (not written from this shell; the hook records it when the command has ended)",
            reply.text
        );
        Ok(Reply { text, ..Reply::default() })
    }

    /// The session a command is about: the one named, else the one of this shell, else the only live one here.
    fn session(&self, named: Option<&str>, look: &Look<'_, '_>) -> Result<Option<String>, String> {
        if let Some(prefix) = named {
            let own = self.host.environment.session_id.iter();
            let known = look.world.known_sessions.iter().chain(own).map(String::as_str);
            return requirements_check::satisfactions::resolve_session(prefix, known)
                .map(Some)
                .map_err(|error| format!("req: {error}"));
        }
        if let Some(session) = &self.host.environment.session_id {
            return Ok(Some(session.clone()));
        }
        Ok(look.only_live_session())
    }

    fn request(&self, event: Event) -> Request {
        let session_id = self.host.environment.session_id.clone();
        Request { call: Call { session_id, cwd: self.host.cwd(), ..Call::default() }, event }
    }

    fn context<'a>(&'a self, request: &'a Request) -> Context<'a, Settings> {
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
fn recorded_project(host: &Host) -> Option<std::path::PathBuf> {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let session = host.environment.session_id.as_deref()?;
    Registry::new(places.state_dir.as_deref()?).entry(session).map(|entry| entry.project)
}
