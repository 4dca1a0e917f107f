//! Commands that change no file, as far as their words tell: in doubt they do.

use super::Simple;

/// Programs that only read, whatever their arguments.
const READERS: &str = " [ [[ ack ag basename bat cat cd cksum cmp column comm cut df diff dirname du echo egrep exit \
    expand false fgrep file fold get-childitem get-content grep head hexdump id jq join ls md5sum more nl od paste popd \
    printenv printf pushd pwd readlink realpath rev seq sha1sum sha256sum sleep stat strings tac tail test tr true type \
    uname wc which whoami yamllint ";

/// Programs that only read without these arguments.
const READERS_WITHOUT: [(&str, &str); 7] = [
    ("find", " -delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls "),
    ("fd", " -x -X --exec --exec-batch "),
    ("less", " -o -O --log-file --LOG-FILE "),
    ("rg", " --pre --hostname-bin "),
    ("sort", " -o --output --compress-program "),
    ("tree", " -o --output "),
    ("yq", " -i --inplace "),
];

/// git's subcommands that only read, if no option names a program or a file to write.
const GIT_READERS: &str = " --help --version blame cat-file check-ignore describe diff grep help log ls-files ls-tree \
    merge-base rev-list rev-parse shortlog show status ";

/// git's subcommands that leave the files, and which branch is out, as they are; and other programs that change none.
const GIT_KEEPERS: &str = " add commit config fetch notes push remote stage tag ";
const KEEPERS: &str = " : command date export gh glab mkdir set umask unset wait ";

/// git's subcommands that put other files into the work tree, and may put them back.
const GIT_TURNERS: &str = " am apply bisect checkout cherry-pick clean merge pull read-tree rebase reset restore revert \
    sparse-checkout stash submodule switch worktree ";

fn is_in(list: &str, word: &str) -> bool {
    !word.contains(' ') && list.contains(&format!(" {word} "))
}

impl Simple {
    /// Whether it only reads.
    pub(crate) fn reads(&self) -> bool {
        let is_plain = self.prefix.iter().all(|word| !word.contains('='));
        self.writes.iter().all(|file| is_discarded(file)) && is_plain && self.program_reads()
    }

    /// Whether it leaves the files as they are, what its redirections write aside; git may keep what it is given.
    pub(crate) fn keeps_files(&self) -> bool {
        let is_plain = self.prefix.iter().all(|word| !word.starts_with('-') && !word.starts_with("GIT_"));
        let Some(program) = self.words.first() else { return is_plain };
        is_plain
            && match program.as_str() {
                "git" => self.git_reads() || self.begins_branch() || is_in(GIT_KEEPERS, self.subcommand()),
                // What it sets up is seen by nobody; most often it is a virtual environment of Python's.
                "source" | "." => self.words.get(1).is_some_and(|file| file.contains("/activate")),
                program => self.runs_script || is_in(KEEPERS, program) || self.program_reads(),
            }
    }

    /// Whether git may put other files into the work tree.
    pub(crate) fn turns_work_tree(&self) -> bool {
        self.program() == "git"
            && !self.begins_branch()
            && !self.git_reads()
            && is_in(GIT_TURNERS, self.subcommand())
    }

    /// Whether git begins a new branch with the files as they are.
    pub(crate) fn begins_branch(&self) -> bool {
        let words = self.without_global_options();
        matches!(words.as_slice(), ["git", "switch" | "checkout", "-c" | "-b" | "--create", name] if !name.starts_with('-'))
    }

    /// Whether git goes to another branch or commit, no more.
    pub(crate) fn switches_branch(&self) -> bool {
        let is_switch = self.program() == "git" && matches!(self.subcommand(), "checkout" | "switch");
        is_switch && !self.words.iter().any(|word| matches!(word.as_str(), "--" | "."))
    }

    fn subcommand(&self) -> &str {
        self.words.get(1 + self.git_global_options()).or(self.words.get(1)).map_or("", String::as_str)
    }

    fn program_reads(&self) -> bool {
        // A program of that name somewhere else is another one.
        let Some(program) = self.words.first() else { return self.prefix.is_empty() };
        let has = |list: &str| self.words.iter().skip(1).any(|word| is_forbidden(word, list));
        match program.to_ascii_lowercase().as_str() {
            "git" => self.git_reads(),
            "sed" => !has(" -i --in-place -f --file ") && self.sed_scripts().into_iter().all(is_printing),
            "awk" | "gawk" => {
                !has(" -f -i ")
                    && !self.text.contains(['|', '@'])
                    && !self.text.contains("system")
                    && !self.text.contains("> \"")
            }
            name => match READERS_WITHOUT.iter().find(|(reader, _)| *reader == name) {
                Some((_, forbidden)) => !has(forbidden),
                None => is_in(READERS, name),
            },
        }
    }

    fn sed_scripts(&self) -> Vec<&str> {
        let words: Vec<&str> = self.words.iter().skip(1).map(String::as_str).collect();
        let given: Vec<&str> = words
            .windows(2)
            .filter(|pair| pair[0].starts_with('-') && pair[0].ends_with('e'))
            .map(|pair| pair[1])
            .collect();
        let first = || words.iter().copied().find(|word| !word.starts_with('-'));
        if given.is_empty() { first().into_iter().collect() } else { given }
    }

    fn git_reads(&self) -> bool {
        let rest: Vec<&str> =
            self.words.iter().skip(2 + self.git_global_options()).map(String::as_str).collect();
        let is_configured = self.words.iter().take(1 + self.git_global_options()).any(|word| word == "-c");
        let harmless = !rest
            .iter()
            .any(|word| is_forbidden(word, " --output --ext-diff --textconv --open-files-in-pager "));
        let reads = match self.subcommand() {
            "branch" => rest.iter().all(|word| is_in(" -a -r -v -vv --list --show-current ", word)),
            "stash" => matches!(rest.first(), Some(&("list" | "show"))),
            "remote" => rest.iter().all(|word| *word == "-v"),
            subcommand => is_in(GIT_READERS, subcommand),
        };
        reads && harmless && !is_configured
    }
}

/// `/dev/null` and the streams.
pub(super) fn is_discarded(file: &str) -> bool {
    matches!(file, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
}

/// One of the options, its value attached or not, or a short one among others.
fn is_forbidden(word: &str, options: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    options.split_whitespace().any(|option| {
        name == option
            || (name.len() > 4 && name.starts_with("--") && option.starts_with(name))
            || (option.len() == 2
                && word.starts_with('-')
                && !word.starts_with("--")
                && word.contains(&option[1..]))
    })
}

/// A script of `sed` by which it writes no file and runs no program.
fn is_printing(script: &str) -> bool {
    !script.rsplit('/').next().unwrap_or_default().contains(['w', 'e', 'W'])
}
