//! What can be typed: in a shell and as a prompt, what it answers, and who may.

use super::{Recorder, lines};
use crate::driver::context;

/// Words, the status they end with, and a part of what is said. `ID`: the snapshot's.
type Told = (&'static [&'static str], i32, &'static str);

#[track_caller]
fn check(recorder: &Recorder, table: &[Told]) {
    for (words, status, part) in table {
        let id = || recorder.latest();
        let words: Vec<String> =
            words.iter().map(|word| if *word == "ID" { id() } else { (*word).to_owned() }).collect();
        let outcome = recorder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        outcome.assert_exit(*status);
        let (said, silent) = match status {
            0 => (outcome.stdout_text(), outcome.stderr_text()),
            _ => (outcome.stderr_text(), outcome.stdout_text()),
        };
        assert!(said.contains(part) && silent.is_empty(), "{words:?}: {outcome}");
    }
}

#[test]
fn a_record_from_its_beginning_to_its_end() {
    let recorder = Recorder::new("");
    check(
        &recorder,
        &[
            (&["start"], 0, "from here on this session is recorded in .claude/sessions"),
            (&["start"], 0, "this session is being recorded already: session-"),
            (&["status"], 0, "record: session-"),
            (&["list"], 0, "being recorded, 1 action, of this session"),
            (&["finalize"], 0, "is finalized, 1 action:\n"),
            (&["list"], 0, "unread"),
            (&["show"], 0, "# Paused session `session-"),
            (&["show", "ID"], 0, "# Paused session `session-"),
            (&["show", "--json", "ID"], 0, "\"schema_version\": 1"),
            (&["resume"], 0, "\nSnapshot: .claude/sessions/session-"),
            (&["resume", "ID"], 0, "pause-recorder: an earlier session of this project ended "),
            (&["list"], 0, "unread"),
        ],
    );
    let first = lines(&recorder.file(&recorder.latest(), "-incremental.jsonl")).remove(0);
    assert_eq!(first["data"]["reason"], "command");
}

#[test]
fn what_is_typed_as_a_prompt_is_answered_and_never_reaches_claude() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    for (prompt, part) in [
        ("pause-recorder status", "pause-recorder: on"),
        ("pause-recorder list", "nothing in .claude/sessions"),
        (" pause-recorder  START ", "from here on this session is recorded"),
        ("pause-recorder finalize", "is finalized, 1 action:"),
        ("pause-recorder show", "# Paused session `session-"),
        ("pause-recorder start", "from here on this session is recorded"),
        ("pause-recorder discard", "is discarded, 1 action; nothing of it is left"),
        ("pause-recorder prune --older-than 1", "no snapshot of this project is older than 1 day"),
        ("pause-recorder prune --older-than 0 --dry-run", "would be removed:\n  session-"),
        ("pause-recorder show 99999999", "no id contains that"),
    ] {
        let told = recorder.typed(session, prompt).unwrap_or_else(|| panic!("{prompt} goes to Claude"));
        assert!(told.contains(part), "{prompt}: {told}");
    }
    for prompt in
        ["pause-recorder", "pause-recorder show yourself", "pause-recorder start the server", "list"]
    {
        assert_eq!(recorder.typed(session, prompt), None, "{prompt}");
    }
    let answer = recorder.ask(&session.user_prompt_submit("pause-recorder resume"));
    let brief = context(answer.as_ref()).expect("which is for Claude");
    assert!(brief.contains(&recorder.latest()), "{brief}");
    assert!(recorder.run(&["list"]).stdout_text().contains(", read"));
}

#[cfg(target_os = "linux")]
mod in_a_terminal {
    use std::path::Path;

    use super::super::{NAME, Recorder, id_of};
    use crate::typed::{Typed, claude, shell, typed};
    use tests::binaries;

    /// What comes of these words under this shell; `session`: the one it is told of.
    fn run(recorder: &Recorder, shell: &Path, words: &str, session: Option<&str>) -> Typed {
        let variables: Vec<_> = session.map(|id| ("CLAUDE_CODE_SESSION_ID", id)).into_iter().collect();
        typed(&binaries::path(NAME), &recorder.sandbox, shell, words, &variables)
    }

    #[test]
    fn a_person_drops_a_record_and_claude_does_not() {
        let recorder = Recorder::new("");
        let record = recorder.recorded(&recorder.session);
        let (line, own) =
            (format!("pause-recorder discard {}", id_of(&record)), recorder.session.id.as_str());
        for (words, session, part) in [
            (
                "discard",
                Some(own),
                format!(
                    "for the user to decide; in a terminal of your own, outside Claude Code, type: {line}"
                ),
            ),
            (
                "discard",
                None,
                "this session has no record; for one of another session the user can type".to_owned(),
            ),
            ("discard", None, format!(": {line}\n")),
            ("prune --older-than 0", None, "type: pause-recorder prune --older-than 0".to_owned()),
        ] {
            let refused = run(&recorder, &claude(&recorder.sandbox), words, session);
            assert_eq!(refused.status, 1, "{}", refused.screen);
            assert!(refused.screen.contains(&part), "{part}: {}", refused.screen);
        }
        assert!(record.is_file());
        let done = run(&recorder, &shell(), "discard", None);
        assert_eq!(done.status, 0, "{}", done.screen);
        assert!(done.screen.contains("is discarded, 3 actions"), "{}", done.screen);
        assert!(!record.exists());
    }
}
