//! Messages to the user. Pure.

use std::collections::BTreeSet;

use crate::levels::Level;
use crate::observe::{Facts, Orphan};
use crate::occupancy::Reading;

/// A level is reached; `new` are all that were reached at once.
pub(crate) fn level(level: Level, new: &BTreeSet<Level>, reading: &Reading, facts: &Facts) -> String {
    let hint = match level {
        Level::Warning => "; a good moment to finish this piece, or for /compact",
        Level::Critical => "; next to nothing is left: finish, or /compact",
        Level::Caution | Level::AutoPause => "",
    };
    let recorded = match &facts.sessions {
        _ if !new.contains(&Level::AutoPause) => String::new(),
        Some(sessions) if facts.record.is_some() => {
            format!("; this session is being recorded in {}", sessions.told())
        }
        Some(sessions) => format!(
            "; from here on this session is recorded in {}. A new session can go on from it; `pause-recorder discard` drops it",
            sessions.told()
        ),
        None => "; it is not recorded: there is no project folder to keep it in".to_owned(),
    };
    format!(
        "pause-recorder: the context is {:.0} % full ({} of {} tokens){hint}{recorded}",
        reading.percent().floor(),
        grouped(reading.tokens),
        grouped(reading.window)
    )
}

/// The record cannot begin for this reason.
pub(crate) fn not_begun(why: &str) -> String {
    format!("{why}. So this session is not recorded; `pause-recorder start` tries again")
}

/// Records whose sessions may have ended.
pub(crate) fn orphans(orphans: &[Orphan]) -> String {
    let head = "pause-recorder: records of earlier sessions are not finalized; a session may still be open. If it has ended, type `pause-recorder finalize ID` or `pause-recorder discard ID`:";
    let lines = orphans
        .iter()
        .map(|orphan| format!("\n  {}: silent since {}", orphan.id, orphan.silent_since.local()));
    lines.fold(head.to_owned(), |text, line| text + &line)
}

/// `1 action`, `2 actions`.
pub(crate) fn counted(count: u64) -> String {
    if count == 1 { "1 action".to_owned() } else { format!("{count} actions") }
}

/// `142,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
