//! Messages to the user. Pure.

use std::collections::BTreeSet;

use crate::levels::Level;
use crate::observe::{Facts, Orphan};
use crate::occupancy::Reading;

/// A level is reached; `new` are all that were reached at once.
pub(crate) fn level(level: Level, new: &BTreeSet<Level>, reading: &Reading, facts: &Facts) -> String {
    let full = format!(
        "pause-recorder: the context is {:.0} % full ({} of {} tokens)",
        reading.percent().floor(),
        grouped(reading.tokens),
        grouped(reading.window)
    );
    let recorded = new.contains(&Level::AutoPause).then(|| match &facts.sessions {
        Some(sessions) if facts.record.is_some() => {
            format!("; this session is being recorded in {}", sessions.told())
        }
        Some(sessions) => format!(
            "; from here on this session is recorded in {}. A new session can go on from it; `pause-recorder discard` drops it",
            sessions.told()
        ),
        None => "; it is not recorded: there is no project folder to keep it in".to_owned(),
    });
    let hint = match level {
        Level::Warning => Some("; a good moment to finish this piece, or for /compact"),
        Level::Critical => Some("; next to nothing is left: finish, or /compact"),
        Level::Caution | Level::AutoPause => None,
    };
    format!("{full}{}{}", hint.unwrap_or_default(), recorded.unwrap_or_default())
}

/// Records whose sessions may have ended.
pub(crate) fn orphans(orphans: &[Orphan]) -> String {
    let lines =
        orphans.iter().map(|orphan| format!("  {}: silent since {}", orphan.id, orphan.silent_since.local()));
    let head = "pause-recorder: records of earlier sessions are not finalized; a session may still be open. If it has ended, type `pause-recorder finalize ID` or `pause-recorder discard ID`:";
    std::iter::once(head.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

/// `1 action`, `2 actions`.
pub(crate) fn counted(count: u64) -> String {
    if count == 1 { "1 action".to_owned() } else { format!("{count} actions") }
}

/// `142,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;

    use super::{counted, orphans};
    use crate::observe::Orphan;

    #[test]
    fn records_that_may_be_over_are_named_and_may_still_be_open() {
        let silent_since = Timestamp::from_secs(0);
        let text = orphans(&[Orphan { id: "session-1".to_owned(), silent_since }]);
        assert!(text.starts_with("pause-recorder: ") && text.contains("may still be open"), "{text}");
        let line = format!("  session-1: silent since {}", silent_since.local());
        assert_eq!(text.lines().last(), Some(line.as_str()));
        assert_eq!([counted(0), counted(1), counted(2)], ["0 actions", "1 action", "2 actions"]);
    }
}
