//! What a command does to files, as far as its words tell: what is known only to read, and what is known to edit.
//! Most commands are neither.

use super::{Line, Simple};

/// Programs that only read, whatever their arguments.
const READERS: &[&str] = &[
    "[",
    "[[",
    "basename",
    "bat",
    "cat",
    "cd",
    "cmp",
    "column",
    "comm",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exit",
    "expand",
    "false",
    "fgrep",
    "file",
    "fold",
    "grep",
    "head",
    "hexdump",
    "id",
    "jq",
    "join",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "type",
    "uname",
    "wc",
    "which",
    "whoami",
];

/// Programs that only read without these arguments.
const READERS_WITHOUT: &[(&str, &[&str])] = &[
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("find", &["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    ("less", &["-o", "-O", "--log-file", "--LOG-FILE"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("sort", &["-o", "--output", "--compress-program"]),
    ("tree", &["-o", "--output"]),
];

/// git's subcommands that only read, if no option names a program or a file to write.
const GIT_READERS: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];

/// Programs whose work is to change files.
const EDITORS: &[&str] = &["cp", "dd", "install", "ln", "mv", "patch", "rm", "tee", "truncate", "unlink"];

/// git's subcommands that change files of the work tree.
const GIT_EDITORS: &[&str] =
    &["am", "apply", "cherry-pick", "clean", "merge", "mv", "pull", "rebase", "restore", "revert", "rm"];

/// git's subcommands that leave the files, and which branch is checked out, as they are; beside those that only read.
const GIT_KEEPERS: &[&str] = &["add", "commit", "config", "fetch", "push", "stage", "tag"];

/// The shell's own commands, and others, that change no file; beside those that only read.
const KEEPERS: &[&str] = &[":", "date", "export", "umask", "unset", "wait"];

/// Variables that turn git to another repository.
const OF_ANOTHER_REPOSITORY: &[&str] =
    &["GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_COMMON_DIR=", "GIT_OBJECT_DIRECTORY="];

impl Line {
    /// Whether every command of the line only reads, as far as can be told: in doubt it does not.
    pub(crate) fn is_read_only(&self) -> bool {
        self.commands.as_ref().is_some_and(|commands| commands.iter().all(Simple::only_reads))
    }
}

impl Simple {
    /// Whether the command is known to change files.
    pub(crate) fn edits_files(&self) -> bool {
        let program = self.program();
        self.writes.iter().any(|file| !is_device(file))
            || match program {
                "sed" => self.has_in_place_option(),
                "perl" | "ruby" => self.has_cluster_with('i'),
                "tee" => self.arguments().any(|word| !word.starts_with('-') && !is_device(word)),
                "git" => self.git_edits(),
                _ => EDITORS.contains(&program),
            }
    }

    /// Whether git may put other files into the work tree: those of another branch, too.
    pub(crate) fn turns_work_tree(&self) -> bool {
        let words = self.without_global_options();
        let Some(subcommand) = words.get(1).filter(|_| self.program() == "git") else { return false };
        match *subcommand {
            "checkout" | "switch" => !self.begins_branch(),
            "reset" | "bisect" | "checkout-index" | "read-tree" | "sparse-checkout" => true,
            "submodule" => words.get(2) == Some(&"update"),
            _ => self.git_edits(),
        }
    }

    /// Whether git begins a new branch with the files as they are.
    pub(crate) fn begins_branch(&self) -> bool {
        let words = self.without_global_options();
        let ["git", "switch" | "checkout", "-c" | "-b" | "--create", name] = words.as_slice() else {
            return false;
        };
        !name.starts_with('-')
    }

    /// Whether the command is known to leave files, and git's work tree, as they are: in doubt it is not.
    pub(crate) fn keeps_files(&self) -> bool {
        let writes = self.writes.iter().any(|file| !is_discarded(file));
        let of_another = |word: &str| OF_ANOTHER_REPOSITORY.iter().any(|name| word.starts_with(name));
        let is_turned = self.prefix.iter().chain(&self.words).any(|word| of_another(word));
        let is_plain = self.prefix.iter().all(|word| !word.starts_with('-') && word.contains('='));
        !writes && !is_turned && (self.only_reads() || (is_plain && self.program_keeps_files()))
    }

    fn program_keeps_files(&self) -> bool {
        let Some(program) = self.words.first() else { return true };
        match program.as_str() {
            "git" => {
                let words = self.without_global_options();
                self.git_only_reads()
                    || self.begins_branch()
                    || words.get(1).is_some_and(|subcommand| GIT_KEEPERS.contains(subcommand))
            }
            "command" => self.words.get(1).is_some_and(|option| matches!(option.as_str(), "-v" | "-V")),
            program => self.runs_script || KEEPERS.contains(&program),
        }
    }

    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(String::as_str)
    }

    fn only_reads(&self) -> bool {
        self.writes.iter().all(|file| is_discarded(file))
            && self.prefix.iter().all(|word| matches!(word.as_str(), "command" | "builtin" | "time" | "-p"))
            && self.program_only_reads()
    }

    fn program_only_reads(&self) -> bool {
        // A program of that name somewhere else is another one.
        let Some(program) = self.words.first() else { return self.prefix.is_empty() };
        let without = READERS_WITHOUT.iter().find(|(name, _)| name == program);
        match program.as_str() {
            "git" => self.git_only_reads(),
            "sed" => self.sed_only_reads(),
            "awk" | "gawk" | "mawk" => self.awk_only_reads(),
            "set" => self.arguments().all(|word| word.starts_with(['-', '+']) || word == "pipefail"),
            _ => match without {
                Some((_, forbidden)) => self.arguments().all(|word| !is_forbidden(word, forbidden)),
                None => READERS.contains(&program.as_str()),
            },
        }
    }

    fn git_only_reads(&self) -> bool {
        let mut words = self.arguments();
        let mut subcommand = words.next();
        while let Some("-C" | "--no-pager" | "-P") = subcommand {
            if subcommand == Some("-C") {
                words.next();
            }
            subcommand = words.next();
        }
        let mut words = words.peekable();
        match subcommand {
            Some("branch") => {
                words.all(|word| matches!(word, "-a" | "-r" | "-v" | "-vv" | "--list" | "--show-current"))
            }
            Some("stash") => {
                words.next_if(|word| matches!(*word, "list" | "show")).is_some_and(|_| words.all(is_harmless))
            }
            Some("remote") => words.all(|word| word == "-v"),
            Some(subcommand) => GIT_READERS.contains(&subcommand) && words.all(is_harmless),
            None => false,
        }
    }

    fn git_edits(&self) -> bool {
        let words = self.without_global_options();
        let Some((subcommand, arguments)) = words.get(1..).and_then(<[&str]>::split_first) else {
            return false;
        };
        let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(word));
        match *subcommand {
            "stash" => {
                !matches!(arguments.first(), Some(&("list" | "show" | "drop" | "clear" | "create" | "store")))
            }
            "reset" => has(&["--hard", "--merge", "--keep"]),
            "checkout" => has(&["--", ".", "-f", "--force", "-p", "--patch"]),
            "apply" => !has(&["--check", "--stat", "--numstat", "--summary"]),
            "clean" => !has(&["-n", "--dry-run"]),
            other => GIT_EDITORS.contains(&other),
        }
    }

    fn has_in_place_option(&self) -> bool {
        self.has_cluster_with('i') || self.arguments().any(|word| word.starts_with("--in-place"))
    }

    /// A group of short options with that letter, before the value of one of them begins.
    fn has_cluster_with(&self, letter: char) -> bool {
        self.arguments().any(|word| {
            word.strip_prefix('-').is_some_and(|cluster| {
                let options = cluster.split(['e', 'f', 'I', 'M', 'm']).next().unwrap_or_default();
                !cluster.starts_with('-') && options.contains(letter)
            })
        })
    }

    /// Only scripts that print, delete or substitute: everything else could write or run something.
    fn sed_only_reads(&self) -> bool {
        let options = ["-n", "-E", "-r", "-s", "-z", "-u", "-e", "-ne", "-nE", "-nr", "--quiet", "--silent"];
        let mut scripts = Vec::new();
        let mut words = self.arguments().peekable();
        while let Some(option) = words.next_if(|word| word.starts_with('-')) {
            if !options.contains(&option) {
                return false;
            }
            if option.ends_with('e') {
                scripts.extend(words.next());
            }
        }
        if scripts.is_empty() {
            scripts.extend(words.next());
        }
        // An option may also stand after the files.
        !scripts.is_empty()
            && scripts.into_iter().all(is_reading_sed_script)
            && words.all(|word| !word.starts_with('-'))
    }

    fn awk_only_reads(&self) -> bool {
        let forbidden = ['>', '|', '@'];
        let mut words = self.arguments().peekable();
        while let Some(option) = words.next_if(|word| word.starts_with("-F") || word.starts_with("-v")) {
            if option.len() == 2 {
                words.next();
            }
        }
        words.peek().is_some_and(|script| !script.starts_with('-'))
            && words.all(|word| {
                !word.contains(forbidden) && !word.contains("system") && !word.contains("getline")
            })
    }
}

