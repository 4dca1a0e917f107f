//! Carrying a request out: one connection, one deadline, no redirect.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read};

use ureq::Agent;
use ureq::http::{self, HeaderMap, Response};

use crate::messages::{Answer, Kind, Request};

/// Asks, and reads so much of the answer as is wanted.
pub(crate) fn exchange(request: Request) -> Result<Answer, Kind> {
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

fn read(response: &mut Response<ureq::Body>, max_bytes: u64) -> Result<(String, bool), Kind> {
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

fn failure(error: &ureq::Error) -> Kind {
    use ureq::Error;
    match error {
        Error::Timeout(_) => Kind::Timeout,
        Error::HostNotFound
        | Error::Tls(_)
        | Error::Rustls(_)
        | Error::TlsRequired
        | Error::Pem(_)
        | Error::ConnectionFailed
        | Error::ConnectProxyFailed(_)
        | Error::InvalidProxyUrl => Kind::Unreachable,
        Error::LargeResponseHeader(..) | Error::BodyExceedsLimit(_) => Kind::TooLarge,
        Error::BadUri(_) | Error::Http(_) => Kind::BadRequest,
        Error::Io(error) => of_connection(error),
        _ => Kind::Other,
    }
}

fn of_connection(error: &io::Error) -> Kind {
    match error.kind() {
        ErrorKind::TimedOut | ErrorKind::WouldBlock => Kind::Timeout,
        ErrorKind::ConnectionRefused
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof
        // That is how the TLS library wraps what it found.
        | ErrorKind::InvalidData => Kind::Unreachable,
        // The standard library has no kind for it.
        _ if error.to_string().starts_with("failed to lookup address") => Kind::Unreachable,
        _ => Kind::Other,
    }
}
