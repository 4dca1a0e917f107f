//! Patterns of commands, as settings write them.

use regex_lite::{Regex, RegexBuilder};

use super::prefix::{base_name, runs_another};
use super::reader::Reader;
use super::{Directory, Hidden, Line, Simple, is_plain};

/// A compiled expression may take this many bytes.
const MAX_REGEX_BYTES: usize = 256 * 1024;
/// Matches looked at in one command before it is left at that.
const MAX_MATCHES: usize = 64;
/// So much of a command is searched, in bytes: an expression may take a microsecond for each.
const MAX_SEARCHED: usize = 8 * 1024;
/// Stands in the place of a blank inside a word, so that `\s` does not match it.
const BLANK_IN_WORD: &str = "\u{1f}";

/// Words that a simple command begins with: `git commit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    /// Split at blanks, quotes removed; `None` if there is no word, or more than words.
    pub(crate) fn parse(pattern: &str) -> Option<Self> {
        let mut reader = Reader::new(pattern, 1);
        let mut words = Vec::new();
        reader.blanks();
        while let Some(word) = reader.word().ok()? {
            words.push(word.text);
            reader.blanks();
        }
        (reader.peek().is_none() && !words.is_empty()).then_some(Self(words))
    }

    /// Whether the command begins with these words. The program's directory counts only if the pattern names one;
    /// options between git and its subcommand, and cargo's toolchain, do not count. Case does.
    pub(crate) fn matches(&self, simple: &Simple) -> bool {
        self.begin(&simple.words)
            || self.begin(&simple.without_global_options())
            || (!simple.prefix.is_empty() && self.begin(&[simple.prefix.as_slice(), &simple.words].concat()))
            || self.stand_behind(simple)
    }

    /// Behind a program that runs another one, the words may begin anywhere.
    fn stand_behind(&self, simple: &Simple) -> bool {
        let begins = |words: &[String]| self.begin(words) || self.begin(&without_global_options(words));
        runs_another(&simple.words) && (1..simple.words.len()).any(|at| begins(&simple.words[at..]))
    }

    fn begin<T: AsRef<str>>(&self, words: &[T]) -> bool {
        let Some((program, arguments)) = self.0.split_first() else { return false };
        let Some((first, rest)) = words.split_first() else { return false };
        let is_module = rest.first().is_some_and(|word| word.as_ref() == "-m");
        let named = if program.contains('/') { first.as_ref() } else { base_name(first.as_ref()) };
        (named == program || (is_module && is_python(named) && is_python(program)))
            && arguments.len() <= rest.len()
            && arguments.iter().zip(rest).all(|(wanted, found)| wanted == found.as_ref())
    }

    /// The words stand somewhere behind the program: `uv run pytest`, `python -m pytest`, `npm run test`.
    fn stand_anywhere(&self, simple: &Simple) -> bool {
        let fits = |at: usize| {
            let installs = matches!(simple.words[at - 1].as_str(), "install" | "add" | "-y" | "-r");
            !installs && self.begin(&simple.words[at..])
        };
        let is_script = |words: &[String]| matches!(words, [program, run, rest @ ..] if run == "run" && self.begin(&[std::slice::from_ref(program), rest].concat()));
        (1..simple.words.len()).any(fits) || is_script(&simple.words)
    }

    fn are_in_text(&self, text: &str) -> bool {
        let mut rest = text;
        self.0.iter().all(|word| match after_word(rest, word) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        })
    }
}

/// `python -m` is the same by each of its names.
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

/// Whether a `command_pattern` is an expression instead of words. Dots and plus signs alone make none:
/// `./gradlew test`, `npm run build.prod`, `cargo +nightly test` and `g++` are words.
pub(crate) fn is_regex(pattern: &str) -> bool {
    pattern.contains(['\\', '^', '$', '*', '?', '(', ')', '[', ']', '{', '}', '|']) || pattern.contains(".+")
}

/// What commands are looked for.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The words a simple command begins with.
    Words(Words),
    /// Searched in a simple command's text, case ignored.
    Regex(Regex),
}

