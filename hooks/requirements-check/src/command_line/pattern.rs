//! Patterns of commands, as settings write them: words, or one regular expression.

use regex_lite::{Regex, RegexBuilder};

use super::git::without_global_options;
use super::reader::Reader;
use super::{Line, Simple, base_name, runs_another};

const MAX_REGEX_BYTES: usize = 256 * 1024;
/// So much of a command is searched, in characters: an expression may take a microsecond for each.
const MAX_SEARCHED: usize = 8 * 1024;
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The words a simple command begins with, split at blanks, quotes removed: `git commit`.
    Words(Vec<String>),
    /// Searched in a simple command, case ignored.
    Regex(Regex),
}

/// Whether a `command_pattern` is an expression instead of words. Dots and plus signs alone make none:
/// `./gradlew test`, `npm run build.prod`, `cargo +nightly test` and `g++` are words.
pub(crate) fn is_regex(pattern: &str) -> bool {
    pattern.contains(['\\', '^', '$', '*', '?', '(', ')', '[', ']', '{', '}', '|']) || pattern.contains(".+")
}

impl Pattern {
    /// A `command_pattern`: words, or an expression if it looks like one; `None` if it is neither.
    pub(crate) fn parse_pattern(pattern: &str) -> Option<Self> {
        if is_regex(pattern) {
            return Self::parse_regex(pattern);
        }
        let mut reader = Reader::new(pattern, 0);
        let mut words = Vec::new();
        reader.blanks();
        while let Some(word) = reader.word().ok()? {
            words.push(word.text);
            reader.blanks();
        }
        (reader.peek().is_none() && !words.is_empty()).then_some(Self::Words(words))
    }

    /// A `command_regex`; `None` if it is none, empty, or takes too much when compiled.
    pub(crate) fn parse_regex(pattern: &str) -> Option<Self> {
        if pattern.trim().is_empty() {
            return None;
        }
        let mut builder = RegexBuilder::new(pattern);
        builder.case_insensitive(true).size_limit(MAX_REGEX_BYTES).build().ok().map(Self::Regex)
    }

    /// Whether the command matches from its beginning: the program, after what stands before it or with it.
    pub fn begins(&self, simple: &Simple) -> bool {
        match self {
            Self::Words(_) => self.matches_command(simple),
            // The match that begins first is the one that is found.
            Self::Regex(regex) => {
                forms(simple).iter().any(|form| regex.find(form).is_some_and(|found| found.start() == 0))
            }
        }
    }

    /// Whether the command matches. The folder of a program counts only if the words name one; options between git and its
    /// subcommand, and cargo's toolchain, do not count. Behind a program that runs another one, the words may begin anywhere.
    pub(crate) fn matches_command(&self, simple: &Simple) -> bool {
        match self {
            Self::Words(wanted) => {
                let behind = if runs_another(&simple.words) { simple.words.len() } else { 1 };
                (0..behind.min(simple.words.len())).any(|at| begin(wanted, &simple.words[at..]))
                    || (!simple.prefix.is_empty() && begin(wanted, &simple.with_prefix()))
            }
            Self::Regex(regex) => forms(simple).iter().any(|form| regex.is_match(form)),
        }
    }

    /// The command does not match, and nearly does: the words stand somewhere behind the program (`uv run pytest`,
    /// `python -m pytest`), or in a script of the same name (`npm run test`).
    pub(crate) fn resembles(&self, simple: &Simple) -> bool {
        let Self::Words(wanted) = self else { return false };
        let words = &simple.words;
        let stands_at = |at: usize| {
            let installs = matches!(words[at - 1].as_str(), "install" | "add" | "-y" | "-r");
            !installs && begin(wanted, &words[at..])
        };
        let is_script = words.get(1).is_some_and(|run| run == "run")
            && begin(wanted, &[&words[..1], &words[2..]].concat());
        !self.begins(simple) && (is_script || (1..words.len()).any(stands_at))
    }

    pub(crate) fn matches<'a>(&self, line: &'a Line) -> Vec<&'a Simple> {
        line.commands.iter().flatten().filter(|simple| self.matches_command(simple)).collect()
    }

    /// Whether the words stand in the text in their order, as whole words, or the expression anywhere.
    pub(super) fn is_in_text(&self, text: &str) -> bool {
        match self {
            Self::Words(words) => words.iter().try_fold(text, |rest, word| after_word(rest, word)).is_some(),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

/// The command begins with the wanted words, as it is or without global options.
fn begin(wanted: &[String], words: &[String]) -> bool {
    let (Some((program, arguments)), Some((first, rest))) = (wanted.split_first(), words.split_first())
    else {
        return false;
    };
    let is_module = rest.first().is_some_and(|word| word == "-m");
    let named = if program.contains('/') { first } else { base_name(first) };
    (named == program || (is_module && is_python(named) && is_python(program)))
        && (rest.starts_with(arguments) || without_global_options(words).starts_with(arguments))
}

fn is_python(program: &str) -> bool {
    let version = program.strip_prefix("python");
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// What follows the first place where `word` stands alone.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(word).find_map(|(at, found)| {
        let after = &text[at + found.len()..];
        (!text[..at].ends_with(part) && !after.starts_with(part)).then_some(after)
    })
}

/// What an expression is matched against: the words, what stands before them too, and the program's name without its folder and
/// the options before its subcommand.
fn forms(simple: &Simple) -> Vec<String> {
    if simple.words.is_empty() {
        return Vec::new();
    }
    let bare = [&[simple.program().to_owned()], without_global_options(&simple.words)].concat();
    [simple.words.clone(), simple.with_prefix(), bare].iter().map(|words| in_one(words)).collect()
}

/// The words as one text. A word with blanks is a text of its own, and no command: it matches nothing.
fn in_one(words: &[String]) -> String {
    let shown =
        |word: &String| if word.contains([' ', '\t', '\n']) { "''" } else { word.as_str() }.to_owned();
    words.iter().map(shown).collect::<Vec<_>>().join(" ").chars().take(MAX_SEARCHED).collect()
}
