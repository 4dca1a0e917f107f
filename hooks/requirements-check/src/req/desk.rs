//! Where commands are answered that are typed in a shell: the project, its settings, and who asks.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::blocks::BlockCount;
use shared::config::{Section, SectionSpec, Sources};
use shared::hook::{Given, Hook, Seen, Verdict};
use shared::host::{Host, Places};
use shared::operator::{Standing as Caller, standing};
use shared::own_calls::is_own_call;
use shared::protocol::{Call, Event, Input, ToolCall};
use shared::run::configure;
use shared::state::Store;
use shared::switches::Switches;

use crate::RequirementsCheck;
use crate::command::{Asked, Check, Reply, Standpoint, answer};
use crate::machine::{self, Machine};
use crate::observe::{Look, When};
use crate::registry::Registry;
use crate::rule::Rule;
use crate::settings::Settings;
use crate::state::State;
use crate::view::View;

/// Why most calls are not refused.
const FREE: &str = "nothing required keeps this call from running";

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

    /// In the project it is started in, with nothing that was remembered anywhere: that checkout alone is what is asked about.
    pub(super) fn open_here() -> Result<Self, String> {
        let mut host = Host::real();
        (host.environment.project_dir, host.environment.state_dir) = (None, None);
        let places = Places::resolve(&host.environment, host.cwd().as_deref());
        Self::of(host, places, None)
    }

    fn of(host: Host, places: Places, store: Option<Store>) -> Result<Self, String> {
        let caller = standing(&host);
        let switches = store.as_ref().map(Switches::read).unwrap_or_default();
        let switch = switches.position(RequirementsCheck::NAME, host.environment.session_id.as_deref());
        let sources = Sources::of(&places, host.environment.home.as_deref());
        let spec = SectionSpec { tells_unknown_keys: true, ..RequirementsCheck::section() };
        let section = configure::<RequirementsCheck>(spec, &sources, switch)
            .ok_or("req: the built-in defaults cannot be read; this is a bug")?;
        Ok(Self { host, places, store, section, caller })
    }

    /// Looks round for nobody's session.
    pub(super) fn look_round<T>(&self, answer: impl FnOnce(&mut Look<'_, '_>) -> T) -> T {
        let mut input = self.input(Event::Other("req".to_owned()));
        input.call.session_id = None;
        answer(&mut Look::new(&self.seen(&input)))
    }

    /// Answers what is not the shell's alone, and changes what is to be changed.
    pub(super) fn serve(&self, asked: &Asked) -> Result<Reply, String> {
        let machine = Machine {
            host: &self.host,
            places: &self.places,
            store: self.store.as_ref(),
            session: self.host.environment.session_id.as_deref(),
            standpoint: Standpoint::Shell(self.caller),
        };
        match machine::serve(asked, &machine) {
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
        let input = self.input(Event::Other("req".to_owned()));
        let seen = self.seen(&input);
        let mut look = Look::new(&seen);
        look.know_sessions();
        look.know_branches();
        look.world.reader.is_user = self.caller == Caller::Operator;
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
        look.measure(&rules, When::Unhurried);
        look.world.notes.extend(self.section.problems.iter().map(ToString::to_string));
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
        let reply = answer(asked, &self.section.settings, &view, Standpoint::Shell(self.caller), &origin);
        self.carry_out(asked, reply)
    }

    /// What a session has done.
    fn state_of(&self, session: Option<&str>) -> State {
        let found = self
            .store
            .as_ref()
            .zip(session)
            .and_then(|(store, session)| store.peek(&store.session_file::<State>(session)?, session));
        found.unwrap_or_default()
    }

    /// In a shell that may not write, the hook, which may, sees the command and records it.
    fn not_kept(&self, asked: &Asked, reply: &Reply, why: &str, done: usize) -> Result<Reply, String> {
        let is_seen = matches!(asked, Asked::Satisfy { session: None, branch: None, .. })
            && self.caller == Caller::InsideClaude;
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
            return crate::marks::resolve_session(prefix, known)
                .map(Some)
                .map_err(|error| format!("req: {error}"));
        }
        if let Some(session) = &self.host.environment.session_id {
            return Ok(Some(session.clone()));
        }
        Ok(look.only_live_session())
    }

    /// What the hook would answer to a call, from its own code.
    fn check(&self, check: &Check, look: &Look<'_, '_>) -> Result<Reply, String> {
        let session = self.session(check.session.as_deref(), look)?;
        let (tool, fields) = match (&check.bash, &check.tool) {
            (Some(line), _) => ("Bash".to_owned(), json!({ "command": line })),
            (None, Some(tool)) => (tool.clone(), json!({ "file_path": check.file })),
            (None, None) => return Err("req: name a tool or a line".to_owned()),
        };
        if !self.section.enabled {
            return Ok(would_run(check, "requirements-check is switched off: nothing is refused"));
        }
        let tool_input = to_raw_value(&fields).map_err(|error| error.to_string())?;
        let call = ToolCall {
            tool_name: tool,
            tool_use_id: Some("req-check".to_owned()),
            tool_input: Some(tool_input),
        };
        if is_own_call(&call, &self.places) {
            return Ok(would_run(check, "our own commands are never refused"));
        }
        let mut input = self.input(Event::PreToolUse(call));
        // Without a session its marks count as not set, as they would for a new one.
        input.call.session_id = session.or_else(|| Some("no-session".to_owned()));
        let seen = self.seen(&input);
        let Some(facts) = RequirementsCheck::observe(&seen) else { return Ok(would_run(check, FREE)) };
        let mut state: State = seen.peek();
        state.forget_denial();
        let outcome = RequirementsCheck::decide(&Given {
            input: &input,
            facts: &facts,
            state: &state,
            settings: &self.section.settings,
            blocks: BlockCount::default(),
            started: self.host.started,
            now: self.host.now(),
            headless: false,
            origin: &|key| self.section.origin(key),
        });
        Ok(match outcome.verdict {
            Verdict::Deny { reason, .. } => would_be_refused(check, &reason),
            _ => would_run(check, FREE),
        })
    }

    fn input(&self, event: Event) -> Input {
        let session_id = self.host.environment.session_id.clone();
        Input { call: Call { session_id, cwd: self.host.cwd(), ..Call::default() }, event }
    }

    fn seen<'a>(&'a self, input: &'a Input) -> Seen<'a, Settings> {
        Seen {
            input,
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

/// What would happen to a tool call.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CheckReport {
    /// The form of this object: 1.
    version: u32,
    /// The call would run, as far as requirements are concerned.
    allowed: bool,
    /// What Claude would read; null where the call is allowed.
    reason: Option<String>,
}

impl CheckReport {
    fn text(allowed: bool, reason: Option<&str>) -> String {
        let report = Self { version: 1, allowed, reason: reason.map(ToOwned::to_owned) };
        serde_json::to_string(&report).unwrap_or_default()
    }
}

fn would_run(check: &Check, why: &str) -> Reply {
    let text = if check.json { CheckReport::text(true, None) } else { why.to_owned() };
    Reply { text, ..Reply::default() }
}

fn would_be_refused(check: &Check, reason: &str) -> Reply {
    let text = if check.json {
        CheckReport::text(false, Some(reason))
    } else {
        format!("this call would be refused:\n{reason}")
    };
    Reply { text, is_no: true, is_report: true, ..Reply::default() }
}
