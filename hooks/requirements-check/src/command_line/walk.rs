//! From the tree to its simple commands: in what order they stand, where each runs, and whose exit status counts.

use std::path::{Path, PathBuf};

use super::pattern::is_same_work_tree;
use super::prefix::{self, base_name, is_runner};
use super::tree::{
    Chain, Command, Compound, Connector, Item, List, Pipeline, Redirect, RedirectKind, Script, SimpleCommand,
    Word,
};
use super::word::moved;
use super::{Directory, Hidden, Simple, is_plain};

/// How many levels of nesting one `sh -c` takes of those allowed.
const SHELL_DEPTH: usize = 3;
/// Longer directories than any file system's are not followed.
const MAX_DIRECTORY_BYTES: usize = 4096;

/// Stands for a command of which nothing may be shown.
const MASK: &str = "[masked]";

/// The simple commands of a script; `None` if a script inside it cannot be read.
pub(super) fn commands(script: &Script, depth: usize) -> Option<Vec<Simple>> {
    let mut walk = Walk { depth, ..Walk::default() };
    walk.script(script, Ok(()));
    (!walk.unreadable).then_some(walk.found)
}

/// What a construct passes on to the commands in it: whether the line can only succeed if they do.
type Decides = Result<(), Hidden>;

/// What a subshell does not give back.
#[derive(Clone, Debug, Default)]
struct Shell {
    directory: Directory,
    pipefail: bool,
    /// An `exit`, `return` or `exec` stood before: what comes now may never run.
    left: bool,
}

#[derive(Default)]
struct Walk {
    found: Vec<Simple>,
    shell: Shell,
    unreadable: bool,
    depth: usize,
}

impl Walk {
    fn script(&mut self, script: &Script, decides: Decides) {
        self.list(&script.list, decides);
        for list in &script.in_here_documents {
            self.substitution(list, decides);
        }
    }

    fn list(&mut self, list: &List, decides: Decides) {
        for (index, item) in list.0.iter().enumerate() {
            let at_end = index + 1 == list.0.len();
            if item.background {
                self.apart(|walk| walk.item(item, at_end, decides.and(Err(Hidden::Background))));
            } else {
                self.item(item, at_end, decides);
            }
        }
    }

