//! Several sessions in one project, and one session that goes on: each has a record of its own, and continues it.

use super::{Recorder, holds, kinds, lines};

#[test]
fn twenty_sessions_that_begin_at_once_have_twenty_records() {
    let recorder = Recorder::new("");
    let sessions: Vec<_> = (0..20)
        .map(|number| recorder.another(&format!("{:08}-x", number / 2 * 1_000 + number % 2)))
        .collect();
    for session in &sessions {
        holds(session, 185_000);
    }
    let calls: Vec<_> = sessions.iter().map(|session| session.bash_succeeded("ls", "ok")).collect();
    recorder.ask_at_once(&calls);
    let ids: std::collections::BTreeSet<String> =
        recorder.actives().iter().map(|path| lines(path)[0]["session_id"].to_string()).collect();
    assert_eq!(ids.len(), 20, "{ids:?}");
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

#[test]
fn a_session_that_is_resumed_goes_on_with_its_record() {
    let recorder = Recorder::new("");
    let record = recorder.recorded(&recorder.session);
    // It has ended without a word.
    let started = recorder.starts_as(&recorder.session.session_start("resume"), &[]);
    assert_eq!(started.brief, "");
    recorder.climb(&recorder.session, 181_000);
    let lines = lines(&record);
    assert_eq!(kinds(&lines[3..]), ["system_event", "tool_call"]);
    assert_eq!(lines[3]["data"]["event"], "session_continued");
    assert_eq!(recorder.actives(), [record]);
}
