//! The login of Claude Code's own file.

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
