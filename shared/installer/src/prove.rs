//! Running a hook: its proof, and its own report on whether it acts.
//!
//! A registered hook runs with a recorded event in a scratch home, project and state folder, and must give the documented answer. Its
//! entry must be the one that this version writes, and only a file with the installed hash is run.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::catalog::{Answer, HookEntry, Proof};
use anyhow::{Context as _, anyhow, bail, ensure};
use client_settings::Entry;
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::child::{self, ChildError, Limits};
use shared::host::Host;
use shared::state::ensure_private;

use crate::manifest::Manifest;
use crate::places::{Installation, executable};
use crate::registration::{is_same_program, program};
use crate::source::beside_this_program;

/// The time for an answer that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// A longer answer is none of ours, in bytes.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// The value of [`Enabled::set_by`] where no file sets it.
pub(crate) const DEFAULTS: &str = "the defaults";

/// Starts the program with this input, and returns how it ended and what it printed.
fn heard(command: &mut Command, input: &[u8]) -> anyhow::Result<(ExitStatus, Vec<u8>)> {
    let limits =
        Limits { deadline: Instant::now() + PATIENCE, grace: Duration::ZERO, max_bytes: MAX_ANSWER_BYTES };
    match child::run(command.stderr(Stdio::null()), input, limits) {
        Ok(output) => Ok((output.status, output.stdout)),
        Err(ChildError::Late) => bail!("no answer within {} s", PATIENCE.as_secs()),
        Err(ChildError::NotStarted(error)) => {
            let name = command.get_program().to_string_lossy().into_owned();
            Err(error).with_context(|| format!("starting {name}"))
        }
    }
}

/// A hook's report on itself, `<hook> status --json`: nobody else knows all its layers and switches.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Enabled {
    #[serde(rename = "enabled")]
    pub(crate) acts: bool,
    set_by: Option<String>,
    #[serde(default)]
    pub(crate) problems: Vec<String>,
}

impl Enabled {
    /// Asks this program, whose bytes the caller knows to be the hook's.
    pub(crate) fn ask(program: &Path, installation: &Installation, hook: &str) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command.args(["status", "--json"]);
        // The project around this command is none of the installation's business.
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ID");
        let place = installation.project.as_ref().unwrap_or(&installation.home);
        let (_, said) = heard(command.current_dir(place), b"")
            .with_context(|| format!("asking {hook} for its status"))?;
        serde_json::from_slice(&said).with_context(|| format!("reading the status of {hook}"))
    }

    pub(crate) fn set_by(&self) -> &str {
        self.set_by.as_deref().unwrap_or(DEFAULTS)
    }

    /// The line that switches the hook on, by what holds it off.
    pub(crate) fn way_on(&self, hook: &str, installation: &Installation) -> String {
        let line = match self.set_by() {
            "its switch" => format!("{hook} auto"),
            by if by.starts_with(".claude/") => format!("req enable --hook {hook} --local"),
            _ => installation.line(format_args!("enable {hook}")),
        };
        format!("to switch it on: {line}")
    }
}

/// The faults that the hook beside this program finds in `text` as its user's own file, each with a line; none without that hook.
/// A hook's types know more than the schema, such as the names of time zones.
pub fn faults(hook: &str, text: &str) -> Vec<String> {
    let ask = || {
        let program = beside_this_program()?.join(executable(hook));
        ensure!(program.is_file(), "{hook} is not here");
        let home = tempfile::tempdir()?;
        fs::create_dir(home.path().join(".claude"))?;
        fs::write(home.path().join(".claude/requirements.yaml"), text)?;
        let mut command = Command::new(program);
        command.args(["status", "--json"]).current_dir(home.path()).env_clear();
        let (_, said) = heard(command.env("HOME", home.path()).env("USERPROFILE", home.path()), b"")?;
        anyhow::Ok(serde_json::from_slice::<Enabled>(&said)?.problems)
    };
    ask().unwrap_or_default()
}

pub(crate) fn prove<'a>(
    installation: &Installation,
    hook: &HookEntry,
    mut ours: impl Iterator<Item = &'a Entry>,
) -> anyhow::Result<String> {
    let event = hook.proof.event_name();
    let entry = ours.find(|entry| entry.name.as_ref() == Some(&hook.name) && entry.event == event);
    let entry = entry.with_context(|| format!("not registered on {event}"))?;
    let program = program(installation, &hook.name)?;
    let is_ours = entry.program().is_some_and(|there| is_same_program(&there, &program))
        && entry.harmful_keys.is_empty()
        && entry.args.as_ref().is_none_or(Vec::is_empty)
        && Manifest::read(installation)?.vouches_for(installation, &hook.name);
    // Nothing else is ever run: a project's settings may be a stranger's.
    ensure!(is_ours, "not proved, because its entry or its program is not the one that was installed");
    try_out(&installation.installed(&hook.name), hook)
}

