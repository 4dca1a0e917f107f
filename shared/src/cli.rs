//! The verbs every hook binary has: `status`, `on`, `off`, `auto`, `schema`, `help`, `version`; in a shell, and as a typed
//! prompt for hooks that are given prompts.
//!
//! Parsed by hand: a hook carries no command-line library, and a usage error must never exit with 2,
//! which in a hook means "block". Exit status 0 means done, 1 denied or failed, 64 wrong usage.
//!
//! A hook may have commands of its own beside them ([`Commands`]); they are read alike in a shell and as a prompt.
//! A verb returns its effects ([`Reply`]) and carries none out.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::config::{COMMON_KEYS, Section, Sources, load, nearest, read_text, schema_of};
use crate::hook::{Context, Effect, Hook, Outcome, Verdict, configure};
use crate::host::{Host, Places, display_path};
use crate::operator::{Caller, standing};
use crate::own_commands::caller;
use crate::state::Off;
use crate::switches::{Position, SHORT_ID, Switches, Turn};

pub use crate::hook::{Asker, Verb};

pub fn main<H: Hook>(host: &Host, arguments: &[OsString]) -> ExitCode {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let name = H::NAME;
    if words.len() != arguments.len() {
        return wrong_usage(&format!("{name}: the arguments are not readable text"));
    }
    if let Some(code) = H::run_verb(host, &words) {
        return code;
    }
    match parse::<H>(&words) {
        Ok(verb) => in_shell(host, |asker| answer::<H, Turn>(&verb, asker)),
        // Whoever types the name alone wants to know what it is.
        Err(_) if words.is_empty() => wrong_usage(&help::<H>()),
        Err(why) => wrong_usage(&format!("{name}: {why}\n{name} help lists all")),
    }
}

/// Answers in a shell: does what is to be done, then says what was answered.
pub fn in_shell<E: Effect>(host: &Host, answer: impl FnOnce(&Asker<'_>) -> Reply<E>) -> ExitCode {
    let places = Places::resolve(&host.environment, host.cwd().as_deref());
    let store = places.open_store();
    let reply = answer(&Asker {
        host,
        places: &places,
        store: store.as_ref(),
        session: host.environment.session_id.as_deref(),
        caller: Caller::Shell(standing(host)),
    });
    for effect in reply.effects {
        if let Err(why) = effect.carry_out(&places, host.now()) {
            return fail(&why);
        }
    }
    if reply.is_no { fail(&reply.text) } else { say(&reply.text) }
}

pub fn say(text: &str) -> ExitCode {
    // A closed stdout is the reader's choice, not an error.
    let _ = writeln!(io::stdout(), "{text}");
    ExitCode::SUCCESS
}

pub fn fail(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::FAILURE
}

pub fn wrong_usage(text: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{text}");
    ExitCode::from(64)
}

/// Words typed after a name of ours.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    pub name: &'static str,
    /// The words after it; of a prompt the first in small letters.
    pub words: &'a [&'a str],
    /// It is a prompt, which may be meant for Claude; in a shell it can only be meant for us.
    pub is_prompt: bool,
}

/// A hook with commands of its own, which it hears as prompts too.
pub trait Commands: Hook<Effect: From<Turn>> {
    type Asked;

    /// The name of its own that a prompt begins with; `None`: the word is none.
    fn name_of(word: &str) -> Option<&'static str> {
        name_of::<Self>(word)
    }

    /// Reads a line as a command of its own; `None` if it is another. Pure.
    fn asked(line: &Line<'_>) -> Option<Self::Asked>;

    /// The answer. `context`: that of the prompt; none in a shell.
    fn answer(
        wanted: &Self::Asked,
        asker: &Asker<'_>,
        context: Option<&Context<'_, Self::Settings>>,
    ) -> Reply<Self::Effect>;
}

/// The prompt is a command of the hook's: its own, or one that every hook has.
pub fn is_command<H: Commands>(prompt: &str) -> bool {
    let is_ours =
        |line: &Line<'_>| (H::asked(line).is_some() || parse::<H>(line.words).is_ok()).then_some(());
    with_line(prompt, H::name_of, is_ours).is_some()
}

