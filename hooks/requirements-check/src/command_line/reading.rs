//! Commands that change no file, as far as their words tell: in doubt they do.

use super::{Simple, base_name, is_in};

const READERS: &str = "[ [[ ack ag basename bat cat cd cksum cmp column comm cut df diff dirname du echo egrep exit \
    expand false fgrep file fold get-childitem get-content grep head hexdump id jq join ls md5sum more nl od paste popd \
    printenv printf pushd pwd readlink realpath rev seq sha1sum sha256sum sleep stat strings tac tail test tr true type \
    uname wc which whoami yamllint";

/// Programs that only read without these arguments.
const READERS_WITHOUT: [(&str, &str); 11] = [
    ("awk", "-f -i"),
    ("fd", "-x -X --exec --exec-batch"),
    ("find", "-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls"),
    ("gh", "-D -O --dir --output api checkout clone download exec extension sync"),
    ("glab", "-D -O --dir --output api checkout clone download exec sync"),
    ("less", "-o -O --log-file --LOG-FILE"),
    ("rg", "--pre --hostname-bin"),
    ("sed", "-i --in-place -f --file"),
    ("sort", "-o --output --compress-program"),
    ("tree", "-o --output"),
    ("yq", "-i --inplace"),
];

/// git's subcommands that only read, without the options below.
const GIT_READERS: &str = "--help --version blame cat-file check-ignore describe diff grep help log ls-files ls-tree \
    merge-base rev-list rev-parse shortlog show status";
const NOT_READING: &str = "--output --ext-diff --textconv --open-files-in-pager";

/// git's subcommands that leave the files, and which branch is out, as they are; and other programs that change none.
const GIT_KEEPERS: &str = "add commit config fetch notes push remote stage tag";
const KEEPERS: &str = ": command date export mkdir set umask unset wait";

/// Further ones that leave which branch is out as it is.
const BRANCH_KEEPERS: &str =
    "am apply cherry-pick clean for-each-ref mv reflog reset restore revert rm update-index";

/// git's subcommands that put other files into the work tree, and may put them back.
const GIT_TURNERS: &str = "am apply bisect checkout cherry-pick clean merge pull read-tree rebase reset restore revert \
    sparse-checkout stash submodule switch worktree";

/// Programs whose purpose is to write files that they are given.
const WRITERS: &str = "cp dd install ln mv patch perl rm rsync sed tee truncate";

impl Simple {
    /// Whether it writes files it names, by its program or by a redirection.
    pub(crate) fn writes_files(&self) -> bool {
        let is_writer = self.words.first().is_some_and(|program| is_in(WRITERS, base_name(program)));
        !self.reads() && (is_writer || !self.writes.iter().all(|file| is_discarded(file)))
    }

    pub(crate) fn reads(&self) -> bool {
        let is_plain = self.prefix.iter().all(|word| !word.contains('='));
        self.writes.iter().all(|file| is_discarded(file)) && is_plain && self.program_reads()
    }

    /// Whether it leaves the files as they are, what its redirections write aside; git may keep what it is given.
    pub(crate) fn keeps_files(&self) -> bool {
        if self.prefix.iter().any(|word| word.starts_with('-') || word.starts_with("GIT_")) {
            return false;
        }
        let keeps = |word: &String| is_in(KEEPERS, word) || self.program_reads();
        match self.words.as_slice() {
            [] => true,
            // What it sets up is seen by nobody; most often it is a virtual environment of Python's.
            [program, file, ..] if program == "source" || program == "." => {
                ["/bin/activate", "/Scripts/activate"].iter().any(|end| file.ends_with(end))
            }
            [program, ..] => self.runs_script || self.begins_branch() || self.git_keeps() || keeps(program),
        }
    }

    /// Whether git leaves which branch is out as it is.
    pub(crate) fn keeps_branch(&self) -> bool {
        self.program() == "git"
            && (self.is_git(BRANCH_KEEPERS) || (self.keeps_files() && !self.begins_branch()))
    }

    /// Whether git may put other files into the work tree.
    pub(crate) fn turns_work_tree(&self) -> bool {
        self.is_git(GIT_TURNERS) && !self.begins_branch() && !self.program_reads()
    }

    /// Whether git begins a new branch with the files as they are.
    pub(crate) fn begins_branch(&self) -> bool {
        let (create, name) = match self.git() {
            Some(("switch" | "checkout", [create, name])) => (create.as_str(), name),
            _ => return false,
        };
        matches!(create, "-c" | "-b" | "--create") && !name.starts_with('-')
    }

    /// Whether git goes to another branch or commit, no more.
    pub(crate) fn switches_branch(&self) -> bool {
        self.is_git("checkout switch") && !self.words.iter().any(|word| word == "--" || word == ".")
    }

    fn git_keeps(&self) -> bool {
        // Another program that runs git may do more.
        self.git().filter(|_| self.program() == "git").is_some_and(|(subcommand, rest)| {
            let forbidden =
                if subcommand == "config" { "-f --file" } else { "--upload-pack --receive-pack --exec" };
            is_in(GIT_KEEPERS, subcommand) && !rest.iter().any(|word| is_forbidden(word, forbidden))
        })
    }

    fn is_git(&self, subcommands: &str) -> bool {
        self.git().is_some_and(|(subcommand, _)| is_in(subcommands, subcommand))
    }

    fn program_reads(&self) -> bool {
        // A program of that name somewhere else is another one.
        let Some(program) = self.words.first() else { return self.prefix.is_empty() };
        let program = program.to_ascii_lowercase();
        let has = |list: &str| self.words.iter().skip(1).any(|word| is_forbidden(word, list));
        if let Some((_, forbidden)) = READERS_WITHOUT.iter().find(|(reader, _)| *reader == program) {
            let writing: &[&str] = match program.as_str() {
                "awk" => &["|", ">", "system"],
                "sed" => &["w ", "w/", "/e"],
                _ => &[],
            };
            return !has(forbidden) && !writing.iter().any(|part| self.text.contains(part));
        }
        match self.git().filter(|_| program == "git") {
            Some(git) => git_reads(git) && !has(NOT_READING) && self.words.iter().all(|word| word != "-c"),
            None => is_in(READERS, &program),
        }
    }
}

fn git_reads((subcommand, rest): (&str, &[String])) -> bool {
    match subcommand {
        "branch" => rest.iter().all(|word| is_in("-a -r -v -vv --list --show-current", word)),
        "stash" => rest.first().is_some_and(|first| is_in("list show", first)),
        "remote" => rest.iter().all(|word| word == "-v"),
        subcommand => is_in(GIT_READERS, subcommand),
    }
}

fn is_discarded(file: &str) -> bool {
    matches!(file, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
}

/// One of the options, its value attached or not, or a short one among others.
fn is_forbidden(word: &str, options: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    let is_among =
        |option: &str| option.len() == 2 && letters.is_some_and(|letters| letters.contains(&option[1..]));
    options.split(' ').any(|option| name == option || is_among(option))
}
