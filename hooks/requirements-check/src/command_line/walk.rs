//! From the tree to its simple commands: in what order they stand, where each runs, and whose exit status counts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::prefix::{self, base_name};
use super::shell::{replaces_programs, shell_script};
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

/// The simple commands of a script; `None` if a script inside it cannot be read.
pub(super) fn commands(script: &Script, depth: usize) -> Option<Vec<Simple>> {
    let mut walk = Walk { depth, ..Walk::default() };
    walk.script(script, Position { decides: Ok(()), errexit: true, by_errexit: false });
    if walk.unreadable {
        return None;
    }
    if walk.traps {
        walk.found.iter_mut().for_each(|simple| simple.hide(Hidden::Trap));
    }
    for simple in &mut walk.found {
        if simple.words.first().is_some_and(|program| walk.functions.contains(program)) {
            simple.hide(Hidden::Compound);
        }
    }
    Some(walk.found)
}

/// What a construct passes on to the commands in it.
#[derive(Clone, Copy)]
struct Position {
    decides: Result<(), Hidden>,
    /// `set -e` counts here; not in a condition or on the left of `&&`.
    errexit: bool,
    /// It decides because `set -e` is in force, which commands of the same shell may end.
    by_errexit: bool,
}

impl Position {
    fn hidden(self, why: Hidden) -> Self {
        Self { decides: self.decides.and(Err(why)), ..self }
    }

    /// In a construct of the same shell, where `set -e` may count no more: it is taken not to.
    fn inside(self) -> Self {
        let inside = if self.by_errexit { self.hidden(Hidden::FollowedBy) } else { self };
        Self { errexit: false, by_errexit: false, ..inside }
    }

    /// In a script that another process runs.
    fn in_process(self) -> Self {
        Self { errexit: true, by_errexit: false, ..self }
    }
}

/// What a subshell does not give back.
#[derive(Clone, Debug, Default)]
struct Shell {
    directory: Directory,
    options: Options,
    /// An `exit`, `return` or `exec` stood before: what comes now may never run.
    left: bool,
    /// `set -n` stood before: what comes now is only read.
    only_reads: bool,
    /// `PATH` was set or the like: other programs than those named may run.
    replaced: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Options {
    pipefail: bool,
    errexit: bool,
}

impl Options {
    fn and(self, other: Self) -> Self {
        Self { pipefail: self.pipefail && other.pipefail, errexit: self.errexit && other.errexit }
    }
}

#[derive(Default)]
struct Walk {
    found: Vec<Simple>,
    shell: Shell,
    functions: BTreeSet<String>,
    traps: bool,
    unreadable: bool,
    depth: usize,
}

impl Walk {
    fn script(&mut self, script: &Script, position: Position) {
        self.list(&script.list, position);
        for list in &script.in_here_documents {
            self.substitution(list, position);
        }
    }

    fn list(&mut self, list: &List, position: Position) {
        for (index, item) in list.0.iter().enumerate() {
            let at_end = index + 1 == list.0.len();
            if item.background {
                self.apart(|walk| walk.item(item, at_end, position.hidden(Hidden::Background)));
            } else {
                self.item(item, at_end, position);
            }
        }
    }

    /// Runs `walk` as in a subshell.
    fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = self.shell.clone();
        walk(self);
        self.shell = before;
    }

