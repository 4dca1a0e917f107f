//! What `claude -p --output-format json` says: one object of type `result`, whatever its exit status. Why there is no verdict
//! is told by its fields; its sentences are for people, and change.

use serde_json::Value;

use crate::model::{Failure, Reply, Tokens, Trouble};

/// How the only failure ends that has no field to be known by: there is no login.
const NO_LOGIN: &str = "Please run /login";

/// Reads it.
///
/// # Errors
/// Why there is no verdict in it, and what it took all the same.
pub(super) fn read(said: &[u8]) -> Result<Reply, Failure> {
    if said.trim_ascii().is_empty() {
        // It does not know an argument, or could not even begin.
        return Err(Trouble::NotStarted.into());
    }
    let said: Value = serde_json::from_slice(said).map_err(|_| Trouble::Nonsense)?;
    let result = closing(&said).ok_or(Trouble::Nonsense)?;
    let micro_usd = result["total_cost_usd"].as_f64().and_then(micro_usd);
    let failed = |trouble| {
        let tokens = result["usage"].is_object().then(|| tokens(&result["usage"]));
        Err(Failure { trouble, tokens, micro_usd })
    };
    if result["is_error"] != Value::Bool(false) {
        return failed(trouble(result));
    }
    let verdict = result["structured_output"].clone();
    if !verdict.is_object() {
        return failed(Trouble::Nonsense);
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

fn trouble(result: &Value) -> Trouble {
    let by_cause = result["api_error"].as_str().and_then(by_cause);
    let by_status = || result["api_error_status"].as_u64().and_then(by_status);
    let by_type = || result["api_error_type"].as_str().and_then(by_type);
    let by_login = || result["result"].as_str()?.ends_with(NO_LOGIN).then_some(Trouble::Unauthorized);
    by_cause.or_else(by_status).or_else(by_type).or_else(by_login).unwrap_or(Trouble::Nonsense)
}

/// What the client itself has found out.
fn by_cause(cause: &str) -> Option<Trouble> {
    match cause {
        "usage_limit_reached" | "model_requires_usage_credits" | "long_context_credits_required" => {
            Some(Trouble::Limited)
        }
        "connection_failed"
        | "tls_untrusted_ca"
        | "tls_cert_signature_failure"
        | "gateway_content_type"
        | "network_edge_blocked" => Some(Trouble::Unreachable),
        "stream_idle_timeout" | "no_response" | "empty_completion" => Some(Trouble::Overloaded),
        "stored_login_refused"
        | "oauth_refresh_store_refused"
        | "provider_credentials"
        | "gateway_signin_required"
        | "gateway_session_expired"
        | "api_key_auth_disabled"
        | "org_disabled_credential"
        | "invalid_credential_header" => Some(Trouble::Unauthorized),
        "message_over_context_limit" | "model_substitution_disabled" | "claude_code_version_too_old" => {
            Some(Trouble::Refused)
        }
        _ => None,
    }
}

fn by_status(status: u64) -> Option<Trouble> {
    match status {
        401 | 403 => Some(Trouble::Unauthorized),
        429 => Some(Trouble::Limited),
        400..=499 => Some(Trouble::Refused),
        500.. => Some(Trouble::Overloaded),
        _ => None,
    }
}

/// An error in the middle of a reply has no status.
fn by_type(kind: &str) -> Option<Trouble> {
    match kind {
        "authentication_error" | "permission_error" => Some(Trouble::Unauthorized),
        "rate_limit_error" => Some(Trouble::Limited),
        "overloaded_error" | "api_error" | "timeout_error" => Some(Trouble::Overloaded),
        "invalid_request_error" | "not_found_error" | "request_too_large" => Some(Trouble::Refused),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
