//! A simple command: its words and redirections, the program behind `env`, `sudo` and the like, the script it runs, its effect on
//! the files as far as its words tell, and the folder it acts in.

use std::path::PathBuf;

use super::reader::{Level, Read, Reader, Unreadable, Word, is_assignment, join, run_in};
use super::{Simple, base_name, is_in, is_plain, spelled};

const REDIRECTIONS: [&str; 12] = ["<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">", "&>>", "&>"];

/// The effect of a command on the files of the work tree, redirections aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// It may write, but none of the files.
    Keeps,
    Writes,
}
use Effect::{Keeps, Reads, Writes};

/// Names of programs and of git's subcommands, what they do, and the arguments with which they write instead: an option with or
/// without its value, or a word. What git does besides writes.
const PROGRAMS: &[(&str, Effect, &str)] = &[
    (READERS, Reads, ""),
    (GIT_READERS, Reads, "--output"),
    ("git-branch git-worktree", Reads, "-m -M --move add move prune remove repair"),
    ("fd", Reads, "-x -X --exec --exec-batch"),
    ("find", Reads, "-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls"),
    ("gh glab", Reads, "-D -O --dir --output api checkout clone download exec extension sync"),
    ("sed yq", Reads, "-i --in-place --inplace -f --file"),
    ("sort", Reads, "-o --output"),
    (": alias clear conda date declare export jobs local nvm set shopt ulimit umask unset wait", Keeps, ""),
    ("git-add git-commit git-config git-fetch git-notes git-push git-remote git-stage git-tag", Keeps, ""),
    ("command", Keeps, "-p --"),
    ("cp dd install ln mkdir mv patch perl rm rsync tee touch truncate", Writes, ""),
];
const READERS: &str = "[ [[ ack ag basename bat cat cd cksum cmp column comm cut df diff dirname du echo egrep exit expand false \
    fgrep file fold git grep head hexdump hostname id jq join less ls md5sum more nl od paste popd printenv printf ps pushd pwd readlink \
    realpath rev rg seq sha1sum sha256sum sleep stat strings tac tail test tr tree true type uname uniq wc which whoami yamllint";
const GIT_READERS: &str = "git-blame git-cat-file git-check-ignore git-describe git-diff git-for-each-ref git-grep git-help git-log \
    git-diff-index git-ls-files git-ls-remote git-ls-tree git-merge-base git-reflog git-rev-list git-rev-parse git-shortlog git-show git-show-ref git-status";

/// Programs that run another one which stands somewhere among their arguments.
const RUNNERS: &str = "builtin command coproc doas env exec flock gtimeout ionice nice noglob nohup setsid stdbuf sudo time timeout \
    xargs";

/// Programs that run another one in their place, their options with a value, and those without.
const WRAPPERS: &[(&str, &str, &str)] = &[
    ("builtin nohup", "", "--"),
    ("command time", "", "-p --"),
    ("env", "-u", "-i --"),
    ("nice", "-n", ""),
    ("sudo", "-u -g", "-E -H -n"),
    ("timeout", "-k -s", ""),
];

/// git's own options whose value is the next word.
const WITH_VALUE: &str = "-C -c --attr-source --config-env --exec-path --git-dir --namespace --shallow-file \
    --super-prefix --work-tree";

/// How many words stand before the program: assignments, and programs that run it in their place. With another option than
/// these, with a value or without, they may do something else.
fn prefix(words: &[Word]) -> usize {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let mut program = 0;
    loop {
        program += words[program..].iter().take_while(|word| is_assignment(&word.raw)).count();
        let wrapper = base_name(text(program));
        let known = WRAPPERS.iter().find(|(names, ..)| is_in(names, wrapper));
        let Some((_, with_value, flags)) = known else { return program };
        let mut next = program + 1;
        while is_in(with_value, text(next)) || is_in(flags, text(next)) {
            next += 1 + usize::from(is_in(with_value, text(next)));
        }
        // Before the program comes the time.
        next += usize::from(wrapper == "timeout" && !text(next).starts_with('-'));
        if next >= words.len() || text(next).starts_with('-') {
            return program;
        }
        program = next;
    }
}

