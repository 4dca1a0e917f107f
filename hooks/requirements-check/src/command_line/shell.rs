//! The shell's view of the commands on one level of a line: the folder each runs in, and whether its exit status is the line's.

use std::path::{Path, PathBuf};

use super::reader::spelled;
use super::{CONSTRUCT, SUBSTITUTION, Simple, is_plain};

/// What may change the folder of the shell it runs in; a program of that name does not.
const MOVING: &str = "cd pushd popd eval";

/// One level of a line while it is read, with what its commands leave to those after them.
#[derive(Default)]
pub(super) struct Level {
    /// How many `case` are open.
    pub(super) cases: usize,
    /// Where its commands begin among those found, and where the last chain of `&&` does.
    from: usize,
    chain: usize,
    /// Why none of them decides the line's exit status.
    why: Option<&'static str>,
    /// The first one that may run never, again, or beside the rest.
    unsure: Option<usize>,
    /// The operator behind the last one.
    before: &'static str,
    /// As [`Simple::directory`].
    directory: Option<PathBuf>,
    pipefail: bool,
}

impl Level {
    pub(super) fn new(from: usize) -> Self {
        Self { from, chain: from, directory: Some(PathBuf::new()), ..Self::default() }
    }

    pub(super) fn construct(&mut self, at: usize) {
        self.unsure.get_or_insert(at);
        self.why = Some(CONSTRUCT);
        self.before = "";
    }

    pub(super) fn operator(&mut self, operator: &str) {
        if let "||" | "&" = operator {
            self.unsure = Some(self.from);
            self.why.get_or_insert(if operator == "&" { "beside `&`" } else { "beside `||`" });
        }
    }

    /// A simple command was read, found at `at` with those of its substitutions and its script behind it, or a subshell.
    pub(super) fn command(&mut self, at: usize, operator: &'static str, found: &mut [Simple]) {
        let is_pipe = |operator| matches!(operator, "|" | "|&");
        let before = std::mem::replace(&mut self.before, operator);
        if before != "&&" && !is_pipe(before) {
            // Of the chain before only the first is sure to have run.
            let mut unsure = found[self.chain..at].iter().skip(1).filter(|one| one.hidden.is_none());
            self.pipefail &= !unsure.clone().any(|one| one.calls("set"));
            self.directory.take_if(|_| unsure.any(|one| one.calls(MOVING)));
            self.chain = at;
        }
        run_in(&mut found[at..], self.directory.as_ref());
        if is_pipe(operator) && !self.pipefail {
            hide(&mut found[at..], "before a pipe");
        }
        // A subshell and the parts of a pipe have shells of their own.
        let own = found.get(at).filter(|_| !is_pipe(before) && !is_pipe(operator));
        if let Some(command) = own.filter(|one| one.hidden.is_none() || one.runs_another()) {
            self.run(command);
        }
    }

    /// Applies the effect of a command on the shell it runs in.
    fn run(&mut self, command: &Simple) {
        match &command.words[..] {
            [program, to] if program == "cd" => self.directory = join(self.directory.take(), to),
            [program, options @ ..] if program == "set" && options.iter().any(|word| word == "pipefail") => {
                self.pipefail = !options.iter().any(|word| word.starts_with('+'));
            }
            _ if command.calls(MOVING) => self.directory = None,
            _ => {}
        }
        if command.calls("eval exit return exec trap") {
            self.why.get_or_insert("beside `exit`, `exec`, `eval` or `trap`");
        }
    }

    /// The level ends.
    pub(super) fn end(&self, found: &mut [Simple]) {
        hide(&mut found[self.from..self.chain], "before `;` or a line's end");
        for simple in &mut found[self.from..] {
            if simple.hidden != Some(SUBSTITUTION) {
                simple.hidden = self.why.or(simple.hidden);
            }
        }
        // A `cd` among them leaves every folder unknown.
        let unsure = self.unsure.map_or(&mut [][..], |at| &mut found[at..]);
        if unsure.iter().any(|one| one.calls(MOVING)) {
            unsure.iter_mut().for_each(|one| one.directory = None);
        }
    }
}

/// The commands' exit status is hidden, if it is not already.
pub(super) fn hide(commands: &mut [Simple], why: &'static str) {
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
    let is_known = to != "-" && is_plain(in_home.unwrap_or(&to));
    let is_whole = in_home.is_some() || Path::new(&to).is_absolute();
    let here = if is_whole { Some(PathBuf::new()) } else { here };
    here.filter(|_| is_known).map(|here| here.join(to).components().collect())
}
