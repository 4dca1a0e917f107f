//! The life of one invocation: read, parse, configure, observe, lock, decide, save, answer.
//!
//! Whatever goes wrong, the session goes on: exit status 0, stdout empty or one JSON object, the journal says why.
//! `main` is the only place in the workspace that writes a hook's stdout.
//!
//! - `plugin`: a plugin's copy of a hook leaves the call to the one that settings start
//! - `sleep`: a deliberate delay

mod plugin;
mod sleep;

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use crate::config::{Section, load_if_enabled};
pub use crate::hook::configure;
use crate::hook::{
    Audit, AuditEvent, BlockCount, Context, Effect, Headless, Hook, Input, Memory, Outcome, Reaction,
    ReactionKind, Remembered, Verdict, with_faults,
};
use crate::host::{Host, Places, Timestamp, read_first_value};
use crate::journal::Record;
use crate::own_commands::{is_own_call, remember_scheduled};
use crate::protocol::{self, Answer, Event, Request};
use crate::state::{MACHINE, Off, Store};
use crate::switches::{Position, Switches};
use crate::{blocks, cli, host, journal, messages};
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
        // A client that has closed our stdout is not interested.
        let _ = writeln!(std::io::stdout(), "{answer}");
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
            if Off::in_force(&places, host.started).is_some() {
                // The prompt may come when the hooks are on again.
                for prompt in request.event.scheduled_prompts() {
                    let _ = remember_scheduled(store, &prompt);
                }
                return None;
            }
            if host.environment.nonce.as_ref().is_some_and(is_judge) {
                return None;
            }
        }
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
        for prompt in self.request.event.scheduled_prompts() {
            let kept = self.store.as_ref().map(|store| remember_scheduled(store, &prompt));
            if let Some(Err(error)) = kept {
                self.journal::<H>(Record::of("error", error.to_string()));
            }
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
        let switches = Switches::in_force(&self.places, self.store.as_ref());
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
            store.drop_state::<messages::Reported>(session);
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
        let fresh = messages::not_yet_reported(store, session, problems);
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

/// One decision: observed without a lock, made and saved under the session's lock, then written to the journal.
struct Decision<'d, H: Hook> {
    call: &'d Invocation<'d>,
    section: &'d Section<H::Settings>,
}

type Decided = (Answer, Audit);

type OutcomeOf<H> = Outcome<<H as Hook>::State, <H as Hook>::Effect>;

/// Why a decision does not hold.
enum Failure {
    /// The session's state cannot be read or locked.
    StateUnusable(String),
    /// The decision counts something, and the count cannot be written: a gate that cannot count could block forever.
    NotKept(String),
}

fn unusable(error: impl Display) -> Failure {
    Failure::StateUnusable(error.to_string())
}

fn not_kept(error: impl Display) -> Failure {
    Failure::NotKept(error.to_string())
}