/// The answer to such a prompt; `None`: it is none.
pub fn prompted<H: Commands>(
    context: &Context<'_, H::Settings>,
    prompt: &str,
    source: Option<&str>,
) -> Option<Reply<H::Effect>> {
    let asker = || Asker::of_prompt(context, prompt, source);
    with_line(prompt, H::name_of, |line| match H::asked(line) {
        Some(own) => Some(H::answer(&own, &asker(), Some(context))),
        None => parse::<H>(line.words).ok().map(|verb| answer::<H, _>(&verb, &asker())),
    })
}

/// The prompt is one of the verbs every hook has, after the hook's name.
pub fn is_typed<H: Hook>(prompt: &str) -> bool {
    with_line(prompt, name_of::<H>, |line| parse::<H>(line.words).ok().map(drop)).is_some()
}

/// The answer to such a prompt; `None`: it is none.
pub fn typed<H: Hook<Effect: From<Turn>>>(prompt: &str, asker: &Asker<'_>) -> Option<Reply<H::Effect>> {
    let reply = |line: &Line<'_>| Some(answer::<H, _>(&parse::<H>(line.words).ok()?, asker));
    with_line(prompt, name_of::<H>, reply)
}

fn name_of<H: Hook + ?Sized>(word: &str) -> Option<&'static str> {
    (word == H::NAME).then_some(H::NAME)
}

/// Runs a command of the hook's own in a shell, typed after this name; `None`: the words are none.
pub fn run<H: Commands>(host: &Host, name: &'static str, words: &[&str]) -> Option<ExitCode> {
    let wanted = H::asked(&Line { name, words, is_prompt: false })?;
    Some(in_shell(host, |asker| H::answer(&wanted, asker, None)))
}

/// Reads a prompt of one line that begins with a name of the hook's, the verb in small letters. The case of all that follows
/// counts, as of an id.
fn with_line<T>(
    prompt: &str,
    name_of: impl FnOnce(&str) -> Option<&'static str>,
    read: impl FnOnce(&Line<'_>) -> Option<T>,
) -> Option<T> {
    let mut words = prompt.split_whitespace();
    let name = name_of(words.next()?)?;
    let verb = words.next().map(str::to_ascii_lowercase);
    let words: Vec<&str> = verb.as_deref().into_iter().chain(words).collect();
    (!prompt.trim().contains(['\n', '\r'])).then(|| read(&Line { name, words: &words, is_prompt: true }))?
}

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

impl<'a> Asker<'a> {
    pub fn of_prompt<S>(context: &Context<'a, S>, prompt: &str, source: Option<&str>) -> Self {
        Self {
            host: context.host,
            places: context.places,
            store: context.store,
            session: context.request.call.session_id.as_deref(),
            caller: caller(context.host, context.store, prompt, source),
        }
    }

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
enum Common<'a> {
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

fn parse<'a, H: Hook>(words: &[&'a str]) -> Result<Common<'a>, String> {
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
    let name = |verb: &'static Verb| verb.usage.split(' ').next();
    if let Some(verb) = COMMON.iter().chain(H::VERBS).find(|verb| name(verb) == Some(word)) {
        return format!("usage: {} {}", H::NAME, verb.usage);
    }
    let own = H::VERBS.iter().filter_map(name);
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

fn answer<H: Hook, E: From<Turn>>(verb: &Common<'_>, asker: &Asker<'_>) -> Reply<E> {
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
    for (key, description) in COMMON_KEYS {
        let description = if key == "headless" { H::HEADLESS_MEANS } else { description };
        schema["properties"][key] = json!({ "type": "boolean", "description": description });
    }
    for (keys, mark) in [(H::GLOBAL_ONLY, "x-global-only"), (H::ROOT_KEYS, "x-root-key")] {
        for key in keys {
            if let Some(property) = schema["properties"][*key].as_object_mut() {
                property.insert(mark.to_owned(), true.into());
            }
        }
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
            "{name}: nothing was changed: it asks a model, which costs money, so a switch alone does not turn it on. Your \
             own file does; type: req hooks enable {name}"
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
        format!("{name} auto{reach}, and req hooks enable {name}", name = H::NAME)
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

#[cfg(test)]
mod tests;
