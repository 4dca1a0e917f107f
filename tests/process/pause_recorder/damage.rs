//! A record that was damaged: what can be read of it is read, the rest is counted, it can be written on, ended again and again,
//! and dropped.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{Recorder, lines};
use crate::dice::Dice;

const KILLS: usize = 60;

#[test]
fn killed_at_any_moment_it_can_be_finalized_again() {
    let recorder = Recorder::new("");
    let mut dice = Dice::seeded(3);
    let mut limit = Duration::from_millis(30);
    let mut killed = 0;
    for round in 0..KILLS {
        let session = recorder.another(&format!("{round:08}-x"));
        let record = recorder.recorded(&session);
        let id = lines(&record)[0]["session_id"].as_str().unwrap().to_owned();
        let mut hook = recorder.hook().stdin(session.session_end("other").to_bytes()).start();
        // The moment of the kill is what is tried: nothing is waited for.
        std::thread::sleep(dice.time_below(limit));
        hook.kill();
        let was_killed = !hook.wait().status.success();
        killed += usize::from(was_killed);
        // However fast the machine is just now, about half of the kills come before the end.
        limit = if was_killed { limit * 11 / 10 } else { limit * 10 / 11 }.max(Duration::from_millis(1));
        if record.exists() {
            let outcome = recorder.run_in(&session, &["finalize", &id]);
            outcome.assert_exit(0);
        }
        assert_complete(&recorder, &record, &id, round);
    }
    println!("{killed} of {KILLS} ends were killed");
    assert!(killed > KILLS / 5, "only {killed} of {KILLS} were killed before their end");
    let odd: Vec<String> = recorder.kept().into_iter().filter(|name| name.contains("tmp")).collect();
    assert!(odd.len() <= 4 * KILLS / 10, "{odd:?}");
}

/// Everything is there, once, and of one moment.
#[track_caller]
fn assert_complete(recorder: &Recorder, record: &Path, id: &str, round: usize) {
    assert!(!record.exists(), "{round}");
    let lines = lines(&recorder.file(id, "-incremental.jsonl"));
    let ends: Vec<_> = lines.iter().filter(|line| line["type"] == "pause_finalized").collect();
    assert_eq!(ends.len(), 1, "{round}: {lines:#?}");
    let json = recorder.snapshot(id);
    assert_eq!(json["paused_at"], ends[0]["timestamp"], "{round}");
    let yaml = fs::read_to_string(recorder.file(id, ".yaml")).unwrap();
    assert_eq!(serde_yaml::from_str::<serde_json::Value>(&yaml).unwrap(), json, "{round}");
    assert!(recorder.file(id, ".md").is_file(), "{round}");
}