impl Reader<'_> {
    /// A simple command, or the redirections of a construct.
    pub(crate) fn simple(&mut self, level: &mut Level) -> Read<()> {
        let (at, mut words) = (self.found.len(), Vec::<Word>::new());
        let mut simple = Simple { directory: Some(PathBuf::new()), ..Simple::default() };
        loop {
            let is_test = words.first().is_some_and(|word| word.raw == "[[")
                && words.last().is_some_and(|word| word.raw != "]]");
            while !is_test && self.redirect(&mut simple)? {}
            match self.word()? {
                Some(word) => words.push(word),
                // Operators inside `[[ .. ]]` are none of the line's.
                None if is_test => drop(self.next().ok_or(Unreadable)?),
                None => break,
            }
        }
        if self.rest.starts_with('(') {
            // `NAME()` begins a function.
            level.construct(at);
            return if words.len() == 1 { Ok(()) } else { Err(Unreadable) };
        }
        let program = prefix(&words);
        simple.text = words.iter().map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ");
        simple.prefix = words.drain(..program).map(|word| word.text).collect();
        simple.words = words.into_iter().map(|word| word.text).collect();
        simple.hidden = simple.runs_another().then_some("behind a program that may not run it");
        if let Some(script) = simple.script() {
            let first = self.found.len();
            self.inside(&script, |inner| inner.level(false))?;
            run_in(&mut self.found[first..], simple.acts_in().as_ref());
        }
        self.found.insert(at, simple);
        level.command(at, self.operator(), &mut self.found);
        Ok(())
    }

    fn redirect(&mut self, command: &mut Simple) -> Read<bool> {
        self.blanks();
        let behind = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let has_digit = behind.len() < self.rest.len();
        let is_word = matches!(behind.get(..2), Some("<(" | ">(")) || (has_digit && behind.starts_with('&'));
        let operator = REDIRECTIONS.into_iter().find(|operator| !is_word && behind.starts_with(operator));
        let Some(operator) = operator else { return Ok(false) };
        self.rest = &behind[operator.len()..];
        let target = self.word()?.ok_or(Unreadable)?;
        match operator {
            "<<" | "<<-" => self.documents.push((target, operator == "<<-")),
            "<" => command.reads.push(target.text),
            "<<<" | "<&" => {}
            ">&" if target.text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()) => {}
            _ if is_in("/dev/null /dev/stdout /dev/stderr /dev/tty", &target.text) => {}
            _ => command.writes.push(target.text),
        }
        Ok(true)
    }
}

impl Simple {
    /// `None`: unknown.
    fn effect(&self) -> Option<Effect> {
        if self.prefix.iter().any(|word| word.starts_with("GIT_")) {
            return None;
        }
        let Some((program, arguments)) = self.words.split_first() else { return Some(Reads) };
        if matches!(arguments, [version] if is_in("--version -v -V", version)) {
            return Some(Reads);
        }
        // A virtual environment of Python's changes variables of the shell only.
        let activates =
            is_in("source .", program) && arguments.first().is_some_and(|file| file.ends_with("/activate"));
        let is_known_script = self.script().is_some_and(|script| !script.contains(['$', '`']));
        if activates || is_known_script || self.begins_branch() {
            return Some(Keeps);
        }
        let git = self.git().filter(|_| self.program() == "git");
        // A program of that name in some folder is another one.
        let name = git.map_or_else(|| program.clone(), |(subcommand, _)| format!("git-{subcommand}"));
        let known = PROGRAMS.iter().find(|(names, ..)| is_in(names, &name));
        let Some((_, effect, writing)) = known else { return git.map(|_| Writes) };
        Some(if arguments.iter().any(|word| is_one_of(word, writing)) { Writes } else { *effect })
    }

    /// Whether it only reads.
    pub fn reads(&self) -> bool {
        self.effect() == Some(Reads) && self.writes.is_empty()
    }

    /// Whether it leaves the files as they are, what its redirections write aside; git may keep what it is given.
    pub fn keeps_files(&self) -> bool {
        matches!(self.effect(), Some(Reads | Keeps))
    }

    /// Whether it leaves which branch is out as it is.
    pub fn keeps_branch(&self) -> bool {
        // These write files, but stay on the branch.
        let stays = |name| is_in("am apply cherry-pick clean mv reset restore revert rm", name);
        (self.keeps_files() || self.git().is_some_and(|(name, _)| stays(name))) && !self.begins_branch()
    }

    /// An argument that may be an option only the shell knows: it begins with what is expanded, or is an option with a name that
    /// is. A value (`--target-dir=$X`), a pattern of paths (`tests/*.py`) and `$HOME` or `$PWD` are none.
    pub fn unknown_option(&self) -> Option<&str> {
        let may_be_one = |word: &&String| {
            let name = word.split('=').next().unwrap_or_default();
            (name.starts_with('-') && !is_plain(name)) || spelled(word).starts_with(['$', '`', '{'])
        };
        self.words.iter().skip(1).find(may_be_one).map(String::as_str)
    }

    /// Whether nobody knows what it does to files.
    pub fn is_unknown(&self) -> bool {
        self.effect().is_none()
    }

