//! Carrying a request out: one connection, one deadline, no redirect.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};

use ureq::Agent;
use ureq::http::{self, HeaderMap, Response};

use crate::messages::{Answer, Failure, Kind, Request};

/// Asks, and reads so much of the answer as is wanted.
pub(crate) fn exchange(request: Request) -> Result<Answer, Failure> {
    let config = Agent::config_builder()
        .timeout_global(Some(request.timeout))
        .proxy(request.proxy)
        .http_status_as_error(false)
        // A redirect is an answer: followed, it would take a token elsewhere.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build();
    let agent = Agent::new_with_config(config);
    let (head, body) = request.http.into_parts();
    let asked = if body.is_empty() {
        agent.run(http::Request::from_parts(head, ()))
    } else {
        agent.run(http::Request::from_parts(head, body))
    };
    let mut response = asked.map_err(|error| failure(&error))?;
    let (body, truncated) = read(&mut response, request.max_bytes)?;
    Ok(Answer { status: response.status().as_u16(), headers: headers(response.headers()), body, truncated })
}

fn read(response: &mut Response<ureq::Body>, max_bytes: u64) -> Result<(String, bool), Failure> {
    let mut bytes = Vec::new();
    let reader = response.body_mut().with_config().limit(u64::MAX).reader();
    reader
        .take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| failure(&error.into()))?;
    let is_longer = bytes.len() as u64 > max_bytes;
    bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_longer))
}

fn headers(found: &HeaderMap) -> BTreeMap<String, String> {
    let values = |name| found.get_all(name).iter().filter_map(|value| value.to_str().ok());
    found.keys().map(|name| (name.as_str().to_owned(), values(name).collect::<Vec<_>>().join(", "))).collect()
}

/// The kind of an error; its own message may repeat a URL or a header.
fn failure(error: &ureq::Error) -> Failure {
    use ureq::Error;
    let (kind, message) = match error {
        Error::HostNotFound => (Kind::Unreachable, "the host's name is not known"),
        Error::Timeout(_) => (Kind::Timeout, "no whole answer came in time"),
        Error::Tls(_) | Error::Rustls(_) | Error::TlsRequired | Error::Pem(_) => {
            (Kind::Unreachable, "the host could not prove who it is")
        }
        Error::ConnectionFailed => (Kind::Unreachable, "the host cannot be reached"),
        Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            (Kind::Unreachable, "the proxy does not lead to the host")
        }
        Error::LargeResponseHeader(..) | Error::BodyExceedsLimit(_) => {
            (Kind::TooLarge, "the answer's headers are too long")
        }
        Error::BadUri(_) | Error::Http(_) => (Kind::BadRequest, "it is no HTTP request"),
        Error::Protocol(_) => (Kind::Other, "what came is no HTTP answer"),
        Error::Io(error) => of_connection(error),
        _ => (Kind::Other, "something went wrong that has no name"),
    };
    Failure::new(kind, message)
}

fn of_connection(error: &io::Error) -> (Kind, &'static str) {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => (Kind::Timeout, "no whole answer came in time"),
        ErrorKind::ConnectionRefused => (Kind::Unreachable, "the host refuses the connection"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            (Kind::Unreachable, "the host cannot be reached")
        }
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => (Kind::Unreachable, "the connection broke off"),
        // That is how the TLS library wraps what it found.
        ErrorKind::InvalidData => (Kind::Unreachable, "the host could not prove who it is"),
        // The standard library has no kind for it.
        _ if error.to_string().starts_with("failed to lookup address") => {
            (Kind::Unreachable, "the host's name cannot be looked up")
        }
        _ => (Kind::Other, "the connection failed"),
    }
}
