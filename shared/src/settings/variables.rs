//! What a project's settings may define in `env` for everything the client starts, hooks among it, and what follows.

use super::{Named, Refused, survey};

/// A variable that means something to us, or to programs that a hook starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name, or with a `_` at the end the beginning of several.
    name: &'static str,
    /// What follows where a project defines it.
    pub follows: &'static str,
    /// It may lead a request elsewhere, or have it made on another account: where a project defines it, no login of the
    /// user's is used.
    pub misleads_requests: bool,
}

const fn misleading(name: &'static str, follows: &'static str) -> Variable {
    Variable { name, follows, misleads_requests: true }
}

const fn other(name: &'static str, follows: &'static str) -> Variable {
    Variable { name, follows, misleads_requests: false }
}

const NOT_BELIEVED: &str = "it is the hooks' own; they do not believe it from a project";
const FOREIGN_CODE: &str = "code of the project's choosing runs in programs that a hook starts";
const IGNORED: &str = "the client ignores it from a project, other programs may not";
const OTHER_ROUTE: &str =
    "what a hook asks over the network goes through a machine of the project's choosing";

const OTHER_TRUST: &str = "what a hook asks over the network may be answered by whom the project trusts";
const OTHER_CLOUD: &str = "a model may be asked through a cloud, or on an account, of the project's choosing";

const VARIABLES: [Variable; 34] = [
    misleading(
        "CLAUDE_CONFIG_DIR",
        "the client looks for your settings elsewhere, and hooks registered in yours do not run",
    ),
    misleading(
        "ANTHROPIC_",
        "requests, and what a hook would ask a model, may go to another host or on another account",
    ),
    misleading("CLAUDE_CODE_OAUTH_TOKEN", "requests are made on another account"),
    misleading("PATH", "programs that a hook starts by name may be the project's"),
    misleading("HOME", IGNORED),
    misleading("USERPROFILE", IGNORED),
    misleading("BARBLESS_", NOT_BELIEVED),
    misleading("CLAUDE_HOOK_", NOT_BELIEVED),
    misleading("HTTPS_PROXY", OTHER_ROUTE),
    misleading("https_proxy", OTHER_ROUTE),
    misleading("HTTP_PROXY", OTHER_ROUTE),
    misleading("http_proxy", OTHER_ROUTE),
    misleading("ALL_PROXY", OTHER_ROUTE),
    misleading("all_proxy", OTHER_ROUTE),
    misleading("NO_PROXY", OTHER_ROUTE),
    misleading("no_proxy", OTHER_ROUTE),
    misleading("NODE_EXTRA_CA_CERTS", OTHER_TRUST),
    misleading("SSL_CERT_", OTHER_TRUST),
    misleading("CLAUDE_CODE_CERT_STORE", OTHER_TRUST),
    misleading("CLAUDE_CODE_CLIENT_", OTHER_TRUST),
    misleading("CLAUDE_CODE_USE_", OTHER_CLOUD),
    misleading("CLAUDE_CODE_SKIP_", OTHER_CLOUD),
    misleading("AWS_", OTHER_CLOUD),
    misleading("GOOGLE_", OTHER_CLOUD),
    misleading("CLOUDSDK_", OTHER_CLOUD),
    misleading("GCLOUD_", OTHER_CLOUD),
    misleading("AZURE_", OTHER_CLOUD),
    misleading("CLOUD_ML_", OTHER_CLOUD),
    misleading("VERTEX_", OTHER_CLOUD),
    misleading("LD_PRELOAD", FOREIGN_CODE),
    misleading("LD_LIBRARY_PATH", FOREIGN_CODE),
    misleading("CLAUDE_PROJECT_DIR", IGNORED),
    other("GIT_", "git may look at another repository than the one you work in"),
    other("CLAUDECODE", IGNORED),
];

impl Variable {
    /// What is known of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        VARIABLES.iter().find(|known| {
            if known.name.ends_with('_') { name.starts_with(known.name) } else { name == known.name }
        })
    }
}

/// The first name under `env` of a project's settings that may lead a request elsewhere.
///
/// # Errors
/// If the text is no plain JSON object: nobody can tell what the client reads in it.
pub fn misleads_requests(text: &str) -> Result<Option<Named>, Refused> {
    let is_misleading =
        |named: &Named| Variable::of(&named.name).is_some_and(|known| known.misleads_requests);
    Ok(survey(text)?.env.into_iter().find(is_misleading))
}

#[cfg(test)]
mod tests {
    use super::{Variable, misleads_requests};

    #[test]
    fn names_and_their_beginnings() {
        for (name, expected) in [
            ("ANTHROPIC_BASE_URL", Some(true)),
            ("ANTHROPIC_API_KEY", Some(true)),
            ("CLAUDE_CODE_OAUTH_TOKEN", Some(true)),
            ("CLAUDE_CONFIG_DIR", Some(true)),
            ("CLAUDE_HOOK_STATE_DIR", Some(true)),
            ("PATH", Some(true)),
            ("HOME", Some(true)),
            ("BARBLESS_NONCE", Some(true)),
            ("https_proxy", Some(true)),
            ("CLAUDE_CODE_USE_BEDROCK", Some(true)),
            ("AWS_PROFILE", Some(true)),
            ("SSL_CERT_FILE", Some(true)),
            ("GIT_DIR", Some(false)),
            ("MY_PATH", None),
            ("PATHS", None),
            ("ANTHROPIC", None),
            ("RUST_LOG", None),
        ] {
            assert_eq!(Variable::of(name).map(|known| known.misleads_requests), expected, "{name}");
        }
    }

    #[test]
    fn settings_that_lead_requests_elsewhere() {
        for (text, expected) in [
            ("", Ok(None)),
            ("{}", Ok(None)),
            (r#"{"env":{"RUST_LOG":"x","GIT_DIR":"y"}}"#, Ok(None)),
            (r#"{"env":{"RUST_LOG":"x","ANTHROPIC_BASE_URL":"y"}}"#, Ok(Some("ANTHROPIC_BASE_URL"))),
            (r#"{"env":{"PATH":null}}"#, Ok(Some("PATH"))),
            (r#"{"other":{"PATH":"x"}}"#, Ok(None)),
            (r#"{"env":{}"#, Err(())),
            ("[]", Err(())),
        ] {
            let found = misleads_requests(text).map(|named| named.map(|named| named.name));
            assert_eq!(found.as_ref().map(|name| name.as_deref()).map_err(|_| ()), expected, "{text}");
        }
    }
}
