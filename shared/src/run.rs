//! The life of one invocation: read, parse, configure, observe, lock, decide, save, answer.
//!
//! Whatever goes wrong, the session goes on: exit status 0, stdout empty or one JSON object, the journal says why.
//! `main` is the only place in the workspace that writes a hook's stdout.
//!
//! - `plugin`: a plugin's copy of a hook leaves the call to the one that settings start
//! - `bug`: a panic
//! - `audit`, `wait`: journal lines, a sleep

mod audit;
mod bug;
mod plugin;
mod wait;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use crate::config::Section;
pub use crate::hook::configure;
use crate::hook::{
    Audit, Context, Effect, Headless, Hook, Input, Memory, Outcome, Reaction, ReactionKind, Remembered,
    Verdict,
};
use crate::host::{Host, InputError, Places, read_first_value};
use crate::journal::Entry;
use crate::operator::typed;
use crate::own_calls::is_own_call;
use crate::protocol::{self, Answer, Event, Request};
use crate::state::{Store, is_off, sweep_once_a_day};
use crate::switches::Switches;
use crate::{blocks, cli, heartbeat, host, journal, notices};
use bug::fail_open_on_panic;
use plugin::is_left_to_settings;

pub use plugin::BY_PLUGIN;

/// The whole of a hook's `main`: the hook itself without arguments, its command line with some.
pub fn main<H: Hook>() -> ExitCode {
    host::survive_file_size_limit();
    let host = Host::real();
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let is_plugins = matches!(&*arguments, [only] if only == BY_PLUGIN);
    if (!arguments.is_empty() && !is_plugins) || std::io::stdin().is_terminal() {
        return cli::main::<H>(&host, &arguments);
    }
    fail_open_on_panic::<H>(&host);
    let respond = if is_plugins { respond_in_plugin::<H> } else { respond::<H> };
    if let Some(answer) = respond(&host, read_first_value()) {
        let mut stdout = std::io::stdout().lock();
        // A client that has closed our stdout is not interested; there is nobody to tell.
        let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.write_all(b"\n"));
        let _ = stdout.flush();
    }
    ExitCode::SUCCESS
}

/// One invocation without its process: what would be printed for this input, `None` for silence.
pub fn respond<H: Hook>(host: &Host, bytes: Result<Vec<u8>, InputError>) -> Option<String> {
    let request = understood::<H>(host, bytes)?;
    Invocation::new(host, &request)?.respond::<H>()
}

/// The same for the copy of the hook that a plugin starts: silence where settings start it too.
pub fn respond_in_plugin<H: Hook>(host: &Host, bytes: Result<Vec<u8>, InputError>) -> Option<String> {
    let request = understood::<H>(host, bytes)?;
    let call = Invocation::new(host, &request)?;
    if is_left_to_settings(H::NAME, &call.places, &request) { None } else { call.respond::<H>() }
}

fn understood<H: Hook>(host: &Host, bytes: Result<Vec<u8>, InputError>) -> Option<Request> {
    match bytes.map(|bytes| protocol::parse(&bytes)) {
        Ok(Ok(request)) => Some(request),
        Ok(Err(error)) => unusable_input::<H>(host, &error.to_string()),
        Err(error) => unusable_input::<H>(host, &error.to_string()),
    }
}

fn unusable_input<H: Hook>(host: &Host, why: &str) -> Option<Request> {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store()?;
    let entry = Entry { what: "error", text: Some(why), ..Entry::default() };
    write_entry::<H>(&store, host, &places, &entry);
    None
}

/// Writes an entry of this hook about the project at hand.
fn write_entry<H: Hook>(store: &Store, host: &Host, places: &Places, entry: &Entry<'_>) {
    let project = places.root.as_deref().map(journal::project_name);
    let entry = Entry { hook: H::NAME, project: project.as_deref(), ..*entry };
    journal::write(store, host.now(), &entry);
}

/// The answer, and what the journal keeps of the decision.
type Decided = (Answer, Audit);

/// Why a decision does not hold.
enum Failure {
    /// The session's state cannot be read or locked.
    StateUnusable(String),
    /// The decision counts something, and the count cannot be written: a gate that cannot count could block for ever.
    NotKept(String),
}

impl Failure {
    fn not_kept(error: impl std::fmt::Display) -> Self {
        Self::NotKept(error.to_string())
    }
}

