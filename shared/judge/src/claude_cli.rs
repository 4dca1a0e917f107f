//! The user's own `claude -p`, with nothing of the user's but the login: no hooks, plugins, tools, servers, memories or
//! settings, an empty folder, a few variables. The material goes in through stdin, the verdict comes back as one JSON object.
//!
//! Three things keep our hooks from running in it, and each would do: the settings it is given, those it is not given, and a
//! nonce, because the first two switch off no managed hook. tests/client-facts.md, section 21, has the effect of each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;

use super::Caller;
use super::question::{Exchange, MAX_OUTPUT_TOKENS, Reply, Tokens};
use super::silence::Silence;
use shared::child::{self, ChildError, Limits};
use shared::host::{Environment, first_program, inherited};
use shared::state::ensure_private;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Two turns: the answer, and one more try at it where the first does not fit the schema.
const ARGUMENTS: &str = "-p --strict-mcp-config --disable-slash-commands --no-session-persistence --output-format json --max-turns 2";

/// Variables of the child, by name, or with a `_` at the end by its beginning: to start, to reach the
/// network, to log in, to a cloud too. With those
/// of the surrounding session it would take itself for a part of it.
const HANDED_ON: &str = "HOME PATH USER LOGNAME SHELL LANG LC_ TZ TMPDIR XDG_ USERPROFILE USERNAME TEMP TMP APPDATA LOCALAPPDATA PROGRAMDATA \
     ProgramData ProgramFiles SystemRoot SystemDrive ComSpec PATHEXT CLAUDE_CODE_GIT_BASH_PATH \
     HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE \
     SSL_CERT_DIR CLAUDE_CODE_CERT_STORE CLAUDE_CODE_CLIENT_ CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN ANTHROPIC_ \
     CLAUDE_CODE_USE_ CLAUDE_CODE_SKIP_ CLOUD_ML_REGION VERTEX_REGION_ AWS_ GOOGLE_ CLOUDSDK_ GCLOUD_PROJECT AZURE_";

pub(super) fn send(exchange: &Exchange<'_>, caller: &Caller<'_>) -> Result<Reply, Silence> {
    converse(exchange, caller, inherited(is_handed_on))
}

fn converse(
    exchange: &Exchange<'_>,
    caller: &Caller<'_>,
    handed_on: Vec<(OsString, OsString)>,
) -> Result<Reply, Silence> {
    let store = caller.store.ok_or(Silence::NotStarted)?;
    let program =
        find(&caller.settings.claude_program, &caller.host.environment).ok_or(Silence::NotStarted)?;
    // Nothing is ever written there.
    let folder = store.dir().join("judge-cwd");
    ensure_private(&folder).map_err(|_| Silence::NotStarted)?;
    let nonce = store.nonce("judge").map_err(|_| Silence::NotStarted)?;
    let mut command = Command::new(program);
    command.args(ARGUMENTS.split(' ')).args(["--tools", "", "--setting-sources", ""]);
    command.args(["--settings", r#"{"disableAllHooks":true}"#, "--model", exchange.model]);
    command.args(["--json-schema", &exchange.verdicts.to_string()]);
    command.args(["--system-prompt", exchange.instructions]);
    command.current_dir(folder).env_clear().envs(handed_on).envs(our_variables(nonce.text()));
    if caller.places.default_state_dir.as_deref() != Some(store.dir()) {
        // Our hooks in the child look for the nonce where it was written.
        command.env("CLAUDE_HOOK_STATE_DIR", store.dir());
    }
    received();
    let last_call = exchange.deadline.checked_sub(GRACE).unwrap_or(exchange.deadline);
    let limits = Limits { deadline: last_call, grace: GRACE, max_bytes: MAX_BYTES };
    command.stderr(Stdio::null());
    let said = child::run_while(&mut command, exchange.material.as_bytes(), limits, || received() == 0);
    drop(nonce);
    follow_signal();
    match said {
        Ok(output) => Ok(read(&output.stdout)),
        Err(ChildError::NotStarted(_)) => Err(Silence::NotStarted),
        Err(ChildError::Late) => Err(Silence::Late),
    }
}

/// The most bytes that are read; a result has about 3,000 beside the answer.
const MAX_BYTES: u64 = 1024 * 1024;

/// The child gets SIGTERM so long before the deadline, and needs a third of it: killed, it leaves files in the user's folders.
const GRACE: Duration = Duration::from_millis(250);

/// Lets the signal that came meanwhile end this process.
fn follow_signal() {
    #[cfg(unix)]
    if received() != 0 {
        let _ = signal_hook::low_level::emulate_default_handler(received());
    }
}

/// The signal that was to end this process; 0: none. It waits for [`follow_signal`], so that this process outlives its child.
fn received() -> i32 {
    static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
    let received = RECEIVED.get_or_init(|| {
        let received = Arc::new(AtomicUsize::new(0));
        #[cfg(unix)]
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or(0);
            // Without its handler the signal ends this process at once.
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&received), number);
        }
        received
    });
    i32::try_from(received.load(Ordering::SeqCst)).unwrap_or(0)
}

