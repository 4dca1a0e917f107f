//! Reading what Claude says about a change: the local part of stage 1. It decides where a reader could not doubt it, and says
//! so where it cannot tell. Pure.
//!
//! - `text`: a message without fences and quoted lines; sentences and words
//! - `labels`, `values`: labelled lines, and which values say nothing
//! - `prose`, `speech`, `verbs`, `doubts`: sentences that announce a change
//! - `naming`: whether a word names the file
//! - `proof`, `quotes`, `dispensing`: the test that is named, or what the user said
//! - `message`: what one message declares for a file
//! - `vocabulary`: labels, and words that raise doubts

mod dispensing;
mod doubts;
mod labels;
mod message;
mod naming;
pub(crate) mod proof;
mod prose;
mod quotes;
mod speech;
mod text;
mod values;
mod verbs;
mod vocabulary;

use serde::{Deserialize, Serialize};

use message::{Found, Message};
use proof::Proof;

/// What is known when a change is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    /// The file, from the project's root, with `/`.
    pub(crate) file: &'a str,
    /// A test has to be named, or the user's permission quoted.
    pub(crate) wants_test: bool,
    /// The prose of the message that makes the call.
    pub(crate) own: &'a str,
    /// The prose of the messages before it since the last prompt, oldest first.
    pub(crate) before: &'a [String],
    /// The user's own last messages, oldest first.
    pub(crate) user: &'a [String],
    /// These are all there are, or as many as are read; else a quote may stand in one that could not be read.
    pub(crate) user_is_whole: bool,
}

/// What was declared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Declaration {
    /// The file, as it was named.
    pub(crate) file: String,
    /// What is changed.
    pub(crate) changes: String,
    /// To what end.
    pub(crate) goal: String,
    /// The test.
    pub(crate) test: Option<String>,
    /// What the user said that permits to go without one.
    pub(crate) user_permission: Option<String>,
}

/// What stage 1 comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// Declared.
    Yes(Declaration),
    /// Not, or not wholly: these are missing.
    No(Vec<Missing>),
    /// Declared, but for the test.
    NoTdd(TestLack),
    /// A reader is needed.
    Undecidable,
}

/// A part of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Missing {
    /// Nothing was declared at all.
    Everything,
    /// Which file.
    File,
    /// What is changed.
    Changes,
    /// To what end.
    Goal,
}

/// Why core code may not be changed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TestLack {
    /// No test is named, and no permission quoted.
    Nothing,
    /// The quote is not to be found in what the user said.
    QuoteNotFound(String),
}

/// Judges what was said about a change. Of a long message the end is read: what it declares counts, and what it lacks may
/// stand before.
pub(crate) fn judge(heard: &Heard<'_>) -> Judgement {
    let is_long = |text: &str| text.len() > text::READ;
    if !is_long(heard.own) && !heard.before.iter().any(|text| is_long(text)) {
        return judge_read(heard);
    }
    let before: Vec<String> = heard.before.iter().map(|text| text::tail(text).to_owned()).collect();
    match judge_read(&Heard { own: text::tail(heard.own), before: &before, ..*heard }) {
        declared @ Judgement::Yes(_) => declared,
        _ => Judgement::Undecidable,
    }
}

fn judge_read(heard: &Heard<'_>) -> Judgement {
    let own = Message::read(heard.own, heard.file);
    let declaring = match &own.found {
        Found::Declared(_) => Some(&own),
        _ => None,
    };
    if let Some(message) = declaring {
        return prove(message, &[], heard);
    }
    let before: Vec<Message> = heard.before.iter().map(|text| Message::read(text, heard.file)).collect();
    let nearest = before.iter().rposition(|message| !matches!(message.found, Found::Nothing));
    match nearest.map(|at| (at, &before[at].found)) {
        Some((at, Found::Declared(_))) if before[at + 1..].iter().chain([&own]).all(Message::lets_stand) => {
            let later: Vec<&Message> = before[at + 1..].iter().chain([&own]).collect();
            prove(&before[at], &later, heard)
        }
        _ => without_declaration(&own, &before, heard),
    }
}