/// `/dev/null` and the two streams, by their names.
fn is_discarded(file: &str) -> bool {
    matches!(file, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
}

fn is_device(file: &str) -> bool {
    file.starts_with("/dev/") && !file.starts_with("/dev/shm/") && !file.contains("..")
}

/// `option`, `option=value`, and a short one with its value attached or among others.
fn is_forbidden(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        let name = word.split('=').next().unwrap_or_default();
        // GNU takes any beginning of a long option that is unique.
        name == *option
            || (name.len() > 2 && name.starts_with("--") && option.starts_with(name))
            || (option.len() == 2
                && word.starts_with('-')
                && !word.starts_with("--")
                && word.contains(&option[1..]))
    })
}

/// No option of git's that names a file to write or a program to run.
fn is_harmless(word: &str) -> bool {
    !is_forbidden(word, &["--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager"])
}

fn is_reading_sed_script(script: &str) -> bool {
    let ends = |rest: &str, allowed: &str| rest.chars().all(|c| allowed.contains(c));
    let plain = |part: &str| !part.contains(['\\', '[', '\n']);
    match script.split('/').collect::<Vec<_>>().as_slice() {
        [commands] => ends(commands, "0123456789,$!pdq=; "),
        ["", pattern, commands] => plain(pattern) && ends(commands, "!pdq="),
        ["s", pattern, replacement, flags] => {
            plain(pattern) && plain(replacement) && ends(flags, "gpIi0123456789")
        }
        _ => false,
    }
}
