//! Messages to the user. Pure.

use shared::host::Timestamp;

use crate::levels::Level;
use crate::occupancy::Reading;
use crate::record::Sessions;

/// A level is reached; `record`: what is said of the record.
pub(crate) fn level(level: Level, reading: &Reading, record: &str) -> String {
    let hint = match level {
        Level::Warning => "; a good moment to finish this piece, or for /compact",
        Level::Critical => "; next to nothing is left: finish, or /compact",
        Level::Caution | Level::AutoPause => "",
    };
    let full = full(reading.percent(), reading.tokens, reading.window);
    format!("pause-recorder: the context is {full}{hint}{record}")
}

/// `71 % full (142,000 of 200,000 tokens)`.
pub(crate) fn full(percent: f64, used: u64, total: u64) -> String {
    format!("{:.0} % full ({} of {} tokens)", percent.floor(), grouped(used), grouped(total))
}

/// The level at which a record begins is reached.
pub(crate) fn recorded(sessions: Option<&Sessions>, is_begun: bool) -> String {
    match sessions.map(Sessions::told) {
        Some(folder) if is_begun => format!("; this session is being recorded in {folder}"),
        Some(folder) => format!(
            "; from here on this session is recorded in {folder}. A new session can go on from it; `pause-recorder discard` drops it"
        ),
        None => "; it is not recorded: there is no project folder to keep it in".to_owned(),
    }
}

/// A record whose session may have ended.
pub(crate) fn orphan(id: &str, last: Timestamp) -> String {
    let last = last.local();
    format!(
        "pause-recorder: the record {id} of another session is not finalized, silent since {last}. If that session has ended, type `pause-recorder finalize {id}` or `pause-recorder discard {id}`"
    )
}

/// `1 action`, `2 actions`.
pub(crate) fn counted(count: u64) -> String {
    if count == 1 { "1 action".to_owned() } else { format!("{count} actions") }
}

/// `142,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
