//! The commands of one level of a line: where each runs, and whether its exit status is the line's.

use super::shell::{Shell, join, moves};
use super::{Hidden, Simple};

/// A simple command of the level: where it is found, with the commands of its substitutions and its script behind it. Or the
/// commands of a subshell.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) is_subshell: bool,
    pub(super) operator: &'static str,
}

#[derive(Debug)]
pub(super) struct Level {
    pub(super) parts: Vec<Part>,
    pub(super) cases: usize,
    /// For each `(` that is open, how many `case` were when it was opened.
    open: Vec<usize>,
    /// The first command that is found.
    from: usize,
    /// The first one in or behind a construct.
    construct: Option<usize>,
    has_background: bool,
}

impl Level {
    pub(super) const fn new(from: usize) -> Self {
        Self { parts: Vec::new(), cases: 0, open: Vec::new(), from, construct: None, has_background: false }
    }

    pub(super) fn construct(&mut self, at: usize) {
        self.construct.get_or_insert(at);
    }

    pub(super) fn open(&mut self, at: usize) {
        self.construct(at);
        self.open.push(self.cases);
    }

    pub(super) fn close(&mut self, at: usize) -> bool {
        let is_pattern = self.cases > self.open.last().copied().unwrap_or_default();
        let is_own = is_pattern || self.open.pop().is_some();
        if is_own {
            self.construct(at);
        }
        is_own
    }

    pub(super) const fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn operator(&mut self, operator: &'static str) {
        self.has_background |= operator == "&";
        if let Some(last) = self.parts.last_mut().filter(|last| last.operator.is_empty()) {
            last.operator = operator;
        }
    }

    /// Finds out for each command where it runs and what hides its exit status.
    pub(super) fn judge(&self, found: &mut [Simple]) {
        let mut shell = Shell::new();
        for simple in found[self.from..].iter_mut().filter(|_| self.construct.is_some()) {
            simple.hidden.get_or_insert(Hidden::Construct);
        }
        let ends = |part: &Part| !matches!(part.operator, "&&" | "||" | "|" | "|&");
        let mut chains = self.parts.split_inclusive(ends).peekable();
        while let Some(chain) = chains.next() {
            let is_last = chains.peek().is_none();
            judge_chain(chain, is_last, &mut shell, found);
        }
        self.lose_the_others(found);
        let Some(construct) = self.construct else { return };
        // It may run never or again, so a change of the folder counts for all of it. Beside one, `&` may end more than is seen here.
        let construct = if self.has_background { self.from } else { construct };
        let moves = |part: &Part| part.at >= construct && found[part.at..part.end].iter().any(moves);
        if self.parts.iter().any(moves) {
            found[construct..].iter_mut().for_each(|simple| simple.directory = None);
        }
    }

    /// The commands of here-documents and of the heads of constructs run in a folder that is not known.
    fn lose_the_others(&self, found: &mut [Simple]) {
        let mut at = self.from;
        for (begin, end) in self.parts.iter().map(|part| (part.at, part.end)).chain([(found.len(), 0)]) {
            found[at..begin].iter_mut().for_each(|simple| simple.directory = None);
            at = end;
        }
    }
}

fn judge_chain(chain: &[Part], is_last: bool, shell: &mut Shell, found: &mut [Simple]) {
    let before = shell.clone();
    let is_background = chain.last().is_some_and(|part| part.operator == "&");
    let has_or =
        chain.iter().enumerate().any(|(at, part)| part.operator == "||" && !fails(&chain[at + 1..], found));
    let why = match (has_or, is_background, is_last) {
        (true, ..) => Some(Hidden::Or),
        (_, true, _) => Some(Hidden::Background),
        (.., false) => Some(Hidden::FollowedBy),
        _ => None,
    };
    let mut first = None;
    for pipeline in chain.split_inclusive(|part| !matches!(part.operator, "|" | "|&")) {
        for (number, part) in pipeline.iter().enumerate() {
            let is_piped = number + 1 < pipeline.len() && !shell.pipefail;
            let left = shell.left.then_some(Hidden::AfterExit);
            let why = is_piped.then_some(Hidden::Pipe).or(why).or(left);
            for simple in &mut found[part.at..part.end] {
                simple.hidden = simple.hidden.or(why);
                let own = simple.directory.take();
                simple.directory = own.and_then(|own| join(shell.directory.clone(), &own.to_string_lossy()));
            }
        }
        // The parts of a longer one have shells of their own.
        if let [part] = pipeline
            && !part.is_subshell
        {
            shell.run(&found[part.at..part.end]);
        }
        if has_or && shell.directory != before.directory {
            shell.directory = None;
        }
        first.get_or_insert_with(|| shell.clone());
    }
    // Only what the first pipeline did is sure to be done.
    if is_background {
        *shell = before;
    } else if let Some(first) = first {
        shell.pipefail &= first.pipefail;
        shell.directory =
            shell.directory.take().filter(|directory| Some(directory) == first.directory.as_ref());
    }
}

/// `exit 1` behind `||`: the line goes on only where everything before it went well.
fn fails(rest: &[Part], found: &[Simple]) -> bool {
    let [part @ Part { is_subshell: false, .. }] = rest else { return false };
    matches!(found[part.at].words.as_slice(), [exit, status] if exit == "exit" && matches!(status.as_bytes(), [b'1'..=b'9']))
}
