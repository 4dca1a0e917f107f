//! Proving instead of promising: a registered hook is run exactly as settings.json says, with a recorded event in a scratch
//! home, project and state folder, and must give the documented answer. Only a file with the hash that was deployed is run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail, ensure};
use client_settings::{Program, Registered};
use serde_json::{Map, Number, Value};
use shared::catalog::{Answer, HookEntry, Proof};
use shared::host::Host;

use crate::child;
use crate::manifest::Manifest;
use crate::places::Installation;
use crate::registration::{is_same_program, program};

const MICROS: i64 = 1_000_000;

/// A hook without a timeout of its own gets this long.
const DEFAULT_TIMEOUT_SECS: f64 = 60.0;

/// A helper tells its version in milliseconds.
const HELPERS_PATIENCE: Duration = Duration::from_secs(10);

/// Proves one hook. The words on success: what it did.
pub fn prove(
    installation: &Installation,
    hook: &HookEntry,
    registered: &[Registered],
) -> anyhow::Result<String> {
    let entry = entry_to_prove(hook, registered)?;
    // Nothing else is ever run: a project's settings may be a stranger's.
    ensure!(
        is_same_program(&entry.program, &program(installation, &hook.name)?),
        "registered as {}, which was not deployed here",
        command_of(entry)
    );
    ensure!(
        entry.harmful_keys.is_empty(),
        "registered with `{}`: it would stop nothing",
        entry.harmful_keys.join("`, `")
    );
    // Nor is it run in another manner than as a hook.
    ensure!(
        entry.args.is_empty(),
        "registered with arguments, which a hook has none of: {}",
        entry.args.join(" ")
    );
    let manifest = Manifest::read(installation)?;
    ensure!(
        manifest.vouches_for(installation, &hook.name),
        "the deployed file is not the one that was built"
    );
    promised(entry, &installation.deployed(&hook.name), hook)
}

/// Proves that a helper runs here: it says its name and its version.
///
/// # Errors
/// It does not.
pub(crate) fn try_out_helper(program: &Path, name: &str) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    let (status, said) = child::heard(command.arg("version").env_clear(), b"", HELPERS_PATIENCE)?;
    let says_its_name = said.starts_with(format!("{name} ").as_bytes());
    ensure!(status.success() && says_its_name, "it does not tell its version");
    Ok(())
}

/// Proves a program as this hook. The words on success: what it did.
///
/// # Errors
/// It does not do what the hook promises.
pub(crate) fn try_out(program: &Path, hook: &HookEntry) -> anyhow::Result<String> {
    let path = program.to_str().with_context(|| format!("{} is not readable text", program.display()))?;
    let entry = Registered {
        name: hook.name.clone(),
        event: hook.proof.event_name().to_owned(),
        matcher: None,
        program: Program::Path(path.to_owned()),
        args: Vec::new(),
        timeout_secs: None,
        status_message: None,
        harmful_keys: Vec::new(),
    };
    promised(&entry, program, hook)
}

/// Its entry on the event it is proved by.
fn entry_to_prove<'a>(hook: &HookEntry, registered: &'a [Registered]) -> anyhow::Result<&'a Registered> {
    let event = hook.proof.event_name();
    let entry = registered.iter().find(|entry| entry.name == hook.name && entry.event == event);
    entry.with_context(|| format!("not registered on {event}"))
}

/// Runs the entry. The words on success: what it did.
fn promised(entry: &Registered, program: &Path, hook: &HookEntry) -> anyhow::Result<String> {
    let event = hook.proof.event_name();
    let (stdout, took) = run(entry, program, hook)?;
    let given = answer(&stdout, event)?;
    let wanted = hook.proof.answer;
    ensure!(given == wanted, "answered {event} with {}, not with {}", given.words(), wanted.words());
    Ok(format!("answered {event} with {} in {:.1} ms", given.words(), took.as_secs_f64() * 1000.0))
}

/// What the entry starts, as it is written.
#[must_use]
pub fn command_of(entry: &Registered) -> &str {
    match &entry.program {
        Program::Path(command) | Program::Shell(command) => command,
    }
}

