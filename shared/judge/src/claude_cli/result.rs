//! The output of `claude -p --output-format json`: one object of type `result`, whatever its exit status. Its fields name an
//! error; its sentences are for people, and change.

use serde_json::Value;

use crate::question::{Reply, Tokens};
use crate::silence::Silence;

/// The end of the only error without a field of its own: there is no login.
const NO_LOGIN: &str = "Please run /login";

/// Words in the names of the client's own causes and of the API's errors, which come without a status in the middle of a reply.
const CAUSES: [(&str, Silence); 4] = [
    ("limit credits", Silence::Limited),
    ("login auth credential signin session permission", Silence::Unauthorized),
    ("overloaded timeout no_response", Silence::Overloaded),
    ("connection tls network gateway", Silence::Unreachable),
];

pub(super) fn read(said: &[u8]) -> Reply {
    if said.trim_ascii().is_empty() {
        // It does not know an argument, or could not even begin.
        return Silence::NotStarted.into();
    }
    let said: Value = serde_json::from_slice(said).unwrap_or_default();
    // A user who has set `verbose` gets the result as the last of a list.
    let result = said.as_array().and_then(|all| all.last()).unwrap_or(&said);
    if result["type"] != "result" {
        return Silence::InvalidResponse.into();
    }
    let verdict = match (&result["is_error"], &result["structured_output"]) {
        (Value::Bool(false), verdict @ Value::Object(_)) => Ok(verdict.clone()),
        (Value::Bool(false), _) => Err(Silence::InvalidResponse),
        _ => Err(error(result)),
    };
    let micro_usd = result["total_cost_usd"].as_f64().and_then(micro_usd);
    Reply { verdict, tokens: Tokens::of(&result["usage"]), micro_usd }
}

/// Rounded up, but not for what a binary fraction adds.
fn micro_usd(usd: f64) -> Option<u64> {
    format!("{:.0}", (usd * 1e6 - 1e-3).max(0.0).ceil()).parse().ok()
}

fn error(result: &Value) -> Silence {
    let named = |field: &str| by_name(result[field].as_str()?);
    let by_status = || Silence::of_status(result["api_error_status"].as_u64()?);
    let by_login = || result["result"].as_str()?.ends_with(NO_LOGIN).then_some(Silence::Unauthorized);
    let found = named("api_error").or_else(by_status).or_else(|| named("api_error_type"));
    found.or_else(by_login).unwrap_or(Silence::InvalidResponse)
}

fn by_name(name: &str) -> Option<Silence> {
    let names = |words: &str| words.split(' ').any(|word| name.contains(word));
    CAUSES.into_iter().find(|(words, _)| names(words)).map(|(_, cause)| cause)
}

#[cfg(test)]
mod tests;
