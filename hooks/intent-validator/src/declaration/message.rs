//! What one message declares for a file.

use super::labels::{self, Block};
use super::naming::{self, Listed};
use super::proof::{self, Proof};
use super::prose::{self, Said};
use super::text::{self, has_any};
use super::{Declaration, Heard, Missing, TestLack, quotes, speech, values, vocabulary};

/// A text of so few words without a reason holds no declaration.
pub(super) const BRIEF: usize = 10;

/// Nor does one of so few words in which nothing reminds of the file.
pub(super) const UNHINTED: usize = 25;

/// What a message is to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// It declares a change of it.
    Declared(Declaration),
    /// It declares one, but not wholly.
    Lacks(Vec<Missing>),
    /// It declares other files.
    Other,
    /// It does not speak of it.
    Nothing,
    /// A reader is needed.
    Unsure,
}

/// A message that was read for a file.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own about the text")]
pub(super) struct Message {
    pub(super) found: Found,
    /// Something in it reminds of the file.
    pub(super) hints: bool,
    /// There may be a reason in it.
    pub(super) gives_reason: bool,
    /// The same, where nothing reminds of the file.
    pub(super) gives_plain_reason: bool,
    /// A change may be announced in it.
    pub(super) may_announce: bool,
    pub(super) is_latin: bool,
    pub(super) words: usize,
    text: String,
    rest: String,
    quoted: Vec<String>,
}

impl Message {
    pub(super) fn read(text: &str, file: &str) -> Self {
        let parts = text::take_apart(text);
        let mut labelled = labels::read(&parts.prose, file);
        if labelled.blocks.is_empty() {
            labelled.blocks = fenced(&parts.fences, &labelled.rest, file);
        }
        let words = text::words(text);
        let is_shown = labelled.blocks.is_empty() && parts.fences.iter().any(|fence| declares(fence, file));
        let found = match found(&labelled.blocks, &labelled.rest, file, parts.fences.is_empty()) {
            Found::Nothing | Found::Lacks(_) if is_shown => Found::Unsure,
            found => found,
        };
        Self {
            found,
            hints: naming::hints(text, file),
            gives_reason: speech::gives_reason(&words),
            gives_plain_reason: speech::gives_plain_reason(&words),
            may_announce: words
                .iter()
                .any(|word| speech::is_first_person(word) || speech::kind_of(word).is_some()),
            is_latin: text::is_latin(text),
            words: words.len(),
            text: text.to_owned(),
            rest: labelled.rest,
            quoted: parts.quoted,
        }
    }

    pub(super) fn says_something(&self) -> bool {
        self.words > 0
    }

