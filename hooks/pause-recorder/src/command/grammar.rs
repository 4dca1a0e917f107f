//! The words behind the hook's name, in a shell or as a prompt.

use shared::cli::Line;

use crate::record::is_record_id;

/// The days that `prune` keeps by default.
const DAYS: u32 = 90;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Status { json: bool },
    List,
    Show { id: Option<String> },
    Start,
    Finalize { id: Option<String>, minimal: bool },
    Discard { id: Option<String> },
    Resume { id: Option<String> },
    Prune { days: u32, dry_run: bool },
}

/// The request of a line; `None`: the line is none of ours.
pub(super) fn asked(line: &Line<'_>) -> Option<Asked> {
    // At most one id. In a prompt another word makes the line prose.
    let id = |words: &[&str]| match words {
        [] => Some(None),
        [id] => (!id.starts_with('-') && (!line.is_prompt || is_id(id))).then(|| Some((*id).to_owned())),
        _ => None,
    };
    Some(match line.words {
        ["status"] => Asked::Status { json: false },
        ["status", "--json"] => Asked::Status { json: true },
        ["list"] => Asked::List,
        ["show", words @ ..] => Asked::Show { id: id(words)? },
        ["start"] => Asked::Start,
        ["finalize", "--minimal", words @ ..] | ["finalize", words @ .., "--minimal"] => {
            Asked::Finalize { id: id(words)?, minimal: true }
        }
        ["finalize", words @ ..] => Asked::Finalize { id: id(words)?, minimal: false },
        ["discard", words @ ..] => Asked::Discard { id: id(words)? },
        ["resume", words @ ..] => Asked::Resume { id: id(words)? },
        ["prune"] => Asked::Prune { days: DAYS, dry_run: false },
        ["prune", "--dry-run"] => Asked::Prune { days: DAYS, dry_run: true },
        ["prune", "--older-than", days] => Asked::Prune { days: days.parse().ok()?, dry_run: false },
        ["prune", "--older-than", days, "--dry-run"] | ["prune", "--dry-run", "--older-than", days] => {
            Asked::Prune { days: days.parse().ok()?, dry_run: true }
        }
        _ => return None,
    })
}

/// `session-20260106-120000`, without `session-`, or the end of an active record's name.
fn is_id(word: &str) -> bool {
    let is_key = word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_key || is_record_id(word) || is_record_id(&format!("session-{word}"))
}

#[cfg(test)]
mod tests {
    use shared::cli::{Commands, Line, is_command};

    use super::{Asked, DAYS};
    use crate::PauseRecorder;

    fn read(line: &str, is_prompt: bool) -> Option<Asked> {
        let words: Vec<&str> = line.split(' ').collect();
        PauseRecorder::asked(&Line { name: "pause-recorder", words: &words, is_prompt })
    }

    #[test]
    fn verbs_take_an_id_a_flag_and_days() {
        let id = || Some("20260106-120000".to_owned());
        for (line, expected) in [
            ("status --json", Asked::Status { json: true }),
            ("list", Asked::List),
            ("show", Asked::Show { id: None }),
            ("finalize 20260106-120000 --minimal", Asked::Finalize { id: id(), minimal: true }),
            ("start", Asked::Start),
            ("finalize", Asked::Finalize { id: None, minimal: false }),
            ("finalize --minimal 20260106-120000", Asked::Finalize { id: id(), minimal: true }),
            ("discard 20260106-120000", Asked::Discard { id: id() }),
            ("prune", Asked::Prune { days: DAYS, dry_run: false }),
            ("prune --dry-run --older-than 7", Asked::Prune { days: 7, dry_run: true }),
            ("prune --older-than 7 --dry-run", Asked::Prune { days: 7, dry_run: true }),
        ] {
            assert_eq!(
                (read(line, false), read(line, true)),
                (Some(expected.clone()), Some(expected)),
                "{line}"
            );
        }
    }

    #[test]
    fn other_words_are_wrong_usage() {
        for line in [
            "",
            "frobnicate",
            "list --json",
            "show a b",
            "show --minimal",
            "start now",
            "discard --force",
            "prune --older-than",
            "prune --older-than soon",
            "prune 20260106",
            "prune --dry-run --dry-run",
        ] {
            assert_eq!(read(line, false), None, "{line}");
        }
    }

    #[test]
    fn prose_is_claudes() {
        for (prompt, is_ours) in [
            ("pause-recorder", false),
            (" pause-recorder  START\n", true),
            ("pause-recorder discard deadbeef", true),
            ("pause-recorder discard decade", false),
            ("pause-recorder resume work", false),
            ("pause-recorder start the server", false),
            ("pause-recorder start\nand go on", false),
            ("pause-recorder finalize --bogus", false),
            ("pause-recorder start -- and go on", false),
            ("start", false),
        ] {
            assert_eq!(is_command::<PauseRecorder>(prompt), is_ours, "{prompt}");
        }
        assert!(read("resume work", false).is_some(), "in a shell it can only be meant for us");
    }
}