/// The program: a path, absolute or from `~`, or a name on the search path. Nothing relative to the call's folder counts.
fn find(program: &Path, environment: &Environment) -> Option<PathBuf> {
    if let Ok(below) = program.strip_prefix("~") {
        return Some(environment.home.as_ref()?.join(below)).filter(|file| file.is_absolute());
    }
    if program.is_absolute() {
        return Some(program.to_path_buf());
    }
    let is_name = program.components().count() == 1 && program.file_name().is_some();
    let folders = std::env::split_paths(environment.search_path.as_ref().filter(|_| is_name)?);
    first_program(folders.filter(|folder| folder.is_absolute()), program)
}

fn is_handed_on(name: &str) -> bool {
    let fits = |known: &str| name == known || known.ends_with('_') && name.starts_with(known);
    HANDED_ON.split_whitespace().any(fits)
}

fn our_variables(nonce: &str) -> [(&'static str, String); 9] {
    [
        ("BARBLESS_NONCE", nonce.to_owned()),
        // `--safe-mode`, which a client that does not know it would refuse.
        ("CLAUDE_CODE_SAFE_MODE", "1".to_owned()),
        // Claude Code's own retries would outlast the deadline.
        ("CLAUDE_CODE_MAX_RETRIES", "0".to_owned()),
        ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", MAX_OUTPUT_TOKENS.to_string()),
        // Thoughts would take the answer's place in these tokens.
        ("MAX_THINKING_TOKENS", "0".to_owned()),
        ("CLAUDE_CODE_EFFORT_LEVEL", "low".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ]
}

/// The end of the only error without a field of its own: there is no login.
const NO_LOGIN: &str = "Please run /login";

/// Words in the names of the client's own causes and of the API's errors, which come without a status in the middle of a reply.
const CAUSES: [(&str, Silence); 4] = [
    ("limit credits", Silence::Limited),
    ("login auth credential signin session permission", Silence::Unauthorized),
    ("overloaded timeout no_response", Silence::Overloaded),
    ("connection tls network gateway", Silence::Unreachable),
];

/// Reads the output of `claude -p --output-format json`: one object of type `result`, whatever its exit status. Its fields name
/// an error; its sentences are for people, and change.
fn read(said: &[u8]) -> Reply {
    if said.trim_ascii().is_empty() {
        // It does not know an argument, or could not even begin.
        return Silence::NotStarted.into();
    }
    let said: Value = serde_json::from_slice(said).unwrap_or_default();
    // A user who has set `verbose` gets the result as the last of a list.
    let result = said.as_array().and_then(|all| all.last()).unwrap_or(&said);
    if result["type"] != "result" {
        return Silence::InvalidResponse.into();
    }
    let verdict = match (&result["is_error"], &result["structured_output"]) {
        (Value::Bool(false), verdict @ Value::Object(_)) => Ok(verdict.clone()),
        (Value::Bool(false), _) => Err(Silence::InvalidResponse),
        _ => Err(error(result)),
    };
    let micro_usd = result["total_cost_usd"].as_f64().and_then(micro_usd);
    Reply { verdict, tokens: Tokens::of(&result["usage"]), micro_usd }
}

/// Rounded up, but not for what a binary fraction adds.
fn micro_usd(usd: f64) -> Option<u64> {
    format!("{:.0}", (usd * 1e6 - 1e-3).max(0.0).ceil()).parse().ok()
}

fn error(result: &Value) -> Silence {
    let named = |field: &str| by_name(result[field].as_str()?);
    let by_status = || Silence::of_status(result["api_error_status"].as_u64()?);
    let by_login = || result["result"].as_str()?.ends_with(NO_LOGIN).then_some(Silence::Unauthorized);
    let found = named("api_error").or_else(by_status).or_else(|| named("api_error_type"));
    found.or_else(by_login).unwrap_or(Silence::InvalidResponse)
}

fn by_name(name: &str) -> Option<Silence> {
    let names = |words: &str| words.split(' ').any(|word| name.contains(word));
    CAUSES.into_iter().find(|(words, _)| names(words)).map(|(_, cause)| cause)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
