//! Simple commands: the program behind `env`, `sudo` and the like, what a command does to its shell, and the script it runs.

use std::path::{Path, PathBuf};

use super::reader::{Read, Reader};
use super::word::{Word, spelled};
use super::{Hidden, Simple, base_name, is_in, is_plain, runs_another};

const MAX_DIRECTORY_BYTES: usize = 4096;

/// How many levels of nesting a script takes of those allowed: what stands in it may be read twice.
const SCRIPT_DEPTH: usize = 3;

/// What `set` may switch without a command being left out, as names and as letters.
const SETTINGS: &str = "allexport errexit errtrace nounset pipefail xtrace";
const LETTERS: &str = "aeoux";

/// Programs that run another one in their place, their options whose value is the next word, and those without. With any other
/// option they may do something else.
const WRAPPERS: [(&str, &str, &str); 8] = [
    ("builtin", "", ""),
    ("command", "", "-p"),
    ("env", "-u -C", "- -i"),
    ("nice", "-n", ""),
    ("nohup", "", ""),
    ("sudo", "-u -g -D", "-E -H -n"),
    ("time", "", "-p"),
    ("timeout", "", ""),
];

/// How many words a wrapper takes before the program, itself included, and the folder it runs it in; `None` where the first word
/// is none.
fn wrapper(words: &[Word]) -> Option<(usize, Option<&str>)> {
    let text = |at: usize| words.get(at).map(|word| word.text.as_str());
    let name = base_name(text(0)?);
    let (_, with_value, flags) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name)?;
    let (mut at, mut folder) = (1, None);
    while let Some(option) = text(at).filter(|text| text.starts_with('-')) {
        if is_in(with_value, option) {
            folder = text(at + 1).filter(|_| is_in("-C -D", option)).or(folder);
            at += 1;
        } else if !is_in(flags, option) {
            return None;
        }
        at += 1;
    }
    at += assignments(words.get(at..).unwrap_or_default()) + usize::from(name == "timeout");
    (at < words.len()).then_some((at, folder))
}

fn assignments(words: &[Word]) -> usize {
    words.iter().take_while(|word| word.is_assignment()).count()
}

/// The command of these words, with the redirections that were read.
pub(super) fn simple(words: &[Word], redirected: Simple) -> Simple {
    let (mut directory, mut program) = (Some(PathBuf::new()), assignments(words));
    while let Some((taken, folder)) = wrapper(words.get(program..).unwrap_or_default()) {
        directory = folder.map_or(directory.clone(), |folder| join(directory, folder));
        program += taken;
    }
    let raw: Vec<&str> = words.iter().map(|word| word.raw.as_str()).collect();
    let unknown = words.iter().skip(program + 1).filter(|word| word.may_be_options());
    let mut texts = words.iter().map(|word| word.text.clone());
    let mut simple = Simple {
        text: raw.join(" "),
        unknown_options: unknown.map(|word| word.raw.clone()).collect(),
        prefix: texts.by_ref().take(program).collect(),
        words: texts.collect(),
        directory,
        ..redirected
    };
    simple.hidden = runs_another(&simple.words).then_some(Hidden::Wrapper);
    simple.runs_script = !words.iter().skip(program + 1).any(|word| word.expands);
    simple
}

impl Reader<'_> {
    /// Reads the script of `sh -c '..'` and of `eval '..'`. One with expansions is read as it is written; what it comes to is not
    /// known.
    pub(super) fn script(&mut self, at: usize) -> Read<()> {
        let command = &self.found[at];
        // Behind a program that runs another one, the shell may stand anywhere.
        let behind = if runs_another(&command.words) { command.words.len() } else { 1 };
        let is_shell = |word: &String| is_in("sh bash zsh dash ksh eval", base_name(word));
        let shell = command.words.iter().take(behind).position(is_shell);
        let script = shell.and_then(|shell| match &command.words[shell..] {
            [eval, script @ ..] if eval == "eval" => Some(script.join(" ")),
            shell => script_of(shell).map(str::to_owned),
        });
        let is_literal = command.runs_script;
        let Some(script) = script else {
            self.found[at].runs_script = false;
            return Ok(());
        };
        let (directory, first) = (command.acts_in(), self.found.len());
        let read = self.hidden(Hidden::Script, |reader| {
            reader.inside(&script, SCRIPT_DEPTH, |inner| inner.level(false))
        });
        for inner in &mut self.found[first..] {
            let own = inner.directory.take();
            inner.directory = own.and_then(|own| join(directory.clone(), &own.to_string_lossy()));
        }
        if is_literal { read } else { Ok(()) }
    }
}

