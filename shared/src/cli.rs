//! The verbs every hook binary has: `status`, `on`, `off`, `auto`, `schema`, `help`, `version`; in a shell, and as a typed
//! prompt for hooks that are given prompts.
//!
//! Parsed by hand: a hook carries no command-line library, and a usage error must never exit with 2,
//! which in a hook means "block". Exit status 0 means done, 1 denied or failed, 64 wrong usage.
//!
//! A hook may have commands of its own beside them ([`Commands`]); they are read alike in a shell and as a prompt.
//!
//! - `verbs`: the verbs and their answers, the same for a shell and for a prompt; what is to be done is returned, not done

mod verbs;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::hook::{Context, Effect, Hook};
use crate::host::{Host, Places};
use crate::operator::{Caller, standing};
use crate::own_commands::caller;
use crate::switches::Turn;

pub use crate::hook::{Asker, Verb};
pub use verbs::{Reply, help, off_file, status};
use verbs::{answer, parse};

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

#[cfg(test)]
mod tests;