    fn item(&mut self, item: &Item, last: bool, position: Position) {
        let Chain { first, rest } = &item.chain;
        let or = rest.iter().any(|(connector, _)| *connector == Connector::Or);
        let position = if or { position.hidden(Hidden::Or) } else { position };
        let mut before = self.shell.directory.clone();
        self.pipeline(first, self.place(last, rest.is_empty(), position), Connector::And);
        let after_first = self.shell.options;
        for (connector, next) in rest {
            let place = self.place(last, false, position);
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
        self.shell.options = self.shell.options.and(after_first);
    }

    /// What a pipeline may decide. With `last`, nothing comes after its chain; one that is `alone` in its chain is what
    /// `set -e` looks at: in a longer one a failure before the end is passed over, and what follows it never runs.
    fn place(&self, last: bool, alone: bool, position: Position) -> Position {
        if self.shell.only_reads {
            position.hidden(Hidden::NoExec)
        } else if self.shell.left {
            position.hidden(Hidden::AfterExit)
        } else if last {
            position
        } else if self.shell.options.errexit && position.errexit && alone {
            Position { by_errexit: true, ..position }
        } else {
            position.hidden(Hidden::FollowedBy)
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, position: Position, after: Connector) {
        let position = if pipeline.negated { position.hidden(Hidden::Negated) } else { position };
        if let [command] = pipeline.commands.as_slice() {
            return self.command(command, position, after);
        }
        let pipefail = self.shell.options.pipefail;
        for (index, command) in pipeline.commands.iter().enumerate() {
            let passes = pipefail || index + 1 == pipeline.commands.len();
            let position = if passes { position } else { position.hidden(Hidden::Pipe) };
            self.apart(|walk| walk.command(command, position, after));
        }
    }

    fn command(&mut self, command: &Command, position: Position, after: Connector) {
        match command {
            Command::Simple(simple) => self.simple(simple, position, after),
            Command::Group { list, subshell, redirects } => {
                let inside = position.inside();
                if *subshell {
                    self.apart(|walk| walk.list(list, inside));
                } else {
                    self.list(list, inside);
                }
                self.redirects(redirects, position);
            }
            Command::Compound(compound) => self.compound(compound, position),
        }
    }

    fn compound(&mut self, compound: &Compound, position: Position) {
        let inside = position.inside().hidden(Hidden::Compound);
        let before = self.shell.clone();
        self.words(&compound.words, position);
        for list in &compound.lists {
            self.list(list, inside);
        }
        self.redirects(&compound.redirects, inside);
        self.functions.extend(compound.function.clone());
        self.shell.options = self.shell.options.and(before.options);
        if self.shell.directory != before.directory {
            self.shell.directory = Directory::Unknown;
        }
        if compound.function.is_some() {
            self.shell = before;
        }
    }

    /// Redirections of a whole construct, as a command without words.
    fn redirects(&mut self, redirects: &[Redirect], position: Position) {
        if !redirects.is_empty() {
            let nothing = Simple { directory: self.shell.directory.clone(), ..Simple::new(position.decides) };
            self.found.push(nothing.with_files(redirects));
            self.targets(redirects, position);
        }
    }

    fn targets(&mut self, redirects: &[Redirect], position: Position) {
        for redirect in redirects {
            self.words(std::slice::from_ref(&redirect.target), position);
        }
    }

    fn words(&mut self, words: &[Word], position: Position) {
        for list in words.iter().flat_map(|word| &word.substitutions) {
            self.substitution(list, position);
        }
    }

    fn substitution(&mut self, list: &List, position: Position) {
        let inside = position.inside().hidden(Hidden::Substitution);
        self.apart(|walk| walk.list(list, inside));
    }

    fn simple(&mut self, simple: &SimpleCommand, position: Position, after: Connector) {
        let stripped = prefix::strip(&simple.words);
        let position = match &stripped {
            stripped if stripped.repeated => position.hidden(Hidden::Compound),
            stripped if stripped.detached => position.hidden(Hidden::Background),
            stripped if stripped.unsure => position.hidden(Hidden::Wrapper),
            _ => position,
        };
        let replaces = simple.words.iter().take(stripped.program).any(replaces_programs);
        let is_replaced = self.shell.replaced || replaces;
        let position = if is_replaced { position.hidden(Hidden::Replaced) } else { position };
        let mut found =
            written(&simple.words, stripped.program, position.decides).with_files(&simple.redirects);
        found.directory = match &stripped.directory {
            Some(directory) => self.shell.directory.join(directory),
            None => self.shell.directory.clone(),
        };
        let words = simple.words.get(stripped.program..).unwrap_or_default();
        let at = self.found.len();
        self.found.push(found);
        self.words(&simple.words, position);
        self.targets(&simple.redirects, position);
        self.shell_builtin(words, after);
        self.shell.replaced |= replaces && words.is_empty();
        self.shell.left |= stripped.replaces;
        let runs_script = self.inner_script(words, position);
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
            "exit" | "return" | "logout" => self.shell.left |= may_succeed(arguments, after),
            "trap" => self.traps = true,
            "alias" => self.shell.replaced |= !arguments.is_empty(),
            "hash" => self.shell.replaced |= arguments.iter().any(|word| word.text.starts_with("-p")),
            "export" | "declare" | "typeset" | "readonly" => {
                self.shell.replaced |= arguments.iter().any(replaces_programs);
            }
            _ => {}
        }
    }

    fn change_directory(&mut self, builtin: &str, arguments: &[Word]) {
        let mut arguments =
            arguments.iter().filter(|word| !matches!(word.text.as_str(), "-P" | "-L" | "--" | "-e" | "-q"));
        self.shell.directory = match (arguments.next(), arguments.next()) {
            (Some(to), None) if builtin != "popd" => {
                if to.expands {
                    Directory::Unknown
                } else {
                    self.shell.directory.join(&to.text)
                }
            }
            _ => Directory::Unknown,
        };
    }

    fn set(&mut self, arguments: &[Word]) {
        let mut words = arguments.iter().map(|word| word.text.as_str());
        while let Some(word) = words.next() {
            let Some((sign, letters)) =
                word.split_at_checked(1).filter(|(sign, _)| matches!(*sign, "-" | "+"))
            else {
                break;
            };
            // What follows are positional arguments.
            if matches!(letters, "" | "-") {
                break;
            }
            let on = sign == "-";
            if letters.contains('n') {
                self.shell.only_reads = on;
            }
            if letters.contains('e') {
                self.shell.options.errexit = on;
            }
            if letters.ends_with('o') {
                self.option(words.next().unwrap_or_default(), on);
            }
        }
    }

    fn option(&mut self, name: &str, on: bool) {
        match name {
            "pipefail" => self.shell.options.pipefail = on,
            "errexit" => self.shell.options.errexit = on,
            "noexec" => self.shell.only_reads = on,
            _ => {}
        }
    }

    /// The commands of `sh -c '..'` and `eval '..'`; whether they are all that it runs.
    fn inner_script(&mut self, words: &[Word], position: Position) -> bool {
        let Some((program, arguments)) = words.split_first() else { return false };
        match base_name(&program.text) {
            "sh" | "bash" | "zsh" | "dash" | "ksh" => {
                let Some((script, runs)) = shell_script(arguments) else { return false };
                let position = if runs { position } else { position.hidden(Hidden::NoExec) };
                let before = self.shell.clone();
                let Shell { directory, replaced, .. } = before.clone();
                self.shell = Shell { directory, replaced, ..Shell::default() };
                let is_read = self.inner(&script.text, script.expands, position.in_process());
                self.shell = before;
                is_read
            }
            "eval" => {
                let text: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                let expands = arguments.iter().any(|word| word.expands);
                self.inner(&text.join(" "), expands, position.inside())
            }
            _ => false,
        }
    }

    /// A script with expansions is looked into as it is written; what it comes to is not known.
    fn inner(&mut self, text: &str, expands: bool, position: Position) -> bool {
        let depth = self.depth;
        let script = depth.checked_sub(SHELL_DEPTH).map(|depth| Script::read(text, depth));
        if let Some(Ok(script)) = script {
            let position = if expands { position.hidden(Hidden::Expansion) } else { position };
            self.depth = depth.saturating_sub(SHELL_DEPTH);
            self.script(&script, position);
            self.depth = depth;
            return !expands;
        }
        self.unreadable |= !expands;
        false
    }
}

/// Whether an `exit` may end the line well though nothing before it did.
fn may_succeed(arguments: &[Word], after: Connector) -> bool {
    match arguments.first().map(|status| status.text.as_str()) {
        // After `||` it passes on the failure.
        None => after != Connector::Or,
        Some(status) => !status.parse::<u8>().is_ok_and(|status| status > 0),
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

    fn hide(&mut self, why: Hidden) {
        self.decides = self.decides.and(Err(why));
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
            _ if !is_plain(to) || to.is_empty() || to == "-" => return Self::Unknown,
            _ if Path::new(to).is_absolute() => PathBuf::from(to),
            Self::Unknown => return Self::Unknown,
            Self::Start => PathBuf::from(to),
            Self::Changed(here) => here.join(to),
        };
        if joined.as_os_str().len() > MAX_DIRECTORY_BYTES { Self::Unknown } else { Self::Changed(joined) }
    }
}
