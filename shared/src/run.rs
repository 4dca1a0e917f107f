//! The life of one invocation: read, parse, configure, observe, lock, decide, save, answer.
//!
//! Whatever goes wrong, the session goes on: exit status 0, stdout empty or one JSON object, the journal says why.
//! `main` is the only place in the workspace that writes a hook's stdout.
//!
//! - `plugin`: a plugin's copy of a hook leaves the call to the one that settings start
//! - `decision`: the decision under the session's lock, and its effects; `sleep`: a deliberate delay

mod decision;
mod plugin;
mod sleep;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use crate::config::{Section, load_if_enabled};
pub use crate::hook::configure;
use crate::hook::{Headless, Hook, Verdict, with_faults};
use crate::host::{Host, Places, read_first_value};
use crate::journal::Record;
use crate::own_commands::{is_own_call, remember_scheduled};
use crate::protocol::{self, Answer, Event, Request};
use crate::state::{Store, is_off};
use crate::switches::Switches;
use crate::{blocks, cli, host, journal, messages};
use decision::Decision;
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
    if let Some(answer) = respond_to::<H>(&host, read_first_value(), is_plugins) {
        let mut stdout = std::io::stdout().lock();
        // A client that has closed our stdout is not interested.
        let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.write_all(b"\n"));
        let _ = stdout.flush();
    }
    ExitCode::SUCCESS
}

/// A panic is a bug, and the session must not pay for it: exit 0 with nothing on stdout, and a line in the journal.
#[expect(clippy::exit, reason = "with panic = abort this is the only way to end with status 0")]
fn fail_open_on_panic<H: Hook>(host: &Host) {
    let host = host.clone();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(|place| format!("panicked at {}:{}", place.file(), place.line()));
        journal_outside_a_call::<H>(&host, place.unwrap_or_default());
        std::process::exit(0);
    }));
}

/// One invocation without its process: what would be printed for this input, `None` for silence.
pub fn respond<H: Hook>(host: &Host, bytes: Result<Vec<u8>, &'static str>) -> Option<String> {
    respond_to::<H>(host, bytes, false)
}

/// The same for the copy of the hook that a plugin starts, too: silence where settings start the hook as well.
fn respond_to<H: Hook>(
    host: &Host,
    bytes: Result<Vec<u8>, &'static str>,
    is_plugins: bool,
) -> Option<String> {
    let request = bytes
        .and_then(|bytes| protocol::parse(&bytes))
        .map_err(|why| journal_outside_a_call::<H>(host, why))
        .ok()?;
    let call = Invocation::new(host, &request)?;
    if is_plugins && is_left_to_settings(H::NAME, &call.places, &request) {
        return None;
    }
    protocol::to_wire(&request.event, &call.answer::<H>())
}

