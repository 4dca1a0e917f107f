//! The verbs every hook binary has: `status`, `on`, `off`, `auto`, `schema`, `help`, `version`.
//!
//! Parsed by hand: a hook carries no command-line library, and a usage error must never exit with 2,
//! which in a hook means "block". Exit 0: done; 1: refused or failed; 64: wrong usage.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;

use crate::config::{COMMON_KEYS, Section, SectionSpec, Sources, load, schema_of};
use crate::hook::Hook;
use crate::host::{Host, Places, display_path};
use crate::operator::{Standing, refusal, standing};
use crate::run::configure;
use crate::state::{Store, is_off};
use crate::switches::{Position, Reach, Switches, turn};

const USAGE: u8 = 64;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Verb<'a> {
    Help,
    Version,
    Schema,
    Status,
    StatusJson,
    Turn(Position, Reach<'a>),
}

/// Runs a hook's own command line.
#[must_use]
pub fn main<H: Hook>(host: &Host, arguments: &[OsString]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    if words.len() != arguments.len() {
        return usage_error::<H>("the arguments are not readable text");
    }
    match parse(&words) {
        Ok(Verb::Help) => say(&help::<H>()),
        Ok(Verb::Version) => say(&format!("{} {}", H::NAME, env!("CARGO_PKG_VERSION"))),
        Ok(Verb::Schema) => say(&section_schema::<H>()),
        Ok(Verb::Status) => report::<H>(host, status_text::<H>),
        Ok(Verb::StatusJson) => report::<H>(host, status_json::<H>),
        Ok(Verb::Turn(position, reach)) => turn_switch::<H>(host, position, reach),
        Err(why) => usage_error::<H>(&why),
    }
}

fn parse<'a>(words: &[&'a str]) -> Result<Verb<'a>, String> {
    match words {
        ["help" | "--help" | "-h"] => Ok(Verb::Help),
        ["version" | "--version" | "-V"] => Ok(Verb::Version),
        ["schema"] => Ok(Verb::Schema),
        ["status"] => Ok(Verb::Status),
        ["status", "--json"] => Ok(Verb::StatusJson),
        ["on", reach @ ..] => Ok(Verb::Turn(Position::On, self::reach(reach)?)),
        ["off", reach @ ..] => Ok(Verb::Turn(Position::Off, self::reach(reach)?)),
        ["auto", reach @ ..] => Ok(Verb::Turn(Position::Auto, self::reach(reach)?)),
        [] => {
            Err("a hook is started by Claude Code with its input on stdin; on a terminal give a verb"
                .to_owned())
        }
        [word, ..] if word.starts_with('-') => Err(format!("unknown option {word}")),
        [word, ..] => {
            Err(match crate::config::nearest(word, &["status", "on", "off", "auto", "schema", "help"]) {
                Some(near) if near != *word => format!("unknown verb {word}; did you mean {near}?"),
                Some(_) => format!("{word} takes no such arguments"),
                None => format!("unknown verb {word}"),
            })
        }
    }
}

fn reach<'a>(words: &[&'a str]) -> Result<Reach<'a>, String> {
    match words {
        [] => Ok(Reach::Machine),
        ["--session", id] if !id.is_empty() => Ok(Reach::Session(id)),
        _ => Err("on, off and auto take nothing, or --session ID".to_owned()),
    }
}

fn help<H: Hook>() -> String {
    let name = H::NAME;
    format!(
        "{name}: a hook of Claude Code, which runs it without arguments.\n\n\
         {name} status [--json]             what is in force here, and where it is set\n\
         {name} on|off|auto [--session ID]  switch it, everywhere or for one session; auto: as the files say\n\
         {name} schema                      JSON Schema of its settings\n\
         {name} version"
    )
}

/// The schema of the hook's section: its own keys and the common ones.
fn section_schema<H: Hook>() -> String {
    let mut schema = schema_of::<H::Settings>().to_value();
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        for (keys, mark) in [(H::GLOBAL_ONLY, "x-global-only"), (H::ROOT_KEYS, "x-root-key")] {
            for key in keys {
                if let Some(property) = properties.get_mut(*key).and_then(serde_json::Value::as_object_mut) {
                    property.insert(mark.to_owned(), true.into());
                }
            }
        }
        for (key, description) in COMMON_KEYS {
            properties.insert(key.to_owned(), json!({ "type": "boolean", "description": description }));
        }
    }
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

/// What is in force, beside the section itself.
struct InForce {
    switch: Position,
    /// The file that switches every hook off, as it is shown.
    off_file: Option<String>,
}

