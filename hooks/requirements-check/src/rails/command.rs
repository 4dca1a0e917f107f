//! One command of a line, as the rails look at it.

use std::borrow::Cow;

use shared::catalog::own_commands;

use crate::command_line::{self, Directory, Simple};

use super::Guarded;
use super::kept::How;
use super::sweep;
use super::touch::{Touch, is_cluster_with, subcommand, touch};
use super::word::{Place, like, place};

/// Programs that only read and that the reader of lines does not know, `PowerShell`'s among them.
const READERS: [&str; 17] = [
    "ack",
    "ag",
    "b2sum",
    "cksum",
    "dir",
    "gc",
    "gci",
    "get-childitem",
    "get-content",
    "get-filehash",
    "get-item",
    "md5",
    "more",
    "select-string",
    "shasum",
    "test-path",
    "yamllint",
];

/// Programs that set and unset variables.
const DECLARERS: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

/// Names that `find` must not hand on: what is protected, and the folders on the way to it.
const PROTECTED: [&str; 8] = [
    "requirements.yaml",
    "requirements.local.yaml",
    "settings.json",
    "settings.local.json",
    ".claude",
    "hook-state",
    "hooks",
    "requirements",
];

/// One command.
pub(super) struct Command<'a> {
    pub(super) simple: &'a Simple,
    program: Cow<'a, str>,
    pub(super) arguments: Vec<&'a str>,
    pub(super) touch: Touch,
    /// Where its shell is.
    pub(super) shell_folder: Place,
    /// Where it works itself: `git -C`.
    pub(super) folder: Place,
}

/// The words of each command. `PowerShell` takes `\` for a separator, so there they are read again.
pub(super) fn readings(commands: &[Simple], is_powershell: bool) -> Vec<Cow<'_, [String]>> {
    let again = |simple: &Simple| {
        let text = simple.text.replace('\\', "/");
        let words = text.split_whitespace().map(|word| word.trim_matches(['\'', '"', ',']).to_owned());
        words.collect()
    };
    let words = commands.iter().map(|simple| {
        if is_powershell { Cow::Owned(again(simple)) } else { Cow::Borrowed(simple.words.as_slice()) }
    });
    words.collect()
}

