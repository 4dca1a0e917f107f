//! Under which version of the client every proof last passed: written by `req doctor`, looked at when a session
//! begins, so that the user hears of a client that nobody has proved anything under yet.

use serde::{Deserialize, Serialize};

use crate::state::{MACHINE, Remembered, StateError, Store};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Proved {
    /// The client's version, as `2.1.329`; none: nothing was ever proved, or the version was not known.
    client: Option<String>,
}

impl Remembered for Proved {
    const FILE: &'static str = "proved.json";
}

/// Every proof has passed under this version.
pub fn passed(store: &Store, client: &str) -> Result<(), StateError> {
    store.change(MACHINE, |proved| {
        *proved = Proved { client: Some(client.to_owned()) };
        true
    })
}

/// The version under which the proofs passed, if another one is running.
pub fn changed_from(store: &Store, running: &str) -> Option<String> {
    store.read::<Proved>(MACHINE)?.client.filter(|before| before != running)
}

/// The version in the client's own `AI_AGENT`, `claude-code_2-1-329_harness`. A project's settings may define that
/// variable, so nothing but what it looks like is taken from it.
pub fn version_of_agent(agent: &str) -> Option<String> {
    let rest = agent.strip_prefix("claude-code_")?;
    let version = rest.split('_').next()?.replace('-', ".");
    is_version(&version).then_some(version)
}

/// Three numbers with dots between them.
pub fn is_version(text: &str) -> bool {
    let is_number =
        |part: &str| (1..=6).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split('.').count() == 3 && text.split('.').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::version_of_agent;

    #[test]
    fn a_version_is_read_out_of_what_the_client_calls_itself() {
        for (agent, version) in [
            ("claude-code_2-1-329_harness", Some("2.1.329")),
            ("claude-code_2-1-329", Some("2.1.329")),
            ("claude-code_2-1_agent", None),
            ("claude-code_2-1-x_agent", None),
            ("another_2-1-329_agent", None),
            ("claude-code_2-1-12345678_agent", None),
        ] {
            assert_eq!(version_of_agent(agent).as_deref(), version, "{agent}");
        }
    }
}
