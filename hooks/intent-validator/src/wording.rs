//! What is said. Whatever a text asks to be written or run is enough as it stands: a test follows each.

use std::path::Path;

use shared::secrets::masked;

use crate::change::in_words;
use crate::checks::Finding;
use crate::declaration::{Declaration, Missing, lines};
use crate::declare;
use crate::plan::{Known, Lack, LetGo};
use crate::state::Cause;

/// So much of a text of others is repeated, in characters.
const MAX_QUOTED: usize = 100;
const MAX_FINDING: usize = 300;

/// So many findings are told.
const MAX_FINDINGS: usize = 5;

const AGAIN: &str = "Write these lines in the message that makes the edit, corrected where something is not so, and make it again:";

/// A refusal: the text, and what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) text: String,
    pub(crate) next: String,
}

/// Nothing was seen to be said.
pub(crate) fn not_seen(known: &Known) -> Refusal {
    let file = shown(&known.place.file);
    asked_for(known, &format!("nothing was seen to be declared about this change of {file}. {AGAIN}"), "")
}

/// Nobody here can tell.
pub(crate) fn unclear(known: &Known) -> Refusal {
    let file = shown(&known.place.file);
    let why =
        format!("what was said about this change of {file} is no declaration that can be read. {AGAIN}");
    asked_for(known, &why, "")
}

/// Something is missing.
pub(crate) fn lacks(known: &Known, lack: &Lack) -> Refusal {
    let file = shown(&known.place.file);
    match lack {
        Lack::Parts(missing) if missing.is_empty() || missing.contains(&Missing::Everything) => {
            asked_for(known, &format!("this change of {file} is not declared. {AGAIN}"), "")
        }
        Lack::Parts(missing) => {
            let parts: Vec<&str> = missing.iter().map(|part| word(*part)).collect();
            let parts = parts.join(" and ");
            asked_for(known, &format!("the declaration of this change of {file} lacks {parts}. {AGAIN}"), "")
        }
        Lack::Test => {
            let why = format!("{file} is core code, and no test is named for this change. {AGAIN}");
            asked_for(known, &why, PERMISSION)
        }
        Lack::Quote(quote) => {
            let quote = quoted(quote);
            let why = format!(
                "\"{quote}\" is not to be found in the user's last five messages, and {file} is core code: it wants a test. {AGAIN}"
            );
            asked_for(known, &why, PERMISSION)
        }
    }
}

const PERMISSION: &str = "\nWithout a test only the user's own words will do: in place of the TEST line one that begins with \
                          USER PERMISSION: and quotes them from one of their last five messages, word for word. Where there are \
                          none, ask.";

const fn word(part: Missing) -> &'static str {
    match part {
        Missing::Everything | Missing::File => "FILE",
        Missing::Changes => "CHANGES",
        Missing::Goal => "GOAL",
    }
}

fn asked_for(known: &Known, why: &str, permission: &str) -> Refusal {
    let draft = draft(known);
    let declare = declare::line(&known.program, &draft);
    let text = format!(
        "intent-validator: {why}\n\n{lines}\n\nOr run this before it, corrected the same way: {declare}{permission}",
        lines = lines(&draft)
    );
    Refusal { text, next: declare }
}

/// A declaration as it could be, from what is known.
pub(crate) fn draft(known: &Known) -> Declaration {
    let file = &known.place.file;
    let asked = known.user.last().map(|text| quoted(text)).filter(|text| !text.is_empty());
    let goal = asked.map_or_else(|| "as asked by the user".to_owned(), |text| format!("as asked: {text}"));
    Declaration {
        // Another repository of the project may have one of the same short name.
        file: known.place.in_project.clone(),
        changes: cleaned(&in_words(file, &known.versions), MAX_FINDING),
        goal,
        test: known.wants_test.then(|| test_of(file)),
        user_permission: None,
    }
}

