//! What it reads where much has gathered: the length of a transcript is no matter, and a long record is finalized as a whole.
//! The transcripts here have a hole of a tebibyte, which takes no room on a disk: whoever reads it does not come to the end
//! of it before the deadline of every test's process. How long anything takes is `cargo xtask bench`'s.

use std::fs;

use super::{Recorder, lines};

#[cfg(unix)]
mod holes {
    use std::fs::{self, File};
    use std::io::{Seek as _, SeekFrom, Write as _};

    use super::super::{Recorder, holds};
    use crate::driver::notice;

    const HOLE: u64 = 1 << 40;

    /// Before and behind the hole stand these bytes.
    fn with_a_hole(recorder: &Recorder, before: &[u8], behind: &[u8]) {
        let mut file = File::create(&recorder.session.transcript).unwrap();
        file.write_all(before).unwrap();
        file.seek(SeekFrom::Start(HOLE)).unwrap();
        file.write_all(behind).unwrap();
        assert!(file.metadata().unwrap().len() >= HOLE);
    }

    /// The transcript of a session with so much in its context.
    fn transcript(recorder: &Recorder, tokens: u64) -> Vec<u8> {
        holds(&recorder.session, tokens);
        fs::read(&recorder.session.transcript).unwrap()
    }

    #[test]
    fn of_a_long_transcript_only_the_end_is_read() {
        let recorder = Recorder::new("");
        let end = transcript(&recorder, 140_000);
        with_a_hole(&recorder, b"", &[b"\n", end.as_slice()].concat());
        assert!(notice(recorder.call(&recorder.session).as_ref()).contains("70 % full"), "it is read");
    }

    #[test]
    fn a_reply_that_is_far_from_the_end_is_not_looked_for() {
        let recorder = Recorder::new("");
        let reply = transcript(&recorder, 140_000);
        with_a_hole(&recorder, &reply, b"\n{\"type\":\"progress\"}\n");
        assert_eq!(recorder.call(&recorder.session), None);
    }
}

#[test]
fn a_record_of_a_thousand_actions_is_finalized_as_a_whole() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let text = fs::read_to_string(&record).unwrap();
    let last = text.lines().last().unwrap();
    fs::write(&record, format!("{text}{}\n", [last; 997].join("\n"))).unwrap();
    assert_eq!(lines(&record).len(), 1_000);
    let before = fs::read_to_string(&record).unwrap();
    recorder.run(&["finalize"]).assert_exit(0);
    let id = recorder.latest();
    assert_eq!(recorder.snapshot(&id)["skipped_lines"], 0);
    let kept = fs::read_to_string(recorder.file(&id, "-incremental.jsonl")).unwrap();
    assert!(kept.starts_with(&before), "the record is kept");
}
