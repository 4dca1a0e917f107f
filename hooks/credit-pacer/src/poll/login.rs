//! The login of Claude Code: read, used once, and never renewed, shown, or asked of a keychain, which might open a dialog.

use std::path::Path;

use serde::Deserialize;
use shared::config::{MAX_LAYER_BYTES, read_text};
use shared::host::{Host, Timestamp};

use super::slot::Kind;

/// A token. It cannot be printed.
#[cfg_attr(test, derive(PartialEq, Eq))]
pub(super) struct Login(String);

impl Login {
    /// The value of the header that shows it to the server.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A token is one word; anything else would end up in another header, or nowhere.
    fn new(token: &str) -> Option<Self> {
        let is_word = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        is_word.then(|| Self(token.to_owned()))
    }
}

#[derive(Deserialize)]
struct Credentials {
    #[serde(rename = "claudeAiOauth")]
    login: Option<Stored>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    access_token: Option<String>,
    /// In milliseconds since the epoch.
    expires_at: Option<f64>,
}

/// The login: of the environment, else of the client's own file.
pub(super) fn find(host: &Host, config_dir: Option<&Path>) -> Result<Login, Kind> {
    if let Some(login) = host.variable("CLAUDE_CODE_OAUTH_TOKEN").and_then(|token| Login::new(token.trim())) {
        return Ok(login);
    }
    let file = config_dir.ok_or(Kind::NoLogin)?.join(".credentials.json");
    let text = read_text(&file, None, MAX_LAYER_BYTES).map_err(|_| Kind::NoLogin)?;
    of_credentials(&text, host.now())
}

/// The login in the client's own file, unless it has expired. Pure.
fn of_credentials(text: &str, now: Timestamp) -> Result<Login, Kind> {
    let credentials: Credentials = serde_json::from_str(text).map_err(|_| Kind::NoLogin)?;
    let stored = credentials.login.ok_or(Kind::NoLogin)?;
    let login = stored.access_token.and_then(|token| Login::new(&token)).ok_or(Kind::NoLogin)?;
    #[expect(clippy::cast_precision_loss, reason = "exact for the next 280 years")]
    let now_millis = now.micros().div_euclid(1000) as f64;
    match stored.expires_at {
        Some(end) if end <= now_millis => Err(Kind::NoLogin),
        _ => Ok(login),
    }
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;

    use super::of_credentials;
    use crate::poll::slot::Kind;

    #[test]
    fn the_login_unless_it_has_expired() {
        for (text, expected) in [
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000001}}"#, Ok("Bearer t-1")),
            (
                r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000001.5,"scopes":[]}}"#,
                Ok("Bearer t-1"),
            ),
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000000}}"#, Err(Kind::NoLogin)),
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":0}}"#, Err(Kind::NoLogin)),
            (r#"{"claudeAiOauth":{"accessToken":"t-1"}}"#, Ok("Bearer t-1")),
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":null},"other":{}}"#, Ok("Bearer t-1")),
            (r#"{"claudeAiOauth":{"accessToken":""}}"#, Err(Kind::NoLogin)),
            (r#"{"claudeAiOauth":{"accessToken":"a b"}}"#, Err(Kind::NoLogin)),
            (r#"{"claudeAiOauth":{"accessToken":"a\r\nHost: b"}}"#, Err(Kind::NoLogin)),
            (r#"{"claudeAiOauth":{"accessToken":7}}"#, Err(Kind::NoLogin)),
            (r#"{"claudeAiOauth":null}"#, Err(Kind::NoLogin)),
            (r#"{"mcpOAuth":{}}"#, Err(Kind::NoLogin)),
            ("{", Err(Kind::NoLogin)),
            ("", Err(Kind::NoLogin)),
        ] {
            let found = of_credentials(text, Timestamp::from_secs(1000)).map(|login| login.header());
            assert_eq!(found.as_deref().map_err(|kind| *kind), expected, "{text}");
        }
    }
}