/// Proves that a helper runs here: it prints its name and its version.
pub(crate) fn try_out_helper(program: &Path, name: &str) -> anyhow::Result<()> {
    let (status, said) = heard(Command::new(program).arg("version").env_clear(), b"")?;
    let says_its_name = said.starts_with(format!("{name} ").as_bytes());
    ensure!(status.success() && says_its_name, "it does not tell its version");
    Ok(())
}

pub(crate) fn try_out(program: &Path, hook: &HookEntry) -> anyhow::Result<String> {
    let event = hook.proof.event_name();
    let (said, took) = run(program, hook)?;
    let given = answer(&said, event)?;
    let wanted = hook.proof.answer;
    ensure!(given == wanted, "answered {event} with {}, not with {}", given.words(), wanted.words());
    Ok(format!("answered {event} with {}; starts in {:.1} ms", given.words(), took.as_secs_f64() * 1000.0))
}

/// Runs the program in a world of its own. Returns what it printed, and how long it takes to start: an answer may wait on purpose.
fn run(program: &Path, hook: &HookEntry) -> anyhow::Result<(String, Duration)> {
    let scratch = tempfile::tempdir().map_err(|error| anyhow!("no scratch folder, set TMPDIR: {error}"))?;
    let world = scratch.path().canonicalize()?;
    let project = world.join("project");
    // In words: as an error of the file system it would be taken for one of the hook.
    lay_out(&world, &hook.proof).map_err(|error| anyhow!("writing to a scratch folder: {error:#}"))?;
    let mut command = Command::new(program);
    command.current_dir(&project).env_clear();
    // As Claude Code starts a hook, without the variables of a headless run.
    command.env("HOME", world.join("home")).env("USERPROFILE", world.join("home"));
    command.env("CLAUDE_HOOK_STATE_DIR", world.join("state")).env("CLAUDE_PROJECT_DIR", &project);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("CLAUDECODE", "1");
    let (event, place) = (&hook.proof.event, Value::from(project.to_string_lossy()).to_string());
    let input = serde_json::to_string(event)?.replace("{project}", place.trim_matches('"'));
    let (status, said) = heard(&mut command, input.as_bytes())?;
    ensure!(status.success(), "ended with {status}, where a hook always ends with 0");
    let started = Instant::now();
    let mut version = Command::new(program);
    let _ = heard(version.arg("version").current_dir(&project).env_clear(), b"");
    Ok((String::from_utf8(said).context("the answer is not text")?, started.elapsed()))
}

fn lay_out(world: &Path, proof: &Proof) -> anyhow::Result<()> {
    for folder in ["home/.claude", "project"] {
        fs::create_dir_all(world.join(folder))?;
    }
    ensure_private(&world.join("state"))?;
    // JSON is YAML.
    let config = Value::Object(proof.config.clone());
    fs::write(world.join("home/.claude/requirements.yaml"), config.to_string())?;
    for (name, content) in &proof.state {
        fs::write(world.join("state").join(name), with_times(content)?)?;
    }
    Ok(())
}

/// The text with `{now}`, `{now+60}` and `{now-60}` in it as times, in whole seconds since the epoch.
pub fn with_times(text: &str) -> anyhow::Result<String> {
    let now = Host::real().now().secs();
    let mut parts = text.split("{now");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (shift, rest) = part.split_once('}').context("`{now` without its end")?;
        let shift: i64 = if shift.is_empty() { 0 } else { shift.parse().context("`{now` with no number")? };
        filled += &(now + shift).to_string();
        filled += rest;
    }
    Ok(filled)
}

/// The answer as Claude Code understands it. An answer that it would drop is an error.
fn answer(stdout: &str, event: &str) -> anyhow::Result<Answer> {
    if stdout.trim().is_empty() {
        return Ok(Answer::Silence);
    }
    let answer: Map<String, Value> =
        serde_json::from_str(stdout).context("the answer is not one JSON object")?;
    let answer = Value::Object(answer);
    let text = |place: &str| answer.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let specific = |key: &str| match text("/hookSpecificOutput/hookEventName") {
        name if name == event => text(&format!("/hookSpecificOutput/{key}")),
        _ => "",
    };
    Ok(match (text("/decision"), specific("permissionDecision")) {
        ("block", _) if !text("/reason").is_empty() => Answer::Block,
        ("", "deny") if !specific("permissionDecisionReason").is_empty() => Answer::Deny,
        ("", "") if !specific("additionalContext").is_empty() => Answer::Advise,
        ("", "") if !text("/systemMessage").is_empty() => Answer::Notice,
        _ => bail!("the answer is one that Claude Code drops"),
    })
}

#[cfg(test)]
mod tests;
