//! Simple commands: what they do to their shell, and the scripts they run.

use std::path::{Path, PathBuf};

use super::pattern::is_same_work_tree;
use super::prefix::{base_name, runs_another, strip};
use super::reader::{Files, Read, Reader, Shell, Unreadable};
use super::word::Word;
use super::{Directory, Hidden, Simple, is_plain};

/// How many levels of nesting one `sh -c` takes of those allowed.
const SHELL_DEPTH: usize = 3;
/// Longer directories than any file system's are not followed.
const MAX_DIRECTORY_BYTES: usize = 4096;

impl Reader<'_> {
    /// A simple command, with what it does to the shell and the commands of the script it runs.
    pub(super) fn run(&mut self, at: usize, words: &[Word], files: Files) -> Read<()> {
        let stripped = strip(words);
        let mut simple = Simple::of(words, stripped.program);
        if let Some(folder) = &stripped.directory {
            simple.directory = self.shell.directory.join(folder);
        }
        self.add(at, simple, files);
        let words = words.get(stripped.program..).unwrap_or_default();
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        self.builtin(&program.text, arguments);
        self.found[at].runs_script = self.runs_script(base_name(&program.text), arguments)?;
        if stripped.unsure || runs_another(words) {
            self.hide(at, Hidden::Wrapper);
        }
        Ok(())
    }

    /// What a command does to the shell it runs in.
    fn builtin(&mut self, program: &str, arguments: &[Word]) {
        match program {
            "cd" | "pushd" | "popd" | "chdir" => self.change_directory(program == "popd", arguments),
            "set" => self.set(arguments),
            "exit" | "return" | "exec" | "trap" => {
                // A line that ends with a failure is no evidence anyway.
                let fails =
                    arguments.first().is_some_and(|word| matches!(word.text.as_bytes(), [b'1'..=b'9']));
                self.shell.left |= !(fails && program == "exit");
            }
            _ => {}
        }
    }

    fn change_directory(&mut self, pops: bool, arguments: &[Word]) {
        let is_option = |word: &&Word| matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e" | "-q");
        let mut arguments = arguments.iter().filter(|word| !is_option(word));
        self.shell.directory = match (arguments.next(), arguments.next()) {
            (Some(to), None) if !pops => self.shell.directory.join_word(to),
            _ => Directory::Unknown,
        };
    }

    /// `set -o pipefail`, `set -euo pipefail`, `set +o pipefail`.
    fn set(&mut self, arguments: &[Word]) {
        for pair in arguments.windows(2) {
            if pair[0].text.ends_with('o') && pair[1].text == "pipefail" {
                self.shell.pipefail = pair[0].text.starts_with('-');
            }
        }
    }

    /// Reads the script of `sh -c '..'` and `eval '..'`; whether its commands are all that runs.
    fn runs_script(&mut self, program: &str, arguments: &[Word]) -> Read<bool> {
        match program {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => {
                let Some(script) = shell_script(arguments) else { return Ok(false) };
                let directory = self.shell.directory.clone();
                let before = std::mem::replace(&mut self.shell, Shell { directory, ..Shell::default() });
                let is_read = self.inner_script(&script.text, script.expands)?;
                self.shell = before;
                Ok(is_read)
            }
            "eval" => {
                let text: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                self.inner_script(&text.join(" "), arguments.iter().any(|word| word.expands))
            }
            _ => Ok(false),
        }
    }

    /// A script with expansions is read as it is written; what it comes to is not known.
    fn inner_script(&mut self, text: &str, expands: bool) -> Read<bool> {
        let from = self.found.len();
        let depth = self.depth.checked_sub(SHELL_DEPTH).ok_or(Unreadable);
        let read = depth.and_then(|depth| self.script(text, depth));
        match read {
            Err(Unreadable) if expands => self.found.truncate(from),
            Ok(()) if expands => self.hide(from, Hidden::Expansion),
            other => return other.map(|()| true),
        }
        Ok(false)
    }
}

/// The script among the arguments of a shell: the first word after its options, if `-c` is among these.
fn shell_script(arguments: &[Word]) -> Option<&Word> {
    let mut has_command = false;
    let mut words = arguments.iter();
    loop {
        let word = words.next()?;
        match word.text.strip_prefix('-') {
            Some(long) if long.starts_with('-') => {}
            Some(letters) => {
                has_command |= letters.contains('c');
                if letters.ends_with(['o', 'O']) {
                    words.next();
                }
            }
            None => return has_command.then_some(word),
        }
    }
}

impl Simple {
    /// A command of these words, of which those before `program` are its prefix.
    pub(super) fn of(words: &[Word], program: usize) -> Self {
        let mut simple = Self::default();
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                simple.text.push(' ');
            }
            if index == program {
                simple.begins_at = simple.text.len();
            }
            let offset = simple.text.len();
            let quoted = word.quoted.iter().map(|range| range.start + offset..range.end + offset);
            simple.quoted.extend(quoted);
            simple.text.push_str(&word.raw);
        }
        let unknown = words.iter().skip(program + 1).filter(|word| word.may_be_options());
        simple.unknown_options = unknown.map(|word| word.raw.clone()).collect();
        let mut texts = words.iter().map(|word| word.text.clone());
        simple.prefix = texts.by_ref().take(program).collect();
        simple.words = texts.collect();
        simple
    }
}

impl Directory {
    /// The directory that a word names from here.
    fn join_word(&self, to: &Word) -> Self {
        if is_same_work_tree(&to.text) {
            return self.clone();
        }
        if to.expands && in_home(&to.text).is_none() { Self::Unknown } else { self.join(&to.text) }
    }

    /// The directory that `to` names from here.
    pub(super) fn join(&self, to: &str) -> Self {
        if let Some(folder) = in_home(to) {
            return Self::Changed(folder);
        }
        if !is_plain(to) || to.is_empty() || to == "-" {
            return Self::Unknown;
        }
        let joined = match self {
            _ if Path::new(to).is_absolute() => PathBuf::from(to),
            Self::Unknown => return Self::Unknown,
            Self::Start => PathBuf::from(to),
            Self::Changed(here) => here.join(to),
        };
        if joined.as_os_str().len() > MAX_DIRECTORY_BYTES { Self::Unknown } else { Self::Changed(joined) }
    }
}

/// A folder in the user's home, as `~/folder`.
fn in_home(folder: &str) -> Option<PathBuf> {
    let folder = folder.trim_matches('"');
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|home| folder.strip_prefix(home))?;
    let is_whole = rest.is_empty() || rest.starts_with('/');
    (is_whole && is_plain(rest)).then(|| Path::new("~").join(rest.trim_start_matches('/')))
}
