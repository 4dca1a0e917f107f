//! Commands as they are typed: the verbs every hook has, and a hook's own beside them, read alike as a prompt and in a shell.

use std::process::ExitCode;

use super::in_shell;
use super::verbs::{Reply, answer, parse};
use crate::hook::{Asker, Context, Hook};
use crate::host::Host;
use crate::own_commands::{caller, words_after};
use crate::switches::Turn;

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
        (word == Self::NAME).then_some(Self::NAME)
    }

    /// Reads a line as a command of its own; `None` if it is another. Pure.
    fn asked(line: &Line<'_>) -> Option<Self::Asked>;

    /// Answer to a prompt that looks like a command and is none; `None` sends the prompt to Claude. Pure.
    fn misused(_line: &Line<'_>) -> Option<String> {
        None
    }

    /// The answer. `context`: that of the prompt; none in a shell.
    fn answer(
        wanted: &Self::Asked,
        asker: &Asker<'_>,
        context: Option<&Context<'_, Self::Settings>>,
    ) -> Reply<Self::Effect>;
}

/// The prompt is a command of the hook's: its own, one that every hook has, or nearly one.
pub fn is_command<H: Commands>(prompt: &str) -> bool {
    let is_ours = |line: &Line<'_>| {
        H::asked(line).is_some() || parse::<H>(line.words).is_ok() || H::misused(line).is_some()
    };
    name_in::<H>(prompt).is_some_and(|(word, name)| with_line(word, name, prompt, is_ours) == Some(true))
}

/// The answer to such a prompt; `None`: it is none.
pub fn prompted<H: Commands>(
    context: &Context<'_, H::Settings>,
    prompt: &str,
    source: Option<&str>,
) -> Option<Reply<H::Effect>> {
    let asker = || Asker::of_prompt(context, prompt, source);
    let (word, name) = name_in::<H>(prompt)?;
    with_line(word, name, prompt, |line| {
        if let Some(own) = H::asked(line) {
            return Some(H::answer(&own, &asker(), Some(context)));
        }
        match parse::<H>(line.words) {
            Ok(verb) => Some(answer::<H, _>(&verb, &asker())),
            Err(_) => H::misused(line).map(Reply::no),
        }
    })?
}

/// Runs a command of the hook's own in a shell, typed after this name; `None`: the words are none.
pub fn run<H: Commands>(host: &Host, name: &'static str, words: &[&str]) -> Option<ExitCode> {
    let wanted = H::asked(&Line { name, words, is_prompt: false })?;
    Some(in_shell(host, |asker| H::answer(&wanted, asker, None)))
}

/// The prompt is one of the verbs every hook has, after the hook's name.
pub fn is_typed<H: Hook>(prompt: &str) -> bool {
    with_line(H::NAME, H::NAME, prompt, |line| parse::<H>(line.words).is_ok()) == Some(true)
}

/// The answer to such a prompt; `None`: it is none.
pub fn typed<H: Hook<Effect: From<Turn>>>(prompt: &str, asker: &Asker<'_>) -> Option<Reply<H::Effect>> {
    with_line(H::NAME, H::NAME, prompt, |line| {
        parse::<H>(line.words).ok().map(|verb| answer::<H, _>(&verb, asker))
    })?
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

/// The prompt's first word, and the hook's name that it stands for.
fn name_in<H: Commands>(prompt: &str) -> Option<(&str, &'static str)> {
    let word = prompt.split_whitespace().next()?;
    Some((word, H::name_of(word)?))
}

/// Reads a prompt that begins with `word`, the verb in small letters. The case of all that follows counts, as of an id.
fn with_line<T>(
    word: &str,
    name: &'static str,
    prompt: &str,
    read: impl FnOnce(&Line<'_>) -> T,
) -> Option<T> {
    let words = words_after(word, prompt)?;
    let verb = words.first().map(|verb| verb.to_ascii_lowercase());
    let words: Vec<&str> = verb.as_deref().into_iter().chain(words.iter().skip(1).copied()).collect();
    Some(read(&Line { name, words: &words, is_prompt: true }))
}
