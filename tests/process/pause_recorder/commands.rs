//! What can be typed: in a shell and as a prompt, what it answers, and who may.

use super::{Recorder, lines};
use crate::driver::context;

#[test]
fn words_in_a_shell_and_typed_as_a_prompt_are_answered_alike() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let in_shell = |words: &str, part: &str| {
        let outcome = recorder.run(&words.split(' ').collect::<Vec<_>>());
        outcome.assert_exit(0);
        assert!(outcome.stdout_text().contains(part), "{words}: {outcome}");
    };
    let typed = |words: &str, part: &str| {
        let told = recorder.typed(session, &format!("pause-recorder {words}")).unwrap_or_default();
        assert!(told.contains(part), "{words}: {told:?}");
    };
    in_shell("start", "from here on this session is recorded in .claude/sessions");
    typed("start", "this session is being recorded already: session-");
    in_shell("status", "record: session-");
    typed("list", "being recorded, 1 action, of this session");
    in_shell("finalize", "is finalized, 1 action:\n");
    typed("show", "# Paused session `session-");
    in_shell("show --json", "\"schema_version\": 1");
    in_shell("resume", "\nSnapshot: .claude/sessions/session-");
    typed("prune --older-than 0 --dry-run", "would be removed:\n  session-");
    typed("show 99999999", "no id contains that");
    let first = lines(&recorder.file(&recorder.latest(), "-incremental.jsonl")).remove(0);
    assert_eq!(first["data"]["reason"], "command");
    for prompt in ["pause-recorder show yourself", "pause-recorder start the server", "list"] {
        assert_eq!(recorder.typed(session, prompt), None, "{prompt}");
    }
    in_shell("list", "unread");
    let answer = recorder.ask(&session.user_prompt_submit("pause-recorder resume"));
    let brief = context(answer.as_ref()).expect("which is for Claude");
    assert!(brief.contains(&recorder.latest()), "{brief}");
    in_shell("list", ", read");
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
