//! What a new session is told of the last one: once, where somebody reads along, and only of what this machine has written.

use std::fs;

use super::Recorder;

/// A project with a snapshot that nobody was told of.
fn paused(own: &str) -> (Recorder, String) {
    let recorder = Recorder::new(own);
    let id = recorder.paused(&recorder.session);
    (recorder, id)
}

#[track_caller]
fn assert_silent(recorder: &Recorder, session: &str) {
    let started = recorder.starts(session);
    assert_eq!((started.brief, started.notice), (String::new(), String::new()), "{session}");
}

#[test]
fn the_next_session_is_told_once() {
    let (recorder, id) = paused("");
    let brief = recorder.starts("bbbbbbbb-1").brief;
    for part in [
        "an earlier session of this project ended ",
        "context 90 % full",
        "Branch: main, nothing uncommitted",
        "- last words of a turn: The parser is written, the printer is not.",
        "Open:\n- asked last, answered: go on\nDone:\n",
        &format!("\nSnapshot: .claude/sessions/{id}.json (each recorded action: "),
    ] {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert!(recorder.run(&["list"]).stdout_text().contains(", read"));
    assert_silent(&recorder, "bbbbbbbb-2");
}

#[test]
fn where_nobody_reads_along_it_waits_for_somebody_who_does() {
    let (recorder, id) = paused("");
    let start = recorder.another("bbbbbbbb-1").session_start("startup");
    let headless = [("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")];
    assert_eq!(recorder.starts_as(&start, &headless).brief, "");
    assert!(recorder.starts("bbbbbbbb-2").brief.contains(&id));
}

#[test]
fn what_somebody_else_has_written_is_not_told() {
    let (theirs, id) = paused("");
    let recorder = Recorder::new("");
    for name in theirs.kept() {
        recorder
            .sandbox
            .write(format!(".claude/sessions/{name}"), fs::read(theirs.dir().join(&name)).unwrap());
    }
    assert_silent(&recorder, "bbbbbbbb-1");
    let listed = recorder.run(&["list"]).stdout_text();
    assert!(
        listed.contains(&format!("{id}  ")) && listed.contains("not written on this machine"),
        "{listed}"
    );
    let refused = recorder.run(&["resume", &id]);
    refused.assert_exit(1);
    assert!(
        refused.stdout_text().is_empty() && refused.stderr_text().contains("not written on this machine")
    );
}

#[test]
fn a_typed_resume_hands_it_over_again() {
    let (recorder, id) = paused("");
    recorder.starts("bbbbbbbb-1");
    let session = recorder.another("bbbbbbbb-2");
    let answer = recorder.ask(&session.user_prompt_submit("pause-recorder resume"));
    let brief = crate::driver::context(answer.as_ref()).expect("the prompt goes on to Claude");
    assert!(brief.contains(&format!("\nSnapshot: .claude/sessions/{id}.json (each ")), "{brief}");
}
