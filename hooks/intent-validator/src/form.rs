//! The form of a declaration: FILE, CHANGES, GOAL, and for core code TEST. Stage 1 reads nothing else without a model. Pure.
//!
//! - `reader`: finds the forms in a message
//! - `value`: paths, placeholders and words in their lines, and the TEST line

mod reader;
mod value;

use secrets::masked;
use serde::{Deserialize, Serialize};
use transcript::{Quotable, Words};

use reader::Message;

/// The lines as Claude is shown them, after FILE. A value left like this counts as empty.
const BLANKS: [&str; 3] = ["<what you change>", "<why you change it>", "<test file or test>"];

/// An example of CHANGES and of GOAL. A value copied from it counts as empty.
pub(crate) const EXAMPLE: [&str; 2] =
    ["CHANGES: round each line to whole cents", "GOAL: invoices match the ledger"];

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Form {
    /// By [`Part`].
    parts: [Option<String>; 4],
    /// A value goes on with a line that may be another part.
    #[serde(skip)]
    has_other_labels: bool,
}

/// The facts that a form is checked against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The names that FILE may give the file, with `/`.
    pub(crate) names: Vec<String>,
    /// The file is core code, and the change is more than comments.
    pub(crate) wants_test: bool,
    pub(crate) words: Words,
    pub(crate) user: Quotable,
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
pub(crate) fn judge(heard: &Heard) -> Judgement {
    let mut texts = heard.words.before.iter().chain(&heard.words.own);
    let messages: Vec<Message> = texts.clone().map(|text| reader::read(text)).collect();
    let is_own = |form: &&Form| value::is_path_of(form.text(Part::File), &heard.names);
    let has_own = |message: &Message| message.forms.iter().any(|form| is_own(&form));
    let Some(at) = messages.iter().rposition(has_own) else {
        let is_silent = heard.words.own.is_none() || texts.all(|text| text.trim().is_empty());
        return if is_silent { SILENT } else { NO_FORM };
    };
    let is_discussed = messages[at + 1..].iter().any(|later| value::speaks_of(&later.rest, &heard.names));
    if is_discussed || messages[at].asks {
        return NO_FORM;
    }
    let rest: String = messages.iter().map(|message| message.rest.as_str()).collect();
    let own = messages[at].forms.iter().filter(is_own);
    let judged: Vec<Judgement> = own.map(|form| judge_one(form, heard, &rest)).collect();
    let declared = judged.iter().rfind(|judged| matches!(judged, Judgement::Declared(_)));
    declared.or(judged.last()).cloned().unwrap_or(NO_FORM)
}

/// Judges one form. Text beside it may say what the form leaves out. A part that is there and says nothing is a fault in any case.
pub(crate) fn judge_one(form: &Form, heard: &Heard, rest: &str) -> Judgement {
    let parts = [Part::Changes, Part::Goal].into_iter();
    let missing: Vec<Part> = parts.filter(|part| !value::says_something(form.text(*part))).collect();
    if !missing.is_empty() {
        let is_alone = rest.trim().is_empty() && !form.has_other_labels;
        let is_certain = is_alone || missing.iter().any(|part| form.has(*part));
        return Judgement::Lacks { lack: Lack::Parts(missing), is_certain };
    }
    match value::test_lack(form.text(Part::Test), heard).filter(|_| heard.wants_test) {
        None => Judgement::Declared(form.clone()),
        Some((lack, is_certain)) => {
            let is_elsewhere = !form.has(Part::Test) && (form.has_other_labels || value::may_be_test(rest));
            Judgement::Lacks { lack, is_certain: is_certain && !is_elsewhere }
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Form {
    pub(crate) fn new(parts: [Option<String>; 4]) -> Self {
        Self { parts, has_other_labels: false }
    }

    pub(crate) fn blank(file: &str, wants_test: bool) -> Self {
        let [changes, goal, test] = BLANKS.map(|blank| Some(blank.to_owned()));
        Self::new([Some(file.to_owned()), changes, goal, test.filter(|_| wants_test)])
    }

    const fn has(&self, part: Part) -> bool {
        self.parts[part as usize].is_some()
    }

    pub(crate) fn text(&self, part: Part) -> &str {
        self.parts[part as usize].as_deref().unwrap_or_default()
    }

    fn append(&mut self, part: Part, line: &str) {
        let value = self.parts[part as usize].get_or_insert_default();
        *value = if value.is_empty() { line.trim().to_owned() } else { format!("{value}\n{}", line.trim()) };
    }

    /// For the state, which is a file.
    pub(crate) fn masked(mut self) -> Self {
        for text in self.parts[1..3].iter_mut().flatten() {
            *text = masked(text).into_owned();
        }
        self
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.text(Part::File).split(", ").map(value::without_new)
    }

    /// The labels and values that are there, each value on one line.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static str, String)> {
        let values = LABELS.iter().zip(&self.parts);
        values.filter_map(|((label, _), value)| Some((*label, one_line(value.as_ref()?))))
    }

    pub(crate) fn lines(&self) -> String {
        self.values().map(|(label, value)| format!("{label}: {value}")).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests;
