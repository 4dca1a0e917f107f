//! The courier, a small program that opens connections for the hooks. It is a child: it ends at the deadline whatever a
//! resolver, a server or TLS does, and no hook links a network library. The child gets a token on stdin alone.
//!
//! A project's settings define variables in `env` for everything Claude Code starts, hooks among it. Requests do not carry the
//! user's login where a project could redirect them ([`is_misled`]).

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::child::{self, ChildError, Limits};
use crate::config::{MAX_LAYER_BYTES, Refused, read_text};
use crate::host::{Host, ancestors, is_same_folder, least_environment};

/// The courier needs this longer than a request's time, to start and to report a timeout.
pub const MARGIN: Duration = Duration::from_secs(2);

/// Request to a server. It has no `Debug`, because its headers may hold a token.
#[derive(Clone, Serialize)]
pub struct Request {
    pub method: String,
    /// HTTPS; HTTP to this machine alone, by its number.
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    /// Proxy. The courier reads none from its environment, which a repository may define.
    pub proxy: Option<String>,
    pub timeout_ms: u128,
    pub max_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answer {
    pub status: u16,
    /// By lower-case names.
    pub headers: BTreeMap<String, String>,
    pub body: String,
    pub truncated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Timeout,
    /// The request, or the head of the answer.
    TooLarge,
    /// The server cannot be reached, or the request is none.
    #[serde(other)]
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CourierError {
    NotStarted,
    /// The courier came back without an answer.
    Speechless,
    Failed(Kind),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Answer(Answer),
    Failure { error: Kind },
}

/// Path of the courier beside the running program; a courier on the search path could be anybody's.
pub fn beside_this_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.join(format!("courier{}", std::env::consts::EXE_SUFFIX)))
}

/// The user's proxy for such addresses, which no project may define, see [`is_misled`].
pub fn proxy_for(url: &str, host: &Host) -> Option<String> {
    let proxy = || host.variable("HTTPS_PROXY").or_else(|| host.variable("https_proxy"));
    url.starts_with("https:").then(proxy)?
}

/// Has `courier` carry the request, and ends it after `limit`, whatever the request's time.
pub fn ask(request: &Request, limit: Duration, courier: &Path) -> Result<Answer, CourierError> {
    let text = serde_json::to_vec(request).map_err(|_| CourierError::Speechless)?;
    let mut command = Command::new(courier);
    command.env_clear().envs(least_environment()).stderr(Stdio::null());
    // The program's own folder exists as long as the program does; a project may be removed meanwhile.
    command.current_dir(courier.parent().unwrap_or(Path::new(".")));
    // The courier, which is ours, bounds the answer itself.
    let limits = Limits { deadline: Instant::now() + limit, grace: Duration::ZERO, max_bytes: u64::MAX };
    let output = child::run(&mut command, &text, limits).map_err(|error| match error {
        ChildError::NotStarted(_) => CourierError::NotStarted,
        ChildError::Late => CourierError::Failed(Kind::Timeout),
    })?;
    match serde_json::from_slice(&output.stdout) {
        Ok(Said::Answer(answer)) => Ok(answer),
        Ok(Said::Failure { error }) => Err(CourierError::Failed(error)),
        Err(_) => Err(CourierError::Speechless),
    }
}

/// The client takes both from a project.
const SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// The settings of a project, of a call's or of a shell's, define a variable that leads requests elsewhere, or nobody can tell
/// what they define.
///
/// Claude Code reads some of them in the folder it was started in, some at the top of the repository; so all folders from the
/// project's and from `cwd` up to the top are looked through. The user's own settings at home, which no project can name, may
/// define what they like.
pub fn is_misled(host: &Host, cwd: Option<&Path>) -> bool {
    let environment = &host.environment;
    let starts = environment.project_dir.as_deref().into_iter().chain(cwd);
    let is_home =
        |folder: &Path| environment.home.as_deref().is_some_and(|home| is_same_folder(folder, home));
    starts.flat_map(up_to_the_top).filter(|folder| !is_home(folder)).any(defines_it)
}

fn up_to_the_top(start: &Path) -> impl Iterator<Item = &Path> {
    let is_top = |folder: &&Path| folder.join(".git").exists();
    let top = ancestors(start).find(is_top).unwrap_or(start);
    ancestors(start).take_while(move |folder| folder.starts_with(top))
}

fn defines_it(folder: &Path) -> bool {
    SETTINGS.iter().any(|file| match read_text(&folder.join(file), None, MAX_LAYER_BYTES) {
        Ok(text) => misleads_requests(&text).is_none_or(|misleads| misleads),
        Err(Refused::NotThere) => false,
        Err(Refused::Because(_)) => true,
    })
}

/// A name under `env` of a project's settings may lead a request elsewhere; `None`: the text is no settings object.
fn misleads_requests(text: &str) -> Option<bool> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Some(false);
    }
    let settings: Map<String, Value> = serde_json::from_str(text).ok()?;
    let Some(variables) = settings.get("env") else { return Some(false) };
    Some(variables.as_object()?.keys().any(|name| misleads(name)))
}

/// Variables that may lead a request elsewhere, or have it made on another account, or run a project's code in what a hook
/// starts. One with a `_` at the end stands for all that begin so.
const MISLEADING: &str = "CLAUDE_CONFIG_DIR ANTHROPIC_ CLAUDE_CODE_OAUTH_TOKEN PATH BARBLESS_ CLAUDE_HOOK_ HTTPS_PROXY \
    https_proxy HTTP_PROXY http_proxy ALL_PROXY all_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_ \
    CLAUDE_CODE_CERT_STORE CLAUDE_CODE_CLIENT_ CLAUDE_CODE_USE_ CLAUDE_CODE_SKIP_ AWS_ GOOGLE_ CLOUDSDK_ GCLOUD_ AZURE_ \
    CLOUD_ML_ VERTEX_ LD_PRELOAD LD_LIBRARY_PATH HOME USERPROFILE CLAUDE_PROJECT_DIR SHELL ComSpec PATHEXT \
    CLAUDE_CODE_GIT_BASH_PATH";

fn misleads(name: &str) -> bool {
    MISLEADING
        .split_whitespace()
        .any(|known| if known.ends_with('_') { name.starts_with(known) } else { name == known })
}
