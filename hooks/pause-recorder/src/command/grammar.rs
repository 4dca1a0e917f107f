//! The words behind the hook's name, in a shell or as a prompt.

use shared::cli::Line;

use super::VERBS;

/// The common verbs that take options.
const COMMON: [&str; 4] =
    ["status [--json]", "on [--session ID]", "off [--session ID]", "auto [--session ID]"];

/// The days that `prune` keeps by default.
const DAYS: u32 = 90;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub what: What,
    pub id: Option<String>,
    /// The flag of the verb: `--json`, `--minimal` or `--dry-run`.
    pub flag: bool,
    /// The days of `prune`.
    pub days: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Status,
    List,
    Show,
    Start,
    Finalize,
    Discard,
    Resume,
    Prune,
    Schema,
}

/// Each verb with the words it takes.
const GRAMMAR: [(&str, What, &[&str]); 9] = [
    ("status", What::Status, &["--json"]),
    ("list", What::List, &["--json"]),
    ("show", What::Show, &["ID", "--json"]),
    ("start", What::Start, &[]),
    ("finalize", What::Finalize, &["ID", "--minimal"]),
    ("discard", What::Discard, &["ID"]),
    ("resume", What::Resume, &["ID"]),
    ("prune", What::Prune, &["--older-than", "--dry-run"]),
    ("schema", What::Schema, &["ID"]),
];

/// The request of a line; `None`: the line is none of ours. In a prompt a word that is no part of an id makes it prose.
pub(super) fn asked(line: &Line<'_>) -> Option<Asked> {
    let asked = parse(line.words)?;
    let is_meant = |id: &String| !line.is_prompt || asked.what == What::Schema || is_part_of_an_id(id);
    asked.id.as_ref().is_none_or(is_meant).then_some(asked)
}

fn parse(words: &[&str]) -> Option<Asked> {
    let (verb, rest) = words.split_first()?;
    let (_, what, takes) = GRAMMAR.iter().find(|(name, ..)| name == verb)?;
    let mut asked = Asked { what: *what, id: None, flag: false, days: DAYS };
    let mut words = rest.iter().copied();
    while let Some(word) = words.next() {
        match word {
            _ if rest.iter().filter(|other| **other == word).count() > 1 => return None,
            "--older-than" if takes.contains(&word) => asked.days = words.next()?.parse().ok()?,
            _ if word.starts_with("--") && takes.contains(&word) => asked.flag = true,
            _ if word.starts_with('-') || word.is_empty() => return None,
            _ if takes.contains(&"ID") && asked.id.is_none() => asked.id = Some(word.to_owned()),
            _ => return None,
        }
    }
    let is_whole = asked.what != What::Schema || asked.id.as_deref() == Some("snapshot");
    is_whole.then_some(asked)
}

/// `20260106`, `session-20260106-120000`, the end of an active record's name.
fn is_part_of_an_id(word: &str) -> bool {
    let is_of = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let is_a_files_name = word.len() == 8 && word.chars().all(|char| char.is_ascii_hexdigit());
    word.chars().all(is_of) && (is_a_files_name || word.chars().any(|char| char.is_ascii_digit()))
}

/// The answer to a prompt with an option that its verb does not have.
pub(super) fn misused(line: &Line<'_>) -> Option<String> {
    let (verb, rest) = line.words.split_first()?;
    let is_option = |word: &&str| word.strip_prefix("--").is_some_and(|name| !name.is_empty());
    rest.iter().find(|word| is_option(word))?;
    let mut usages = VERBS.iter().map(|own| own.usage).chain(COMMON);
    let usage = usages.find(|usage| usage.split(' ').next() == Some(verb))?;
    Some(format!(
        "pause-recorder: {verb} does not take this; type: pause-recorder {usage}; pause-recorder help lists all"
    ))
}

#[cfg(test)]
mod tests {
    use shared::cli::{Commands, Line, is_command};

    use super::{Asked, DAYS, What, parse};
    use crate::PauseRecorder;

    fn prompted(words: &str) -> Option<Asked> {
        let words: Vec<&str> = words.split_whitespace().collect();
        PauseRecorder::asked(&Line { name: "pause-recorder", words: &words, is_prompt: true })
    }

    #[test]
    fn verbs_take_an_id_a_flag_and_days() {
        let id = Some("20260106");
        for (line, what, id, flag, days) in [
            ("status", What::Status, None, false, DAYS),
            ("status --json", What::Status, None, true, DAYS),
            ("list --json", What::List, None, true, DAYS),
            ("show", What::Show, None, false, DAYS),
            ("show --json 20260106", What::Show, id, true, DAYS),
            ("show 20260106 --json", What::Show, id, true, DAYS),
            ("start", What::Start, None, false, DAYS),
            ("finalize", What::Finalize, None, false, DAYS),
            ("finalize --minimal 20260106", What::Finalize, id, true, DAYS),
            ("discard 20260106", What::Discard, id, false, DAYS),
            ("resume", What::Resume, None, false, DAYS),
            ("prune", What::Prune, None, false, 90),
            ("prune --dry-run --older-than 7", What::Prune, None, true, 7),
            ("schema snapshot", What::Schema, Some("snapshot"), false, DAYS),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let expected = Some(Asked { what, id: id.map(str::to_owned), flag, days });
            assert_eq!((parse(&words), prompted(line)), (expected.clone(), expected), "{line}");
        }
        assert!(is_command::<PauseRecorder>(" pause-recorder  START\n"));
    }

    #[test]
    fn other_words_are_wrong_usage() {
        for line in [
            "",
            "frobnicate",
            "list 20260106",
            "list --all",
            "show a b",
            "show --minimal",
            "start now",
            "finalize --json",
            "discard --force",
            "prune --older-than",
            "prune --older-than soon",
            "prune --older-than -1",
            "prune 20260106",
            "prune --dry-run --dry-run",
            "schema",
            "schema settings",
        ] {
            assert_eq!(parse(&line.split(' ').collect::<Vec<_>>()), None, "{line}");
        }
    }

    #[test]
    fn prose_is_claudes() {
        for (word, is_id) in [("deadbeef", true), ("bf41c52e", true), ("decade", false), ("yourself", false)]
        {
            assert_eq!(prompted(&format!("discard {word}")).is_some(), is_id, "{word}");
        }
        for prompt in [
            "pause-recorder",
            "pause-recorder resume work",
            "pause-recorder start the server",
            "pause-recorder discard ../20260106",
            "pause-recorder start\nand go on",
            "Pause-recorder start",
            "start",
        ] {
            assert!(!is_command::<PauseRecorder>(prompt), "{prompt}");
        }
        assert!(parse(&["resume", "work"]).is_some(), "in a shell it can only be meant for us");
    }
}