    /// Whether it is known to write files: by its program, or by a redirection.
    pub fn writes_files(&self) -> bool {
        self.effect() == Some(Writes) || !self.writes.is_empty()
    }

    /// Whether git begins a new branch with the files as they are.
    fn begins_branch(&self) -> bool {
        matches!(self.git(), Some(("switch" | "checkout", [create, name]))
            if is_in("-c -b --create", create) && !name.starts_with('-'))
    }

    /// Whether git goes to another branch or commit, no more: a second name is a file.
    pub fn switches_branch(&self) -> bool {
        const CHANGING: &str = "-- . -f --force --discard-changes -m --merge --ours --theirs -p --patch";
        let Some(("checkout" | "switch", rest)) = self.git() else { return false };
        let is_new = rest.iter().any(|word| is_one_of(word, "-b -B -c -C --create --orphan"));
        let names = rest.iter().filter(|word| !word.starts_with('-')).count();
        (is_new || names < 2) && !rest.iter().any(|word| is_one_of(word, CHANGING))
    }

    /// It runs another program that stands somewhere among its arguments, or that is a variable (`$SUDO git commit`).
    pub fn runs_another(&self) -> bool {
        self.program().starts_with(['$', '`'])
            || is_in(RUNNERS, self.program())
            || self.words.iter().any(|word| is_in("-exec -execdir -ok -okdir", word))
    }

    /// The words that may be its program: the first alone, or all behind a program that runs another.
    pub(crate) fn programs(&self) -> &[String] {
        if self.runs_another() { &self.words } else { &self.words[..self.words.len().min(1)] }
    }

    /// The words from the first program on whose name is one of these; none if it has no such program.
    fn words_from(&self, names: &str) -> &[String] {
        let at = self.programs().iter().position(|word| is_in(names, base_name(word)));
        &self.words[at.unwrap_or(self.words.len())..]
    }

    /// It may be one of these, which the shell does itself.
    pub(crate) fn calls(&self, names: &str) -> bool {
        self.programs().iter().any(|word| is_in(names, word))
    }

    /// The script of `sh -c '..'` and of `eval '..'`. With expansions it is as it is written; what it comes to is not known.
    fn script(&self) -> Option<String> {
        let (shell, arguments) = self.words_from("sh ash bash zsh dash ksh eval").split_first()?;
        if shell == "eval" {
            return Some(arguments.join(" "));
        }
        let mut rest = arguments.iter().skip_while(|word| !is_one_of(word, "-c"));
        rest.find(|word| !word.starts_with('-')).cloned()
    }

    /// git's subcommand and what follows it, if the program is git, also behind one that runs it: `git commit -m x`.
    pub fn git(&self) -> Option<(&str, &[String])> {
        own_options(self.words_from("git"))
            .1
            .split_first()
            .map(|(subcommand, rest)| (subcommand.as_str(), rest))
    }

    /// The directory the command acts in: the one it runs in, and for git `-C`. `None` where the line does not name it, or the
    /// program runs another one and may do so elsewhere.
    pub fn acts_in(&self) -> Option<PathBuf> {
        let mut words = self.words.iter();
        if self.runs_another() && words.any(|word| is_one_of(word, "-C -D --chdir -execdir -okdir")) {
            return None;
        }
        let folders = own_options(&self.words).0.windows(2).filter(|pair| pair[0] == "-C");
        folders.fold(self.directory.clone(), |here, pair| join(here, &pair[1]))
    }

    /// An option, a setting or a variable names git's repository or work tree.
    pub fn names_repository(&self) -> bool {
        let names = ["--git-dir", "--work-tree", "core.worktree=", "git_dir=", "git_work_tree="];
        let is_one = |word: &String| names.iter().any(|name| word.to_ascii_lowercase().starts_with(name));
        // Git's own answer for its folder moves nothing.
        self.with_prefix().iter().take_while(|word| *word != "rev-parse").any(is_one)
    }
}

/// One of the options, its value attached or not, or a short one among others.
pub fn is_one_of(word: &str, options: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let mut options = options.split_ascii_whitespace();
    options.any(|option| name == option || (option.len() == 2 && letters.contains(&option[1..])))
}

/// The program, with git's own options or cargo's toolchain, and the words behind them.
pub(crate) fn own_options(words: &[String]) -> (&[String], &[String]) {
    let program = words.first().map_or("", |program| base_name(program));
    let mut count = 1;
    while let Some(option) = words.get(count) {
        count += match program {
            "git" if is_in(WITH_VALUE, option) => 2,
            "git" if option.starts_with('-') => 1,
            "cargo" if option.starts_with('+') => 1,
            _ => break,
        };
    }
    words.split_at(count.min(words.len()))
}