    /// Its reason, if it gives one, is given in English.
    pub(super) fn text_is_english(&self) -> bool {
        has_any(&text::words(&self.text), &["so", "because", "since"])
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(super) fn speaks_of_tests(&self) -> bool {
        quotes::speaks_of_tests(&self.text)
    }

    /// Whether a declaration before this message still stands behind it.
    pub(super) fn lets_stand(&self) -> bool {
        let words = text::words(&self.text);
        let is_taken_back = self.text.contains('?')
            || is_unsettled(&words)
            || has_any(&words, vocabulary::TURNS_AWAY)
            || (has_any(&words, &["next"]) && !has_any(&words, &["same edit", "same change"]))
            || words.iter().any(|word| word.ends_with("n't"));
        match self.found {
            Found::Nothing => !is_taken_back && !announces_more(&words),
            Found::Unsure => !is_taken_back && self.words <= BRIEF,
            _ => false,
        }
    }

    /// The test that is named beside the declaration, or the permission.
    pub(super) fn proof(&self, heard: &Heard<'_>) -> Proof {
        let Found::Declared(declaration) = &self.found else { return Proof::Unsure };
        let (test, permission) = (declaration.test.as_deref(), declaration.user_permission.as_deref());
        if permission.is_some_and(str::is_empty) && !self.quoted.is_empty() {
            return proof::of_permission("", &self.quoted, heard);
        }
        let labelled = proof::of_labels(test, permission, heard);
        if !matches!(labelled, Proof::Lacking(_)) {
            return labelled;
        }
        match proof::of_prose(&self.rest, &self.quoted, heard) {
            Proof::Lacking(TestLack::Nothing) => labelled,
            found if test.is_none() && permission.is_none() => found,
            Proof::Test(_) | Proof::Permission(_) | Proof::Unsure => Proof::Unsure,
            Proof::Lacking(_) => labelled,
        }
    }
}

/// Whether words leave open that what is declared is done now.
fn is_unsettled(words: &[String]) -> bool {
    has_any(words, vocabulary::TAKES_BACK) || has_any(words, vocabulary::UNSETTLED)
}

/// Whether something is announced beyond "the edit" and its test.
fn announces_more(words: &[String]) -> bool {
    let is_more = |word: &String| {
        let is_test = ["test", "tests", "first", "red", "green", "failing"].contains(&word.as_str());
        !is_test && !super::doubts::STOP.contains(&word.as_str()) && !speech::is_adverb(word)
    };
    speech::opening(words).is_some_and(|(_, end, ..)| words[end..].iter().skip(1).any(is_more))
}

/// Whether a text asks somebody something.
fn asks(text: &str) -> bool {
    const ADDRESSES: &[&str] =
        &["you", "we", "should", "shall", "ok", "okay", "or", "agree", "agreed", "alright", "which"];
    text::sentences(text)
        .iter()
        .any(|sentence| sentence.ends_with('?') && has_any(&text::words(sentence), ADDRESSES))
}

/// A fence that holds a whole declaration, where it is all there is: words beside it may say that it is an example.
fn fenced(fences: &[String], rest: &str, file: &str) -> Vec<Block> {
    let [fence] = fences else { return Vec::new() };
    let labelled = labels::read(fence, file);
    let is_all = labelled.rest.trim().is_empty() && labelled.blocks.iter().all(Block::is_whole);
    if is_all && text::words(rest).is_empty() { labelled.blocks } else { Vec::new() }
}

/// A fence holds labelled lines.
fn declares(fence: &str, file: &str) -> bool {
    !labels::read(fence, file).blocks.is_empty()
}

fn found(blocks: &[Block], rest: &str, file: &str, is_unfenced: bool) -> Found {
    let named = |block: &Block| block.file.clone().filter(|value| value == file || !values::is_empty(value));
    let by_label = |block: &Block| named(block).map(|value| naming::listed(&value, file));
    let ours = blocks.iter().find(|block| by_label(block) == Some(Listed::Ours));
    if let Some(block) = ours {
        return in_block(block, blocks, rest);
    }
    if blocks.is_empty() {
        return in_prose(rest, file, None, is_unfenced);
    }
    if blocks.iter().any(|block| by_label(block) == Some(Listed::Unsure)) {
        return Found::Unsure;
    }
    if blocks.iter().any(|block| by_label(block) == Some(Listed::Other)) {
        return beside_others(blocks, rest, file);
    }
    unnamed(blocks, rest, file)
}

/// Labels declare other files: is this one spoken of beside them?
fn beside_others(blocks: &[Block], rest: &str, file: &str) -> Found {
    let values = blocks.iter().flat_map(|block| [&block.changes, &block.goal, &block.test]).flatten();
    let is_named =
        naming::is_named(rest, file) || values.into_iter().any(|value| naming::is_named(value, file));
    if is_named { Found::Unsure } else { Found::Other }
}

/// Labels without a file.
fn unnamed(blocks: &[Block], rest: &str, file: &str) -> Found {
    let first = &blocks[0];
    let goal = first.goal.as_deref().filter(|goal| !values::is_empty(goal));
    let said = in_prose(rest, file, goal.filter(|_| blocks.len() == 1 && first.changes.is_none()), true);
    match said {
        Found::Declared(mut declaration) if !first.is_doubtful && blocks.len() == 1 => {
            declaration.test.clone_from(&first.test);
            declaration.user_permission.clone_from(&first.permission);
            Found::Declared(declaration)
        }
        Found::Nothing if first.changes.is_some() || first.goal.is_some() => without_file(first, rest, file),
        Found::Nothing => Found::Nothing,
        _ => Found::Unsure,
    }
}

fn without_file(block: &Block, rest: &str, file: &str) -> Found {
    let values = [&block.changes, &block.goal, &block.test].into_iter().flatten();
    let is_named = values.into_iter().any(|value| naming::is_named(value, file)) || naming::hints(rest, file);
    if is_named {
        return Found::Unsure;
    }
    let mut missing = vec![Missing::File];
    missing.extend(lacking(block).into_iter().filter(|part| *part != Missing::File));
    Found::Lacks(missing)
}

/// The parts that are missing or say nothing.
fn lacking(block: &Block) -> Vec<Missing> {
    let parts =
        [(Missing::File, &block.file), (Missing::Changes, &block.changes), (Missing::Goal, &block.goal)];
    let is_missing = |value: &Option<String>| value.as_deref().is_none_or(values::is_empty);
    parts.into_iter().filter(|(_, value)| is_missing(value)).map(|(part, _)| part).collect()
}

/// A block names the file.
fn in_block(block: &Block, blocks: &[Block], rest: &str) -> Found {
    let rest_words = text::words(rest);
    let is_over = has_any(&rest_words, &["that was", "this was", "that's for", "this is for"]);
    if block.is_doubtful || is_over || is_unsettled(&rest_words) || asks(rest) {
        return Found::Unsure;
    }
    let missing = lacking(block);
    if missing.is_empty() {
        return Found::Declared(declaration(block, None));
    }
    let changes = text::words(block.changes.as_deref().unwrap_or_default());
    let reason = speech::Tongue::English
        .reasons(&changes, 1)
        .into_iter()
        .find(|(at, len)| *at >= 2 && changes.len() > at + len + 2);
    if let (Some((at, _)), [Missing::Goal]) = (reason, missing.as_slice()) {
        let is_clear = ["so", "because", "in"].contains(&changes[at].as_str());
        return if is_clear {
            Found::Declared(declaration(block, Some(changes[at..].join(" "))))
        } else {
            Found::Unsure
        };
    }
    if let (true, [Missing::Goal], Some(goal)) = (block.is_item, missing.as_slice(), reason_sentence(rest)) {
        return Found::Declared(declaration(block, Some(goal)));
    }
    let is_elsewhere = blocks.len() > 1 || rest_words.len() > 3 || speech::gives_reason(&changes);
    if is_elsewhere { Found::Unsure } else { Found::Lacks(missing) }
}

/// A sentence beside a list of edits that gives the reason for them.
fn reason_sentence(rest: &str) -> Option<String> {
    let gives = |sentence: &&str| {
        let words = text::words(sentence);
        let is_reason = speech::Tongue::English.starts_reason(&words) && words.len() > 4;
        is_reason && !sentence.ends_with('?') && !has_any(&words, super::doubts::LATER)
    };
    text::sentences(rest).into_iter().find(gives).map(str::to_owned)
}

fn declaration(block: &Block, goal: Option<String>) -> Declaration {
    Declaration {
        file: block.file.clone().unwrap_or_default(),
        changes: block.changes.clone().unwrap_or_default(),
        goal: goal.or_else(|| block.goal.clone()).unwrap_or_default(),
        test: block.test.clone(),
        user_permission: block.permission.clone(),
    }
}

fn in_prose(rest: &str, file: &str, goal: Option<&str>, is_unfenced: bool) -> Found {
    match prose::read(rest, file, goal) {
        Said::Declared { .. } if is_unsettled(&text::words(rest)) || asks(rest) => Found::Unsure,
        Said::Declared { changes, goal } => {
            Found::Declared(Declaration { file: file.to_owned(), changes, goal, ..Declaration::default() })
        }
        Said::NoGoal if is_unfenced => Found::Lacks(vec![Missing::Goal]),
        Said::Excluded if is_unfenced => Found::Lacks(vec![Missing::File]),
        Said::Nothing => Found::Nothing,
        Said::Unsure if is_idle(rest, file) => Found::Nothing,
        _ => Found::Unsure,
    }
}

/// The file is named, but too little is said for a declaration.
fn is_idle(rest: &str, file: &str) -> bool {
    let words = text::words(rest);
    let mends = words.iter().any(|word| speech::mends(word));
    words.len() <= BRIEF
        && !speech::gives_reason(&words)
        && !mends
        && naming::is_named(rest, file)
        && text::is_latin(rest)
}
