//! `credit-pacer statusline`: what Claude Code reports to its status line is recorded first; then a line is printed. Whatever
//! goes wrong, there is a line, and exit status 0.

mod line;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use shared::child::{self, Limits};
use shared::cli::Asker;
use shared::host::{Host, Places, read_first_value};
use shared::operator::Caller;
use shared::usage::{ContextWindow, SessionUsage};

use crate::command::Now;
use crate::readings::{self, reported};
use crate::{CreditPacer, database};
use line::Shown;

/// A chained command that takes longer is ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// More of its output is not read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Set for the chained command: our status line, started by it in whatever way, prints nothing.
const VARIABLE: &str = "BARBLESS_STATUSLINE";

/// The width of a terminal that reports none.
const DEFAULT_COLUMNS: usize = 80;

/// Columns that Claude Code keeps beside the line.
const MARGIN: usize = 4;

/// The report of Claude Code. A part that is missing, or of another kind than expected, is left out.
#[derive(Debug, Clone, Default, PartialEq)]
struct Report {
    session: Option<String>,
    /// The project's folder, else the working directory of the session.
    project: Option<PathBuf>,
    /// The model's name for people, else its id.
    model_name: Option<String>,
    /// The part that is kept.
    usage: SessionUsage,
}

impl Report {
    /// Reads the object of Claude Code; `None`: it is no JSON.
    fn read(bytes: &[u8]) -> Option<Self> {
        let object: Value = serde_json::from_slice(bytes).ok()?;
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let natural = |pointer: &str| object.pointer(pointer).and_then(Value::as_u64);
        let model = text("/model/id").unwrap_or_default();
        let context = ContextWindow {
            size: natural("/context_window/context_window_size"),
            used_tokens: natural("/context_window/total_input_tokens"),
            used_percent: object.pointer("/context_window/used_percentage").and_then(Value::as_f64),
        };
        Some(Self {
            session: text("/session_id"),
            project: text("/workspace/project_dir").or_else(|| text("/cwd")).map(PathBuf::from),
            model_name: text("/model/display_name").or_else(|| Some(model.clone())),
            usage: SessionUsage {
                model,
                context,
                windows: reported(&object["rate_limits"]),
                total_api_duration_ms: natural("/cost/total_api_duration_ms").unwrap_or_default(),
                ..SessionUsage::default()
            },
        })
    }
}

/// Reads the object of Claude Code on stdin, records it, prints a line.
pub(crate) fn run(host: &Host) -> ExitCode {
    if host.variable(VARIABLE).is_some() {
        return ExitCode::SUCCESS;
    }
    let input = if io::stdin().is_terminal() { Vec::new() } else { read_first_value().unwrap_or_default() };
    let mut report = Report::read(&input).unwrap_or_default();
    report.usage.written_at = host.now().secs();
    // The session's project, whatever the environment of this process names.
    let mut host = host.clone();
    host.environment.project_dir = report.project.clone().or(host.environment.project_dir);
    // The folders as the hook has them: it must read where this process writes.
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store();
    let session = report.session.as_deref();
    let (host, places, store) = (&host, &places, store.as_ref());
    let asker = Asker { host, places, store, session, caller: Caller::Untyped };
    let record = |(store, id)| readings::record_session(store, id, report.usage.clone()).ok();
    let recorded = store.zip(session).and_then(record);
    match asker.section_in_force::<CreditPacer>() {
        Ok(section) => {
            let is_lost = recorded.is_none() && !report.usage.windows.is_empty();
            let shown = Shown { report: &report, now: &Now::of(&asker, &section), is_lost };
            print(format!("{}\n", shown.line(columns(host), takes_colours(host))).as_bytes());
            let command = section.settings.statusline.chain.as_deref();
            if let Some(printed) = command.and_then(|command| chained(command, &input, PATIENCE)) {
                print(&printed);
            }
        }
        Err(why) => print(format!("{why}\n").as_bytes()),
    }
    // The reading is recorded and the line printed, so nothing else waits for the database.
    if let (Some(store), Some(id), Some(Some(usage))) = (store, session, recorded) {
        let kept = database::add_snapshot(store, &usage, report.usage.written_at, id);
        database::report(store, kept, host.now());
    }
    ExitCode::SUCCESS
}

/// See <https://no-color.org>.
fn takes_colours(host: &Host) -> bool {
    host.variable("NO_COLOR").is_none() && host.variable("TERM").as_deref() != Some("dumb")
}

fn print(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    // Claude Code may have closed it.
    let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
}

fn columns(host: &Host) -> usize {
    let columns = host.variable("COLUMNS").and_then(|columns| columns.trim().parse().ok());
    columns.filter(|columns| *columns > 0).unwrap_or(DEFAULT_COLUMNS).saturating_sub(MARGIN).max(1)
}

/// The output of the status line that the user had before, run as Claude Code ran it, with the same input; `None` if it cannot be run,
/// or does not end in time.
fn chained(command: &str, input: &[u8], patience: Duration) -> Option<Vec<u8>> {
    let (program, option) = if cfg!(unix) { ("/bin/sh", "-c") } else { ("cmd", "/C") };
    let mut shell = Command::new(program);
    shell.arg(option).arg(command).env(VARIABLE, "1");
    shell.stderr(Stdio::null());
    let limits = Limits { deadline: Instant::now() + patience, grace: Duration::ZERO, max_bytes: MAX_BYTES };
    child::run(&mut shell, input, limits).ok().map(|output| output.stdout)
}

#[cfg(test)]
mod tests;
