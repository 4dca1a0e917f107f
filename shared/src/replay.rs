//! Going through a past session again: what a hook would have said at each of its events, as its settings are now.
//!
//! `<hook> replay`, which `req try` starts, reads [`Past`] events on stdin, one JSON object per line, and prints [`Told`]
//! ones. The hook's own code decides, with a clock that stands where the past one stood and memory in a scratch folder.
//! Nothing is done: no effect but memory, no waiting, no model, no server; and switches, marks and readings of today
//! are not looked at.
//!
//! - `past`: a transcript as the events that its session had; `record`: one line of it
//! - `scratch`: the folder for the memory, and the transcript as it was at each event
//! - `signals`: ending early, with the folder gone

mod past;
mod record;
mod scratch;
mod signals;

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::cli;
use crate::config::Sources;
use crate::hook::{Hook, Verdict};
use crate::host::{Clock, Environment, Host, MAX_INPUT_BYTES, Places, Timestamp};
use crate::protocol::{self, Answer, Event, Input, to_wire};
use crate::run::{configure, replayed};
use crate::secrets::masked;
use crate::switches::SectionSwitches;
pub use past::{Opened, Session, Summary, calls_never_asked_about};
use scratch::Scratch;

/// The verb. It is in no help: nobody needs to type it.
pub(crate) const VERB: &str = "replay";

/// An event takes so much beside the hook's own input, in bytes.
const AROUND_INPUT: usize = 1024;

/// So much of a call's main argument is shown, in characters.
const MAX_ABOUT: usize = 100;

/// An event of a past session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Past {
    /// When it was, as RFC 3339.
    pub at: String,
    /// How much of the transcript was written then, in bytes; none: it is not shown to the hook.
    #[serde(default)]
    pub transcript_bytes: Option<u64>,
    /// What the client told the hook.
    pub input: Box<RawValue>,
}

/// What a replay prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// First: how the hook is set.
    Settings(Set),
    /// It would have said something.
    Said(Said),
    /// Last: how much there was.
    End(Counts),
}

/// How a hook is set in the project at hand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Set {
    /// The files switch it on. It is replayed in any case.
    pub enabled: bool,
    /// What made it so; null: the defaults.
    pub set_by: Option<String>,
    /// What is wrong in the files.
    pub problems: Vec<String>,
}

/// What a hook would have said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// When, as RFC 3339.
    pub at: String,
    /// To which event.
    pub event: String,
    /// Of which tool's call.
    pub tool: Option<String>,
    /// The call's main argument, cut: a file, a command.
    pub about: Option<String>,
    /// Which way: deny, ask, block (a stop or a prompt), advise (a text for Claude), reply (to a command of ours), sleep, notice (for you alone).
    pub what: String,
    /// What Claude would have read, of a question to you or of a reply you.
    pub text: Option<String>,
    /// What you would have been told beside it.
    pub notice: Option<String>,
    /// The key of the setting behind it, as it stands in a file.
    pub rule: Option<String>,
    /// How long it would have waited, in milliseconds.
    pub wait_ms: Option<u64>,
}

/// How much there was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Events that the hook was given.
    pub events: u64,
    /// Lines that are no event.
    pub unread: u64,
    /// How often it would have asked a model.
    pub questions: u64,
}

/// `<hook> replay`.
pub(crate) fn run<H: Hook>(host: &Host) -> ExitCode {
    let scratch = match Scratch::of(host) {
        Ok(scratch) => scratch,
        Err(error) => return cli::fail(&format!("{}: there is no room for a replay: {error}", H::NAME)),
    };
    let mut replay = Replay::<H>::new(host, scratch);
    let is_to_end = signals::told_to_end();
    let events = signals::Events(Arc::clone(&is_to_end));
    match replay.all(BufReader::new(events), io::stdout().lock(), &is_to_end) {
        // Whoever closes our stdout has read enough.
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => cli::fail(&format!("{}: {error}", H::NAME)),
    }
}

struct Replay<H: Hook> {
    /// The real host, with the scratch folder and nothing of today's session.
    host: Host,
    scratch: Scratch,
    /// Calls it would have refused: in its eyes they have not run.
    refused: BTreeSet<String>,
    counts: Counts,
    hook: std::marker::PhantomData<H>,
}

impl<H: Hook> Replay<H> {
    fn new(host: &Host, scratch: Scratch) -> Self {
        let Environment { home, claude_config_dir, project_dir, search_path, .. } = host.environment.clone();
        let environment = Environment {
            home,
            claude_config_dir,
            project_dir,
            search_path,
            // As if somebody had watched: a hook that is silent elsewhere would have nothing to show.
            entrypoint: Some("cli".to_owned()),
            replay_dir: Some(scratch.state_dir()),
            ..Environment::default()
        };
        let host = Host { environment, ..host.clone() };
        let (refused, counts) = (BTreeSet::new(), Counts::default());
        Self { host, scratch, refused, counts, hook: std::marker::PhantomData }
    }

