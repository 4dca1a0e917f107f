//! The verbs every hook has, and the answers to them. Nothing is changed here.

use serde_json::{Map, Value, json};

use crate::config::{COMMON_KEYS, Section, Sources, load, nearest, read_text, schema_of};
use crate::hook::{Asker, Hook, Outcome, Verb, Verdict, configure};
use crate::host::{Host, Places, display_path};
use crate::operator::Caller;
use crate::state::Off;
use crate::switches::{Position, SHORT_ID, Switches, Turn};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply<E = Turn> {
    pub text: String,
    /// It was refused, or cannot be done.
    pub is_no: bool,
    pub effects: Vec<E>,
    /// Text for the model. With it the prompt goes on to the model.
    pub for_model: Option<String>,
}

impl<E> Reply<E> {
    pub fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_no: false, effects: Vec::new(), for_model: None }
    }

    pub fn no(text: impl Into<String>) -> Self {
        Self { is_no: true, ..Self::yes(text) }
    }

    pub fn outcome<S>(&self) -> Outcome<S, E>
    where
        E: Clone,
    {
        let text = self.text.clone();
        let (verdict, notice) = match self.for_model.clone() {
            Some(for_model) => (Verdict::Advise { text: for_model }, Some(text)),
            None => (Verdict::Reply { text }, None),
        };
        Outcome { verdict, notice, effects: self.effects.clone(), ..Outcome::pass() }
    }
}

impl Asker<'_> {
    pub fn switches(&self) -> Switches {
        self.store.map(Switches::read).unwrap_or_default()
    }

    pub fn sources(&self) -> Sources {
        self.places.sources(self.host.environment.home.as_deref())
    }

    /// The hook's section as it is in force with these switches.
    pub fn section<H: Hook>(&self, switches: &Switches) -> Option<Section<H::Settings>> {
        configure::<H>(&self.sources(), switches.of(H::NAME, self.session))
    }

    pub fn section_in_force<H: Hook>(&self) -> Result<Section<H::Settings>, String> {
        self.section::<H>(&self.switches()).ok_or_else(|| format!("{}: {UNREADABLE}", H::NAME))
    }
}

const UNREADABLE: &str = "the built-in defaults cannot be read; this is a bug";

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

pub(super) fn answer<H: Hook, E: From<Turn>>(verb: &Common<'_>, asker: &Asker<'_>) -> Reply<E> {
    match verb {
        Common::Help => Reply::yes(help::<H>()),
        Common::Version => Reply::yes(format!("{} {}", H::NAME, crate::VERSION)),
        Common::Schema => Reply::yes(section_schema::<H>()),
        Common::Status { json } => status::<H, E>(asker, *json),
        Common::Turn(position, session) => turned::<H, E>(*position, *session, asker),
    }
}

pub fn status<H: Hook, E>(asker: &Asker<'_>, json: bool) -> Reply<E> {
    match asker.section_in_force::<H>() {
        Ok(section) if json => Reply::yes(status_json::<H>(&section, asker)),
        Ok(section) => {
            let lines = std::iter::once(status_text::<H>(&section, asker));
            Reply::yes(lines.chain(H::status_lines(&section, asker)).collect::<Vec<_>>().join("\n"))
        }
        Err(why) => Reply::no(why),
    }
}

