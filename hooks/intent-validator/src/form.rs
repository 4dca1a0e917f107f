//! The form of a declaration, and the only thing that stage 1 reads without a model: FILE, CHANGES, GOAL, and for core code TEST. Pure.
//!
//! - `reader`: finds the forms in a message; `value`: paths, placeholders and words in their lines
//! - `proof`: the TEST line, which names a test or quotes the user

mod proof;
mod reader;
mod value;

use serde::{Deserialize, Serialize};

use proof::Proof;
pub(crate) use proof::Quotable;
use reader::{Block, Message};

/// The lines as Claude is shown them, after FILE. A value left like this counts as empty.
const BLANKS: [&str; 3] = ["<what you change>", "<why you change it>", "<test file or test>"];

/// An example of CHANGES and of GOAL. A value copied from it counts as empty.
const EXAMPLE: [&str; 2] = ["round each line to whole cents", "invoices match the ledger"];

/// A declaration, as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Form {
    pub(crate) file: String,
    pub(crate) changes: String,
    pub(crate) goal: String,
    pub(crate) test: Option<String>,
}

impl Form {
    /// The paths in FILE.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.file.split(", ").map(str::trim)
    }
}

/// Everything that stage 1 looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    /// The names that FILE may give the file, with `/`: from the repository, from the project, absolute.
    pub(crate) names: &'a [String],
    /// The file is core code, and the change is more than comments.
    pub(crate) wants_test: bool,
    /// The message that makes the call.
    pub(crate) own: &'a str,
    /// The messages before it since the last prompt, oldest first.
    pub(crate) before: &'a [String],
    pub(crate) user: Quotable<'a>,
}

/// The outcome of stage 1 without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    Declared(Form),
    Lacks(Lack),
    /// There is no form for this file, or one that needs a reader.
    NoForm,
}

/// A part of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Part {
    File,
    Changes,
    Goal,
}

impl Part {
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::File => "FILE",
            Self::Changes => "CHANGES",
            Self::Goal => "GOAL",
        }
    }
}

/// The fault of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lack {
    Parts(Vec<Part>),
    Test,
    /// The user did not write this.
    Quote(String),
}

/// Judges the newest message with a form for the file.
pub(crate) fn judge(heard: &Heard<'_>) -> Judgement {
    let texts = || heard.before.iter().map(String::as_str).chain([heard.own]);
    let messages: Vec<Message> = texts().map(reader::read).collect();
    let has_form = |message: &Message| message.blocks.iter().any(|block| block.names(heard.names));
    let Some(at) = messages.iter().rposition(has_form) else { return Judgement::NoForm };
    let is_taken_up = messages[at + 1..].iter().any(|later| value::speaks_of(&later.rest, heard.names));
    if is_taken_up || messages[at].asks {
        return Judgement::NoForm;
    }
    let rest: Vec<&str> = messages.iter().map(|message| message.rest.as_str()).collect();
    let all = messages.iter().map(|message| message.blocks.len()).sum::<usize>();
    let beside = Beside { rest: &rest.concat(), is_alone: all == 1 };
    let own = messages[at].blocks.iter().filter(|block| block.names(heard.names));
    let judged: Vec<Judgement> = own.map(|block| block.judge(heard, &beside)).collect();
    let declared = judged.iter().rfind(|judged| matches!(judged, Judgement::Declared(_)));
    declared.or(judged.last()).cloned().unwrap_or(Judgement::NoForm)
}

/// Judges a form that `declare` recorded for this file.
pub(crate) fn judge_recorded(form: &Form, heard: &Heard<'_>) -> Judgement {
    Block::of(form).judge(heard, &Beside { rest: "", is_alone: true })
}

/// The text beside a form, which may say what the form leaves out.
struct Beside<'a> {
    rest: &'a str,
    /// There is no other form.
    is_alone: bool,
}

impl Beside<'_> {
    fn is_silent(&self) -> bool {
        self.is_alone && self.rest.trim().is_empty()
    }
}

impl Block {
    fn names(&self, names: &[String]) -> bool {
        value::is_path_of(&self.file, names)
    }

    /// A part that is there and says nothing is a fault. A part that is not there is one if nothing else could say it.
    fn judge(&self, heard: &Heard<'_>, beside: &Beside<'_>) -> Judgement {
        let parts = [(Part::Changes, &self.changes), (Part::Goal, &self.goal)];
        let is_empty =
            |text: &Option<String>| text.as_deref().is_none_or(|text| !value::says_something(text));
        let missing: Vec<Part> =
            parts.iter().filter(|(_, text)| is_empty(text)).map(|(part, _)| *part).collect();
        if !missing.is_empty() {
            let is_written = parts.iter().any(|(_, text)| text.is_some() && is_empty(text));
            let is_plain = is_written || (beside.is_silent() && !self.has_strange_lines);
            return if is_plain { Judgement::Lacks(Lack::Parts(missing)) } else { Judgement::NoForm };
        }
        if !heard.wants_test {
            return Judgement::Declared(self.form());
        }
        match proof::of(self.test.as_deref(), heard) {
            Proof::Given => Judgement::Declared(self.form()),
            Proof::Unclear => Judgement::NoForm,
            Proof::Lacking(_) if self.test.is_none() && self.may_be_tested(beside) => Judgement::NoForm,
            Proof::Lacking(lack) => Judgement::Lacks(lack),
        }
    }

    fn may_be_tested(&self, beside: &Beside<'_>) -> bool {
        self.has_strange_lines || !beside.is_alone || proof::may_be_in(beside.rest)
    }

    fn form(&self) -> Form {
        let line = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
        Form {
            file: one_line(&self.file),
            changes: line(&self.changes),
            goal: line(&self.goal),
            test: self.test.as_deref().map(one_line),
        }
    }

    fn of(form: &Form) -> Self {
        let Form { file, changes, goal, test } = form.clone();
        Self { file, changes: Some(changes), goal: Some(goal), test, has_strange_lines: false }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The form as it is written.
pub(crate) fn lines(form: &Form) -> String {
    let Form { file, changes, goal, test } = form;
    let test = test.as_ref().map_or_else(String::new, |test| format!("\nTEST: {test}"));
    format!("FILE: {file}\nCHANGES: {changes}\nGOAL: {goal}{test}")
}

/// The form to be filled in, for this file.
pub(crate) fn blank(file: &str, wants_test: bool) -> Form {
    let [changes, goal, test] = BLANKS.map(ToOwned::to_owned);
    Form { file: file.to_owned(), changes, goal, test: wants_test.then_some(test) }
}

/// A sentence with an example, which is no form by itself.
pub(crate) fn example() -> String {
    let [changes, goal] = EXAMPLE;
    format!("Example: \"CHANGES: {changes}\", \"GOAL: {goal}\".")
}

#[cfg(test)]
mod tests;
