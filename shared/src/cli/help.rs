//! The help text of a hook.

use super::Verb;
use crate::hook::Hook;

/// The verbs every hook has.
const COMMON: [Verb; 4] = [
    Verb { usage: "status [--json]", about: "what is in force here, and where it is set" },
    Verb {
        usage: "on|off|auto [--session ID]",
        about: "switch it, everywhere or for one session; auto: as the files say",
    },
    Verb { usage: "schema", about: "JSON Schema of its settings" },
    Verb { usage: "version", about: "" },
];

/// All verbs of a hook, the common ones before its own.
pub fn verbs_of<H: Hook>() -> impl Iterator<Item = &'static Verb> {
    COMMON.iter().chain(H::VERBS)
}

/// All verbs of a hook, with what each does.
pub fn help<H: Hook>() -> String {
    let all = verbs_of::<H>;
    let width = all().map(|verb| verb.usage.len()).max().unwrap_or_default();
    let line =
        |verb: &Verb| format!("{} {:width$}  {}", H::NAME, verb.usage, verb.about).trim_end().to_owned();
    let lines: Vec<String> = all().map(line).collect();
    format!("{}: a hook of Claude Code, which runs it without arguments.\n\n{}", H::NAME, lines.join("\n"))
}