impl Pattern {
    /// A `command_pattern`: words, or an expression if it looks like one; `None` if it is neither.
    pub(crate) fn parse_pattern(pattern: &str) -> Option<Self> {
        if is_regex(pattern) { Self::parse_regex(pattern) } else { Words::parse(pattern).map(Self::Words) }
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
            Self::Words(words) => words.matches(simple),
            Self::Regex(regex) => {
                let whole = [simple.prefix.as_slice(), &simple.words].concat();
                let forms = [simple.normalised(), in_one(&simple.words), in_one(&whole), simple.text.clone()];
                // The match that begins first is the one that is found.
                let begins = |form: &String| regex.find(form).is_some_and(|found| found.start() == 0);
                !simple.words.is_empty() && forms.iter().any(begins)
            }
        }
    }

    /// The command does not match, and nearly does.
    pub(crate) fn resembles(&self, simple: &Simple) -> bool {
        matches!(self, Self::Words(words) if words.stand_anywhere(simple)) && !self.begins(simple)
    }

    /// The commands of `line` that match; none where it cannot be read.
    pub(crate) fn matches<'a>(&self, line: &'a Line) -> Vec<&'a Simple> {
        line.commands.iter().flatten().filter(|simple| self.matches_command(simple)).collect()
    }

    /// Whether the command matches.
    pub(crate) fn matches_command(&self, simple: &Simple) -> bool {
        match self {
            Self::Words(words) => words.matches(simple),
            Self::Regex(regex) => {
                !simple.words.is_empty()
                    && (simple.is_found_outside_quotes(regex) || regex.is_match(&simple.normalised()))
            }
        }
    }

    pub(super) fn is_in_text(&self, text: &str) -> bool {
        match self {
            Self::Words(words) => words.are_in_text(text),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

/// The words as one text in which blanks only stand between them.
fn in_one<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<String> =
        words.iter().map(|word| word.as_ref().replace([' ', '\t', '\n'], BLANK_IN_WORD)).collect();
    words.join(" ")
}

/// The word is one of `options`, as it is or as `--option=value`.
fn is_one_of(word: &str, options: &[String]) -> bool {
    options.iter().any(|option| {
        let rest = word.strip_prefix(option.as_str());
        // `-Dskip=true`, but no value stands behind a single letter.
        let has_value = |rest: &str| option.len() > 2 && rest.starts_with('=') && rest != "=false";
        rest.is_some_and(|rest| rest.is_empty() || has_value(rest))
    })
}

/// git's global options whose value is the next word.
const GIT_WITH_VALUE: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix"];

/// An option, a setting or a variable that names git's repository or work tree.
pub(crate) fn names_repository(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["--git-dir", "--work-tree", "core.worktree=", "git_dir=", "git_work_tree="]
        .iter()
        .any(|name| word.starts_with(name))
}

/// A folder of the same work tree, though it is not literal.
pub(super) fn is_same_work_tree(folder: &str) -> bool {
    let folder = folder.trim_matches('"').trim_end_matches('/');
    [
        "$PWD",
        "${PWD}",
        "$(pwd)",
        "`pwd`",
        "$(git rev-parse --show-toplevel)",
        "`git rev-parse --show-toplevel`",
    ]
    .contains(&folder)
}

/// The words without the options between git or cargo and their subcommand.
fn without_global_options(words: &[String]) -> Vec<&str> {
    let skipped = match words.first().map_or("", |program| base_name(program)) {
        "git" => git_global_options(words),
        "cargo" => words.iter().skip(1).take_while(|word| word.starts_with('+')).count(),
        _ => 0,
    };
    let words = words.iter().map(String::as_str);
    words.clone().take(1).chain(words.skip(1 + skipped)).collect()
}

fn git_global_options(words: &[String]) -> usize {
    let mut count = 0;
    let arguments = words.get(1..).unwrap_or_default();
    while let Some(option) = arguments.get(count).filter(|word| word.starts_with('-')) {
        count += 1 + usize::from(GIT_WITH_VALUE.contains(&option.as_str()));
    }
    count.min(arguments.len())
}

impl Simple {
    /// The program's name without its directory and `.exe`; empty if there is none.
    pub(crate) fn program(&self) -> &str {
        self.words.first().map_or("", |program| base_name(program))
    }

    /// The words without the options between git or cargo and their subcommand.
    pub(crate) fn without_global_options(&self) -> Vec<&str> {
        without_global_options(&self.words)
    }

    /// How many words stand between git and its subcommand.
    pub(crate) fn git_global_options(&self) -> usize {
        git_global_options(&self.words)
    }

    /// The directory the command acts in: where it runs, and for git, also behind a program that runs it, `-C`. `None` where
    /// git is given a place that the line does not spell out.
    pub(crate) fn acts_in(&self) -> Option<Directory> {
        let mut directory = self.directory.clone();
        let is_git = |word: &String| base_name(word) == "git";
        let behind = if runs_another(&self.words) { self.words.len() } else { 1 };
        let Some(git) = self.words.iter().take(behind).position(is_git) else { return Some(directory) };
        if self.prefix.iter().any(|word| names_repository(word)) {
            return None;
        }
        let mut options = self.words.iter().skip(git + 1);
        while let Some(option) = options.next().filter(|word| word.starts_with('-')) {
            match option.as_str() {
                "-C" => {
                    let folder = options.next().map_or("", String::as_str);
                    if !is_same_work_tree(folder) {
                        directory = directory.join(Some(folder).filter(|folder| is_plain(folder))?);
                    }
                }
                "-c" if options.next().is_some_and(|set| names_repository(set)) => return None,
                other if names_repository(other) => return None,
                other if GIT_WITH_VALUE.contains(&other) && other != "-c" => drop(options.next()),
                _ => {}
            }
        }
        Some(directory)
    }

    /// Whether one of `options` is among the arguments, as it is or as `--option=value`. Those after a lone `--` count
    /// too: `cargo test -- --list` and `npm test -- --listTests` hand them to what runs the tests.
    pub(crate) fn has_any_argument(&self, options: &[String]) -> bool {
        self.words.iter().skip(1).any(|word| is_one_of(word, options))
    }

    /// The same command without any of `options`; a value that stands in a word of its own stays.
    pub(crate) fn without_arguments(&self, options: &[String]) -> Self {
        let kept: Vec<&str> = self.text.split(' ').filter(|word| !is_one_of(word, options)).collect();
        Self { text: kept.join(" "), ..self.clone() }
    }

    /// The same command without what keeps its run from being known: what stands before the program, where that is it,
    /// and arguments that only the shell knows.
    pub(crate) fn plain(&self) -> Self {
        let is_before = self.hidden == Some(Hidden::Wrapper);
        let begins_at = if is_before { self.begins_at } else { 0 };
        let mut text = self.text.get(begins_at..).unwrap_or_default().to_owned();
        for word in &self.unknown_options {
            text = text.replacen(&format!(" {word}"), "", 1);
        }
        Self { text, ..self.clone() }
    }

    /// Another text in its place.
    pub(crate) fn replaced_by(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }

    /// The command as pattern matching sees it: no directory, no global options, no quotes.
    fn normalised(&self) -> String {
        let mut words = self.without_global_options();
        if let Some(program) = words.first_mut() {
            *program = base_name(program);
        }
        in_one(&words)
    }

    /// Text in quotes is an argument, no command: a match must begin outside.
    fn is_found_outside_quotes(&self, regex: &Regex) -> bool {
        let mut from = 0;
        let end = (0..=MAX_SEARCHED.min(self.text.len())).rev().find(|end| self.text.is_char_boundary(*end));
        let text = &self.text[..end.unwrap_or_default()];
        for _ in 0..MAX_MATCHES {
            let Some(found) = regex.find_at(text, from) else { return false };
            let Some(range) = self.quoted.iter().find(|range| range.contains(&found.start())) else {
                return true;
            };
            from = range.end;
        }
        false
    }
}
