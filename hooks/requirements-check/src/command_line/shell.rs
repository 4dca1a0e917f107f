//! The shell's view of the commands on one level of a line: the folder each runs in, and whether its exit status is the line's.

use std::path::{Path, PathBuf};

use super::word::spelled;
use super::{Hidden, Simple, is_in, is_plain};

const MAX_DIRECTORY_BYTES: usize = 4096;

/// One level of a line while it is read, with what its commands leave to those after them.
pub(super) struct Level {
    /// How many `case` are open.
    pub(super) cases: usize,
    /// Where its commands begin, among those found; and those behind the last `;`.
    from: usize,
    chain: usize,
    /// Why none of them decides the line's exit status.
    why: Option<Hidden>,
    /// The first one that may run never, again, or beside the rest.
    unsure: Option<usize>,
    /// The next one is fed by the one before it.
    is_piped: bool,
    state: State,
    /// What the first one of a chain left: no other is sure to have run.
    sure: Option<State>,
}

#[derive(Clone)]
struct State {
    /// As [`Simple::directory`].
    directory: Option<PathBuf>,
    pipefail: bool,
}

impl Level {
    pub(super) fn new(from: usize) -> Self {
        let state = State { directory: Some(PathBuf::new()), pipefail: false };
        Self { cases: 0, from, chain: from, why: None, unsure: None, is_piped: false, state, sure: None }
    }

    pub(super) fn construct(&mut self, at: usize) {
        self.unsure.get_or_insert(at);
        self.why = Some(Hidden::Construct);
    }

    pub(super) fn operator(&mut self, operator: &str) {
        if let "||" | "&" = operator {
            self.unsure = Some(self.from);
            let place = if operator == "&" { "beside `&`" } else { "beside `||`" };
            self.why.get_or_insert(Hidden::Lost(place));
        }
    }

    /// A simple command was read, found at `at` with those of its substitutions and its script behind it, or a subshell.
    pub(super) fn command(&mut self, at: usize, is_subshell: bool, operator: &str, found: &mut [Simple]) {
        let is_piped = matches!(operator, "|" | "|&");
        let was_piped = std::mem::replace(&mut self.is_piped, is_piped);
        if self.sure.is_none() && !was_piped {
            hide(&mut found[self.chain..at], Hidden::Lost("before `;` or a line's end"));
            self.chain = at;
        }
        run_in(&mut found[at..], self.state.directory.as_ref());
        if is_piped {
            if !self.state.pipefail {
                hide(&mut found[at..], Hidden::Lost("before a pipe"));
            }
            return;
        }
        // The parts of a pipe have shells of their own.
        if !was_piped && !is_subshell {
            self.run(&found[at]);
        }
        let sure = self.sure.take().unwrap_or_else(|| self.state.clone());
        if operator == "&&" {
            self.sure = Some(sure);
            return;
        }
        self.state.pipefail &= sure.pipefail;
        if self.state.directory != sure.directory {
            self.state.directory = None;
        }
    }

    /// Applies the effect of a command on the shell it runs in.
    fn run(&mut self, command: &Simple) {
        let Some((program, arguments)) = command.words.split_first() else { return };
        match (program.as_str(), arguments) {
            ("cd" | "pushd", [to]) if !to.starts_with('+') => {
                self.state.directory = join(self.state.directory.take(), to);
            }
            ("set", _) if arguments.iter().any(|word| word == "pipefail") => {
                self.state.pipefail = !arguments.iter().any(|word| word.starts_with('+'));
            }
            ("eval" | "exit" | "return" | "exec" | "trap", _) => {
                self.why.get_or_insert(Hidden::Lost("beside `exit`, `exec`, `eval` or `trap`"));
                if program == "eval" {
                    self.state.directory = None;
                }
            }
            _ if moves(command) => self.state.directory = None,
            _ => {}
        }
    }

    /// The level ends.
    pub(super) fn end(&self, found: &mut [Simple]) {
        for simple in &mut found[self.from..] {
            let is_argument = simple.hidden == Some(Hidden::Substitution);
            simple.hidden = simple.hidden.filter(|_| is_argument || self.why.is_none()).or(self.why);
        }
        // A `cd` among them leaves every folder unknown.
        if let Some(unsure) = self.unsure.map(|at| &mut found[at..]).filter(|found| found.iter().any(moves)) {
            lose(unsure);
        }
    }
}

/// It changes the folder of the shell it runs in; a program of that name does not.
fn moves(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|word| is_in("cd pushd popd", word))
}

/// The folders are not known.
pub(super) fn lose(commands: &mut [Simple]) {
    for simple in commands {
        simple.directory = None;
    }
}

/// The commands' exit status is hidden, if it is not already.
pub(super) fn hide(commands: &mut [Simple], why: Hidden) {
    for simple in commands {
        simple.hidden.get_or_insert(why);
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
