//! The words every hook understands, and the help text.

use super::Verb;
use crate::config::nearest;
use crate::hook::Hook;
use crate::switches::{Position, SHORT_ID};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Common<'a> {
    Help,
    Version,
    Schema,
    Status { json: bool },
    Turn(Position, Option<&'a str>),
}

const COMMON: [Verb; 4] = [
    Verb { usage: "status [--json]", about: "what is in force here, and where it is set" },
    Verb {
        usage: "on|off|auto [--session ID]",
        about: "switch it, everywhere or for one session; auto: as the files say",
    },
    Verb { usage: "schema", about: "JSON Schema of its settings" },
    Verb { usage: "version", about: "" },
];

pub fn help<H: Hook>() -> String {
    let all = || COMMON.iter().chain(H::VERBS);
    let width = all().map(|verb| verb.usage.len()).max().unwrap_or_default();
    let line =
        |verb: &Verb| format!("{} {:width$}  {}", H::NAME, verb.usage, verb.about).trim_end().to_owned();
    let lines: Vec<String> = all().map(line).collect();
    format!("{}: a hook of Claude Code, which runs it without arguments.\n\n{}", H::NAME, lines.join("\n"))
}

pub(super) fn parse<'a, H: Hook>(words: &[&'a str]) -> Result<Common<'a>, String> {
    if let [word, reach @ ..] = words
        && let Some(position) = Position::of_word(word)
    {
        return Ok(Common::Turn(position, session(reach)?));
    }
    match words {
        ["help" | "--help" | "-h"] => Ok(Common::Help),
        ["version" | "--version" | "-V"] => Ok(Common::Version),
        ["schema"] => Ok(Common::Schema),
        ["status"] => Ok(Common::Status { json: false }),
        ["status", "--json"] => Ok(Common::Status { json: true }),
        _ => Err(unknown::<H>(words.first().copied().unwrap_or_default())),
    }
}

fn unknown<H: Hook>(word: &str) -> String {
    let own = H::VERBS.iter().filter_map(|verb| verb.usage.split_whitespace().next());
    let verbs: Vec<&str> = ["status", "on", "off", "auto", "schema", "help"].into_iter().chain(own).collect();
    match nearest(word, &verbs) {
        Some(near) if near == word => format!("{word} takes no such arguments"),
        Some(near) => format!("unknown verb {word}; did you mean {near}?"),
        None => format!("unknown verb {word}"),
    }
}

fn session<'a>(words: &[&'a str]) -> Result<Option<&'a str>, String> {
    match words {
        [] => Ok(None),
        ["--session", id] if id.chars().count() >= SHORT_ID => Ok(Some(id)),
        _ => Err("on, off and auto take nothing, or --session ID: the id, or its first 8 characters or more"
            .to_owned()),
    }
}