    fn all(
        &mut self,
        mut events: impl BufRead,
        mut told: impl Write,
        is_to_end: &AtomicBool,
    ) -> io::Result<()> {
        tell(&mut told, &Told::Settings(self.settings()))?;
        let mut line = Vec::new();
        while past::read_line(&mut events, &mut line, MAX_INPUT_BYTES + AROUND_INPUT)?.is_some() {
            match Due::read(&line) {
                Some(due) => {
                    self.counts.events += 1;
                    if let Some(said) = self.event(due) {
                        tell(&mut told, &Told::Said(said))?;
                    }
                }
                None => self.counts.unread += 1,
            }
            if is_to_end.load(Ordering::Relaxed) {
                return Err(signals::ended());
            }
        }
        self.counts.questions = self.host.questions();
        tell(&mut told, &Told::End(self.counts))?;
        told.flush()
    }

    fn settings(&self) -> Set {
        let places = Places::resolve(&self.host.environment, self.host.cwd().as_deref());
        let sources = Sources::of(&places, self.host.environment.home.as_deref());
        let section = configure::<H>(H::section(), &sources, SectionSwitches::default());
        section.map_or_else(Set::default, |section| Set {
            enabled: section.enabled,
            set_by: section.origin("enabled").map(|origin| origin.to_string()),
            problems: section.problems.iter().map(ToString::to_string).collect(),
        })
    }

    fn event(&mut self, due: Due) -> Option<Said> {
        let Due { at, transcript_bytes, mut input } = due;
        let id = input.event.tool_call().and_then(|call| call.tool_use_id.clone());
        if !matches!(input.event, Event::PreToolUse(_))
            && id.as_ref().is_some_and(|id| self.refused.contains(id))
        {
            return None;
        }
        let shown = input.call.transcript_path.take().zip(transcript_bytes);
        input.call.transcript_path = shown.and_then(|(path, bytes)| self.scratch.transcript(&path, bytes));
        let host = Host { started: at, clock: Clock::Fixed(at), ..self.host.clone() };
        let answer = replayed::<H>(&host, &input);
        if matches!(answer.verdict, Verdict::Deny { .. }) {
            self.refused.extend(id);
        }
        let said = said(&input, at, answer)?;
        Some(Said { rule: said.rule.map(|rule| H::section().dotted_in_file(&rule)), ..said })
    }
}

/// An event as it is told to the hook.
struct Due {
    at: Timestamp,
    transcript_bytes: Option<u64>,
    input: Input,
}

impl Due {
    /// `None`: the line is no event.
    fn read(line: &[u8]) -> Option<Self> {
        let past: Past = serde_json::from_slice(line).ok()?;
        let at = Timestamp::from_rfc3339(&past.at)?;
        let input = protocol::parse(past.input.get().as_bytes()).ok()?;
        Some(Self { at, transcript_bytes: past.transcript_bytes, input })
    }
}

fn tell(told: &mut impl Write, what: &Told) -> io::Result<()> {
    let line = serde_json::to_string(what).map_err(io::Error::other)?;
    writeln!(told, "{line}")
}

/// What the client would have taken from the answer; `None` for silence.
fn said(input: &Input, at: Timestamp, answer: Answer) -> Option<Said> {
    let waits = matches!(answer.verdict, Verdict::Sleep { .. });
    if !waits && to_wire(&input.event, &answer).is_none() {
        return None;
    }
    let call = input.event.tool_call();
    let mut said = Said {
        at: at.rfc3339(),
        event: input.event.name().to_owned(),
        tool: call.map(|call| call.tool_name.clone()),
        about: call.and_then(|call| about(call.tool_input.as_deref()?, input.call.cwd.as_deref())),
        what: answer.verdict.word().to_owned(),
        notice: answer.notice,
        ..Said::default()
    };
    match answer.verdict {
        Verdict::Pass => "notice".clone_into(&mut said.what),
        Verdict::Advise { text } | Verdict::Reply { text } => said.text = Some(text),
        Verdict::Sleep { until, rule } => {
            said.rule = Some(rule.into_owned());
            said.wait_ms = u64::try_from(until.since(at).as_millis()).ok();
        }
        Verdict::Deny { reason, rule } | Verdict::Ask { reason, rule } | Verdict::Block { reason, rule } => {
            (said.text, said.rule) = (Some(reason), Some(rule.into_owned()));
        }
    }
    Some(said)
}

/// What a call is about, for a person: the first of these that its input has; a file of the session's folder without that.
fn about(input: &RawValue, cwd: Option<&Path>) -> Option<String> {
    const KEYS: [&str; 9] =
        ["file_path", "notebook_path", "command", "pattern", "url", "query", "skill", "description", "path"];
    let fields: protocol::Fields<'_> = serde_json::from_str(input.get()).ok()?;
    let text = KEYS.iter().find_map(|key| fields.name(key))?;
    let in_folder = cwd.and_then(|cwd| Path::new(&text).strip_prefix(cwd).ok()?.to_str());
    let shown = masked(in_folder.filter(|rest| !rest.is_empty()).unwrap_or(&text));
    let line = shown.lines().next().unwrap_or_default();
    let mut cut: String = line.chars().take(MAX_ABOUT).collect();
    if cut.len() < shown.len() {
        cut.push('…');
    }
    Some(cut)
}

#[cfg(test)]
mod tests;
