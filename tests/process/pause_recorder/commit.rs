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
    let mut files: Vec<String> = [".json", ".yaml", ".md", "-incremental.jsonl"]
        .iter()
        .map(|end| format!(".claude/sessions/{id}{end}"))
        .collect();
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

#[test]
#[cfg(unix)]
fn hooks_of_the_repository_do_not_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let recorder = Recorder::new("git_commit: true");
    let ran = recorder.sandbox.temporary_dir().join("ran");
    for name in ["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg"] {
        let script = format!("#!/bin/sh\necho {name} >>'{}'\nexit 1\n", ran.display());
        let hook = recorder.sandbox.write(format!(".git/hooks/{name}"), script);
        std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let id = recorder.paused(&recorder.session);
    assert_eq!(subject(&recorder), format!("Pause snapshot {id}"));
    assert!(!ran.exists(), "{:?}", std::fs::read_to_string(ran));
}

#[test]
fn in_the_middle_of_a_merge_nothing_is_committed_and_the_snapshot_is_there() {
    let recorder = Recorder::new("git_commit: true");
    let head = recorder.sandbox.git(&["rev-parse", "HEAD"]);
    recorder.sandbox.write(".git/MERGE_HEAD", format!("{head}\n"));
    let record = recorder.recorded(&recorder.session);
    let outcome = recorder.run(&["finalize"]);
    outcome.assert_exit(1);
    assert!(outcome.stderr_text().contains("the snapshot is written"), "{outcome}");
    assert!(outcome.stderr_text().contains("a merge is going on"), "{outcome}");
    assert!(!record.exists() && recorder.file(&recorder.latest(), ".json").is_file());
    assert_eq!(subject(&recorder), "start");
}

#[test]
fn without_a_repository_the_snapshot_is_there() {
    let recorder = Recorder::new("git_commit: true");
    std::fs::remove_dir_all(recorder.sandbox.project().join(".git")).unwrap();
    let id = recorder.paused(&recorder.session);
    assert!(recorder.file(&id, ".json").is_file());
}

#[test]
fn one_that_is_only_archived_is_not_committed() {
    let recorder = Recorder::new("git_commit: true");
    let record = recorder.recorded(&recorder.session);
    let told = recorder.typed(&recorder.session, "pause-recorder finalize --minimal").unwrap();
    assert!(told.contains("is finalized, 3 actions:\n"), "{told}");
    assert!(!record.exists());
    assert_eq!(subject(&recorder), "start");
}
