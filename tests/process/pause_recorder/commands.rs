//! What can be typed, in a shell and as a prompt, and what it answers.

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
    in_shell("resume", "\nSnapshot: .claude/sessions/session-");
    typed("prune --dry-run", "no snapshot of this project is older than 90 days");
    let first = lines(&recorder.file(&recorder.latest(), "-incremental.jsonl")).remove(0);
    assert_eq!(first["data"]["reason"], "command");
    assert_eq!(recorder.typed(session, "pause-recorder start the server"), None);
    in_shell("list", "unread");
    let answer = recorder.ask(&session.user_prompt_submit("pause-recorder resume"));
    let brief = context(answer.as_ref()).expect("which is for Claude");
    assert!(brief.contains(&recorder.latest()), "{brief}");
    in_shell("list", ", read");
}

#[test]
fn it_takes_the_snapshot_and_nothing_the_user_had_staged() {
    let recorder = Recorder::new("git_commit: true");
    recorder.sandbox.write("new and staged", "1");
    recorder.sandbox.git(&["add", "--", "new and staged"]);
    let status = recorder.sandbox.git(&["status", "--porcelain=v2", "-z"]);
    let id = recorder.paused(&recorder.session);
    assert_eq!(recorder.sandbox.git(&["log", "-1", "--format=%s"]), format!("Pause snapshot {id}"));
    let committed = recorder.sandbox.git(&["show", "--name-only", "--format=", "HEAD"]);
    let mut expected = vec![".claude/sessions/LATEST-SESSION.txt".to_owned()];
    expected.extend([".json", ".md", ".yaml"].iter().map(|end| format!(".claude/sessions/{id}{end}")));
    assert_eq!(committed.lines().collect::<Vec<_>>(), expected);
    let now = recorder.sandbox.git(&["status", "--porcelain=v2", "-z"]);
    assert_eq!(now, status, "what was staged is staged");
}
