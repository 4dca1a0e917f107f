//! The last run of each hook. A silent hook leaves its time, too; a hook that Claude Code never starts does not.

use std::time::Duration;

use shared::host::Timestamp;

use super::finding::Finding;

/// A session that goes on so long after a hook last ran shows that the hook does not run any more.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// The clocks of a file system and of the system differ by so much.
const TOLERANCE: Duration = Duration::from_secs(60);

/// The times around one registered hook.
#[derive(Debug, Clone)]
pub(super) struct Facts<'a> {
    pub(super) hook: &'a str,
    pub(super) fired: Option<Timestamp>,
    pub(super) installed: Option<Timestamp>,
    /// When a session that should start it last wrote to its transcript.
    pub(super) session: Option<Timestamp>,
    pub(super) now: Timestamp,
}

pub(super) fn finding(facts: &Facts<'_>) -> Finding {
    let Facts { hook, fired, installed, session, now } = *facts;
    let went_on = |since: Timestamp, by: Duration| session.filter(|session| *session > since.plus(by));
    let Some(fired) = fired else {
        if installed.and_then(|installed| went_on(installed, TOLERANCE)).is_none() {
            return Finding::ok(format!("{hook} waits for its first session"));
        }
        let what = format!("{hook} has never fired, though a session went on after it was installed");
        let next = "Claude Code starts it at the next call or prompt; if it does not, restart that session";
        return Finding::note(what).next(next);
    };
    if fired > now.plus(TOLERANCE) {
        let what = format!("{hook} last fired {} from now by the clock", span(fired.since(now)));
        return Finding::warning(what).next("set the clock; the hook's next run puts the time right");
    }
    let ago = span(now.since(fired));
    let Some(session) = went_on(fired, LONG) else {
        return Finding::ok(format!("{hook} last fired {ago} ago"));
    };
    let until = span(now.since(session));
    Finding::warning(format!("{hook} last fired {ago} ago, though a session went on until {until} ago"))
        .next("restart that session; if it stays, see what /hooks and claude --debug say")
}

/// A duration in its largest unit.
fn span(duration: Duration) -> String {
    let secs = duration.as_secs();
    let (count, unit) = match secs {
        0..60 => (secs, "s"),
        60..3600 => (secs / 60, "min"),
        3600..172_800 => (secs / 3600, "h"),
        _ => (secs / 86_400, "days"),
    };
    format!("{count} {unit}")
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;

    use super::{Facts, finding};
    use crate::doctor::finding::Severity;

    #[test]
    fn a_span_is_in_its_largest_unit() {
        for (secs, text) in [
            (59, "59 s"),
            (60, "1 min"),
            (3_599, "59 min"),
            (7_300, "2 h"),
            (172_799, "47 h"),
            (172_800, "2 days"),
        ] {
            assert_eq!(super::span(std::time::Duration::from_secs(secs)), text);
        }
    }

    #[test]
    fn hook_that_stopped_running_is_reported_if_sessions_went_on() {
        let at = |hours: i64| Some(Timestamp::from_secs(1_000_000 + hours * 3600));
        for (fired, session, severity) in [
            (None, None, Severity::Ok),
            (None, at(-1), Severity::Ok),
            (None, at(1), Severity::Note),
            (at(1), None, Severity::Ok),
            (at(1), at(25), Severity::Ok),
            (at(1), at(26), Severity::Warning),
            (at(100), None, Severity::Ok),
            (at(101), None, Severity::Warning),
        ] {
            let facts = Facts { hook: "a-gate", fired, installed: at(0), session, now: at(100).unwrap() };
            let found = finding(&facts);
            assert_eq!(found.severity, severity, "{facts:?}");
            assert_eq!(found.what.contains("last fired 4 days ago"), fired == at(1), "{found}");
        }
    }
}
