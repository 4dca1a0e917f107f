//! No secret of a session or its repository stands in any of the files, nor in what the next session is told.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;
use tests::transcripts::Transcript;

use super::{AT_AUTO_PAUSE, MODEL, Recorder};
use crate::driver::tree;
use crate::privacy::secrets::{Secret, secrets};
use crate::privacy::who_holds;

/// Everything that was left behind: in the project but for git's own folder, and in the state folder.
fn left_behind(recorder: &Recorder) -> BTreeMap<PathBuf, String> {
    let mut found = tree(&recorder.dir());
    found.extend(tree(&recorder.sandbox.state_dir()));
    found
}

#[track_caller]
fn assert_nobody_holds_one(secrets: &[Secret], recorder: &Recorder, told: &str) {
    let mut found = left_behind(recorder);
    found.insert(PathBuf::from("what is told"), told.to_owned());
    assert_eq!(who_holds(secrets, &found), None);
}

#[test]
fn what_a_session_says_and_does_is_kept_without_them() {
    let secrets = secrets();
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let record = recorder.recorded(session);
    for Secret { text, .. } in &secrets {
        let input = json!({ "command": text, "description": format!("use {text}") });
        let response = json!({ "stdout": format!("it is {text}\n"), "stderr": text });
        for event in [
            session.user_prompt_submit(&format!("use {text} for it")),
            session.post_tool_use("Bash", input.clone(), response),
            session.post_tool_use_failure("Bash", input, &format!("Exit code 1\n{text}")),
            session.subagent_stop("a1", &format!("Found {text}")),
            session.stop(&format!("The key is {text}")),
        ] {
            recorder.ask(&event);
        }
    }
    assert_eq!(super::lines(&record).len(), 3 + 5 * secrets.len());
    recorder.ask(&session.user_prompt_submit(&format!("use {} for it", secrets[0].text)));
    recorder.ask(&session.session_end("other"));
    let told = recorder.starts("bbbbbbbb-1").brief;
    assert!(told.contains("[masked"), "{told}");
    assert_nobody_holds_one(&secrets, &recorder, &told);
}

#[test]
fn commits_and_files_are_told_of_without_them() {
    let recorder = Recorder::new("");
    let session = &recorder.session;
    let secrets = secrets();
    let record = recorder.recorded(session);
    for five in secrets.chunks(5) {
        let mut transcript = Transcript::of(session);
        for Secret { text, .. } in five {
            // A message of several lines has one as its first.
            let message = text.replace('\n', " ");
            recorder.sandbox.git(&[
                "commit",
                "--quiet",
                "--allow-empty",
                "--message",
                &format!("use {message}"),
            ]);
            let input = json!({ "file_path": format!("/x/{text}"), "old_string": text, "new_string": text });
            transcript = transcript.call("toolu_1", "Edit", &input).result("toolu_1", text, false);
        }
        transcript.context(MODEL, AT_AUTO_PAUSE).text("Going on.").write();
        recorder.ask(&session.pre_compact("manual"));
        assert_nobody_holds_one(&secrets, &recorder, "");
    }
    assert!(record.is_file());
    let page = recorder.run(&["show"]).stdout_text();
    assert!(page.contains("[masked"), "{page}");
    assert_nobody_holds_one(&secrets, &recorder, &page);
}
