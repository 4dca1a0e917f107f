//! The commit of a snapshot: only where its user asks for it in a file of their own, and of nothing but the snapshot.

use tests::sandbox::Level;

use super::Recorder;

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

#[test]
fn nobody_but_the_user_switches_it_on() {
    for level in [Level::Project, Level::Local] {
        let recorder = Recorder::new("");
        recorder.sandbox.requirements(level, "pause-recorder: {git_commit: true}\n");
        recorder.paused(&recorder.session);
        assert_eq!(recorder.sandbox.git(&["log", "-1", "--format=%s"]), "start", "{level:?}");
    }
}
