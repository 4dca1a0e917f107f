//! Commands as they are typed: the verbs every hook has, and a hook's own beside them, read alike as a prompt and in a shell.

use std::process::ExitCode;

use super::answer::{self, Reply};
use super::in_shell;
use super::verbs::{self, Common};
use crate::hook::{Asker, Context, Hook};
use crate::host::Host;
use crate::operator::typed::{caller, words_after};
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

    /// The answer. `seen`: what is known of the prompt; none in a shell.
    fn answer(
        wanted: &Self::Asked,
        asker: &Asker<'_>,
        context: Option<&Context<'_, Self::Settings>>,
    ) -> Reply<Self::Effect>;
}

enum Meant<'a, A> {
    Own(A),
    Common(Common<'a>),
    Misused(String),
}

/// The prompt is a command of the hook's: its own, one that every hook has, or nearly one.
pub fn is_command<H: Commands>(prompt: &str) -> bool {
    meant::<H, _>(prompt, |_| ()).is_some()
}

/// The answer to such a prompt; `None`: it is none.
pub fn prompted<H: Commands>(
    context: &Context<'_, H::Settings>,
    prompt: &str,
    source: Option<&str>,
) -> Option<Reply<H::Effect>> {
    meant::<H, _>(prompt, |meant| {
        let asker = Asker::of_prompt(context, prompt, source);
        match meant {
            Meant::Own(own) => H::answer(&own, &asker, Some(context)),
            Meant::Common(verb) => answer::answer::<H, _>(&verb, &asker),
            Meant::Misused(why) => Reply::no(why),
        }
    })
}

/// Runs a command of the hook's own in a shell, typed after this name; `None`: the words are none.
pub fn run<H: Commands>(host: &Host, name: &'static str, words: &[&str]) -> Option<ExitCode> {
    let wanted = H::asked(&Line { name, words, is_prompt: false })?;
    Some(in_shell(host, |asker| H::answer(&wanted, asker, None)))
}

/// The prompt is one of the verbs every hook has, after the hook's name.
pub fn is_typed<H: Hook>(prompt: &str) -> bool {
    typed_verb::<H, _>(prompt, |_| ()).is_some()
}

/// The answer to such a prompt; `None`: it is none.
pub fn typed<H: Hook<Effect: From<Turn>>>(prompt: &str, asker: &Asker<'_>) -> Option<Reply<H::Effect>> {
    typed_verb::<H, _>(prompt, |verb| answer::answer::<H, _>(verb, asker))
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

fn meant<H: Commands, T>(prompt: &str, then: impl FnOnce(Meant<'_, H::Asked>) -> T) -> Option<T> {
    let first = prompt.split_whitespace().next()?;
    let name = H::name_of(first)?;
    with_words(first, prompt, |words| {
        let line = Line { name, words, is_prompt: true };
        let common = || verbs::parse::<H>(words).ok().map(Meant::Common);
        let misused = || H::misused(&line).map(Meant::Misused);
        H::asked(&line).map(Meant::Own).or_else(common).or_else(misused).map(then)
    })
}

fn typed_verb<H: Hook, T>(prompt: &str, answer: impl FnOnce(&Common<'_>) -> T) -> Option<T> {
    with_words(H::NAME, prompt, |words| verbs::parse::<H>(words).ok().map(|verb| answer(&verb)))
}

/// Reads the words after a name, the verb in small letters. The case of all that follows counts, as of an id.
fn with_words<T>(name: &str, prompt: &str, read: impl FnOnce(&[&str]) -> Option<T>) -> Option<T> {
    let words = words_after(name, prompt)?;
    let verb = words.first().map(|verb| verb.to_ascii_lowercase());
    let words: Vec<&str> = verb.as_deref().into_iter().chain(words.iter().skip(1).copied()).collect();
    read(&words)
}