/// The schema of the hook's section: its own keys and the common ones.
fn section_schema<H: Hook>() -> String {
    let mut schema = schema_of::<H::Settings>().to_value();
    for (keys, mark) in [(H::GLOBAL_ONLY, "x-global-only"), (H::ROOT_KEYS, "x-root-key")] {
        for key in keys {
            if let Some(property) = schema["properties"][*key].as_object_mut() {
                property.insert(mark.to_owned(), true.into());
            }
        }
    }
    for (key, description) in COMMON_KEYS {
        let description = if key == "headless" { H::HEADLESS_MEANS } else { description };
        schema["properties"][key] = json!({ "type": "boolean", "description": description });
    }
    if H::COSTS_MONEY {
        schema["x-costs-money"] = true.into();
    }
    if !H::RENAMED.is_empty() {
        let renamed = H::RENAMED.iter().map(|(old, new)| ((*old).to_owned(), Value::from(*new)));
        schema["x-renamed"] = Value::Object(renamed.collect::<Map<_, _>>());
    }
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

/// The OFF file that holds, in the state folder in use or in our own, as it is shown.
pub fn off_file(host: &Host, places: &Places) -> Option<String> {
    let (file, _) = Off::in_force(places, host.now())?;
    Some(display_path(&file, host.environment.home.as_deref()))
}

fn status_text<H: Hook>(section: &Section<H::Settings>, asker: &Asker<'_>) -> String {
    let name = H::NAME;
    let word = if section.enabled { "on" } else { "off" };
    let by = section.origin("enabled").map_or_else(String::new, |origin| format!(", set by {origin}"));
    let mut lines = vec![match off_file(asker.host, asker.places) {
        Some(file) => format!("{name}: off, like every hook while {file} is there; without it {word}{by}"),
        None => format!("{name}: {word}{by}"),
    }];
    lines.extend(
        section.switched_keys().into_iter().map(|(key, position)| {
            format!("{}: {}, set by its switch", section.in_file(&key), position.word())
        }),
    );
    lines.extend(section.overruled.iter().map(|key| {
        let key = if key.is_empty() { name.to_owned() } else { section.in_file(key) };
        format!("{key}: its switch counts for nothing: it is locked by your global requirements.yaml")
    }));
    lines.extend(section.problems.iter().map(ToString::to_string));
    lines.join("\n")
}

fn status_json<H: Hook>(section: &Section<H::Settings>, asker: &Asker<'_>) -> String {
    let switch = asker.switches().position(H::NAME, asker.session);
    let problems: Vec<String> = section.problems.iter().map(ToString::to_string).collect();
    let off_file = off_file(asker.host, asker.places);
    let enabled = section.enabled && off_file.is_none();
    let set_by = off_file.or_else(|| section.origin("enabled").map(|origin| origin.to_string()));
    json!({ "hook": H::NAME, "enabled": enabled, "switch": switch, "set_by": set_by, "problems": problems })
        .to_string()
}

fn turned<H: Hook, E: From<Turn>>(position: Position, session: Option<&str>, asker: &Asker<'_>) -> Reply<E> {
    let name = H::NAME;
    let reach = session.map_or_else(String::new, |id| format!(" --session {id}"));
    let line = format!("{name} {}{reach}", position.word());
    // To switch on what costs money is not Claude's either: its user may just have switched it off.
    let is_anybodys = position == Position::On && !H::COSTS_MONEY;
    if !is_anybodys && !asker.caller.is_operator() {
        return Reply::no(asker.caller.refusal(&line, H::is_command(&line)));
    }
    if asker.store.is_none() {
        return Reply::no(format!("{name}: there is no state folder to keep the switch in; set HOME"));
    }
    let with = |position| load::<H::Settings>(H::section(), &asker.sources(), position);
    if with(position).is_some_and(|section| section.overruled.iter().any(String::is_empty)) {
        return Reply::no(format!("{name}: locked by your global requirements.yaml; nothing was changed"));
    }
    let begins_to_spend = H::COSTS_MONEY && position == Position::On;
    if begins_to_spend && !with(Position::Auto).is_some_and(|section| section.enabled) {
        return Reply::no(format!(
            "{name}: it asks a model, which costs money, so only your global file can switch it on; nothing was changed; type: \
             req hooks enable {name}"
        ));
    }
    let turn = Turn { session: session.map(ToOwned::to_owned), ..Turn::everywhere(name, position) };
    let text = match (session, asker.section::<H>(&asker.switches().with(&turn, asker.host.now()))) {
        (Some(id), _) => format!("{name}: {} for session {id}", position.word()),
        (None, Some(section)) => status_text::<H>(&section, asker),
        (None, None) => return Reply::no(format!("{name}: {UNREADABLE}")),
    };
    // A hook that hears a prompt is registered.
    let may_be_unregistered = position == Position::On && matches!(asker.caller, Caller::Shell(_));
    let next = match position {
        Position::Off => Some(format!("on again: {}", way_on::<H>(session, asker))),
        _ => unregistered(asker.places, name).filter(|_| may_be_unregistered),
    };
    let lines: Vec<String> = [text].into_iter().chain(next).collect();
    Reply { effects: vec![turn.into()], ..Reply::yes(lines.join("\n")) }
}

/// The line that switches a hook on again after `off`: `auto` does so only where the files say that the hook is on.
fn way_on<H: Hook>(session: Option<&str>, asker: &Asker<'_>) -> String {
    let reach = session.map_or_else(String::new, |id| format!(" --session {id}"));
    let auto = Turn { session: session.map(ToOwned::to_owned), ..Turn::everywhere(H::NAME, Position::Auto) };
    let switches = asker.switches().with(&auto, asker.host.now());
    let files = configure::<H>(&asker.sources(), switches.of(H::NAME, session.or(asker.session)));
    if files.is_some_and(|section| section.enabled) {
        format!("{} auto{reach}", H::NAME)
    } else if H::COSTS_MONEY {
        format!("req hooks enable {}", H::NAME)
    } else {
        format!("{} on{reach}", H::NAME)
    }
}

/// A sentence about a hook that no settings file of Claude Code names, nor the plugin it comes with.
pub fn unregistered(places: &Places, hook: &str) -> Option<String> {
    const MAX_BYTES: u64 = 1024 * 1024;
    let own = places.config_dir.iter().map(|dir| dir.join("settings.json"));
    let project = places.project_claude_dir.iter();
    let project = project.flat_map(|dir| [dir.join("settings.json"), dir.join("settings.local.json")]);
    let is_named = own.chain(project).any(|file| {
        let text = read_text(&file, None, MAX_BYTES).unwrap_or_default();
        text.contains(hook) || text.contains("\"barbless")
    });
    (!is_named).then(|| {
        format!("Claude Code does not run {hook} yet; to register it, type: req hooks enable {hook}")
    })
}
