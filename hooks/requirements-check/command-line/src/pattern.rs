//! Patterns of commands, as settings write them: words, or one regular expression.

use std::cell::Cell;
use std::time::Instant;

use regex_lite::{Regex, RegexBuilder};

use super::reader::{Reader, is_assignment};
use super::simple::own_options;
use super::{Line, Simple, base_name, is_in};

const MAX_REGEX_BYTES: usize = 64 * 1024;
/// So many expressions are compiled in a call: a project's file may hold tens of thousands.
pub const MAX_EXPRESSIONS: u32 = 1000;
/// So much of a command is searched, in characters: a slow expression takes tens of microseconds for each.
const MAX_SEARCHED: usize = 4 * 1024;
/// So many words of a command say what it does.
const MAX_NEAR: usize = 6;
/// So many beginnings of a command are searched: a program that runs another one has few options.
const MAX_HEADS: usize = 16;

/// A pattern, compiled.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The words a simple command begins with, split at blanks, quotes removed: `git commit`.
    Words(Vec<String>),
    /// Searched in a simple command, case ignored.
    Regex(Regex),
    /// One more than are compiled: it may match, so that gates close, but not from the beginning, so that none opens.
    NotCompiled,
}

/// Whether this call compiles one more expression or glob, of so many at most. Each one asked for counts.
pub fn may_compile(most: u32) -> bool {
    thread_local!(static COMPILED: Cell<u32> = const { Cell::new(0) });
    let count = COMPILED.get();
    COMPILED.set(count.saturating_add(1));
    count < most
}

impl Pattern {
    /// A `command_pattern`: words, or an expression if it looks like one; `None` if it is neither. Dots and plus signs alone make
    /// no expression: `./gradlew test`, `npm run build.prod`, `cargo +nightly test` and `g++` are words.
    pub fn parse_pattern(pattern: &str) -> Option<Self> {
        let signs = ['\\', '^', '$', '*', '?', '(', ')', '[', ']', '{', '}', '|'];
        if pattern.contains(signs) || pattern.contains(".+") {
            return Self::parse_regex(pattern);
        }
        let mut reader = Reader { rest: pattern, ..Reader::default() };
        let mut words = Vec::new();
        while let Some(word) = reader.word().ok()? {
            words.push(word.text);
        }
        if is_module(&words) && !words[0].contains('/') {
            words[0] = unversioned(&words[0]).into();
        }
        (reader.rest.is_empty() && !words.is_empty()).then_some(Self::Words(words))
    }

    /// A `command_regex`; `None` if it is none, empty, or takes too much when compiled.
    pub fn parse_regex(pattern: &str) -> Option<Self> {
        if !may_compile(MAX_EXPRESSIONS) {
            return Some(Self::NotCompiled);
        }
        let regex =
            RegexBuilder::new(pattern).case_insensitive(true).size_limit(MAX_REGEX_BYTES).build().ok();
        regex.filter(|_| !pattern.trim().is_empty()).map(Self::Regex)
    }

    /// Whether the command matches, as it is written or in its plain form: the folder of a program counts only if the words name
    /// one. Behind a program that runs another one, the pattern may begin anywhere.
    pub fn matches_command(&self, simple: &Simple) -> bool {
        self.is_found(simple, |_| true)
    }

    /// Whether the command matches from its beginning: the program, after what stands before it or with it.
    pub fn begins(&self, simple: &Simple) -> bool {
        // The match that begins first is the one that is found.
        self.is_found(simple, |start| start == 0)
    }

    fn is_found(&self, simple: &Simple, is_wanted: fn(usize) -> bool) -> bool {
        let found = |words: &[String]| match self {
            Self::Words(wanted) => words.starts_with(wanted),
            Self::NotCompiled => is_wanted(usize::MAX),
            // The same holds once the time is over.
            Self::Regex(_) if simple.until.is_some_and(is_over) => is_wanted(usize::MAX),
            Self::Regex(regex) => regex.find(&in_one(words)).is_some_and(|found| is_wanted(found.start())),
        };
        let heads = (0..simple.programs().len()).filter(|at| !is_assignment(&simple.words[*at]));
        let mut heads = heads.take(MAX_HEADS).map(|at| &simple.words[at..]);
        found(&simple.with_prefix()) || heads.any(|words| found(words) || found(&plain(words)))
    }

    /// A command that does not match nearly does: the word that says what is wanted (`test`, `pytest`) is part of one of its first
    /// words (`uv run pytest`, `cargo nextest run`), and it installs nothing.
    pub fn resembles(&self, simple: &Simple) -> bool {
        let Self::Words(wanted) = self else { return false };
        let wanted = wanted.iter().rfind(|word| word.chars().all(char::is_alphanumeric));
        let mut words = simple.words.iter().take(MAX_NEAR).filter(|word| !word.starts_with('-'));
        let has = |wanted: &String| words.clone().any(|word| word.contains(wanted.as_str()));
        wanted.is_some_and(has) && !words.any(|word| is_in("add install", word))
    }

    /// Whether a command of the line matches. One that cannot be read has the words in their order, or the expression anywhere.
    pub fn may_match(&self, line: &Line) -> bool {
        match (&line.commands, self) {
            (Some(commands), _) => commands.iter().any(|simple| self.matches_command(simple)),
            (None, Self::NotCompiled) => true,
            (None, Self::Regex(regex)) => is_over(line.until) || regex.is_match(&line.text),
            (None, Self::Words(wanted)) => {
                let is_between = |c: char| c.is_whitespace() || "'\"`;&|()<>{}".contains(c);
                are_in_order(wanted, line.text.split(is_between))
            }
        }
    }
}

fn is_over(until: Instant) -> bool {
    Instant::now() >= until
}

fn are_in_order<'a>(wanted: &[String], mut words: impl Iterator<Item = &'a str>) -> bool {
    let is_one = |word: &str, wanted: &str| [word, base_name(word), unversioned(word)].contains(&wanted);
    wanted.iter().all(|wanted| words.any(|word| is_one(word, wanted)))
}

/// A command without the folder of its program, git's own options, cargo's toolchain, and the version of what runs a module.
fn plain(words: &[String]) -> Vec<String> {
    let program = if is_module(words) { unversioned(&words[0]) } else { base_name(&words[0]) };
    [&[program.to_owned()], own_options(words).1].concat()
}

/// `python3 -m pytest`
fn is_module(words: &[String]) -> bool {
    words.get(1).is_some_and(|word| word == "-m")
}

/// A program's name without its version: `python` for `python3.12`.
fn unversioned(program: &str) -> &str {
    base_name(program).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// The words as one text. A word with blanks is a text of its own, and no command: it matches nothing.
fn in_one(words: &[String]) -> String {
    let shown = words.iter().map(|word| if word.contains([' ', '\t', '\n']) { "''" } else { word.as_str() });
    shown.collect::<Vec<_>>().join(" ").chars().take(MAX_SEARCHED).collect()
}