/// The first word behind the options of a shell, if `-c` is among these.
fn script_of(words: &[String]) -> Option<&str> {
    let (mut at, mut has_script) = (1, false);
    while let Some(option) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        let is_long = option.starts_with("--");
        has_script |= !is_long && option.contains('c');
        at += if !is_long && option.ends_with(['o', 'O']) { 2 } else { 1 };
    }
    words.get(at).filter(|_| has_script).map(String::as_str)
}

/// What commands leave behind for those after them.
#[derive(Clone, Debug)]
pub(super) struct Shell {
    /// As [`Simple::directory`].
    pub(super) directory: Option<PathBuf>,
    pub(super) pipefail: bool,
    /// What comes now may never run: `exit`, `exec`, `trap` or `set -n` stood before.
    pub(super) left: bool,
}

impl Shell {
    pub(super) fn new() -> Self {
        Self { directory: Some(PathBuf::new()), pipefail: false, left: false }
    }

    /// What a command does to the shell it runs in; behind it stand those of its substitutions and of its script.
    pub(super) fn run(&mut self, commands: &[Simple]) {
        let Some((command, inner)) = commands.split_first() else { return };
        let arguments = command.words.get(1..).unwrap_or_default();
        match command.program() {
            "cd" | "chdir" | "popd" | "pushd" if !moves(command) => {}
            "cd" | "chdir" | "pushd" => {
                let is_option = |word: &&String| matches!(word.as_str(), "-P" | "-L" | "--");
                let mut folders = arguments.iter().filter(|word| !is_option(word));
                let to = folders.next().filter(|_| folders.next().is_none());
                self.directory = to.and_then(|to| join(self.directory.take(), to));
            }
            "popd" => self.directory = None,
            "set" => {
                self.left |= !arguments.iter().all(|word| runs_all(word));
                for pair in arguments.windows(2) {
                    if pair[0].ends_with('o') && pair[1] == "pipefail" {
                        self.pipefail = pair[0].starts_with('-');
                    }
                }
            }
            "exit" if matches!(arguments, [status] if matches!(status.as_bytes(), [b'1'..=b'9'])) => {}
            "exit" | "return" | "exec" | "trap" => self.left = true,
            "eval" => {
                self.directory = self.directory.take().filter(|_| !inner.iter().any(moves));
                let leaves = |one: &Simple| {
                    one.hidden == Some(Hidden::Construct) || is_in("exit return exec trap set", one.program())
                };
                self.left |= inner.iter().any(leaves);
            }
            _ => {}
        }
    }
}

/// It changes the folder of the shell it runs in: a program of that name, and one behind `env`, do not.
pub(super) fn moves(simple: &Simple) -> bool {
    let is_builtin = |word: &String| word.contains('=') || is_in("builtin command time -p --", word);
    simple.words.first().is_some_and(|word| is_in("cd chdir popd pushd", word))
        && simple.prefix.iter().all(is_builtin)
}

/// With this argument `set` makes the shell leave no command out.
fn runs_all(word: &str) -> bool {
    is_in(SETTINGS, word)
        || word.strip_prefix(['-', '+']).is_some_and(|letters| letters.chars().all(|c| LETTERS.contains(c)))
}

/// The directory that `to` names from `here`, as [`Simple::directory`].
pub(super) fn join(here: Option<PathBuf>, to: &str) -> Option<PathBuf> {
    let to = spelled(to);
    let in_home = to.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    if to.is_empty() {
        return here;
    }
    if to == "-" || !is_plain(in_home.unwrap_or(&to)) {
        return None;
    }
    let joined =
        if in_home.is_some() || Path::new(&to).is_absolute() { PathBuf::from(to) } else { here?.join(to) };
    (joined.as_os_str().len() <= MAX_DIRECTORY_BYTES).then_some(joined)
}