/// Writes an error down that belongs to no call we understand.
fn journal_outside_a_call<H: Hook>(host: &Host, error: impl Into<String>) {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    if let Some(store) = places.open_store() {
        let project = places.root.as_deref().map(journal::project_name);
        let record = Record { hook: H::NAME.to_owned(), project, ..Record::of("error", error) };
        journal::write(&store, host.now(), record);
    }
}

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
            if [Some(store.dir()), own].into_iter().flatten().any(|dir| is_off(dir, host.started)) {
                // The prompt may come when the hooks are on again.
                let _ = remember_scheduled(store, &request.event);
                return None;
            }
            if host.environment.nonce.as_ref().is_some_and(is_judge) {
                return None;
            }
        }
        let (places, store) = places.with_writable(store);
        Some(Self { host, request, places, store })
    }

    fn answer<H: Hook>(&self) -> Answer {
        if let Some(store) = &self.store {
            store.beat(H::NAME, self.host.now().into());
        }
        if matches!(&self.request.event, Event::PreToolUse(call) if is_own_call(call, &self.places)) {
            return Answer::default();
        }
        // Even if the hook is off now: it may be on when the scheduled prompt comes.
        let scheduled = self.store.as_ref().map(|store| remember_scheduled(store, &self.request.event));
        if let Some(Err(error)) = scheduled {
            self.journal::<H>(Record::of("error", error.to_string()));
        }
        let Some(section) = self.configure::<H>() else { return Answer::default() };
        let (answer, state_problem) = if self.is_active::<H>(&section) {
            Decision::<H> { call: self, section: &section }.answer()
        } else {
            (Answer::default(), None)
        };
        self.clean_up();
        let ignored = self.places.state_dir_ignored;
        let ignored =
            ignored.map(|reason| format!("the folder CLAUDE_HOOK_STATE_DIR names is not used: {reason}"));
        let problems = section.problems.iter().map(ToString::to_string).chain(ignored).chain(state_problem);
        let answer = self.with_notices::<H>(answer, &problems.collect::<Vec<_>>());
        // The process ends now; taking the layers apart would cost a twentieth of the whole call.
        std::mem::forget(section);
        answer
    }

    fn configure<H: Hook>(&self) -> Option<Section<H::Settings>> {
        let sources = self.places.sources(self.host.environment.home.as_deref());
        let switches = self.store.as_ref().map(Switches::read).unwrap_or_default();
        let switches = switches.of(H::NAME, self.session());
        if self.request.event.tool_call().is_some() {
            return load_if_enabled(H::section(), &sources, switches).map(with_faults::<H>);
        }
        configure::<H>(&sources, switches)
    }

    /// A hook that is off still hears a session's end, when its memory goes, and its own commands: one switches it on again.
    fn is_active<H: Hook>(&self, section: &Section<H::Settings>) -> bool {
        let is_on = section.enabled || H::ACTS_WHILE_SWITCHED_OFF && section.is_switched_off();
        let is_silent = H::HEADLESS == Headless::Silent && self.is_headless(section);
        match &self.request.event {
            Event::SessionEnd { .. } => true,
            Event::UserPromptSubmit { prompt, .. } if H::is_command(prompt) => true,
            _ => is_on && !is_silent,
        }
    }

    fn is_headless<S>(&self, section: &Section<S>) -> bool {
        self.host.environment.is_headless() && !section.headless
    }

    fn session(&self) -> Option<&'a str> {
        self.request.call.session_id.as_deref()
    }

    fn clean_up(&self) {
        let Some(store) = &self.store else { return };
        if let (Event::SessionEnd { .. }, Some(session)) = (&self.request.event, self.session()) {
            store.drop_state::<blocks::Ledger>(session);
            store.drop_state::<messages::Told>(session);
        }
        if matches!(self.request.event, Event::SessionStart { .. } | Event::SessionEnd { .. }) {
            store.sweep_once_a_day(self.host.now().into());
        }
    }

    /// Adds problems of configuration and state that the user must know, each once per session over all hooks.
    fn with_notices<H: Hook>(&self, answer: Answer, problems: &[String]) -> Answer {
        let (Some(store), Some(session)) = (&self.store, self.session()) else { return answer };
        if problems.is_empty() || !self.is_heard() {
            return answer;
        }
        let fresh = messages::not_yet_told(store, session, problems);
        if fresh.is_empty() {
            return answer;
        }
        for notice in &fresh {
            self.journal::<H>(Record::of("problem", notice));
        }
        let text = format!("Barbless: {}", fresh.join("\n"));
        if self.host.environment.is_headless() && self.is_starting() && answer.verdict == Verdict::Pass {
            // `-p` shows a notice to nobody; the model can pass this one on.
            return Answer { verdict: Verdict::Advise { text }, notice: answer.notice };
        }
        Answer { notice: lines(answer.notice.into_iter().chain([text])), ..answer }
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

    fn journal<H: Hook>(&self, record: Record) {
        let Some(store) = &self.store else { return };
        let Request { call, event } = self.request;
        let tool = event.tool_call();
        let record = Record {
            call: tool.and_then(|tool| tool.tool_use_id.clone()),
            tool: tool.map(|tool| tool.tool_name.clone()).filter(|name| !name.is_empty()),
            ..record.about(H::NAME, event.name(), &self.places, call)
        };
        journal::write(store, self.host.now(), record);
    }
}

fn lines(texts: impl IntoIterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests;
