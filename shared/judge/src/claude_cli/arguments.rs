//! The command line of `claude -p`: our own words only. Section 21 of tests/client-facts.md has the effect of each.

use crate::model::Exchange;

/// For the answer, and for one more try at it where the first does not fit the schema.
const MAX_TURNS: &str = "2";

/// The arguments of `claude`.
pub(super) fn arguments(exchange: &Exchange<'_>) -> Vec<String> {
    let flags = [
        "-p",
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--no-session-persistence",
        "--output-format",
        "json",
        "--tools",
        "",
        "--setting-sources",
        "",
        "--settings",
        r#"{"disableAllHooks":true}"#,
        "--max-turns",
        MAX_TURNS,
    ];
    let values = [
        ("--model", exchange.model.to_owned()),
        ("--json-schema", exchange.verdicts.to_string()),
        ("--system-prompt", exchange.instructions.to_owned()),
    ];
    let values = values.into_iter().flat_map(|(flag, value)| [flag.to_owned(), value]);
    flags.into_iter().map(str::to_owned).chain(values).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::arguments;
    use crate::model::Exchange;

    #[test]
    fn they_switch_everything_off_and_hold_nothing_of_the_material() {
        let exchange = Exchange {
            model: "claude-haiku-4-5",
            instructions: "Judge it.",
            material: "a secret of the session",
            verdicts: &json!({ "type": "object" }),
            deadline: Instant::now(),
        };
        let expected = [
            "-p",
            "--strict-mcp-config",
            "--disable-slash-commands",
            "--no-session-persistence",
            "--output-format",
            "json",
            "--tools",
            "",
            "--setting-sources",
            "",
            "--settings",
            r#"{"disableAllHooks":true}"#,
            "--max-turns",
            "2",
            "--model",
            "claude-haiku-4-5",
            "--json-schema",
            r#"{"type":"object"}"#,
            "--system-prompt",
            "Judge it.",
        ];
        assert_eq!(arguments(&exchange), expected);
    }
}
