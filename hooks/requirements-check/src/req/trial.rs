//! `req try`: what a hook would have said in a past session, as it is set now.
//!
//! The hook decides itself: its binary beside this one is started with `replay` and given the events that the transcript
//! tells of. See `shared::replay` for what it leaves undone.
//!
//! - `transcripts`: which file is meant
//! - `report`: what is told
//! - `progress`: that it goes on, where it takes long

mod progress;
mod report;
mod transcripts;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use shared::catalog::{Catalog, HookEntry};
use shared::host::{Clock, Host, Places};
use shared::replay::{Counts, Opened, Said, Session, Set, Summary, Told, calls_never_asked_about};

use crate::command::Reply;
use crate::command::arguments::Try;
use crate::machine::journal::known_hook;
use progress::Progress;
pub(super) use report::TrialReport;

/// So many of them are kept, the first; the rest are counted.
const MAX_SAID: usize = 2_000;

/// No hook in a replay may have them, whatever it does with them.
const NOT_HANDED_ON: [&str; 7] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_HOOK_STATE_DIR",
    "BARBLESS_NONCE",
    "CLAUDE_CODE_SESSION_ID",
];

/// What came back of a replay.
#[derive(Debug, Default)]
struct Heard {
    set: Set,
    said: Vec<Said>,
    left_out: u64,
    /// Of all of them, how often what was said, by which rule, and how long was waited.
    times: BTreeMap<String, u64>,
    rules: BTreeMap<String, u64>,
    waited_ms: u64,
    counts: Counts,
    summary: Summary,
}

impl Heard {
    fn take(&mut self, said: Said) {
        *self.times.entry(said.what.clone()).or_insert(0) += 1;
        if let Some(rule) = &said.rule {
            *self.rules.entry(rule.clone()).or_insert(0) += 1;
        }
        self.waited_ms += said.wait_ms.unwrap_or(0);
        if self.said.len() < MAX_SAID {
            self.said.push(said);
        } else {
            self.left_out += 1;
        }
    }
}

/// Where it is replayed.
struct Stage<'a> {
    hook: &'a HookEntry,
    transcript: PathBuf,
    /// The project whose files count.
    project: Option<PathBuf>,
    /// The session's own folder, where it is not there any more.
    gone: Option<PathBuf>,
}

pub(super) fn trial(wanted: &Try) -> Result<Reply, String> {
    let name = known_hook(&wanted.hook)?;
    let catalog = Catalog::built_in().map_err(|error| format!("req: {error}"))?;
    let hook = catalog.hook(&name).ok_or_else(|| format!("req: there is no hook {name}"))?;
    let mut host = Host::real();
    // Nothing of the state is looked at.
    host.environment.state_dir = None;
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let program = beside(&name)?;
    let transcript = transcripts::find(wanted.session.as_deref(), &host, &places)?;
    let stage = Stage::of(hook, transcript, &places)?;
    let heard = stage.replay(&program, host.clock)?;
    let report = TrialReport::of(&stage, heard, host.environment.home.as_deref());
    let text = if wanted.json {
        serde_json::to_string_pretty(&report).map_err(|error| format!("req: {error}"))?
    } else {
        report.told(wanted.all)
    };
    Ok(Reply::yes(text))
}

/// The hook's program, which lies where this one does.
fn beside(name: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().and_then(|program| program.canonicalize()).unwrap_or_default();
    let program = own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    let folder = own.parent().unwrap_or(Path::new("")).display();
    Err(format!("req: {name} is not in {folder}, beside req; req hooks install {name} puts it there"))
}

impl<'a> Stage<'a> {
    /// Where the session began; if that folder is gone, the project at hand lends its files.
    fn of(hook: &'a HookEntry, transcript: PathBuf, places: &Places) -> Result<Self, String> {
        let opened = open(&transcript).and_then(|file| Opened::read(file).map_err(|error| error.to_string()));
        let opened = opened.map_err(|why| format!("req: {}: {why}", transcript.display()))?;
        let Some((began, session)) = opened.cwd.map(PathBuf::from).zip(opened.session) else {
            return Err(format!("req: {} is no transcript of a session", transcript.display()));
        };
        if opened.is_of_subagent {
            let file = transcript.display();
            return Err(format!(
                "req: {file} is a subagent's; its session's can be replayed: --session {session}"
            ));
        }
        let is_there = began.is_dir();
        let project = if is_there { Some(began.clone()) } else { places.root.clone() };
        Ok(Self { hook, transcript, project, gone: (!is_there).then_some(began) })
    }

    fn replay(&self, program: &Path, clock: Clock) -> Result<Heard, String> {
        let named = |why: String| format!("req: {}: {why}", self.transcript.display());
        let never = open(&self.transcript)
            .and_then(|file| calls_never_asked_about(file).map_err(|error| error.to_string()));
        let (never, file) = (never.map_err(named)?, open(&self.transcript).map_err(named)?);
        let path = self.transcript.display().to_string();
        let session = Session::new(file, &path, &self.hook.events, never);
        let progress = Progress::start(clock);
        let mut child = self.start(program)?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let heard = pipes.map(|(events, told)| {
            thread::scope(|scope| {
                let feeder = scope.spawn(move || feed(session, events, progress));
                let heard = hear(told);
                let summary = feeder.join().unwrap_or_else(|_| Err("its events were lost".to_owned()));
                Ok(Heard { summary: summary?, ..heard? })
            })
        });
        let ended = child.wait().map_err(|error| error.to_string());
        let heard = heard.unwrap_or_else(|| Err("it has no pipes".to_owned())).map_err(named)?;
        match ended {
            Ok(status) if status.success() => Ok(heard),
            Ok(status) => Err(format!("req: {} replay has ended early: {status}", self.hook.name)),
            Err(why) => Err(format!("req: {}: {why}", program.display())),
        }
    }

    fn start(&self, program: &Path) -> Result<Child, String> {
        let mut command = Command::new(program);
        command.arg("replay").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        for name in NOT_HANDED_ON {
            command.env_remove(name);
        }
        if let Some(project) = &self.project {
            command.env("CLAUDE_PROJECT_DIR", project).current_dir(project);
        }
        command.spawn().map_err(|error| format!("req: {}: {error}", program.display()))
    }
}

fn open(transcript: &Path) -> Result<BufReader<File>, String> {
    let file = File::open(transcript).map_err(|error| error.to_string())?;
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    if is_file { Ok(BufReader::new(file)) } else { Err("it is no file".to_owned()) }
}

/// Hands the events over; what the transcript tells of its session.
fn feed(
    mut session: Session<'_, impl BufRead>,
    events: ChildStdin,
    mut progress: Progress,
) -> Result<Summary, String> {
    let mut events = BufWriter::new(events);
    while let Some(past) = session.next_event().map_err(|error| error.to_string())? {
        let line = serde_json::to_string(&past).map_err(|error| error.to_string())?;
        if writeln!(events, "{line}").is_err() {
            // It has ended: how, its status says.
            break;
        }
        progress.event();
    }
    Ok(session.summary().clone())
}

fn hear(told: ChildStdout) -> Result<Heard, String> {
    let mut heard = Heard::default();
    for line in BufReader::new(told).lines() {
        let line = line.map_err(|error| error.to_string())?;
        match serde_json::from_str(&line)
            .map_err(|_| "the hook's replay is of another version; req hooks install")?
        {
            Told::Settings(set) => heard.set = set,
            Told::Said(said) => heard.take(said),
            Told::End(counts) => heard.counts = counts,
        }
    }
    Ok(heard)
}