/// Where the test of a file is by the convention of its language: a guess to be corrected.
fn test_of(file: &str) -> String {
    let path = Path::new(file);
    let part = |part: Option<&std::ffi::OsStr>| {
        let text = part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default();
        text.replace(|char: char| !char.is_alphanumeric() && !"_-.".contains(char), "_")
    };
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    match extension.as_str() {
        "rs" => format!("tests/{stem}.rs"),
        "go" => format!("{stem}_test.go"),
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" => format!("tests/{stem}.test.{extension}"),
        "vue" | "svelte" => format!("tests/{stem}.test.ts"),
        "rb" => format!("spec/{stem}_spec.rb"),
        "java" | "kt" | "scala" | "cs" | "php" => format!("tests/{stem}Test.{extension}"),
        "swift" => format!("Tests/{stem}Tests.swift"),
        "ipynb" => format!("tests/test_{stem}.py"),
        _ => format!("tests/test_{stem}.{extension}"),
    }
}

/// What was found without a model.
pub(crate) fn found(known: &Known, findings: &[Finding]) -> Refusal {
    let file = shown(&known.place.file);
    let list = listed(findings);
    Refusal {
        text: format!(
            "intent-validator: this change of {file} is not clean.\n{list}\nMend that, and make the edit again."
        ),
        next: "mend what was found, and make the edit again".to_owned(),
    }
}

/// What a model found.
pub(crate) fn reviewed(known: &Known, findings: &[Finding]) -> Refusal {
    let file = shown(&known.place.file);
    let list = listed(findings);
    Refusal {
        text: format!(
            "intent-validator: a model that reviewed this change of {file} against its declaration found fault with it.\n{list}\nMend \
             that, or declare what you mean to do, and make the edit again with its declaration in the same message."
        ),
        next: "mend what was found or declare it, and make the edit again".to_owned(),
    }
}

/// A sentence with its full stop.
fn ended(sentence: String) -> String {
    if sentence.is_empty() || sentence.ends_with(['.', '!', '?', '…', ':', ';']) {
        sentence
    } else {
        format!("{sentence}.")
    }
}

fn listed(findings: &[Finding]) -> String {
    let one = |finding: &Finding| {
        let line = if finding.line > 0 { format!("line {}, ", finding.line) } else { String::new() };
        let rule = cleaned(&finding.rule, MAX_QUOTED);
        let why = ended(cleaned(&finding.why, MAX_FINDING));
        let fix = ended(cleaned(&finding.fix, MAX_FINDING));
        format!("- {line}{rule}: {why} Fix: {fix}")
    };
    let mut list: Vec<String> = findings.iter().take(MAX_FINDINGS).map(one).collect();
    if findings.len() > MAX_FINDINGS {
        list.push(format!("- and {} more", findings.len() - MAX_FINDINGS));
    }
    list.join("\n")
}

impl LetGo {
    /// For the journal.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::NotSeen => "declaration not seen",
            Self::Unclear => "declaration unclear",
            Self::Enough(Cause::Declaration | Cause::Unclear) => "blocked often enough for its declaration",
            Self::Enough(Cause::Test) => "blocked often enough for its test",
            Self::Enough(Cause::Checks) => "blocked often enough for what was found",
            Self::Enough(Cause::Review) => "blocked often enough for its review",
            Self::Private => "not sent to a model",
        }
    }

    /// For the user, where they should know.
    pub(crate) fn notice(self, file: &str, max_blocks: u32) -> Option<String> {
        let Self::Enough(cause) = self else { return None };
        let lack = match cause {
            Cause::Declaration | Cause::Unclear => "without a declaration",
            Cause::Test => "without a test or your permission",
            Cause::Checks => "with what was found in it",
            Cause::Review => "with what a review had found in it",
        };
        let file = shown(file);
        Some(format!(
            "intent-validator: {file} is changed {lack}: let go after max_blocks ({max_blocks}) refusals"
        ))
    }
}

/// A path as it is told.
fn shown(file: &str) -> String {
    cleaned(file, MAX_FINDING)
}

/// What somebody has said. Masked before it is cut: the journal would not know half a secret again.
fn quoted(text: &str) -> String {
    cleaned(&masked(text), MAX_QUOTED)
}

/// One line without anything that moves the cursor or turns the writing round, cut to so many characters.
pub(crate) fn cleaned(text: &str, max_chars: usize) -> String {
    let is_hidden = |char: char| {
        char.is_control()
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let line: String = text.chars().map(|char| if is_hidden(char) { ' ' } else { char }).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut kept: String = line.chars().take(max_chars).collect();
    if kept.len() < line.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests;