    /// Runs `walk` as in a subshell.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = self.shell.clone();
        walk(self);
        self.shell = before;
    }

    fn item(&mut self, item: &Item, last: bool, decides: Decides) {
        let Chain { first, rest } = &item.chain;
        let or = rest.iter().any(|(connector, _)| *connector == Connector::Or);
        let decides = if or { decides.and(Err(Hidden::Or)) } else { decides };
        let mut before = self.shell.directory.clone();
        self.pipeline(first, self.place(last, decides), Connector::And);
        let after_first = self.shell.pipefail;
        for (connector, next) in rest {
            let place = self.place(last, decides);
            let here = self.shell.directory.clone();
            if *connector == Connector::Or {
                // It runs because the command before it failed, a `cd` included.
                self.shell.directory.clone_from(&before);
                self.pipeline(next, place, *connector);
                self.shell.directory = here;
            } else {
                before = here;
                self.pipeline(next, place, *connector);
            }
        }
        // Only what the first pipeline set is sure to be set after the chain.
        self.shell.pipefail &= after_first;
    }

    /// What a pipeline may decide. With `last`, nothing comes after its chain.
    fn place(&self, last: bool, decides: Decides) -> Decides {
        match (self.shell.left, last) {
            (true, _) => decides.and(Err(Hidden::AfterExit)),
            (false, true) => decides,
            (false, false) => decides.and(Err(Hidden::FollowedBy)),
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, decides: Decides, after: Connector) {
        let decides = if pipeline.negated { decides.and(Err(Hidden::Negated)) } else { decides };
        if let [command] = pipeline.commands.as_slice() {
            return self.command(command, decides, after);
        }
        let pipefail = self.shell.pipefail;
        for (index, command) in pipeline.commands.iter().enumerate() {
            let passes = pipefail || index + 1 == pipeline.commands.len();
            let decides = if passes { decides } else { decides.and(Err(Hidden::Pipe)) };
            self.apart(|walk| walk.command(command, decides, after));
        }
    }

    fn command(&mut self, command: &Command, decides: Decides, after: Connector) {
        match command {
            Command::Simple(simple) => self.simple(simple, decides, after),
            Command::Group { list, subshell, redirects } => {
                if *subshell {
                    self.apart(|walk| walk.list(list, decides));
                } else {
                    self.list(list, decides);
                }
                self.redirects(redirects, decides);
            }
            Command::Compound(compound) => self.compound(compound, decides),
        }
    }

    fn compound(&mut self, compound: &Compound, decides: Decides) {
        let before = self.shell.clone();
        self.words(&compound.words, decides);
        for list in &compound.lists {
            self.list(list, decides.and(Err(Hidden::Compound)));
        }
        self.redirects(&compound.redirects, decides.and(Err(Hidden::Compound)));
        self.shell.pipefail &= before.pipefail;
        if self.shell.directory != before.directory {
            self.shell.directory = Directory::Unknown;
        }
        if compound.function.is_some() {
            self.shell = before;
        }
    }

    /// Redirections of a whole construct, as a command without words.
    fn redirects(&mut self, redirects: &[Redirect], decides: Decides) {
        if !redirects.is_empty() {
            let nothing = Simple { directory: self.shell.directory.clone(), ..Simple::new(decides) };
            self.found.push(nothing.with_files(redirects));
            self.targets(redirects, decides);
        }
    }

    fn targets(&mut self, redirects: &[Redirect], decides: Decides) {
        for redirect in redirects {
            self.words(std::slice::from_ref(&redirect.target), decides);
        }
    }

    fn words(&mut self, words: &[Word], decides: Decides) {
        for list in words.iter().flat_map(|word| &word.substitutions) {
            self.substitution(list, decides);
        }
    }

    fn substitution(&mut self, list: &List, decides: Decides) {
        self.apart(|walk| walk.list(list, decides.and(Err(Hidden::Substitution))));
    }

    fn simple(&mut self, simple: &SimpleCommand, decides: Decides, after: Connector) {
        let stripped = prefix::strip(&simple.words);
        let words = simple.words.get(stripped.program..).unwrap_or_default();
        let is_behind = stripped.unsure || words.first().is_some_and(|program| is_runner(&program.text));
        let decides = if is_behind { decides.and(Err(Hidden::Wrapper)) } else { decides };
        let mut found = written(&simple.words, stripped.program, decides).with_files(&simple.redirects);
        found.directory = match &stripped.directory {
            Some(directory) => self.shell.directory.join(directory),
            None => self.shell.directory.clone(),
        };
        let at = self.found.len();
        self.found.push(found);
        self.words(&simple.words, decides);
        self.targets(&simple.redirects, decides);
        self.shell_builtin(words, after);
        let runs_script = self.inner_script(words, decides);
        if let Some(found) = self.found.get_mut(at) {
            found.runs_script = runs_script;
        }
    }

    /// What a command does to the shell it runs in.
    fn shell_builtin(&mut self, words: &[Word], after: Connector) {
        let Some((program, arguments)) = words.split_first() else { return };
        match program.text.as_str() {
            "cd" | "pushd" | "popd" | "chdir" => self.change_directory(&program.text, arguments),
            "set" => self.set(arguments),
            // After `||` it passes on the failure.
            "exit" | "return" | "exec" | "trap" => self.shell.left |= after != Connector::Or,
            _ => {}
        }
    }

    fn change_directory(&mut self, builtin: &str, arguments: &[Word]) {
        let mut arguments =
            arguments.iter().filter(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e" | "-q"));
        self.shell.directory = match (arguments.next(), arguments.next()) {
            (Some(to), None) if is_same_work_tree(&to.text) => return,
            (Some(to), None) if builtin != "popd" && (!to.expands || in_home(&to.text).is_some()) => {
                self.shell.directory.join(&to.text)
            }
            _ => Directory::Unknown,
        };
    }

    /// `set -o pipefail`, `set -euo pipefail`, `set +o pipefail`.
    fn set(&mut self, arguments: &[Word]) {
        for pair in arguments.windows(2) {
            if let [option, name] = pair
                && option.text.ends_with('o')
                && name.text == "pipefail"
            {
                self.shell.pipefail = option.text.starts_with('-');
            }
        }
    }

    /// The commands of `sh -c '..'` and `eval '..'`; whether they are all that it runs.
    fn inner_script(&mut self, words: &[Word], decides: Decides) -> bool {
        let Some((program, arguments)) = words.split_first() else { return false };
        match base_name(&program.text) {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => {
                let Some(script) = shell_script(arguments) else { return false };
                let before = self.shell.clone();
                self.shell = Shell { directory: before.directory.clone(), ..Shell::default() };
                let is_read = self.inner(&script.text, script.expands, decides);
                self.shell = before;
                is_read
            }
            "eval" => {
                let text: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                let expands = arguments.iter().any(|word| word.expands);
                self.inner(&text.join(" "), expands, decides)
            }
            _ => false,
        }
    }

    /// A script with expansions is looked into as it is written; what it comes to is not known.
    fn inner(&mut self, text: &str, expands: bool, decides: Decides) -> bool {
        let depth = self.depth;
        let script = depth.checked_sub(SHELL_DEPTH).map(|depth| Script::read(text, depth));
        if let Some(Ok(script)) = script {
            let decides = if expands { decides.and(Err(Hidden::Expansion)) } else { decides };
            self.depth = depth.saturating_sub(SHELL_DEPTH);
            self.script(&script, decides);
            self.depth = depth;
            return !expands;
        }
        self.unreadable |= !expands;
        false
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

fn written(words: &[Word], program: usize, decides: Result<(), Hidden>) -> Simple {
    let mut simple = Simple::new(decides);
    for (index, word) in words.iter().enumerate() {
        if !simple.text.is_empty() {
            simple.text.push(' ');
        }
        if index == program {
            simple.begins_at = simple.text.len();
        }
        simple.quoted.extend(moved(&word.quoted, simple.text.len()));
        simple.text.push_str(&word.raw);
    }
    let mut texts = words.iter().map(|word| word.text.clone());
    let arguments = words.get(program + 1..).unwrap_or_default();
    let unknown = arguments.iter().filter(|word| word.may_be_options());
    simple.unknown_options = unknown.map(|word| word.raw.clone()).collect();
    simple.prefix = texts.by_ref().take(program).collect();
    simple.words = texts.collect();
    simple
}

impl Simple {
    fn new(decides: Result<(), Hidden>) -> Self {
        Self {
            words: Vec::new(),
            prefix: Vec::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            text: String::new(),
            decides,
            directory: Directory::Start,
            unknown_options: Vec::new(),
            runs_script: false,
            begins_at: 0,
            quoted: Vec::new(),
        }
    }

    /// A command of which nothing may be shown.
    pub(super) fn hidden() -> Self {
        Self { text: MASK.to_owned(), ..Self::new(Ok(())) }
    }

    /// Nothing of it may be shown.
    pub(crate) fn is_hidden(&self) -> bool {
        self.words.is_empty() && self.text == MASK
    }

    fn with_files(mut self, redirects: &[Redirect]) -> Self {
        for Redirect { kind, target } in redirects {
            if matches!(kind, RedirectKind::Write | RedirectKind::ReadAndWrite) {
                self.writes.push(target.text.clone());
            }
            if matches!(kind, RedirectKind::Read | RedirectKind::ReadAndWrite) {
                self.reads.push(target.text.clone());
            }
        }
        self
    }
}

impl Directory {
    /// The directory `to` names from here.
    pub(super) fn join(&self, to: &str) -> Self {
        let joined = match self {
            _ if in_home(to).is_some() => return in_home(to).map_or(Self::Unknown, Self::Changed),
            _ if !is_plain(to) || to.is_empty() || to == "-" => return Self::Unknown,
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
