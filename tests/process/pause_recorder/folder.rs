//! The folder the records lie in: made private and ignored by git, never reached through a link, and where it cannot be written
//! to the session goes on.

use std::fs;

use serde_json::Value;
use tests::process::Invocation;

use super::{AT_AUTO_PAUSE, Recorder};
use crate::driver::{documented, notice, tree};

#[test]
fn a_folder_that_is_a_link_is_refused_and_told_once() {
    for (link, part) in [(".claude/sessions", "sessions is a link"), (".claude", ".claude is a link")] {
        let recorder = Recorder::new("");
        let target = recorder.sandbox.root().join("outside");
        fs::create_dir(&target).unwrap();
        let link = recorder.sandbox.project().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&target, link).unwrap();
        let told = recorder.climb(&recorder.session, AT_AUTO_PAUSE);
        assert!(told.contains(part) && told.contains("So this session is not recorded"), "{told:?}");
        for event in [
            recorder.session.bash_succeeded("ls", "ok"),
            recorder.session.pre_compact("auto"),
            recorder.session.session_end("other"),
        ] {
            assert_eq!(notice(recorder.ask(&event).as_ref()), "", "{event:?}");
        }
        recorder.starts("bbbbbbbb-1");
        for words in [&["start"][..], &["finalize"], &["list"], &["show"], &["resume"]] {
            recorder.run(words);
        }
        assert_eq!(tree(&target).len(), 0, "{:?}", tree(&target));
    }
}

/// The hook where a file may have so many bytes at most, as on a disk that is nearly full.
fn with_files_up_to(recorder: &Recorder, kib: usize) -> Invocation {
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\"", kib * 2);
    let program = tests::binaries::path(super::NAME).display().to_string();
    Invocation::new("/bin/sh", &recorder.sandbox)
        .args(["-c".to_owned(), script, program])
        .env("CLAUDE_CODE_ENTRYPOINT", "cli")
        .env("CLAUDE_PROJECT_DIR", recorder.sandbox.project().display().to_string())
}

#[test]
fn on_a_full_disk_the_session_goes_on_and_the_earlier_record_stays() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    while fs::metadata(&record).unwrap().len() < 40_000 {
        let text = fs::read_to_string(&record).unwrap();
        let last = text.lines().last().unwrap();
        fs::write(&record, format!("{text}{}\n", [last; 20].join("\n"))).unwrap();
    }
    let before = fs::read(&record).unwrap();
    let ask = |payload: &tests::payloads::Payload| {
        let hook = with_files_up_to(&recorder, before.len() / 1024);
        documented(&hook.stdin(payload.to_bytes()).run())
    };
    let session = &recorder.session;
    let calls: Vec<Option<Value>> = (0..3).map(|_| ask(&session.bash_succeeded("ls", "ok"))).collect();
    let told: Vec<String> = calls.iter().map(|answer| notice(answer.as_ref())).collect();
    assert!(told[0].contains("cannot be written") && told[0].contains("stay"), "{told:?}");
    assert_eq!(told[1..], ["", ""], "told once");
    assert!(fs::read(&record).unwrap() == before, "not a byte more or less");
    recorder.call(session);
    recorder.ask(&session.session_end("other"));
    let snapshot = recorder.snapshot(&recorder.latest());
    assert_eq!(snapshot["skipped_lines"], 0, "{snapshot:#}");
}