/// One call, its folders and its state folder.
struct Invocation<'a> {
    host: &'a Host,
    request: &'a Request,
    places: Places,
    store: Option<Store>,
}

impl<'a> Invocation<'a> {
    /// `None` while everything is switched off, and in the sessions of our own judges.
    fn new(host: &'a Host, request: &'a Request) -> Option<Self> {
        let places = Places::resolve(&host.environment, request.call.cwd.as_deref());
        let store = places.open_store();
        if let Some(store) = &store {
            let is_judge = |nonce: &String| store.nonce_is_fresh(nonce, host.started);
            let own = places.default_state_dir.as_deref().filter(|own| *own != store.dir());
            let is_off = store.is_off(host.started) || own.is_some_and(|own| is_off(own, host.started));
            if is_off {
                // The prompt may come when the hooks are on again.
                let _ = typed::remember_scheduled(store, &request.event);
            }
            if is_off || host.environment.nonce.as_ref().is_some_and(is_judge) {
                return None;
            }
        }
        let is_named = places.state_dir != places.default_state_dir;
        if is_named && !store.as_ref().is_some_and(Store::is_writable) {
            let places = places.without_named_state_dir();
            let store = places.open_store();
            return Some(Self { host, request, places, store });
        }
        Some(Self { host, request, places, store })
    }

    fn respond<H: Hook>(&self) -> Option<String> {
        protocol::to_wire(&self.request.event, &self.answer::<H>())
    }

    fn answer<H: Hook>(&self) -> Answer {
        if let Some(store) = &self.store {
            heartbeat::beat(store, H::NAME, self.host.now().into());
        }
        if matches!(&self.request.event, Event::PreToolUse(call) if is_own_call(call, &self.places)) {
            return Answer::default();
        }
        self.remember_scheduled::<H>();
        let Some(section) = self.configure::<H>() else { return Answer::default() };
        let (answer, state_problem) = if self.is_active::<H>(&section) {
            self.decide::<H>(&section)
        } else {
            (Answer::default(), None)
        };
        self.clean_up();
        self.with_problems::<H>(answer, &section, state_problem)
    }

    /// A prompt that is scheduled may come when the hook that takes it for a command is on again: whether it is on now does
    /// not matter.
    fn remember_scheduled<H: Hook>(&self) {
        let event = &self.request.event;
        if let Some(Err(error)) = self.store.as_ref().map(|store| typed::remember_scheduled(store, event)) {
            self.journal_error::<H>(&error);
        }
    }

    fn configure<H: Hook>(&self) -> Option<Section<H::Settings>> {
        let sources = self.places.sources(self.host.environment.home.as_deref());
        let switches = self.store.as_ref().map(Switches::read).unwrap_or_default();
        let switches = switches.of(H::NAME, self.session());
        configure::<H>(&sources, switches)
    }

    /// A session's end is for everybody: what a hook remembered goes, even if it was switched off meanwhile. So are its own
    /// commands: switching it on again is one.
    fn is_active<H: Hook>(&self, section: &Section<H::Settings>) -> bool {
        let silent = H::HEADLESS == Headless::Silent && self.is_headless(section);
        let is_command =
            matches!(&self.request.event, Event::UserPromptSubmit { prompt, .. } if H::is_command(prompt));
        let acts_while_off = H::ACTS_WHILE_SWITCHED_OFF && section.is_switched_off();
        ((section.enabled || acts_while_off) && !silent)
            || is_command
            || matches!(self.request.event, Event::SessionEnd { .. })
    }

    fn is_headless<S>(&self, section: &Section<S>) -> bool {
        self.host.environment.is_headless() && !section.headless
    }

