//! A command's effect on the files, as far as its words tell, and the folder it acts in.

use std::path::PathBuf;

use super::shell::join;
use super::{Simple, base_name, is_in};

/// The effect of a command on the files of the work tree, redirections aside. In doubt it is `Unknown`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Reads,
    /// It may write, but none of the files.
    KeepsFiles,
    /// It writes files, but stays on its branch.
    KeepsBranch,
    Writes,
    Unknown,
}
use Effect::{KeepsBranch, KeepsFiles, Reads, Writes};

/// Names, what they do, and the arguments with which they write instead: an option with or without its value, or a word.
type Table = [(&'static str, Effect, &'static str)];

const PROGRAMS: &Table = &[
    (
        "[ [[ ack ag basename bat cat cd cksum cmp column comm cut df diff dirname du echo egrep exit expand false fgrep \
        file fold get-childitem get-content grep head hexdump id jq join less ls md5sum more nl od paste popd printenv printf \
        pushd pwd readlink realpath rev rg seq sha1sum sha256sum sleep stat strings tac tail test tr tree true type uname wc \
        which whoami yamllint",
        Reads,
        "",
    ),
    ("fd", Reads, "-x -X --exec --exec-batch"),
    ("find", Reads, "-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls"),
    ("gh glab", Reads, "-D -O --dir --output api checkout clone download exec extension sync"),
    ("sed", Reads, "-i --in-place -f --file"),
    ("sort", Reads, "-o --output"),
    ("yq", Reads, "-i --inplace"),
    (": date export set umask unset wait", KeepsFiles, ""),
    ("command", KeepsFiles, "-p --"),
    ("cp dd install ln mv patch perl rm rsync tee truncate", Writes, ""),
];

/// git's subcommands. Those that are not here write.
const GIT: &Table = &[
    (
        "--help --version blame cat-file check-ignore describe diff for-each-ref grep help log ls-files ls-tree merge-base \
        rev-list rev-parse shortlog show status",
        Reads,
        "--output",
    ),
    ("branch", Reads, "-m -M --move"),
    ("add commit config fetch notes push remote stage tag", KeepsFiles, ""),
    ("am apply cherry-pick clean mv reset restore revert rm", KeepsBranch, ""),
];

/// Programs that run another one which stands somewhere among their arguments.
const RUNNERS: &str = "builtin command doas env exec flock gtimeout ionice nice noglob nohup setsid stdbuf sudo time timeout xargs";

/// git's own options whose value is the next word.
const WITH_VALUE: &str = "-C -c --attr-source --config-env --exec-path --git-dir --namespace --shallow-file \
    --super-prefix --work-tree";

impl Simple {
    fn effect(&self) -> Effect {
        if self.prefix.iter().any(|word| word.starts_with("GIT_")) {
            return Effect::Unknown;
        }
        let Some((program, arguments)) = self.words.split_first() else { return Reads };
        let git = self.git().filter(|_| self.program() == "git");
        // A virtual environment of Python's changes variables of the shell only.
        let activates =
            is_in("source .", program) && arguments.first().is_some_and(|file| file.ends_with("/activate"));
        if activates || self.runs_script || (git.is_some() && self.begins_branch()) {
            return KeepsFiles;
        }
        // A script of sed may write a file, or run a command.
        if program == "sed" && ["w ", "w/", "/e"].iter().any(|part| self.text.contains(part)) {
            return Writes;
        }
        match git {
            Some((subcommand, _)) => look_up(GIT, subcommand, arguments).unwrap_or(Writes),
            // A program of that name in some folder is another one.
            None => look_up(PROGRAMS, &program.to_ascii_lowercase(), arguments).unwrap_or(Effect::Unknown),
        }
    }

    pub(crate) fn reads(&self) -> bool {
        self.effect() == Reads && !self.is_redirected()
    }

    /// Whether it leaves the files as they are, what its redirections write aside; git may keep what it is given.
    pub(crate) fn keeps_files(&self) -> bool {
        self.effect() <= KeepsFiles
    }

    /// Whether it leaves which branch is out as it is.
    pub(crate) fn keeps_branch(&self) -> bool {
        self.effect() <= KeepsBranch && !self.begins_branch()
    }

    /// Whether it is known to write files: by its program, or by a redirection.
    pub(crate) fn writes_files(&self) -> bool {
        matches!(self.effect(), KeepsBranch | Writes) || self.is_redirected()
    }

