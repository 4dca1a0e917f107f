//! The variables of the child: what it takes to start, to find the user's login and to reach the model, and what we set. What
//! the client around us has set for its own session is not among them: the child would take itself for a part of it.

use std::ffi::{OsStr, OsString};

use crate::model::MAX_OUTPUT_TOKENS;

/// Names, and with a `_` at the end the beginnings of names: to start and find the user's folders; to reach the network; the
/// login, and the way to the model that goes with it.
const HANDED_ON: [&str; 3] = [
    "HOME PATH USER LOGNAME SHELL LANG LC_ TZ TMPDIR XDG_ USERPROFILE USERNAME TEMP TMP APPDATA LOCALAPPDATA PROGRAMDATA \
     ProgramData ProgramFiles SystemRoot SystemDrive ComSpec PATHEXT CLAUDE_CODE_GIT_BASH_PATH",
    "HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE \
     SSL_CERT_DIR CLAUDE_CODE_CERT_STORE CLAUDE_CODE_CLIENT_CERT CLAUDE_CODE_CLIENT_KEY CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN ANTHROPIC_ CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_SKIP_BEDROCK_AUTH \
     CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_SKIP_VERTEX_AUTH CLAUDE_CODE_USE_FOUNDRY CLAUDE_CODE_SKIP_FOUNDRY_AUTH AWS_ \
     CLOUD_ML_REGION VERTEX_REGION_ GOOGLE_ CLOUDSDK_ GCLOUD_PROJECT AZURE_",
];

const USE_BEDROCK: &str = "CLAUDE_CODE_USE_BEDROCK";
const USE_VERTEX: &str = "CLAUDE_CODE_USE_VERTEX";
const USE_FOUNDRY: &str = "CLAUDE_CODE_USE_FOUNDRY";

/// Logins of a cloud, which nobody needs who does not go through it.
const CLOUDS: [(&str, &str); 5] = [
    ("AWS_", USE_BEDROCK),
    ("GOOGLE_", USE_VERTEX),
    ("CLOUDSDK_", USE_VERTEX),
    ("GCLOUD_PROJECT", USE_VERTEX),
    ("AZURE_", USE_FOUNDRY),
];

/// A variable of this name may be handed on.
pub(super) fn is_handed_on(name: &str) -> bool {
    HANDED_ON.iter().flat_map(|names| names.split_whitespace()).any(|known| is_called(name, known))
}

fn is_called(name: &str, known: &str) -> bool {
    if known.ends_with('_') { name.starts_with(known) } else { name == known }
}

/// Those of ours that are handed on.
pub(super) fn handed_on(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let name = |name: &OsStr| name.to_str().unwrap_or_default().to_owned();
    let mut kept: Vec<_> =
        variables.into_iter().filter(|(variable, _)| is_handed_on(&name(variable))).collect();
    let is_used = |switch: &str| kept.iter().any(|(variable, value)| variable == switch && !value.is_empty());
    let unused: Vec<&str> =
        CLOUDS.iter().filter(|(_, switch)| !is_used(switch)).map(|(login, _)| *login).collect();
    kept.retain(|(variable, _)| !unused.iter().any(|login| is_called(&name(variable), login)));
    kept
}

/// Those we set.
pub(super) fn ours(nonce: &str) -> [(&'static str, String); 9] {
    [
        ("BARBLESS_NONCE", nonce.to_owned()),
        // `--safe-mode`, which clients that do not know it would refuse.
        ("CLAUDE_CODE_SAFE_MODE", "1".to_owned()),
        // It would try for longer than anybody waits, and nobody else would be asked.
        ("CLAUDE_CODE_MAX_RETRIES", "0".to_owned()),
        ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", MAX_OUTPUT_TOKENS.to_string()),
        // Thinking would take the answer's place in these tokens; models that think as they like do it less at low effort.
        ("MAX_THINKING_TOKENS", "0".to_owned()),
        ("CLAUDE_CODE_EFFORT_LEVEL", "low".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{handed_on, ours};

    /// Of these names, those that are handed on.
    #[track_caller]
    fn check(given: &[&str], expected: &[&str]) {
        let variables = given.iter().map(|name| (OsString::from(name), OsString::from("1")));
        let kept: Vec<_> = handed_on(variables).into_iter().map(|(name, _)| name).collect();
        assert_eq!(kept, expected);
    }

    #[test]
    fn home_login_and_network_are_handed_on() {
        let all = [
            "HOME",
            "PATH",
            "LC_ALL",
            "XDG_CONFIG_HOME",
            "https_proxy",
            "NODE_EXTRA_CA_CERTS",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
        ];
        check(&all, &all);
    }

    #[test]
    fn nothing_of_the_session_around_us_is() {
        check(
            &[
                "CLAUDECODE",
                "CLAUDE_CODE_ENTRYPOINT",
                "CLAUDE_CODE_SESSION_ID",
                "CLAUDE_CODE_CHILD_SESSION",
                "CLAUDE_CODE_SSE_PORT",
                "CLAUDE_PROJECT_DIR",
                "CLAUDE_PLUGIN_ROOT",
                "CLAUDE_HOOK_STATE_DIR",
                "CLAUDE_ENV_FILE",
                "AI_AGENT",
            ],
            &[],
        );
    }

    #[test]
    fn nothing_that_is_not_listed_is() {
        check(
            &["NODE_OPTIONS", "LD_PRELOAD", "GIT_DIR", "GITHUB_TOKEN", "HOMEBREW_PREFIX", "PATHS", "LC", ""],
            &[],
        );
    }

    #[test]
    fn the_login_of_a_cloud_only_where_the_model_is_reached_through_it() {
        let aws = ["AWS_PROFILE", "AWS_SECRET_ACCESS_KEY"];
        check(&aws, &[]);
        check(&["GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CLIENT_SECRET", "CLOUDSDK_CONFIG"], &[]);
        check(
            &["CLAUDE_CODE_USE_BEDROCK", "AWS_PROFILE", "AZURE_CLIENT_ID"],
            &["CLAUDE_CODE_USE_BEDROCK", "AWS_PROFILE"],
        );
        let vertex = ["GOOGLE_APPLICATION_CREDENTIALS", "CLAUDE_CODE_USE_VERTEX", "CLOUD_ML_REGION"];
        check(&vertex, &vertex);
    }

    #[test]
    fn a_switch_without_a_value_is_none() {
        let variables = [("CLAUDE_CODE_USE_BEDROCK", ""), ("AWS_PROFILE", "mine")];
        let kept = handed_on(variables.map(|(name, value)| (name.into(), value.into())));
        assert_eq!(kept, [("CLAUDE_CODE_USE_BEDROCK".into(), "".into())]);
    }

    #[test]
    fn what_we_set_is_ours_alone() {
        for (name, _) in ours("nonce") {
            assert!(!super::is_handed_on(name), "{name}");
        }
    }
}