impl<'a> Command<'a> {
    /// All of a line.
    pub(super) fn all(
        simples: &'a [Simple],
        words: &'a [Cow<'a, [String]>],
        guarded: &Guarded<'_>,
    ) -> Vec<Self> {
        let start = Place::At(guarded.cwd.to_path_buf());
        // Where the last `cd` led, for those that only we can follow: `cd ~/.claude`.
        let mut entered = start.clone();
        let mut commands = Vec::new();
        for (simple, words) in simples.iter().zip(words) {
            let folder = match &simple.directory {
                Directory::Start => start.clone(),
                Directory::Changed(to) => start.join(&to.to_string_lossy()),
                Directory::Unknown => entered.clone(),
            };
            match (simple.program(), words.get(1).map(String::as_str)) {
                ("cd", None | Some("--")) => {
                    entered = place(words.get(2).map_or("~", String::as_str), &folder, guarded);
                }
                ("cd" | "pushd", Some(to)) => entered = place(to, &folder, guarded),
                _ => {}
            }
            commands.push(Self::new(simple, words, folder, guarded));
        }
        commands
    }

    fn new(simple: &'a Simple, words: &'a [String], shell_folder: Place, guarded: &Guarded<'_>) -> Self {
        let program = match simple.program() {
            program if program.contains(|c: char| c.is_ascii_uppercase()) => {
                Cow::Owned(program.to_ascii_lowercase())
            }
            program => Cow::Borrowed(program),
        };
        let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let folder = match (program.as_ref(), arguments.as_slice()) {
            ("git", ["-C", to, ..]) => place(to, &shell_folder, guarded),
            _ => shell_folder.clone(),
        };
        let touch = touch(&program, &arguments);
        Self { simple, program, arguments, touch, shell_folder, folder }
    }

    /// Its program has that name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.program == name
    }

    /// It gets its arguments from what another command prints.
    pub(super) fn is_fed(&self) -> bool {
        self.simple.prefix.iter().any(|word| word == "xargs") || self.program == "parallel"
    }

    /// It sets variables, and nothing else.
    pub(super) fn declares(&self) -> bool {
        self.simple.words.is_empty() || DECLARERS.contains(&self.program.as_ref())
    }

    /// It may change what a variable stands for.
    pub(super) fn changes_variables(&self) -> bool {
        let changes = || self.touch != Touch::Nothing && !self.declares() && !self.only_reads();
        self.simple.writes.iter().any(|file| file.contains('$'))
            || (self.arguments.iter().any(|word| word.contains('$')) && changes())
    }

    /// It changes files where it runs.
    pub(super) fn edits(&self) -> bool {
        self.simple.edits_files() || self.touch == Touch::Searches
    }

    /// Its words without the options, and without git's subcommand.
    pub(super) fn operands(&self) -> Vec<&'a str> {
        let words = match self.program.as_ref() {
            "git" => subcommand(&self.arguments).1,
            _ => &self.arguments,
        };
        words.iter().copied().filter(|word| !word.starts_with('-')).collect()
    }

    /// How far a removal reaches: without an option, files only.
    pub(super) fn depth(&self) -> How {
        let is_deep =
            |word: &&str| *word == "--recursive" || is_cluster_with(word, 'r') || is_cluster_with(word, 'R');
        let always = ["rd", "rimraf", "srm", "trash", "trash-put"].contains(&self.program.as_ref());
        if always || self.arguments.iter().any(is_deep) { How::Above } else { How::Itself }
    }

    /// A folder of the target's name is replaced, not filled.
    pub(super) fn replaces_folder(&self) -> bool {
        let has = |letters: &[char], long: &str| {
            let in_cluster = |word: &str| letters.iter().any(|letter| is_cluster_with(word, *letter));
            self.arguments.iter().any(|word| *word == long || in_cluster(word))
        };
        match self.program.as_ref() {
            "cp" | "install" | "mv" => has(&['T'], "--no-target-directory"),
            "ln" => has(&['T', 'n', 'h'], "--no-dereference") || has(&[], "--no-target-directory"),
            _ => false,
        }
    }

    /// What a copy goes to, and what is copied.
    pub(super) fn copied(&self) -> Option<(&'a str, Vec<&'a str>)> {
        let mut operands = self.operands();
        let after_option =
            self.arguments.windows(2).find(|pair| matches!(pair[0], "-t" | "--target-directory"));
        let attached = || self.arguments.iter().find_map(|word| word.strip_prefix("--target-directory="));
        match after_option.map(|pair| pair[1]).or_else(attached) {
            Some(target) => Some((target, operands)),
            None => operands.pop().map(|target| (target, operands)),
        }
    }

    /// One of our own commands.
    pub(super) fn is_own(&self) -> bool {
        is_own(&self.program)
    }

    /// It changes none of the files its words name.
    pub(super) fn only_reads(&self) -> bool {
        let has = |option: &str| self.arguments.contains(&option);
        match self.program.as_ref() {
            "yq" => {
                !self.arguments.iter().any(|word| is_cluster_with(word, 'i') || word.starts_with("--inplace"))
            }
            "python" | "python3" => {
                self.arguments.starts_with(&["-m", "json.tool"]) && self.arguments.len() <= 3
            }
            "find" if !has("-delete") => self.runs_only_readers() || reads(&self.simple.words),
            program => READERS.contains(&program) || reads(&self.simple.words),
        }
    }

    /// `find` writes nothing itself, and what it runs only reads.
    fn runs_only_readers(&self) -> bool {
        let runs = |word: &&str| matches!(*word, "-exec" | "-execdir" | "-ok" | "-okdir");
        let mut scripts = self.arguments.split(runs);
        scripts.next().is_some_and(|tests| !tests.iter().any(|word| word.starts_with("-f") && word.len() > 3))
            && scripts.all(|words| {
                let words = words.iter().take_while(|word| !matches!(**word, ";" | "+"));
                reads(&words.map(|word| (*word).to_owned()).collect::<Vec<_>>())
            })
    }

    /// How far up `find` may start before what it finds is none of ours: as far as can be if it asks for our names, or
    /// takes everything away.
    pub(super) fn reach_of_search(&self) -> How {
        let mut names = self.sought().peekable();
        let asks = names.peek().is_some();
        if names.any(may_be_protected) {
            return How::Above;
        }
        if sweep::finds_all(&self.arguments) && sweep::edits_what_it_finds(&self.arguments) {
            return How::Above;
        }
        if self.sought().any(may_be_state) {
            return How::Folder;
        }
        let removes = |word: &&str| matches!(*word, "-delete" | "rm" | "mv" | "unlink" | "shred");
        match self.arguments.iter().any(removes) {
            _ if asks || self.arguments.contains(&"-empty") => How::Itself,
            true => How::Above,
            false => How::Folder,
        }
    }

    /// The patterns of names that `find` is to find; not those it is to leave out.
    fn sought(&self) -> impl Iterator<Item = &'a str> {
        let tests = ["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"];
        let before = [""].into_iter().chain(self.arguments.iter().copied());
        let pairs = self.arguments.iter().copied().zip(self.arguments.iter().skip(1).copied());
        let found = before
            .zip(pairs)
            .filter(move |(before, (test, _))| tests.contains(test) && !matches!(*before, "!" | "-not"));
        found.map(|(_, (_, pattern))| pattern)
    }
}

/// Every name of the pattern may be that of something protected, or of a folder on the way there.
fn may_be_protected(pattern: &str) -> bool {
    let is_on_the_way = |name: &str| matches!(name, "" | "." | "*" | "**" | ".git");
    let is_protected = |name: &str| PROTECTED.iter().any(|protected| like(name, protected));
    pattern.split('/').all(|name| is_on_the_way(name) || is_protected(name))
}

/// What hooks remember has such names, marks among it.
fn may_be_state(pattern: &str) -> bool {
    pattern == "OFF" || [".json", ".jsonl"].iter().any(|end| pattern.ends_with(end))
}

/// One of our own commands, by its name.
pub(super) fn is_own(program: &str) -> bool {
    matches!(program, "req" | "pace-maker") || own_commands().any(|own| own == program)
}

/// A command of these words, and nothing around it, only reads.
pub(super) fn reads(words: &[String]) -> bool {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
    !words.is_empty() && command_line::parse(&quoted.join(" ")).is_read_only()
}
