//! The shell's view of the commands on one level of a line: the folder each runs in, and whether its exit status is the line's.

use std::path::{Path, PathBuf};

use super::word::spelled;
use super::{Hidden, Simple, is_in, is_plain};

const MAX_DIRECTORY_BYTES: usize = 4096;

/// A simple command of the level: where it is found, with the commands of its substitutions and its script behind it. Or the
/// commands of a subshell.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) is_subshell: bool,
    /// The operator behind it.
    pub(super) operator: &'static str,
}

#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) parts: Vec<Part>,
    /// How many `case` are open.
    pub(super) cases: usize,
    /// The first command that is found.
    from: usize,
    /// The first one in or behind a construct.
    construct: Option<usize>,
    /// It has an `||` or an `&`.
    split: Option<Hidden>,
}

impl Level {
    pub(super) fn new(from: usize) -> Self {
        Self { from, ..Self::default() }
    }

    pub(super) fn construct(&mut self, at: usize) {
        self.construct.get_or_insert(at);
    }

    pub(super) fn operator(&mut self, operator: &'static str) {
        match operator {
            "||" => self.split = Some(Hidden::Or),
            "&" => self.split = Some(Hidden::Background),
            _ => {}
        }
        if let Some(last) = self.parts.last_mut().filter(|last| last.operator.is_empty()) {
            last.operator = operator;
        }
    }

    /// Finds out for each command where it runs and what hides its exit status.
    pub(super) fn judge(&self, found: &mut [Simple]) {
        hide(&mut found[self.from..], self.construct.map(|_| Hidden::Construct).or(self.split));
        let mut shell = Shell { directory: Some(PathBuf::new()), pipefail: false, left: false };
        let ends = |part: &Part| !is_pipe(part) && part.operator != "&&";
        let mut chains = self.parts.split_inclusive(ends).peekable();
        while let Some(chain) = chains.next() {
            shell.run_chain(chain, chains.peek().map(|_| Hidden::FollowedBy), found);
        }
        // Those of here-documents and of the heads of loops.
        let mut at = self.from;
        for part in &self.parts {
            found[at..part.at].iter_mut().for_each(lose);
            at = part.end;
        }
        found[at..].iter_mut().for_each(lose);
        // A `cd` that may run never, again, or beside the rest leaves every folder unknown.
        let unsure = if self.split.is_some() { Some(self.from) } else { self.construct };
        if let Some(unsure) = unsure.filter(|unsure| found[*unsure..].iter().any(moves)) {
            found[unsure..].iter_mut().for_each(lose);
        }
    }
}

/// The state that commands leave to those after them.
#[derive(Clone, Debug)]
struct Shell {
    /// As [`Simple::directory`].
    directory: Option<PathBuf>,
    pipefail: bool,
    /// The commands that follow may never run.
    left: bool,
}

impl Shell {
    fn run_chain(&mut self, chain: &[Part], why: Option<Hidden>, found: &mut [Simple]) {
        let mut first = None;
        for pipeline in chain.split_inclusive(|part| !is_pipe(part)) {
            for part in pipeline {
                let lost = (is_pipe(part) && !self.pipefail).then_some(Hidden::Pipe);
                let left = self.left.then_some(Hidden::AfterExit);
                hide(&mut found[part.at..part.end], lost.or(why).or(left));
                run_in(&mut found[part.at..part.end], self.directory.as_ref());
            }
            // The parts of a longer one have shells of their own.
            if let [part] = pipeline
                && !part.is_subshell
            {
                self.run(&found[part.at]);
            }
            first.get_or_insert_with(|| self.clone());
        }
        // Only what its first command did is sure to be done.
        let sure = first.unwrap_or_else(|| self.clone());
        self.pipefail &= sure.pipefail;
        if self.directory != sure.directory {
            self.directory = None;
        }
    }

    /// Applies the effect of a command on the shell it runs in.
    fn run(&mut self, command: &Simple) {
        let Some((program, arguments)) = command.words.split_first() else { return };
        match program.as_str() {
            "cd" | "pushd" => {
                let here = self.directory.take();
                let to = if let [to] = arguments { Some(to) } else { None };
                self.directory = to.filter(|to| !to.starts_with('+')).and_then(|to| join(here, to));
            }
            "popd" => self.directory = None,
            "set" if arguments.iter().any(|word| word == "pipefail") => {
                self.pipefail = !arguments.iter().any(|word| word.starts_with('+'));
            }
            "eval" => (self.directory, self.left) = (None, true),
            "exit" | "return" | "exec" | "trap" => self.left = true,
            _ => {}
        }
    }
}

/// It changes the folder of the shell it runs in; a program of that name does not.
fn moves(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|word| is_in("cd pushd popd", word))
}

fn is_pipe(part: &Part) -> bool {
    matches!(part.operator, "|" | "|&")
}

fn lose(simple: &mut Simple) {
    simple.directory = None;
}

/// The commands' exit status is hidden, if it is not already.
pub(super) fn hide(commands: &mut [Simple], why: Option<Hidden>) {
    for simple in commands {
        simple.hidden = simple.hidden.or(why);
    }
}

/// The commands run in that folder, or in one seen from there. `None`: where is not known.
pub(super) fn run_in(commands: &mut [Simple], folder: Option<&PathBuf>) {
    for simple in commands {
        let own = simple.directory.take();
        simple.directory = own.and_then(|own| join(folder.cloned(), &own.to_string_lossy()));
    }
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