fn report<H: Hook>(host: &Host, print: impl Fn(&Section<H::Settings>, &InForce) -> String) -> ExitCode {
    let (places, store) = open(host);
    let switches = store.as_ref().map(Switches::read).unwrap_or_default();
    let switch = switches.position(H::NAME, host.environment.session_id.as_deref());
    let in_force = InForce { switch, off_file: off_file(host, &places) };
    let spec = SectionSpec { tells_unknown_keys: H::TELLS_UNKNOWN_KEYS, ..H::section() };
    match configure::<H>(spec, &Sources::of(&places, host.environment.home.as_deref()), switch) {
        Some(section) => say(&print(&section, &in_force)),
        None => fail(&format!("{}: the built-in defaults cannot be read; this is a bug", H::NAME)),
    }
}

/// The OFF file that holds, in the state folder in use or in our own.
fn off_file(host: &Host, places: &Places) -> Option<String> {
    let folders = [&places.state_dir, &places.default_state_dir];
    let off = folders.into_iter().flatten().find(|folder| is_off(folder, host.now()))?;
    Some(display_path(&off.join("OFF"), host.environment.home.as_deref()))
}

fn status_text<H: Hook>(section: &Section<H::Settings>, in_force: &InForce) -> String {
    let name = H::NAME;
    let word = if section.enabled { "on" } else { "off" };
    let by = section.origin("enabled").map_or_else(String::new, |origin| format!(", set by {origin}"));
    let first = match &in_force.off_file {
        Some(file) => format!("{name}: off, like every hook while {file} is there; without it {word}{by}"),
        None => format!("{name}: {word}{by}"),
    };
    let overruled = section.overruled_switch.then(|| {
        "its switch counts for nothing: the section is locked by your global requirements.yaml".to_owned()
    });
    let problems = section.problems.iter().map(ToString::to_string);
    std::iter::once(first).chain(overruled).chain(problems).collect::<Vec<String>>().join("\n")
}

fn status_json<H: Hook>(section: &Section<H::Settings>, in_force: &InForce) -> String {
    let problems: Vec<String> = section.problems.iter().map(ToString::to_string).collect();
    let origin = section.origin("enabled").map(|origin| origin.to_string());
    let enabled = section.enabled && in_force.off_file.is_none();
    let set_by = in_force.off_file.clone().or(origin);
    json!({ "hook": H::NAME, "enabled": enabled, "switch": in_force.switch, "set_by": set_by, "problems": problems })
        .to_string()
}

fn turn_switch<H: Hook>(host: &Host, position: Position, reach: Reach<'_>) -> ExitCode {
    if position != Position::On && standing(host) != Standing::Operator {
        let word = position.word();
        let reach = match reach {
            Reach::Machine => String::new(),
            Reach::Session(id) => format!(" --session {id}"),
        };
        return fail(&refusal(&format!("{} {word}{reach}", H::NAME)));
    }
    let (places, Some(store)) = open(host) else {
        return fail(&format!("{}: there is no state folder to keep the switch in; set HOME", H::NAME));
    };
    let sources = Sources::of(&places, host.environment.home.as_deref());
    if load::<H::Settings>(H::section(), &sources, position).is_some_and(|section| section.overruled_switch) {
        return fail(&format!("{}: locked by your global requirements.yaml; nothing was changed", H::NAME));
    }
    match turn(&store, H::NAME, reach, position, host.now()) {
        Ok(()) => match reach {
            Reach::Machine => report::<H>(host, status_text::<H>),
            Reach::Session(id) => say(&format!("{}: {} for session {id}", H::NAME, position.word())),
        },
        Err(error) => fail(&format!("{}: {error}", H::NAME)),
    }
}

fn open(host: &Host) -> (Places, Option<Store>) {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store();
    (places, store)
}

fn say(text: &str) -> ExitCode {
    // A closed stdout is the reader's choice, not an error.
    let _ = writeln!(io::stdout(), "{text}");
    ExitCode::SUCCESS
}

fn fail(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::FAILURE
}

fn usage_error<H: Hook>(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{}: {why}\n\n{}", H::NAME, help::<H>());
    ExitCode::from(USAGE)
}

#[cfg(test)]
mod tests {
    use super::{Verb, parse};
    use crate::switches::{Position, Reach};

    #[test]
    fn the_verbs() {
        assert_eq!(parse(&["off"]), Ok(Verb::Turn(Position::Off, Reach::Machine)));
        assert_eq!(parse(&["auto", "--session", "s"]), Ok(Verb::Turn(Position::Auto, Reach::Session("s"))));
        assert_eq!(parse(&["status", "--json"]), Ok(Verb::StatusJson));
        assert_eq!(parse(&["--help"]), Ok(Verb::Help));
    }

    #[test]
    fn anything_else_is_wrong_usage_with_a_hint() {
        assert_eq!(parse(&["statsu"]), Err("unknown verb statsu; did you mean status?".to_owned()));
        assert_eq!(parse(&["off", "now"]), Err("on, off and auto take nothing, or --session ID".to_owned()));
        assert_eq!(parse(&["--frobnicate"]), Err("unknown option --frobnicate".to_owned()));
        for words in [&[][..], &["off", "--session"], &["off", "--session", ""]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
