//! The courier, a small program that opens connections for the hooks. It is a child: it ends at the deadline whatever a
//! resolver, a server or TLS does, and no hook links a network library. The child gets a token on stdin alone.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::child::{self, ChildError, Limits};
use crate::host::{Host, least_environment};

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

/// The user's proxy for such addresses, which no project may define, see [`crate::project_env::is_misled`].
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
