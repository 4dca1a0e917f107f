//! What a line says, as a tree: the shell's own terms, nothing looked up and nothing judged.

use std::ops::Range;

/// A whole line, or a script inside one.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) list: List,
    /// What stands in `$(..)` inside here-documents.
    pub(super) in_here_documents: Vec<List>,
}

/// Chains, one after the other.
#[derive(Debug, Default)]
pub(super) struct List(pub(super) Vec<Item>);

#[derive(Debug)]
pub(super) struct Item {
    pub(super) chain: Chain,
    /// It ends in `&`.
    pub(super) background: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(Connector, Pipeline)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Connector {
    And,
    Or,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) negated: bool,
    pub(super) commands: Vec<Command>,
}

#[derive(Debug)]
pub(super) enum Command {
    Simple(SimpleCommand),
    /// `{ ..; }` and `( .. )`: their exit status is their last command's.
    Group {
        list: List,
        subshell: bool,
        redirects: Vec<Redirect>,
    },
    /// Whatever runs its parts never, once or often: `if`, loops, `case`, functions, `(( ))`.
    Compound(Compound),
}

#[derive(Debug, Default)]
pub(super) struct SimpleCommand {
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

#[derive(Debug, Default)]
pub(super) struct Compound {
    pub(super) lists: Vec<List>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// The name it defines.
    pub(super) function: Option<String>,
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) kind: RedirectKind,
    pub(super) target: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectKind {
    Read,
    Write,
    ReadAndWrite,
    /// No file: a descriptor, a here-string or a here-document.
    NoFile,
}

/// One word of a command.
#[derive(Debug, Default)]
pub(super) struct Word {
    /// As it stands in the line.
    pub(super) raw: String,
    /// With its quotes removed; expansions stand in it as written.
    pub(super) text: String,
    /// The shell puts something else in place of part of it: a variable, a pattern, a home folder.
    pub(super) expands: bool,
    /// The parts of `raw` that stand in quotes, in bytes.
    pub(super) quoted: Vec<Range<usize>>,
    /// The commands that run to make the word: `$(..)`, backquotes, `<(..)`.
    pub(super) substitutions: Vec<List>,
}

impl Word {
    /// As an argument it may be an option, or several, that only the shell knows: it begins with what is expanded, or is
    /// an option with a name that is. A value (`--target-dir=$X`), a pattern of paths (`tests/*.py`) and `$HOME` or
    /// `$PWD`, or a path below, are none.
    pub(super) fn may_be_options(&self) -> bool {
        if !self.expands {
            return false;
        }
        if self.text.starts_with('-') {
            let name = self.text.split('=').next().unwrap_or_default();
            return name.contains(['$', '`', '*', '?', '[', '{']);
        }
        let begin = self.raw.trim_start_matches(['"', '\'']);
        let is_path = ["$HOME", "${HOME}", "$PWD", "${PWD}"]
            .iter()
            .filter_map(|folder| begin.strip_prefix(folder))
            .any(|rest| rest.is_empty() || rest.starts_with(['/', '"']));
        let is_braced = begin.starts_with('{') && (begin.contains(',') || begin.contains(".."));
        is_braced || (begin.starts_with(['$', '`']) && !is_path)
    }

    /// `NAME=`, `NAME+=` and `NAME[..]=` at its beginning, unquoted.
    pub(super) fn is_assignment(&self) -> bool {
        let name = self.raw.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let length = self.raw.len() - name.len();
        let rest = match name.strip_prefix('[') {
            Some(index) => index.split_once(']').map_or("", |(_, rest)| rest),
            None => name,
        };
        length > 0
            && !self.raw.starts_with(|c: char| c.is_ascii_digit())
            && rest.trim_start_matches('+').starts_with('=')
            && !rest.starts_with("++")
    }
}
