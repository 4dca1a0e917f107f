//! The login of Claude Code: read, used once, and never renewed, shown, or asked of a keychain, which might open a dialog.

use std::path::Path;

use serde_json::Value;
use shared::config::{MAX_LAYER_BYTES, read_text};
use shared::host::{Host, Timestamp};

use super::slot::Kind;
use crate::state::exact;

/// The header that shows the login to the server: that of the environment, else of Claude Code's own file.
pub(super) fn find(host: &Host, config_dir: Option<&Path>) -> Result<String, Kind> {
    if let Some(header) = host.variable("CLAUDE_CODE_OAUTH_TOKEN").and_then(|token| header(token.trim())) {
        return Ok(header);
    }
    let file = config_dir.ok_or(Kind::NoLogin)?.join(".credentials.json");
    let text = read_text(&file, None, MAX_LAYER_BYTES).map_err(|_| Kind::NoLogin)?;
    of_credentials(&text, host.now()).ok_or(Kind::NoLogin)
}

/// A token is one word; anything else would end up in another header, or nowhere.
fn header(token: &str) -> Option<String> {
    let is_word = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_word.then(|| format!("Bearer {token}"))
}

/// The login in Claude Code's own file, unless it has expired. Pure.
fn of_credentials(text: &str, now: Timestamp) -> Option<String> {
    let credentials: Value = serde_json::from_str(text).ok()?;
    let login = &credentials["claudeAiOauth"];
    let has_expired = login["expiresAt"].as_f64().is_some_and(|millis| millis / 1000.0 <= exact(now));
    header(login["accessToken"].as_str()?).filter(|_| !has_expired)
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;

    use super::of_credentials;

    #[test]
    fn takes_a_login_unless_it_has_expired() {
        for (text, expected) in [
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000001}}"#, Some("Bearer t-1")),
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":null},"other":{}}"#, Some("Bearer t-1")),
            (r#"{"claudeAiOauth":{"accessToken":"t-1"}}"#, Some("Bearer t-1")),
            (r#"{"claudeAiOauth":{"accessToken":"t-1","expiresAt":1000000}}"#, None),
            (r#"{"claudeAiOauth":{"accessToken":""}}"#, None),
            (r#"{"claudeAiOauth":{"accessToken":"a\r\nHost: b"}}"#, None),
            (r#"{"claudeAiOauth":{"accessToken":7}}"#, None),
            (r#"{"claudeAiOauth":null}"#, None),
            ("{", None),
        ] {
            assert_eq!(of_credentials(text, Timestamp::from_secs(1000)).as_deref(), expected, "{text}");
        }
    }
}