    fn session(&self) -> Option<&'a str> {
        self.request.call.session_id.as_deref()
    }

    /// The answer, and what the user must know about the state.
    fn decide<H: Hook>(&self, section: &Section<H::Settings>) -> (Answer, Option<String>) {
        let context = Context {
            request: self.request,
            settings: &section.settings,
            places: &self.places,
            host: self.host,
            locked: &section.locked,
            store: self.store.as_ref(),
        };
        let Some(facts) = H::observe(&context) else { return (Answer::default(), None) };
        let ((answer, audit), failure) = match self.decide_under_lock::<H>(section, &facts) {
            Ok(decided) => (decided, None),
            Err(Failure::StateUnusable(why)) => (self.decide_without_state::<H>(section, &facts), Some(why)),
            Err(Failure::NotKept(why)) => (Decided::default(), Some(why)),
        };
        if let Some(why) = &failure {
            self.journal_error::<H>(why);
        }
        let answer = match self.traced::<H>(answer.verdict, &audit, section) {
            Verdict::Sleep { until, rule } => self.sleep::<H>(until, &rule, answer.notice, section),
            verdict => Answer { verdict, ..answer },
        };
        (answer, failure.map(|why| format!("{}: the session's state is not used: {why}", H::NAME)))
    }

    /// Load, decide, save, count: under the session's lock where something is remembered.
    fn decide_under_lock<H: Hook>(
        &self,
        section: &Section<H::Settings>,
        facts: &H::Facts,
    ) -> Result<Decided, Failure> {
        let file = match (&self.store, self.session()) {
            (Some(store), Some(session)) => {
                let session = if H::State::MACHINE_WIDE { "" } else { session };
                store.session_file::<H::State>(session).map(|file| (store, session, file))
            }
            _ => None,
        };
        let Some((store, session, file)) = file else {
            let outcome = self.outcome::<H>(section, facts, &H::State::default(), true);
            return match outcome.memory {
                Memory::Save(_) => Err(Failure::NotKept("there is no state folder".to_owned())),
                Memory::Keep | Memory::Note(_) | Memory::Drop => self.count::<H>(section, outcome),
            };
        };
        let critical = || {
            let state =
                store.load(&file, session).map_err(|error| Failure::StateUnusable(error.to_string()))?;
            let outcome = self.outcome::<H>(section, facts, &state, true);
            match &outcome.memory {
                Memory::Keep => {}
                Memory::Save(state) => store.save(&file, session, state).map_err(Failure::not_kept)?,
                Memory::Note(state) => {
                    if let Err(error) = store.save(&file, session, state) {
                        self.journal_error::<H>(&error.to_string());
                    }
                }
                Memory::Drop => store.forget(&file),
            }
            self.count::<H>(section, outcome)
        };
        store.locked(&file, critical).map_err(|error| Failure::StateUnusable(error.to_string()))?
    }

    /// Decides with empty state. Only a verdict that needs neither state nor effects is given, and no notice: it would come
    /// with every call.
    fn decide_without_state<H: Hook>(&self, section: &Section<H::Settings>, facts: &H::Facts) -> Decided {
        let outcome = self.outcome::<H>(section, facts, &H::State::default(), false);
        let needs_state = matches!(outcome.memory, Memory::Save(_))
            || matches!(outcome.verdict, Verdict::Sleep { .. })
            || !outcome.effects.is_empty();
        if needs_state {
            return Decided::default();
        }
        self.count::<H>(section, Outcome { notice: None, ..outcome }).unwrap_or_default()
    }

    fn outcome<H: Hook>(
        &self,
        section: &Section<H::Settings>,
        facts: &H::Facts,
        state: &H::State,
        state_is_usable: bool,
    ) -> Outcome<H::State, H::Effect> {
        let ledger = match (&self.store, self.session(), &self.request.event) {
            (Some(store), Some(session), Event::Stop(_)) => blocks::read(store, session),
            _ => blocks::Ledger::default(),
        };
        H::decide(&Input {
            request: self.request,
            facts,
            state,
            state_is_usable,
            settings: &section.settings,
            blocks: ledger.count(self.request.call.prompt_id.as_deref(), H::NAME),
            started: self.host.started,
            now: self.host.now(),
            headless: self.is_headless(section),
            switched_off: section.is_switched_off(),
            origin: &|key| section.origin(key),
        })
    }

    /// Counts a blocked stop, or it is not spoken: a gate that cannot count could block for ever. A denial stands
    /// without its mark, which only saves others a needless model call.
    fn count<H: Hook>(
        &self,
        section: &Section<H::Settings>,
        outcome: Outcome<H::State, H::Effect>,
    ) -> Result<Decided, Failure> {
        for Reaction { rule, how } in &outcome.audit.reactions {
            let rule = section.in_file(rule);
            self.journal::<H>(&Entry { what: how.word(), rule: Some(&rule), ..Entry::default() });
        }
        if let Some(audit_event) = &outcome.audit_event {
            self.audited::<H>(audit_event, outcome.notice.as_deref(), section);
        }
        let audit = outcome.audit;
        let failed = self.carry_out::<H>(outcome.effects);
        let answer = match outcome.verdict {
            // A command that was not carried out must not say that it was.
            Verdict::Reply { .. } if failed.is_some() => {
                let text = format!("{}\nIt was not carried out.", failed.unwrap_or_default());
                Answer { verdict: Verdict::Reply { text }, notice: outcome.notice }
            }
            verdict => {
                let told: Vec<String> = outcome.notice.into_iter().chain(failed).collect();
                Answer { verdict, notice: (!told.is_empty()).then(|| told.join("\n")) }
            }
        };
        let (Some(store), Some(session)) = (&self.store, self.session()) else { return Ok((answer, audit)) };
        let call = &self.request.call;
        match (&answer.verdict, &self.request.event) {
            (Verdict::Block { .. }, Event::Stop(stop)) => {
                let (prompt_id, message) =
                    (call.prompt_id.as_deref(), stop.last_assistant_message.as_deref());
                blocks::record_stop(store, session, prompt_id, message, H::NAME, self.host.now())
                    .map_err(Failure::not_kept)?;
            }
            (Verdict::Pass, Event::Stop(_))
                if audit.reactions.iter().any(|reaction| reaction.how == ReactionKind::Followed) =>
            {
                let _ = blocks::record_followed(store, session, call.prompt_id.as_deref(), H::NAME);
            }
            (Verdict::Deny { .. }, Event::PreToolUse(tool)) => {
                if let Some(Err(error)) =
                    tool.tool_use_id.as_deref().map(|id| blocks::record_deny(store, session, id))
                {
                    self.journal_error::<H>(&error.to_string());
                }
            }
            _ => {}
        }
        Ok((answer, audit))
    }

    /// Does what is to be done; what failed, for the user to read.
    fn carry_out<H: Hook>(&self, effects: Vec<H::Effect>) -> Option<String> {
        let done = effects.into_iter().map(|effect| effect.carry_out(&self.places, self.host.now()));
        let failed: Vec<String> = done.filter_map(Result::err).collect();
        for error in &failed {
            self.journal_error::<H>(error);
        }
        (!failed.is_empty()).then(|| failed.join("\n"))
    }

    /// At a session's start or end: what no session needs any more.
    fn clean_up(&self) {
        let Some(store) = &self.store else { return };
        match (&self.request.event, self.session()) {
            (Event::SessionStart { .. }, _) => sweep_once_a_day(store, self.host.now().into()),
            (Event::SessionEnd { .. }, Some(session)) => {
                store.drop_state::<blocks::Ledger>(session);
                store.drop_state::<notices::Told>(session);
                sweep_once_a_day(store, self.host.now().into());
            }
            _ => {}
        }
    }

    /// Tells what is wrong with the configuration, once per session over all hooks.
    fn with_problems<H: Hook>(
        &self,
        answer: Answer,
        section: &Section<H::Settings>,
        state_problem: Option<String>,
    ) -> Answer {
        let mut wrong: Vec<String> = section.problems.iter().map(ToString::to_string).collect();
        if let Some(reason) = self.places.state_dir_ignored {
            wrong.push(format!("the folder CLAUDE_HOOK_STATE_DIR names is not used: {reason}"));
        }
        wrong.extend(state_problem);
        let fresh = match (&self.store, self.session()) {
            (Some(store), Some(session)) if !wrong.is_empty() && self.is_heard() => {
                notices::not_yet_told(store, session, &wrong)
            }
            _ => Vec::new(),
        };
        for notice in &fresh {
            self.journal::<H>(&Entry { what: "problem", text: Some(notice), ..Entry::default() });
        }
        if fresh.is_empty() {
            return answer;
        }
        let text = format!("Barbless: {}", fresh.join("\n"));
        if self.host.environment.is_headless() && self.is_starting() && answer.verdict == Verdict::Pass {
            // `-p` shows a notice to nobody; the model can pass this one on.
            return Answer { verdict: Verdict::Advise { text }, notice: answer.notice };
        }
        let notices = [answer.notice.clone(), Some(text)].into_iter().flatten().collect::<Vec<_>>();
        Answer { notice: Some(notices.join("\n")), ..answer }
    }

    fn is_starting(&self) -> bool {
        matches!(self.request.event, Event::SessionStart { .. })
    }

    /// A notice given now reaches somebody: the user, or in a headless run the model at its start.
    fn is_heard(&self) -> bool {
        match self.request.event {
            Event::SessionEnd { .. } => false,
            Event::SessionStart { .. } => true,
            _ => !self.host.environment.is_headless(),
        }
    }
}

#[cfg(test)]
mod tests;
