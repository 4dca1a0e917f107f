//! What it costs where much has gathered: the length of a transcript is no matter, and a long record is finalized at once.
//! The bounds are far above what is promised: a debug build on a busy machine must keep them.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::time::Duration;

use super::{Recorder, holds, lines};
use crate::driver::notice;

const MIB: usize = 1024 * 1024;

/// A transcript of so many MiB before its last reply.
fn long(recorder: &Recorder, mib: usize, tokens: u64) {
    let session = &recorder.session;
    holds(session, tokens);
    let end = fs::read(&session.transcript).unwrap();
    let line = format!("{{\"type\":\"progress\",\"content\":\"{}\"}}\n", "usage ".repeat(2_000));
    let mut file = BufWriter::with_capacity(MIB, File::create(&session.transcript).unwrap());
    for _ in 0..(mib * MIB).div_ceil(line.len()) {
        file.write_all(line.as_bytes()).unwrap();
    }
    file.write_all(&end).unwrap();
    file.flush().unwrap();
}

/// The median time of some calls.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn calls(recorder: &Recorder) -> Duration {
    let call = recorder.session.bash_succeeded("ls", "ok").to_bytes();
    median((0..11).map(|_| recorder.hook().stdin(&call).run().wall).collect())
}

#[test]
fn a_long_transcript_costs_no_more_than_a_short_one() {
    let recorder = Recorder::new("");
    long(&recorder, 2, 100_000);
    let short_took = calls(&recorder);
    long(&recorder, 200, 140_000);
    assert!(notice(recorder.call(&recorder.session).as_ref()).contains("70 % full"), "it is read");
    let long_took = calls(&recorder);
    println!("a call with a transcript of 2 MiB: {short_took:?}, of 200 MiB: {long_took:?}");
    assert!(long_took < short_took * 3 + Duration::from_millis(20), "{short_took:?}, {long_took:?}");
}

#[test]
fn a_reply_that_is_far_from_the_end_is_not_looked_for() {
    let recorder = Recorder::new("");
    long(&recorder, 60, 140_000);
    let text = "x".repeat(60 * MIB);
    let mut file = File::options().append(true).open(&recorder.session.transcript).unwrap();
    writeln!(file, "{{\"type\":\"progress\",\"content\":\"{text}\"}}").unwrap();
    assert_eq!(recorder.call(&recorder.session), None);
    let took = calls(&recorder);
    println!("a call with a last reply 60 MiB from the end: {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_record_of_a_thousand_actions_is_finalized_at_once() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let text = fs::read_to_string(&record).unwrap();
    let last = text.lines().last().unwrap();
    fs::write(&record, format!("{text}{}\n", [last; 997].join("\n"))).unwrap();
    assert_eq!(lines(&record).len(), 1_000);
    let before = fs::read(&record).unwrap();
    let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
    let finalized = (0..20).map(|_| {
        let outcome = recorder.run(&["finalize"]);
        outcome.assert_exit(0);
        fs::write(&record, &before).unwrap();
        for end in [".json", ".yaml", ".md", "-incremental.jsonl"] {
            fs::remove_file(recorder.file(&id, end)).unwrap();
        }
        outcome.wall
    });
    let took = median(finalized.collect());
    println!("finalizing 1,000 actions: {took:?}, the median of 20");
    assert!(took < Duration::from_secs(2), "{took:?}");
}