    fn is_redirected(&self) -> bool {
        !self.writes.iter().all(|file| is_in("/dev/null /dev/stdout /dev/stderr /dev/tty", file))
    }

    /// Whether git begins a new branch with the files as they are.
    pub(crate) fn begins_branch(&self) -> bool {
        matches!(self.git(), Some(("switch" | "checkout", [create, name]))
            if is_in("-c -b --create", create) && !name.starts_with('-'))
    }

    /// Whether git goes to another branch or commit, no more.
    pub(crate) fn switches_branch(&self) -> bool {
        let goes = matches!(self.git(), Some(("checkout" | "switch", _)));
        goes && !self.words.iter().any(|word| word == "--" || word == ".")
    }

    /// It runs another program that stands somewhere among its arguments, or that is a variable (`$SUDO git commit`).
    pub(crate) fn runs_another(&self) -> bool {
        let program = self.program();
        let executes = |word: &String| is_in("-exec -execdir -ok -okdir", word);
        program.starts_with(['$', '`'])
            || is_in(RUNNERS, program)
            || (program == "find" && self.words.iter().any(executes))
    }

    /// How many words a program may begin at: the first alone, or all behind a program that runs another.
    pub(super) fn beginnings(&self) -> usize {
        if self.runs_another() { self.words.len() } else { self.words.len().min(1) }
    }

    /// git's subcommand and what follows it, if the program is git, also behind one that runs it: `git commit -m x`. Only options:
    /// the first of them.
    pub(crate) fn git(&self) -> Option<(&str, &[String])> {
        let words = &self.words[self.git_at()? + 1..];
        let (_, behind) = words.split_at(git_options(words));
        let rest = if behind.is_empty() { words } else { behind };
        Some(rest.split_first().map_or(("", rest), |(subcommand, rest)| (subcommand.as_str(), rest)))
    }

    fn git_at(&self) -> Option<usize> {
        self.words[..self.beginnings()].iter().position(|word| base_name(word) == "git")
    }

    /// The directory the command acts in: the one it runs in, and for git, also behind a program that runs it, `-C`. `None` where
    /// the line does not name it.
    pub(crate) fn acts_in(&self) -> Option<PathBuf> {
        let git = self.git_at();
        let (before, behind) = self.words.split_at(git.map_or(self.words.len(), |at| at + 1));
        let options = &behind[..git_options(behind)];
        let is_lost = self.runs_another() && before.iter().any(|word| changes_folder(word));
        let runs_in = self.directory.clone().filter(|_| !is_lost);
        let folders = options.windows(2).filter(|pair| pair[0] == "-C");
        let acts_in = folders.fold(runs_in, |here, pair| join(here, &pair[1]));
        acts_in.filter(|_| !options.iter().any(|word| names_repository(word)))
    }
}

fn look_up(table: &Table, name: &str, arguments: &[String]) -> Option<Effect> {
    let (_, effect, writing) = table.iter().find(|(names, ..)| is_in(names, name))?;
    let writes = arguments.iter().any(|word| is_one_of(word, writing));
    Some(if writes { Writes } else { *effect })
}

/// One of the options, its value attached or not, or a short one among others.
fn is_one_of(word: &str, options: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let mut options = options.split_ascii_whitespace();
    options.any(|option| name == option || (option.len() == 2 && letters.contains(&option[1..])))
}

/// An option, a setting or a variable that names git's repository or work tree.
pub(crate) fn names_repository(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["--git-dir", "--work-tree", "core.worktree=", "git_dir=", "git_work_tree="]
        .iter()
        .any(|name| word.starts_with(name))
}

/// An option of a program that runs another one, with which that runs in another folder.
fn changes_folder(word: &str) -> bool {
    ["-C", "-D", "--chdir", "-execdir", "-okdir"].iter().any(|option| word.starts_with(option))
}

/// The words behind the program, without those before the subcommand of git or cargo.
pub(super) fn without_global_options(words: &[String]) -> &[String] {
    let Some((program, arguments)) = words.split_first() else { return words };
    let skipped = match base_name(program) {
        "git" => git_options(arguments),
        "cargo" => arguments.iter().take_while(|word| word.starts_with('+')).count(),
        _ => 0,
    };
    &arguments[skipped..]
}

/// How many words are git's own options.
fn git_options(arguments: &[String]) -> usize {
    let mut count = 0;
    while let Some(option) = arguments.get(count).filter(|word| word.starts_with('-')) {
        count += 1 + usize::from(is_in(WITH_VALUE, option));
    }
    count.min(arguments.len())
}
