//! The words after `intent-validator declare`, and the line that Claude is shown. Pure.

use shared::text::quoted;
use transcript::{Quotable, Words};

use crate::form::{self, Form, Heard, Judgement, Lack};

const MAX_VALUE: usize = 1_000;

pub(crate) const USAGE: &str = "declare --file F --changes C --goal G [--test T]";

const OPTIONS: [&str; 4] = ["--file", "--changes", "--goal", "--test"];

/// Reads the words after `declare`. Fails if a word is unknown, or a value missing, too long or given twice.
pub(crate) fn parse(words: &[&str]) -> Result<Form, String> {
    let wrong = |what: String| format!("declare: {what}\nintent-validator {USAGE}");
    let mut values: [Option<String>; 4] = Default::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (option, value) =
            word.split_once('=').map_or((*word, None), |(option, value)| (option, Some(value)));
        let at = OPTIONS.iter().position(|known| *known == option);
        let at = at.ok_or_else(|| wrong(format!("unknown word {option}")))?;
        let value = value.or_else(|| words.next().copied());
        let value = value.ok_or_else(|| wrong(format!("{option} needs a value")))?.trim();
        if value.chars().count() > MAX_VALUE {
            return Err(wrong(format!("{option} has more than {MAX_VALUE} characters")));
        }
        if values[at].replace(value.to_owned()).is_some() {
            return Err(wrong(format!("{option} is given twice")));
        }
    }
    if let Some(at) = values[..3].iter().position(Option::is_none) {
        return Err(wrong(format!("{} is missing", OPTIONS[at])));
    }
    let [file, changes, goal, test] = values;
    let needed = Option::unwrap_or_default;
    Ok(Form { file: needed(file), changes: needed(changes), goal: needed(goal), test })
}

/// The fault of a form. A quote is looked for when the edit is made.
pub(crate) fn fault(form: &Form, wants_test: bool) -> Option<String> {
    if form.file.is_empty() || form.file.contains(['<', '>']) {
        return Some("declare: --file names no file".to_owned());
    }
    let (words, user) = (Words::default(), Quotable::default());
    let heard = Heard { names: &[], wants_test, words: &words, user: &user };
    match form::judge_recorded(form, &heard) {
        Judgement::Lacks { lack: Lack::Parts(parts), .. } => {
            let parts: Vec<String> =
                parts.iter().map(|part| format!("--{}", part.label().to_lowercase())).collect();
            Some(format!(
                "declare: {} is empty, one word or a placeholder; write a few words",
                parts.join(" and ")
            ))
        }
        Judgement::Lacks { is_certain: true, .. } => Some(format!(
            "declare: {} is core code: --test names the test file or the test, or is 'none, the user said: \"...\"' with the user's own words",
            form.file
        )),
        Judgement::Declared(_) | Judgement::Lacks { .. } => None,
    }
}

pub(crate) fn line(program: &str, form: &Form) -> String {
    let Form { file, changes, goal, test } = form;
    let values = [Some(file), Some(changes), Some(goal), test.as_ref()];
    let given = OPTIONS.iter().zip(values).filter_map(|(option, value)| Some((option, value?)));
    given.fold(format!("{program} declare"), |line, (option, value)| {
        format!("{line} {option} {}", quoted(value))
    })
}

#[cfg(test)]
mod tests;
