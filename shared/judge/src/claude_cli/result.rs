//! The output of `claude -p --output-format json`: one object of type `result`, whatever its exit status. Its fields tell errors
//! apart; its sentences are for people, and change.

use serde_json::Value;

use crate::model::{AskError, Failure, Reply, Tokens};

/// How the only failure ends that has no field to be known by: there is no login.
const NO_LOGIN: &str = "Please run /login";

/// Reads it.
///
/// # Errors
/// Why there is no verdict in it, and what it took all the same.
pub(super) fn read(said: &[u8]) -> Result<Reply, Failure> {
    if said.trim_ascii().is_empty() {
        // It does not know an argument, or could not even begin.
        return Err(AskError::NotStarted.into());
    }
    let said: Value = serde_json::from_slice(said).map_err(|_| AskError::InvalidResponse)?;
    let result = closing(&said).ok_or(AskError::InvalidResponse)?;
    let micro_usd = result["total_cost_usd"].as_f64().and_then(micro_usd);
    let failed = |error| {
        let tokens = result["usage"].is_object().then(|| tokens(&result["usage"]));
        Err(Failure { error, tokens, micro_usd })
    };
    if result["is_error"] != Value::Bool(false) {
        return failed(error(result));
    }
    let verdict = result["structured_output"].clone();
    if !verdict.is_object() {
        return failed(AskError::InvalidResponse);
    }
    Ok(Reply { verdict, tokens: tokens(&result["usage"]), micro_usd })
}

/// The closing object; a user who has set `verbose` gets it as the last of a list.
fn closing(said: &Value) -> Option<&Value> {
    let last = said.as_array().map_or(Some(said), |all| all.last());
    last.filter(|last| last["type"] == "result")
}

fn tokens(usage: &Value) -> Tokens {
    let count = |name: &str| usage[name].as_u64().unwrap_or_default();
    let input = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    Tokens {
        input: input.iter().fold(0, |sum, name| sum.saturating_add(count(name))),
        output: count("output_tokens"),
    }
}

/// Rounded up, but not for what a binary fraction adds.
fn micro_usd(usd: f64) -> Option<u64> {
    format!("{:.0}", (usd * 1e6 - 1e-3).max(0.0).ceil()).parse().ok()
}

fn error(result: &Value) -> AskError {
    let named = |field: &str| by_name(result[field].as_str()?);
    let by_status = || by_status(result["api_error_status"].as_u64()?);
    let by_login = || result["result"].as_str()?.ends_with(NO_LOGIN).then_some(AskError::Unauthorized);
    let found = named("api_error").or_else(by_status).or_else(|| named("api_error_type"));
    found.or_else(by_login).unwrap_or(AskError::InvalidResponse)
}

/// The client's own causes, and the types of the API: an error in the middle of a reply has no status.
const NAMES: [(AskError, &str); 5] = [
    (
        AskError::Limited,
        "usage_limit_reached model_requires_usage_credits long_context_credits_required rate_limit_error",
    ),
    (
        AskError::Unreachable,
        "connection_failed tls_untrusted_ca tls_cert_signature_failure gateway_content_type network_edge_blocked",
    ),
    (
        AskError::Overloaded,
        "stream_idle_timeout no_response empty_completion overloaded_error api_error timeout_error",
    ),
    (
        AskError::Unauthorized,
        "stored_login_refused oauth_refresh_store_refused provider_credentials gateway_signin_required \
         gateway_session_expired api_key_auth_disabled org_disabled_credential invalid_credential_header \
         authentication_error permission_error",
    ),
    (
        AskError::Refused,
        "message_over_context_limit model_substitution_disabled claude_code_version_too_old invalid_request_error \
         not_found_error request_too_large",
    ),
];

fn by_name(name: &str) -> Option<AskError> {
    let is_own = |names: &str| names.split(' ').any(|own| own == name);
    NAMES.into_iter().find(|(_, names)| is_own(names)).map(|(error, _)| error)
}

fn by_status(status: u64) -> Option<AskError> {
    match status {
        401 | 403 => Some(AskError::Unauthorized),
        429 => Some(AskError::Limited),
        400..=499 => Some(AskError::Refused),
        500.. => Some(AskError::Overloaded),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
