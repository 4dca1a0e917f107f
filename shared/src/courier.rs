//! Talking to the courier, the small program that opens connections for us. It is a child: whatever a resolver, a server or
//! TLS does to it, it is over at the deadline, and nothing of it is linked into a hook.
//!
//! A token goes into a request and nowhere else: the child gets it on stdin, an empty environment and no arguments.

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::host::{Host, least_environment};

/// The program's name.
const COURIER: &str = "courier";

/// It has so much longer than the exchange may take, to start and to say that its time is over.
const MARGIN: Duration = Duration::from_secs(2);

/// A byte of a body takes so many in JSON at most.
const ESCAPED: u64 = 6;

/// Everything of an answer that is not its body, in bytes.
const MAX_HEAD_BYTES: u64 = 1024 * 1024;

/// Request to a server. It has no `Debug`, because its headers may hold a token.
#[derive(Clone)]
pub struct Request {
    /// `GET`, `POST`.
    pub method: String,
    /// HTTPS; HTTP to this machine alone, by its number.
    pub url: String,
    /// By name.
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    /// Through which proxy; the courier looks for none in its environment, which a repository may define.
    pub proxy: Option<String>,
    /// For the whole exchange.
    pub timeout: Duration,
    /// So much of the answer's body is wanted, in bytes.
    pub max_bytes: u64,
}

#[derive(Serialize)]
struct Written<'a> {
    method: &'a str,
    url: &'a str,
    headers: &'a BTreeMap<String, String>,
    body: Option<&'a str>,
    proxy: Option<&'a str>,
    timeout_ms: u64,
    max_bytes: u64,
}

/// Answer of a server, with any status.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Answer {
    pub status: u16,
    /// By lower-case names.
    pub headers: BTreeMap<String, String>,
    /// As much of it as was wanted.
    pub body: String,
    /// There was more of it.
    pub truncated: bool,
}

/// Why there is no answer of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The host's name is not known.
    Resolve,
    /// The host cannot be reached.
    Connect,
    /// There is no trust in the host.
    Tls,
    /// The time was over.
    Timeout,
    /// The request, or what comes before the answer's body, is too long.
    TooLarge,
    /// The request is none that is carried.
    BadRequest,
    /// Anything else.
    Other,
}

/// Why nothing came back. Nothing of the request is in it.
#[derive(Debug, thiserror::Error)]
pub enum CourierError {
    /// It cannot be started.
    #[error("{0} cannot be started: {1}")]
    NotStarted(PathBuf, #[source] io::Error),
    /// It was ended at the deadline.
    #[error("the courier did not come back in time")]
    Late,
    /// It came back without an answer that can be read.
    #[error("the courier came back without an answer")]
    Speechless,
    /// It could not reach the server, or not understand it.
    #[error("{message}")]
    Failed {
        /// Why.
        kind: Kind,
        /// In words.
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Answer(Answer),
    Failure { error: Kind, message: String },
}

/// Path of the courier beside the running program. A courier on the search path could be a stranger's.
pub fn beside_this_program() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    Some(program.parent()?.join(format!("{COURIER}{}", std::env::consts::EXE_SUFFIX)))
}

/// The proxy that this machine's user has for such addresses. Whoever asks has made sure that no project defines one, see
/// [`crate::project_env::is_misled`].
pub fn proxy_for(url: &str, host: &Host) -> Option<String> {
    url.starts_with("https:").then(|| host.https_proxy())?
}

/// Has `courier` carry the request, and waits for its answer no longer than the request's time and a margin.
pub fn ask(request: &Request, courier: &Path) -> Result<Answer, CourierError> {
    ask_within(request, request.timeout.saturating_add(MARGIN), courier)
}

/// As [`ask`], but ends the courier after `limit`, whatever the request's time: for who has to answer by then.
pub fn ask_within(request: &Request, limit: Duration, courier: &Path) -> Result<Answer, CourierError> {
    let text = written(request).map_err(|_| CourierError::Speechless)?;
    let mut command = Command::new(courier);
    command.env_clear().envs(least_environment());
    // In a folder that is there as long as the program is; a project's might be removed meanwhile.
    command.current_dir(courier.parent().unwrap_or(Path::new(".")));
    // Nobody reads its stderr, which could repeat the request.
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    in_a_group_of_its_own(&mut command);
    let started = command.spawn();
    let mut child = started.map_err(|source| CourierError::NotStarted(courier.to_path_buf(), source))?;
    let max_bytes = request.max_bytes.saturating_mul(ESCAPED).saturating_add(MAX_HEAD_BYTES);
    let said = talk(&mut child, text, max_bytes).recv_timeout(limit);
    end(&mut child);
    let said = said.map_err(|_| CourierError::Late)?;
    match serde_json::from_slice(&said) {
        Ok(Said::Answer(answer)) => Ok(answer),
        Ok(Said::Failure { error: kind, message }) => Err(CourierError::Failed { kind, message }),
        Err(_) => Err(CourierError::Speechless),
    }
}

fn written(request: &Request) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Written {
        method: &request.method,
        url: &request.url,
        headers: &request.headers,
        body: request.body.as_deref(),
        proxy: request.proxy.as_deref(),
        timeout_ms: u64::try_from(request.timeout.as_millis()).unwrap_or(u64::MAX),
        max_bytes: request.max_bytes,
    })
}

/// Gives the child its request and takes what it says, in a thread, because both may wait for ever.
pub fn talk(child: &mut Child, text: Vec<u8>, max_bytes: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // A child that reads no stdin says so in its answer, or has none.
            let _ = stdin.write_all(&text);
        }
        let mut said = Vec::new();
        if let Some(stdout) = stdout {
            let _ = stdout.take(max_bytes).read_to_end(&mut said);
        }
        let _ = sender.send(said);
    });
    receiver
}

/// The child becomes the leader of a process group of its own.
#[cfg(unix)]
pub fn in_a_group_of_its_own(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Process groups exist on Unix alone.
#[cfg(not(unix))]
pub fn in_a_group_of_its_own(_command: &mut Command) {}

/// Ends it with all it has started, and takes its status, so that nothing of it is left. It has said all it will.
pub fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