/// No message declares this file for certain.
fn without_declaration(own: &Message, before: &[Message], heard: &Heard<'_>) -> Judgement {
    let all = || before.iter().chain([own]);
    if all().any(|message| matches!(message.found, Found::Declared(_) | Found::Unsure)) {
        return Judgement::Undecidable;
    }
    let mut lacking = all().filter_map(|message| match &message.found {
        Found::Lacks(missing) => Some(missing.clone()),
        Found::Other => Some(vec![Missing::File]),
        _ => None,
    });
    if let Some(missing) = lacking.next_back() {
        let is_alone = all().filter(|message| message.says_something()).count() <= 1;
        let is_clear = is_alone || all().all(|message| !message.hints && !message.gives_reason);
        let is_elsewhere =
            all().all(|message| matches!(message.found, Found::Other | Found::Nothing) && !message.hints);
        return if is_clear || is_elsewhere { Judgement::No(missing) } else { Judgement::Undecidable };
    }
    let is_silent = all().all(|message| !message.says_something());
    let words: usize = all().map(|message| message.words).sum();
    let is_latin = all().all(|message| message.is_latin);
    let is_brief = words <= message::BRIEF && all().all(|message| !message.gives_reason);
    let is_elsewhere =
        words <= message::UNHINTED && all().all(|message| !message.hints && !message.gives_plain_reason);
    let is_aside = words <= message::BRIEF
        && !heard_name(heard)
        && all().all(|message| !message.may_announce && (message.text_is_english() || !message.gives_reason));
    match (is_silent, is_latin && (is_brief || is_elsewhere || is_aside)) {
        (true, _) => Judgement::No(vec![Missing::Everything]),
        (_, true) if heard_name(heard) => Judgement::No(vec![Missing::Changes, Missing::Goal]),
        (_, true) => Judgement::No(vec![Missing::Everything]),
        _ => Judgement::Undecidable,
    }
}

fn heard_name(heard: &Heard<'_>) -> bool {
    heard.before.iter().map(String::as_str).chain([heard.own]).any(|text| naming::is_named(text, heard.file))
}

/// The file is declared: what of the test?
fn prove(message: &Message, later: &[&Message], heard: &Heard<'_>) -> Judgement {
    let Found::Declared(declaration) = &message.found else { return Judgement::Undecidable };
    let mut declaration = declaration.clone();
    if !heard.wants_test {
        return Judgement::Yes(declaration);
    }
    match message.proof(heard) {
        Proof::Test(test) => declaration.test = Some(test),
        Proof::Permission(quote) => declaration.user_permission = Some(quote),
        Proof::Unsure => return Judgement::Undecidable,
        Proof::Lacking(TestLack::QuoteNotFound(_)) if !heard.user_is_whole => return Judgement::Undecidable,
        Proof::Lacking(lack) => {
            let is_alone = later.iter().all(|message| !message.speaks_of_tests())
                && heard.before.iter().all(|text| message.is(text) || !quotes::speaks_of_tests(text));
            return if is_alone { Judgement::NoTdd(lack) } else { Judgement::Undecidable };
        }
    }
    Judgement::Yes(declaration)
}

/// Judges a declaration that was recorded for this file.
pub(crate) fn judge_recorded(declaration: &Declaration, heard: &Heard<'_>) -> Judgement {
    let missing: Vec<Missing> = [
        (Missing::File, !naming::value_names(&declaration.file, heard.file)),
        (Missing::Changes, values::is_empty(&declaration.changes)),
        (Missing::Goal, values::is_empty(&declaration.goal)),
    ]
    .into_iter()
    .filter_map(|(part, is_missing)| is_missing.then_some(part))
    .collect();
    if !missing.is_empty() {
        return Judgement::No(missing);
    }
    if !heard.wants_test {
        return Judgement::Yes(declaration.clone());
    }
    let test = declaration.test.as_deref();
    match proof::of_labels(test, declaration.user_permission.as_deref(), heard) {
        Proof::Lacking(TestLack::Nothing) => Judgement::NoTdd(unquoted(declaration)),
        Proof::Test(_) | Proof::Permission(_) => Judgement::Yes(declaration.clone()),
        Proof::Lacking(TestLack::QuoteNotFound(_)) if !heard.user_is_whole => Judgement::Undecidable,
        Proof::Lacking(lack) => Judgement::NoTdd(lack),
        Proof::Unsure => Judgement::Undecidable,
    }
}

/// What is recorded as a permission is a quote, with or without marks.
fn unquoted(declaration: &Declaration) -> TestLack {
    match &declaration.user_permission {
        Some(quote) if !values::is_empty(quote) => TestLack::QuoteNotFound(quote.clone()),
        _ => TestLack::Nothing,
    }
}

/// The lines that declare, as they are to be written: what [`judge`] reads for certain.
pub(crate) fn lines(declaration: &Declaration) -> String {
    let one_line = |text: &str| text.split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ");
    let mut lines = format!(
        "FILE: {}\nCHANGES: {}\nGOAL: {}",
        one_line(&declaration.file),
        one_line(&declaration.changes),
        one_line(&declaration.goal)
    );
    if let Some(test) = &declaration.test {
        lines.push_str("\nTEST: ");
        lines.push_str(&one_line(test));
    }
    if let Some(quote) = &declaration.user_permission {
        lines.push_str("\nUSER PERMISSION: ");
        lines.push_str(&in_marks(&one_line(quote)));
    }
    lines
}

fn in_marks(quote: &str) -> String {
    if quote.contains(['"', '“', '„', '«', '「']) { quote.to_owned() } else { format!("\"{quote}\"") }
}

#[cfg(test)]
mod tests;
