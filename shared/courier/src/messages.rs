//! The messages: a request, and whether it may be carried; its answer, or the kind of its failure. A request goes to any host by HTTPS. By
//! HTTP, in which everybody can read along, it goes to this machine alone, by its number, because a name can lead anywhere.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use ureq::http::uri::Scheme;
use ureq::http::{self, HeaderName, HeaderValue, Method, Uri};

pub(crate) struct Request {
    pub(crate) http: http::Request<String>,
    /// Limit of the whole exchange, from the first question to a resolver to the last byte.
    pub(crate) timeout: Duration,
    /// Limit of the answer's body, in bytes.
    pub(crate) max_bytes: u64,
    pub(crate) proxy: Option<ureq::Proxy>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    method: String,
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    proxy: Option<String>,
    timeout_ms: u64,
    max_bytes: u64,
}

impl Request {
    /// Reads a request; `None`: it is none, or none that is carried.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let written: Written = serde_json::from_slice(text).ok()?;
        let uri: Uri = written.url.parse().ok().filter(may_be_asked)?;
        let mut http = http::Request::new(written.body.unwrap_or_default());
        *http.method_mut() = Method::from_bytes(written.method.as_bytes()).ok()?;
        *http.uri_mut() = uri;
        for (name, value) in &written.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            http.headers_mut().insert(name, HeaderValue::from_str(value).ok()?);
        }
        Some(Self {
            http,
            timeout: Duration::from_millis(written.timeout_ms),
            max_bytes: written.max_bytes,
            proxy: written.proxy.as_deref().map(ureq::Proxy::new).transpose().ok()?,
        })
    }
}

fn may_be_asked(uri: &Uri) -> bool {
    let Some(authority) = uri.authority() else { return false };
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_this_machine = address.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    let is_safe =
        uri.scheme() == Some(&Scheme::HTTPS) || uri.scheme() == Some(&Scheme::HTTP) && is_this_machine;
    // A name or a password in it would be sent along.
    is_safe && !authority.as_str().contains('@')
}

/// The server's answer, whatever its status.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// By lower-case names; commas join several values of one name.
    pub(crate) headers: BTreeMap<String, String>,
    /// The body up to that limit; what is not UTF-8 in it is replaced.
    pub(crate) body: String,
    /// The body is longer than the request's limit.
    pub(crate) truncated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// The host is not known, cannot be reached, or could not prove who it is.
    Unreachable,
    Timeout,
    /// The part before the answer's body is too long.
    TooLarge,
    /// The request is none, or none that is carried.
    BadRequest,
    /// Anything else, such as an answer that is no HTTP.
    Other,
}

#[cfg(test)]
mod tests {
    use super::Request;

    fn parse(url: &str) -> Option<Request> {
        let text = format!(
            r#"{{"method":"GET","url":"{url}","headers":{{"Authorization":"Bearer secret"}},"timeout_ms":5,"max_bytes":7}}"#
        );
        Request::parse(text.as_bytes())
    }

    #[test]
    fn only_https_leaves_the_machine() {
        for (url, may) in [
            ("https://api.example.com/usage?a=b", true),
            ("https://127.0.0.1:8443/", true),
            ("http://127.0.0.1:8080/usage", true),
            ("http://127.1.2.3/usage", true),
            ("http://[::1]:8080/usage", true),
            ("http://localhost:8080/", false),
            ("http://api.example.com/", false),
            ("http://127.0.0.1.example.com/", false),
            ("http://127.0.0.1@api.example.com/", false),
            ("https://user:secret@api.example.com/", false),
            ("http://10.0.0.1/", false),
            ("http://0.0.0.0/", false),
            ("http://2130706433/", false),
            ("ftp://127.0.0.1/", false),
            ("file:///etc/passwd", false),
            ("/usage", false),
            ("127.0.0.1", false),
            ("", false),
        ] {
            assert_eq!(parse(url).is_some(), may, "{url}");
        }
    }

    #[test]
    fn a_request_with_a_fault_is_none() {
        for text in [
            "",
            "{}",
            "secret",
            r#"{"secret":1}"#,
            r#"{"method":"GET","url":"https://h/","timeout_ms":"secret","max_bytes":1}"#,
            r#"{"method":"GET","url":"https://h/","timeout_ms":1,"max_bytes":-1}"#,
            r#"{"method":"a secret","url":"https://h/","timeout_ms":1,"max_bytes":1}"#,
            r#"{"method":"GET","url":"https://h/","headers":{"a secret":"b"},"timeout_ms":1,"max_bytes":1}"#,
            r#"{"method":"GET","url":"https://h/","headers":{"a":"secret\r\nb: c"},"timeout_ms":1,"max_bytes":1}"#,
            r#"{"method":"GET","url":"https://h/","proxy":"gopher://secret","timeout_ms":1,"max_bytes":1}"#,
        ] {
            assert!(Request::parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}
