//! The words behind the hook's name, in a shell or as a prompt.

use shared::cli::Line;

use super::VERBS;

/// The common verbs that take options.
const COMMON: [&str; 4] =
    ["status [--json]", "on [--session ID]", "off [--session ID]", "auto [--session ID]"];

/// The days that `prune` keeps by default.
pub(super) const DAYS: u32 = 90;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Status { json: bool },
    List { json: bool },
    Show { id: Option<String>, json: bool },
    Start,
    Finalize { id: Option<String>, minimal: bool },
    Discard { id: Option<String> },
    Resume { id: Option<String> },
    Prune { days: u32, dry_run: bool },
    SnapshotSchema,
}

/// The request of a line; `None`: the line is none of ours. In a prompt a word that is no part of an id makes it prose.
pub(super) fn asked(line: &Line<'_>) -> Option<Asked> {
    parse(line.words).filter(|asked| !line.is_prompt || asked.id().is_none_or(is_part_of_an_id))
}

/// Parses the words behind the name.
fn parse(words: &[&str]) -> Option<Asked> {
    let (verb, rest) = words.split_first()?;
    let mut options = Options::of(rest)?;
    let asked = match *verb {
        "status" => Asked::Status { json: options.json() },
        "list" => Asked::List { json: options.json() },
        "show" => Asked::Show { json: options.json(), id: options.id() },
        "start" => Asked::Start,
        "finalize" => Asked::Finalize { minimal: options.flag("--minimal"), id: options.id() },
        "discard" => Asked::Discard { id: options.id() },
        "resume" => Asked::Resume { id: options.id() },
        "prune" => Asked::Prune { days: options.days()?, dry_run: options.flag("--dry-run") },
        "schema" => (options.id().as_deref() == Some("snapshot")).then_some(Asked::SnapshotSchema)?,
        _ => return None,
    };
    options.is_empty().then_some(asked)
}

impl Asked {
    fn id(&self) -> Option<&str> {
        match self {
            Self::Show { id, .. }
            | Self::Finalize { id, .. }
            | Self::Discard { id }
            | Self::Resume { id } => id.as_deref(),
            _ => None,
        }
    }
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
    let usage = usage_of(verb)?;
    Some(format!(
        "pause-recorder: {verb} does not take this; type: pause-recorder {usage}; pause-recorder help lists all"
    ))
}

fn usage_of(verb: &str) -> Option<&'static str> {
    let own = VERBS.iter().map(|own| own.usage).chain(COMMON);
    own.into_iter().find(|usage| usage.split(' ').next() == Some(verb))
}

/// The words after a verb, taken away one by one.
struct Options<'a> {
    words: Vec<&'a str>,
}

impl<'a> Options<'a> {
    /// `None`: a word stands there twice.
    fn of(words: &[&'a str]) -> Option<Self> {
        let is_twice = |index: usize| words[..index].contains(&words[index]);
        (!(0..words.len()).any(is_twice)).then(|| Self { words: words.to_vec() })
    }

    fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| *word != name);
        self.words.len() < before
    }

    fn json(&mut self) -> bool {
        self.flag("--json")
    }

    fn id(&mut self) -> Option<String> {
        let at = self.words.iter().position(|word| !word.starts_with('-') && !word.is_empty())?;
        Some(self.words.remove(at).to_owned())
    }

    /// `None`: not a number of days.
    fn days(&mut self) -> Option<u32> {
        let Some(at) = self.words.iter().position(|word| *word == "--older-than") else { return Some(DAYS) };
        let days = self.words.get(at + 1)?.parse().ok()?;
        self.words.drain(at..=at + 1);
        Some(days)
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use shared::cli::{Commands, Line, is_command};

    use super::{Asked, parse};
    use crate::PauseRecorder;

    fn prompted(words: &str) -> Option<Asked> {
        let words: Vec<&str> = words.split_whitespace().collect();
        PauseRecorder::asked(&Line { name: "pause-recorder", words: &words, is_prompt: true })
    }

    #[test]
    fn the_verbs() {
        let id = || Some("20260106".to_owned());
        for (line, expected) in [
            ("status", Asked::Status { json: false }),
            ("status --json", Asked::Status { json: true }),
            ("list --json", Asked::List { json: true }),
            ("show", Asked::Show { id: None, json: false }),
            ("show --json 20260106", Asked::Show { id: id(), json: true }),
            ("show 20260106 --json", Asked::Show { id: id(), json: true }),
            ("start", Asked::Start),
            ("finalize", Asked::Finalize { id: None, minimal: false }),
            ("finalize --minimal 20260106", Asked::Finalize { id: id(), minimal: true }),
            ("discard 20260106", Asked::Discard { id: id() }),
            ("resume", Asked::Resume { id: None }),
            ("prune", Asked::Prune { days: 90, dry_run: false }),
            ("prune --dry-run --older-than 7", Asked::Prune { days: 7, dry_run: true }),
            ("schema snapshot", Asked::SnapshotSchema),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(parse(&words).as_ref(), Some(&expected), "{line}");
            assert_eq!(prompted(line), Some(expected), "{line}");
        }
        assert!(is_command::<PauseRecorder>(" pause-recorder  START\n"));
    }

    #[test]
    fn the_name_of_an_active_file_is_an_id_and_a_word_is_none() {
        for (word, is_id) in [("deadbeef", true), ("bf41c52e", true), ("decade", false), ("yourself", false)]
        {
            assert_eq!(prompted(&format!("discard {word}")).is_some(), is_id, "{word}");
        }
    }

    #[test]
    fn anything_else_is_wrong_usage() {
        for line in [
            "",
            "frobnicate",
            "list 20260106",
            "list --all",
            "show a b",
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
            "show --json --json",
        ] {
            assert_eq!(parse(&line.split(' ').collect::<Vec<_>>()), None, "{line}");
        }
    }

    #[test]
    fn prose_is_claudes() {
        for prompt in [
            "pause-recorder",
            "pause-recorder show yourself",
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