/// Runs the entry in a world of its own and returns what it printed, and how long it took.
fn run(entry: &Registered, deployed: &Path, hook: &HookEntry) -> anyhow::Result<(String, Duration)> {
    let scratch = tempfile::tempdir().map_err(|error| anyhow!("no scratch folder, set TMPDIR: {error}"))?;
    let world = scratch.path().canonicalize()?;
    let project = world.join("project");
    // In words: as an error of the file system it would be taken for one of the hook.
    lay_out(&world, &hook.proof).map_err(|error| anyhow!("writing to a scratch folder: {error:#}"))?;
    let mut command = match &entry.program {
        Program::Path(path) => Command::new(path),
        Program::Shell(line) => {
            // In its scratch home the line must find the hook.
            place(deployed, &world.join("home/.claude/hooks"))?;
            shell(line)
        }
    };
    command.args(&entry.args).current_dir(&project).env_clear();
    // As the client starts a hook, but for what would make it look like a run that nobody watches.
    command.env("HOME", world.join("home")).env("USERPROFILE", world.join("home"));
    command.env("CLAUDE_HOOK_STATE_DIR", world.join("state")).env("CLAUDE_PROJECT_DIR", &project);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("CLAUDECODE", "1");
    let timeout = Duration::from_secs_f64(
        entry
            .timeout_secs
            .as_ref()
            .and_then(Number::as_f64)
            .unwrap_or(DEFAULT_TIMEOUT_SECS)
            .clamp(0.1, 600.0),
    );
    let input = serde_json::to_vec(&filled(&Value::Object(hook.proof.event.clone()), &project))?;
    let started = Instant::now();
    let (status, said) = child::heard(&mut command, &input, timeout)?;
    let took = started.elapsed();
    ensure!(status.success(), "ended with {status}, where a hook always ends with 0");
    Ok((String::from_utf8(said).context("the answer is not text")?, took))
}

fn shell(line: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]);
    command
}

fn place(deployed: &Path, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    let name = deployed.file_name().context("a deployed file has a name")?;
    fs::copy(deployed, folder.join(name)).context("copying the hook to its scratch home")?;
    Ok(())
}

fn lay_out(world: &Path, proof: &Proof) -> anyhow::Result<()> {
    for folder in ["home/.claude", "project", "state"] {
        fs::create_dir_all(world.join(folder))?;
    }
    make_private(&world.join("state"))?;
    // JSON is YAML.
    let config = Value::Object(proof.config.clone());
    fs::write(world.join("home/.claude/requirements.yaml"), config.to_string())?;
    let now = Host::real().now().micros() / MICROS;
    for (name, content) in &proof.state {
        fs::write(world.join("state").join(name), with_times(content, now)?)?;
    }
    Ok(())
}

/// The text with `{now}`, `{now+60}` and `{now-60}` in it as times, in whole seconds since the epoch.
fn with_times(text: &str, now: i64) -> anyhow::Result<String> {
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

#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The value with `{project}` in its texts replaced.
fn filled(value: &Value, project: &Path) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("{project}", &project.to_string_lossy())),
        Value::Array(list) => list.iter().map(|value| filled(value, project)).collect(),
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| (key.clone(), filled(value, project));
            Value::Object(map.iter().map(pair).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// What an answer means to the client. An answer it would not understand is an error: it would be as good as none.
fn answer(stdout: &str, event: &str) -> anyhow::Result<Answer> {
    if stdout.trim().is_empty() {
        return Ok(Answer::Silence);
    }
    let answer: Map<String, Value> =
        serde_json::from_str(stdout).context("the answer is not one JSON object")?;
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    };
    if let Some(decision) = answer.get("decision") {
        ensure!(decision == "block", "unknown decision {decision}");
        ensure!(text(&answer, "reason"), "a block without a reason");
        return Ok(Answer::Block);
    }
    if let Some(specific) = answer.get("hookSpecificOutput").and_then(Value::as_object) {
        ensure!(
            specific.get("hookEventName").and_then(Value::as_str) == Some(event),
            "the answer names another event"
        );
        match specific.get("permissionDecision").and_then(Value::as_str) {
            Some("deny") if text(specific, "permissionDecisionReason") => return Ok(Answer::Deny),
            Some("ask") if text(specific, "permissionDecisionReason") => return Ok(Answer::Ask),
            Some(decision) => bail!("{decision} without a reason, or no decision of ours"),
            None if text(specific, "additionalContext") => return Ok(Answer::Advise),
            None => {}
        }
    }
    ensure!(text(&answer, "systemMessage"), "the answer says nothing");
    Ok(Answer::Notice)
}

#[cfg(test)]
mod tests;