impl<H: Hook> Decision<'_, H> {
    /// The answer, and what the user must know about the state.
    fn answer(&self) -> (Answer, Option<String>) {
        let context = Context {
            request: self.call.request,
            settings: &self.section.settings,
            places: &self.call.places,
            host: self.call.host,
            locked: &self.section.locked,
            set_in_project: self.section.is_set_in_project(),
            store: self.call.store.as_ref(),
        };
        let Some(facts) = H::observe(&context) else { return (Answer::default(), None) };
        let ((answer, audit), failure) = match self.under_lock(&facts) {
            Ok(decided) => (decided, None),
            Err(Failure::StateUnusable(why)) => (self.without_state(&facts), Some(why)),
            Err(Failure::NotKept(why)) => (Decided::default(), Some(why)),
        };
        if let Some(why) = &failure {
            self.error(why);
        }
        let answer = match self.traced(answer.verdict, audit) {
            Verdict::Sleep { until, rule } => self.sleep(until, &rule, answer.notice),
            verdict => Answer { verdict, ..answer },
        };
        (answer, failure.map(|why| format!("{}: the session's state is not used: {why}", H::NAME)))
    }

    /// Loads, decides, saves, counts: under the session's lock where something is remembered.
    fn under_lock(&self, facts: &H::Facts) -> Result<Decided, Failure> {
        let file = self.call.store.as_ref().zip(self.call.session()).and_then(|(store, session)| {
            let session = if H::State::FILE.contains('*') { session } else { MACHINE };
            Some((store, session, store.session_file::<H::State>(session)?))
        });
        let Some((store, session, file)) = file else {
            let outcome = self.outcome(facts, &H::State::default(), true);
            return match outcome.memory {
                Memory::Save(_) => Err(not_kept("there is no state folder")),
                Memory::Keep | Memory::Note(_) | Memory::Drop => self.carried_out(outcome),
            };
        };
        let critical = || {
            let state = store.load(&file).map_err(unusable)?;
            let outcome = self.outcome(facts, &state, true);
            match &outcome.memory {
                Memory::Keep => {}
                Memory::Save(state) => store.save(&file, session, state).map_err(not_kept)?,
                Memory::Note(state) => {
                    if let Err(error) = store.save(&file, session, state) {
                        self.error(error);
                    }
                }
                Memory::Drop => store.forget(&file),
            }
            self.carried_out(outcome)
        };
        store.locked(&file, critical).map_err(unusable)?
    }

    /// Decides with empty state. Gives a verdict that needs neither state nor effects, and no notice, which would come each time.
    fn without_state(&self, facts: &H::Facts) -> Decided {
        let outcome = self.outcome(facts, &H::State::default(), false);
        let needs_state = matches!(outcome.memory, Memory::Save(_))
            || matches!(outcome.verdict, Verdict::Sleep { .. })
            || !outcome.effects.is_empty();
        if needs_state {
            return Decided::default();
        }
        self.carried_out(Outcome { notice: None, ..outcome }).unwrap_or_default()
    }

    fn outcome(&self, facts: &H::Facts, state: &H::State, state_is_usable: bool) -> OutcomeOf<H> {
        let call = self.call;
        let prompt_id = call.request.call.prompt_id.as_deref();
        let blocks = match (&call.store, call.session(), &call.request.event) {
            (Some(store), Some(session), Event::Stop(_)) => {
                blocks::read(store, session).count(prompt_id, H::NAME)
            }
            _ => BlockCount::default(),
        };
        H::decide(&Input {
            request: call.request,
            facts,
            state,
            state_is_usable,
            settings: &self.section.settings,
            blocks,
            started: call.host.started,
            now: call.host.now(),
            headless: call.is_headless(self.section),
            switched_off: self.section.is_switched_off(),
            origin: &|key| self.section.origin(key),
        })
    }

    /// Carries out the effects of a decision, and counts its block or denial for the other hooks.
    fn carried_out(&self, outcome: OutcomeOf<H>) -> Result<Decided, Failure> {
        for Reaction { rule, how } in &outcome.audit.reactions {
            let rule = Some(self.section.in_file(rule));
            self.call.journal::<H>(Record { what: how.word().to_owned(), rule, ..Record::default() });
        }
        match &outcome.audit_event {
            Some(AuditEvent::Allowed(why)) => self.call.journal::<H>(Record::of("let-go", *why)),
            Some(AuditEvent::Advised(rule)) => {
                let text = outcome.notice.clone().unwrap_or_default();
                self.journal(rule, Record::of("advise", text));
            }
            None => {}
        }
        let now = self.call.host.now();
        let done = outcome.effects.into_iter().map(|effect| effect.carry_out(&self.call.places, now));
        let failed = lines(done.filter_map(Result::err).inspect(|error| self.error(error)));
        let answer = match (outcome.verdict, failed) {
            // A command that was not carried out must not say that it was.
            (Verdict::Reply { .. }, Some(failed)) => {
                let text = format!("{failed}\nIt was not carried out.");
                Answer { verdict: Verdict::Reply { text }, notice: outcome.notice }
            }
            (verdict, failed) => Answer { verdict, notice: lines(outcome.notice.into_iter().chain(failed)) },
        };
        self.count(&answer.verdict, &outcome.audit)?;
        Ok((answer, outcome.audit))
    }

    /// Counts a blocked stop, or it is not spoken. A denial stands without its mark, which only saves others a model call.
    fn count(&self, verdict: &Verdict, audit: &Audit) -> Result<(), Failure> {
        let (Some(store), Some(session)) = (&self.call.store, self.call.session()) else { return Ok(()) };
        let prompt_id = self.call.request.call.prompt_id.as_deref();
        let is_followed = || audit.reactions.iter().any(|reaction| reaction.how == ReactionKind::Followed);
        match (verdict, &self.call.request.event) {
            (Verdict::Block { .. }, Event::Stop(stop)) => {
                let (message, now) = (stop.last_assistant_message.as_deref(), self.call.host.now());
                blocks::record_stop(store, session, prompt_id, message, H::NAME, now).map_err(not_kept)?;
            }
            (Verdict::Pass, Event::Stop(_)) if is_followed() => {
                let _ = blocks::record_followed(store, session, prompt_id, H::NAME);
            }
            (Verdict::Deny { .. }, Event::PreToolUse(tool)) => {
                let denied = tool.tool_use_id.as_deref().map(|id| blocks::record_deny(store, session, id));
                if let Some(Err(error)) = denied {
                    self.error(error);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds to a denial or block where its rule is set, and journals the verdict; a sleep is journaled when it is over.
    fn traced(&self, mut verdict: Verdict, audit: Audit) -> Verdict {
        let what = verdict.word();
        match &mut verdict {
            Verdict::Pass | Verdict::Sleep { .. } => {}
            // At a session's start Claude can neither follow nor override a rule yet.
            Verdict::Advise { text } => {
                let what = if self.call.is_starting() { "tell" } else { what };
                self.call.journal::<H>(Record::of(what, &*text));
            }
            Verdict::Reply { .. } => {
                self.call.journal::<H>(Record { what: what.to_owned(), ..Record::default() });
            }
            Verdict::Deny { reason, rule }
            | Verdict::Ask { reason, rule }
            | Verdict::Block { reason, rule } => {
                // A reason for several rules names the place of each itself.
                let place = self.section.origin(rule).map(|origin| origin.to_string());
                if let Some(place) = place.filter(|place| !reason.contains(place)) {
                    *reason = format!("{reason}\n({}: {place})", self.section.in_file(rule));
                }
                let also = audit.also.iter().map(|rule| self.section.in_file(rule)).collect();
                let place = |rule| self.section.origin(rule).map(|origin| origin.with_layer());
                let also_where = audit.also.iter().map(|rule| place(rule).unwrap_or_default()).collect();
                let next = audit.next;
                self.journal(rule, Record { also, also_where, next, ..Record::of(what, &*reason) });
            }
        }
        verdict
    }

    /// Sleeps, keeps in the journal for how long, and gives the notice if the sleep came to its end.
    fn sleep(&self, until: Timestamp, rule: &str, notice: Option<String>) -> Answer {
        let call = self.call;
        let is_still_wanted = || {
            let switches = Switches::in_force(&call.places, call.store.as_ref());
            switches.position(H::NAME, call.session()) != Position::Off
                && Off::in_force(&call.places, call.host.now()).is_none()
        };
        let slept = sleep::until(until, call.host.clock, is_still_wanted);
        H::slept(&call.places, call.session(), call.host.now());
        let slept_ms = u64::try_from(slept.duration.as_millis()).ok();
        let text = slept.cut_short.map(str::to_owned).or_else(|| notice.clone());
        self.journal(rule, Record { what: "sleep".to_owned(), text, slept_ms, ..Record::default() });
        Answer { verdict: Verdict::Pass, notice: notice.filter(|_| slept.cut_short.is_none()) }
    }

    fn error(&self, error: impl Display) {
        self.call.journal::<H>(Record::of("error", error.to_string()));
    }

    fn journal(&self, rule: &str, record: Record) {
        let origin = self.section.origin(rule);
        self.call.journal::<H>(Record {
            rule: Some(self.section.in_file(rule)),
            layer: origin.as_ref().map(|origin| origin.layer.word().to_owned()),
            r#where: origin.map(|origin| origin.to_string()),
            ..record
        });
    }
}

fn lines(texts: impl IntoIterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests;
