//! The commit of a snapshot: only where its user asks for it in a file of their own, and of nothing but the snapshot.

use tests::sandbox::Level;

use super::Recorder;

/// What the last commit holds, by name.
fn committed(recorder: &Recorder) -> Vec<String> {
    let said = recorder.sandbox.git(&["show", "--name-only", "--format=", "-z", "HEAD"]);
    let mut names: Vec<String> =
        said.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.sort();
    names
}

fn subject(recorder: &Recorder) -> String {
    recorder.sandbox.git(&["log", "-1", "--format=%s"])
}

fn files_of(id: &str) -> Vec<String> {
    let mut files: Vec<String> =
        [".json", ".yaml", ".md"].iter().map(|end| format!(".claude/sessions/{id}{end}")).collect();
    files.push(".claude/sessions/LATEST-SESSION.txt".to_owned());
    files.sort();
    files
}

#[test]
fn it_takes_the_snapshot_and_nothing_the_user_had_staged() {
    let recorder = Recorder::new("git_commit: true");
    let names = ["plain", "with space", "quo\"te", "new\nline", "-dash", "a|b"];
    for name in names {
        recorder.sandbox.write(name, "old");
    }
    recorder.sandbox.commit("before");
    for name in names {
        recorder.sandbox.write(name, "staged");
    }
    recorder.sandbox.write("untracked", "1");
    recorder.sandbox.write("new and staged", "1");
    let staged: Vec<&str> = names.into_iter().chain(["new and staged"]).collect();
    recorder.sandbox.git(&[&["add", "--"][..], &staged].concat());
    recorder.sandbox.write("plain", "changed again");
    let status = recorder.sandbox.git(&["status", "--porcelain=v2", "-z"]);
    let id = recorder.paused(&recorder.session);
    assert_eq!(subject(&recorder), format!("Pause snapshot {id}"));
    assert_eq!(committed(&recorder), files_of(&id));
    assert_eq!(
        recorder.sandbox.git(&["status", "--porcelain=v2", "-z"]),
        status,
        "what was staged is staged"
    );
    assert_eq!(recorder.sandbox.git(&["show", ":plain"]), "staged");
    let status = recorder.snapshot(&id)["git"]["status"].clone();
    assert_eq!(status["modified_files"].as_array().map(Vec::len), Some(7), "{status:#}");
}

#[test]
fn nobody_but_the_user_switches_it_on() {
    for level in [Level::Project, Level::Local] {
        let recorder = Recorder::new("");
        recorder.sandbox.requirements(level, "pause-recorder: {git_commit: true}\n");
        recorder.paused(&recorder.session);
        assert_eq!(subject(&recorder), "start", "{level:?}");
    }
    let recorder = Recorder::new("");
    recorder.paused(&recorder.session);
    assert_eq!(subject(&recorder), "start", "nor is it on by itself");
}
