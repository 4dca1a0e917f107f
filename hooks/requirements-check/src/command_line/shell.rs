//! Simple commands: the program behind `env`, `sudo` and the like, what a command does to its shell, and the script it runs.

use std::path::{Path, PathBuf};

use super::reader::{Read, Reader, Shell, Unreadable, whole};
use super::word::{Word, spelled};
use super::{Hidden, Simple, base_name, is_in, is_plain, runs_another};

/// How many levels of nesting one `sh -c` takes of those allowed.
const SHELL_DEPTH: usize = 3;
/// Longer directories than any file system's are not followed.
const MAX_DIRECTORY_BYTES: usize = 4096;

/// Settings of a shell with which it runs every command, as names and as letters.
const SHELL_NAMES: [&str; 6] = ["allexport", "errexit", "errtrace", "nounset", "pipefail", "xtrace"];
const SHELL_LETTERS: &str = "aceiloux";
/// Long options of the same kind.
const SHELL_OPTIONS: [&str; 4] = ["--login", "--norc", "--noprofile", "--posix"];

/// Programs that run another one in their place: options whose value is the next word or stands in the same one, other options
/// with which they run it as if they were not there, and how many words of their own follow.
const WRAPPERS: [(&str, &str, &str, usize); 8] = [
    ("builtin", "", "", 0),
    ("command", "", "-p", 0),
    ("env", "-u --unset -C --chdir", "- -i -v --debug --ignore-environment", 0),
    ("nice", "-n --adjustment", "", 0),
    ("nohup", "", "", 0),
    (
        "sudo",
        "-D --chdir -u --user -g --group -h --host -p --prompt",
        "-E -H -k -n --non-interactive --preserve-env --set-home",
        0,
    ),
    ("time", "-f --format -o --output", "-a -p -q -v --append --portability --quiet --verbose", 0),
    ("timeout", "", "", 1),
];

/// How many words a wrapper takes before the program, itself included, and the folder it runs it in; `None` where the first word
/// is none, or it may do something else.
fn wrapper(words: &[Word]) -> Option<(usize, Option<&str>)> {
    let text = |at: usize| words.get(at).map(|word| word.text.as_str());
    let name = base_name(text(0)?);
    let (_, with_value, flags, operands) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name)?;
    let (mut at, mut folder) = (1, None);
    while let Some(option) = text(at).filter(|text| text.starts_with('-')) {
        at += 1;
        if option == "--" {
            break;
        }
        let (name, mut value) = match option.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ if option.starts_with("--") || option.len() < 3 => (option, None),
            _ => option.split_at_checked(2).map(|(name, value)| (name, Some(value)))?,
        };
        if is_in(with_value, name) {
            if value.is_none() {
                value = text(at);
                at += 1;
            }
            folder = value.filter(|_| matches!(name, "-C" | "-D" | "--chdir")).or(folder);
        } else if !is_in(flags, option) && !option[1..].bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
    }
    at += assignments(words.get(at..).unwrap_or_default()) + operands;
    (at < words.len()).then_some((at, folder))
}

fn assignments(words: &[Word]) -> usize {
    words.iter().take_while(|word| word.is_assignment()).count()
}

