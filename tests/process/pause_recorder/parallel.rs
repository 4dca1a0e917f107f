//! Parallel processes: sixteen write into one record and some are killed, twenty calls begin one record.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Recorder, holds, kinds, lines};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::Value;

const COPIES: usize = 16;

const ROUNDS: usize = 12;

#[test]
fn the_lines_of_those_that_end_are_whole_whoever_is_killed() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    let mut dice = StdRng::seed_from_u64(16);
    let mut limit = Duration::from_millis(60);
    let (mut killed, mut written) = (0, BTreeSet::new());
    for round in 0..ROUNDS {
        let names: Vec<String> = (0..COPIES).map(|copy| format!("call {round}.{copy}.")).collect();
        let calls = names.iter().map(|name| recorder.session.bash_succeeded(name, &"x".repeat(4_000)));
        let mut copies: Vec<_> = calls.map(|call| recorder.hook().stdin(call.to_bytes()).start()).collect();
        // The moments of the kills are what is tried: nothing is waited for.
        for copy in copies.iter_mut().step_by(2) {
            std::thread::sleep(dice.random_range(Duration::ZERO..limit / 8));
            copy.kill();
        }
        let ended: Vec<bool> = copies.into_iter().map(|copy| copy.wait().status.success()).collect();
        let dead = ended.iter().filter(|ended| !**ended).count();
        killed += dead;
        // About half of those that are meant are killed before their end.
        limit = if dead > COPIES / 4 { limit * 5 / 4 } else { limit * 4 / 5 }.max(Duration::from_millis(1));
        written.extend(names.into_iter().zip(ended).filter(|(_, ended)| *ended).map(|(name, _)| name));
    }
    // How many is the machine's affair, and no promise.
    println!("{killed} of {} were killed before their end", ROUNDS * COPIES);
    recorder.ask(&recorder.session.bash_succeeded("the last call", "ok"));

    // A kill may cut a write where a page of the file ends. The next line begins on its own.
    let text = std::fs::read_to_string(&record).unwrap();
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let torn = text.lines().count() - lines.len();
    assert!(torn <= killed, "{torn} of {killed}");
    let calls: Vec<&str> = lines.iter().filter_map(|line| line["data"]["args"].as_str()).collect();
    for name in &written {
        assert_eq!(calls.iter().filter(|args| args.contains(name)).count(), 1, "{name}");
    }
    assert!(calls.iter().all(|args| args.matches("call ").count() <= 1), "{calls:?}");
    assert!(calls.last().is_some_and(|args| args.contains("the last call")), "{calls:?}");
    assert_eq!(kinds(&lines).iter().filter(|kind| **kind == "pause_started").count(), 1);
    recorder.ask(&recorder.session.session_end("other"));
    assert_eq!(recorder.snapshot(&recorder.latest())["skipped_lines"], torn);
}

#[test]
fn one_session_whose_calls_end_at_once_has_one_record() {
    let recorder = Recorder::new("");
    holds(&recorder.session, 185_000);
    recorder.ask_at_once(&vec![recorder.session.bash_succeeded("ls", "ok"); 20]);
    let [record] = &recorder.actives()[..] else { panic!("{:?}", recorder.kept()) };
    let lines = lines(record);
    let calls = kinds(&lines).iter().filter(|kind| **kind == "tool_call").count();
    assert_eq!((calls, lines.len()), (20, 22), "{}\n{lines:?}", recorder.journal());
}
