//! The form of a declaration: FILE, CHANGES, GOAL, and for core code TEST. Stage 1 reads nothing else without a model. Pure.
//!
//! - `reader`: finds the forms in a message
//! - `value`: paths, placeholders and words in their lines, and the TEST line

mod reader;
mod value;

use serde::{Deserialize, Serialize};
use transcript::{Quotable, Words};

use reader::{Block, Message};

/// The lines as Claude is shown them, after FILE. A value left like this counts as empty.
const BLANKS: [&str; 3] = ["<what you change>", "<why you change it>", "<test file or test>"];

/// An example of CHANGES and of GOAL. A value copied from it counts as empty.
pub(crate) const EXAMPLE: [&str; 2] =
    ["CHANGES: round each line to whole cents", "GOAL: invoices match the ledger"];

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Form {
    pub(crate) file: String,
    pub(crate) changes: String,
    pub(crate) goal: String,
    pub(crate) test: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    /// The names that FILE may give the file, with `/`: from the repository, from the project, absolute.
    pub(crate) names: &'a [String],
    /// The file is core code, and the change is more than comments.
    pub(crate) wants_test: bool,
    pub(crate) words: &'a Words,
    pub(crate) user: &'a Quotable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    Declared(Form),
    Lacks {
        lack: Lack,
        /// Nothing beside the form could say what it lacks.
        is_certain: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Part {
    File,
    Changes,
    Goal,
    Test,
}

const LABELS: [(&str, Part); 4] =
    [("FILE", Part::File), ("CHANGES", Part::Changes), ("GOAL", Part::Goal), ("TEST", Part::Test)];

impl Part {
    pub(crate) const fn label(self) -> &'static str {
        LABELS[self as usize].0
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Lack {
    Form,
    Parts(Vec<Part>),
    Test,
    /// The user did not write this.
    Quote(String),
}

/// Prose may declare the change all the same.
const NO_FORM: Judgement = Judgement::Lacks { lack: Lack::Form, is_certain: false };

/// Claude wrote nothing, or the transcript does not show it yet.
pub(crate) const SILENT: Judgement = Judgement::Lacks { lack: Lack::Form, is_certain: true };

impl Default for Judgement {
    fn default() -> Self {
        SILENT
    }
}

/// Judges the newest message with a form for the file.
pub(crate) fn judge(heard: &Heard<'_>) -> Judgement {
    let texts = heard.words.before.iter().chain(&heard.words.own);
    let messages: Vec<Message> = texts.map(|text| reader::read(text)).collect();
    let is_own = |block: &&Block| value::is_path_of(block.text(Part::File), heard.names);
    let Some(at) = messages.iter().rposition(|message| message.blocks.iter().any(|block| is_own(&block)))
    else {
        return NO_FORM;
    };
    let is_discussed = messages[at + 1..].iter().any(|later| value::speaks_of(&later.rest, heard.names));
    if is_discussed || messages[at].asks {
        return NO_FORM;
    }
    let rest: String = messages.iter().map(|message| message.rest.as_str()).collect();
    let own = messages[at].blocks.iter().filter(is_own);
    let judged: Vec<Judgement> = own.map(|block| judge_block(block, heard, &rest)).collect();
    let declared = judged.iter().rfind(|judged| matches!(judged, Judgement::Declared(_)));
    declared.or(judged.last()).cloned().unwrap_or(NO_FORM)
}

/// Judges a form that `declare` recorded for this file.
pub(crate) fn judge_recorded(form: &Form, heard: &Heard<'_>) -> Judgement {
    let Form { file, changes, goal, test } = form.clone();
    judge_block(
        &Block { parts: [Some(file), Some(changes), Some(goal), test], has_other_labels: false },
        heard,
        "",
    )
}

/// Text beside the form may say what the form leaves out. A part that is there and says nothing is a fault in any case.
fn judge_block(block: &Block, heard: &Heard<'_>, rest: &str) -> Judgement {
    let parts = [Part::Changes, Part::Goal].into_iter();
    let missing: Vec<Part> = parts.filter(|part| !value::says_something(block.text(*part))).collect();
    if !missing.is_empty() {
        let is_alone = rest.trim().is_empty() && !block.has_other_labels;
        let is_certain = is_alone || missing.iter().any(|part| block.has(*part));
        return Judgement::Lacks { lack: Lack::Parts(missing), is_certain };
    }
    match value::test_lack(block.text(Part::Test), heard).filter(|_| heard.wants_test) {
        None => Judgement::Declared(block.form()),
        Some((lack, is_certain)) => {
            let is_elsewhere = !block.has(Part::Test) && (block.has_other_labels || value::may_be_test(rest));
            Judgement::Lacks { lack, is_certain: is_certain && !is_elsewhere }
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Form {
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.file.split(", ").map(str::trim)
    }

    pub(crate) fn blank(file: &str, wants_test: bool) -> Self {
        let [changes, goal, test] = BLANKS.map(ToOwned::to_owned);
        Self { file: file.to_owned(), changes, goal, test: wants_test.then_some(test) }
    }

    pub(crate) fn lines(&self) -> String {
        let Self { file, changes, goal, test } = self;
        let test = test.as_ref().map_or_else(String::new, |test| format!("\nTEST: {test}"));
        format!("FILE: {file}\nCHANGES: {changes}\nGOAL: {goal}{test}")
    }
}

#[cfg(test)]
mod tests;