impl Reader<'_> {
    /// A simple command, with what it does to the shell and the commands of the script it runs.
    pub(super) fn run(&mut self, at: usize, words: &[Word], redirected: Simple) -> Read<()> {
        let mut directory = self.shell.directory.clone();
        let mut program = assignments(words);
        while let Some((taken, folder)) = wrapper(words.get(program..).unwrap_or_default()) {
            directory = folder.map_or(directory.clone(), |folder| join(directory, folder));
            program += taken;
        }
        let hidden = (self.constructs > 0).then_some(Hidden::Compound);
        let mut simple = Simple { hidden, directory, ..redirected.of(words, program) };
        if runs_another(&simple.words) {
            simple.hidden.get_or_insert(Hidden::Wrapper);
        }
        self.found.insert(at, simple);
        let Some((program, arguments)) = words.get(program..).and_then(<[_]>::split_first) else {
            return Ok(());
        };
        self.builtin(&program.text, arguments);
        self.found[at].runs_script = self.script(base_name(&program.text), arguments)?;
        Ok(())
    }

    /// What a command does to the shell it runs in.
    fn builtin(&mut self, program: &str, arguments: &[Word]) {
        let first = arguments.first().map(|word| word.text.as_str());
        match program {
            "cd" | "chdir" | "pushd" => {
                let is_option = |word: &&Word| matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e" | "-q");
                let mut folders = arguments.iter().filter(|word| !is_option(word));
                let to = folders.next().filter(|_| folders.next().is_none() && self.constructs == 0);
                let here = self.shell.directory.take();
                self.shell.directory = to.and_then(|to| join(here, &to.text));
            }
            "popd" => self.shell.directory = None,
            "set" => {
                self.shell.left |= !runs_all(arguments);
                for pair in arguments.windows(2) {
                    if pair[0].text.ends_with('o') && pair[1].text == "pipefail" {
                        self.shell.pipefail = pair[0].text.starts_with('-') && self.constructs == 0;
                    }
                }
            }
            // A line that ends with a failure is no evidence anyway.
            "exit" if first.is_some_and(|status| matches!(status.as_bytes(), [b'1'..=b'9'])) => {}
            "exit" | "return" | "exec" | "trap" => self.shell.left = true,
            _ => {}
        }
    }

    /// Reads the script of `sh -c '..'` and `eval '..'`; whether its commands are all that runs.
    fn script(&mut self, program: &str, arguments: &[Word]) -> Read<bool> {
        match program {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => {
                let Some((script, runs_all)) = shell_script(arguments) else { return Ok(false) };
                let inner = Shell { pipefail: false, left: !runs_all, ..self.shell.clone() };
                let before = std::mem::replace(&mut self.shell, inner);
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
        let read = depth.and_then(|depth| self.inside(text, depth, whole));
        if expands {
            match read {
                Ok(()) => self.hide(from, Hidden::Expansion),
                Err(Unreadable) => self.found.truncate(from),
            }
            return Ok(false);
        }
        read.map(|()| true)
    }
}

/// The script among the arguments of a shell: the first word after its options, if `-c` is among these; and whether it runs all
/// of it.
fn shell_script(arguments: &[Word]) -> Option<(&Word, bool)> {
    let (mut at, mut has_command) = (0, false);
    while let Some(option) = arguments.get(at).filter(|word| word.text.starts_with(['-', '+'])) {
        let is_long = option.text.starts_with("--");
        has_command |= !is_long && option.text.contains('c');
        at += if !is_long && option.text.ends_with(['o', 'O']) { 2 } else { 1 };
    }
    let script = arguments.get(at).filter(|_| has_command)?;
    Some((script, runs_all(&arguments[..at])))
}

/// With these arguments of `set`, or options of a shell, it runs every command; with others it may run none (`-n`).
fn runs_all(arguments: &[Word]) -> bool {
    arguments.iter().all(|word| {
        let text = word.text.as_str();
        match text.strip_prefix(['-', '+']) {
            Some(letters) if !letters.starts_with('-') => letters.chars().all(|c| SHELL_LETTERS.contains(c)),
            _ => SHELL_NAMES.contains(&text) || SHELL_OPTIONS.contains(&text),
        }
    })
}

impl Simple {
    /// The command of these words, of which those before `program` are its prefix.
    fn of(self, words: &[Word], program: usize) -> Self {
        let raw: Vec<&str> = words.iter().map(|word| word.raw.as_str()).collect();
        let unknown = words.iter().skip(program + 1).filter(|word| word.may_be_options());
        let mut texts = words.iter().map(|word| word.text.clone());
        Self {
            text: raw.join(" "),
            unknown_options: unknown.map(|word| word.raw.clone()).collect(),
            prefix: texts.by_ref().take(program).collect(),
            words: texts.collect(),
            ..self
        }
    }
}

/// The directory that `to` names from `here`, as [`Simple::directory`].
pub(super) fn join(here: Option<PathBuf>, to: &str) -> Option<PathBuf> {
    let to = spelled(to);
    let in_home = to.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    if to.is_empty() || to == "-" || !is_plain(in_home.unwrap_or(&to)) {
        return None;
    }
    let joined =
        if in_home.is_some() || Path::new(&to).is_absolute() { PathBuf::from(to) } else { here?.join(to) };
    (joined.as_os_str().len() <= MAX_DIRECTORY_BYTES).then_some(joined)
}
