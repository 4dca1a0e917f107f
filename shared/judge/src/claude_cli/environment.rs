//! The variables of the child: what it takes to start, to find the user's login and to reach the model, and what we set. With
//! the variables of the surrounding session the child would take itself for a part of it.

use std::ffi::OsString;

use crate::model::MAX_OUTPUT_TOKENS;

/// Names, and with a `_` at the end beginnings of names: to start, to reach the network, to log in.
const ALWAYS: &str = "HOME PATH USER LOGNAME SHELL LANG LC_ TZ TMPDIR XDG_ USERPROFILE USERNAME TEMP TMP APPDATA LOCALAPPDATA PROGRAMDATA \
     ProgramData ProgramFiles SystemRoot SystemDrive ComSpec PATHEXT CLAUDE_CODE_GIT_BASH_PATH \
     HTTP_PROXY http_proxy HTTPS_PROXY https_proxy ALL_PROXY all_proxy NO_PROXY no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE \
     SSL_CERT_DIR CLAUDE_CODE_CERT_STORE CLAUDE_CODE_CLIENT_ CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN ANTHROPIC_ \
     CLAUDE_CODE_USE_ CLAUDE_CODE_SKIP_ CLOUD_ML_REGION VERTEX_REGION_";

/// The login of a cloud, where this switch leads the model's traffic through it.
const CLOUDS: [(&str, &str); 3] = [
    ("CLAUDE_CODE_USE_BEDROCK", "AWS_"),
    ("CLAUDE_CODE_USE_VERTEX", "GOOGLE_ CLOUDSDK_ GCLOUD_PROJECT"),
    ("CLAUDE_CODE_USE_FOUNDRY", "AZURE_"),
];

pub(super) fn is_known(name: &str) -> bool {
    is_one_of(name, ALWAYS) || CLOUDS.iter().any(|(_, names)| is_one_of(name, names))
}

fn is_one_of(name: &str, names: &str) -> bool {
    names.split_whitespace().any(|known| name == known || known.ends_with('_') && name.starts_with(known))
}

pub(super) fn handed_on(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let all: Vec<(OsString, OsString)> = variables.into_iter().collect();
    let is_set = |switch: &str| all.iter().any(|(name, value)| name == switch && !value.is_empty());
    let clouds: Vec<&str> =
        CLOUDS.iter().filter(|(switch, _)| is_set(switch)).map(|(_, names)| *names).collect();
    let is_needed = |name: &str| is_one_of(name, ALWAYS) || clouds.iter().any(|names| is_one_of(name, names));
    all.into_iter().filter(|(name, _)| name.to_str().is_some_and(is_needed)).collect()
}

/// Our own variables.
pub(super) fn ours(nonce: &str) -> [(&'static str, String); 9] {
    [
        ("BARBLESS_NONCE", nonce.to_owned()),
        // `--safe-mode`, which a client that does not know it would refuse.
        ("CLAUDE_CODE_SAFE_MODE", "1".to_owned()),
        // Its own retries would outlast the deadline.
        ("CLAUDE_CODE_MAX_RETRIES", "0".to_owned()),
        ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", MAX_OUTPUT_TOKENS.to_string()),
        // Thoughts would take the answer's place in these tokens.
        ("MAX_THINKING_TOKENS", "0".to_owned()),
        ("CLAUDE_CODE_EFFORT_LEVEL", "low".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ("DISABLE_TELEMETRY", "1".to_owned()),
        ("DISABLE_AUTOUPDATER", "1".to_owned()),
    ]
}
