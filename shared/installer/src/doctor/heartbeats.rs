//! When each hook last ran. A hook that says nothing leaves the time; one that Claude Code never starts does not. Pure.

use std::time::Duration;

use shared::host::Timestamp;

use super::finding::Finding;

/// A session that goes on so long after a hook last ran shows that the hook does not run any more.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// The clocks of a file system and of the system differ by so much.
const TOLERANCE: Duration = Duration::from_secs(60);

/// What is known of one registered hook.
#[derive(Debug, Clone)]
pub(super) struct Facts<'a> {
    pub(super) hook: &'a str,
    /// When it last ran.
    pub(super) fired: Option<Timestamp>,
    /// When its program was installed.
    pub(super) installed: Option<Timestamp>,
    /// When a session that should start it last wrote to its transcript.
    pub(super) session: Option<Timestamp>,
    pub(super) now: Timestamp,
}

/// The finding for one hook.
pub(super) fn finding(facts: &Facts<'_>) -> Finding {
    let Facts { hook, fired, installed, session, now } = *facts;
    let later = |than: Timestamp, by: Duration| session.filter(|session| *session > than.plus(by));
    match fired {
        Some(fired) if fired > now.plus(TOLERANCE) => {
            let ahead = span(fired.since(now));
            Finding::warning(format!("{hook} last fired {ahead} from now by the clock"))
                .next("set the clock; the hook's next run puts the time right")
        }
        Some(fired) => {
            let ago = span(now.since(fired));
            match later(fired, LONG) {
                Some(session) => Finding::warning(format!(
                    "{hook} last fired {ago} ago, though a session went on until {} ago",
                    span(now.since(session))
                ))
                .next("restart that session; if it stays, see what /hooks and claude --debug say"),
                None => Finding::ok(format!("{hook} last fired {ago} ago")),
            }
        }
        None if installed.is_some_and(|installed| later(installed, TOLERANCE).is_some()) => {
            Finding::note(format!("{hook} has never fired, though a session went on after it was installed"))
                .next(
                    "Claude Code starts it at the next call or prompt; if it does not, restart that session",
                )
        }
        None => Finding::ok(format!("{hook} waits for its first session")),
    }
}

/// A time that has passed, in its largest unit.
pub(super) fn span(duration: Duration) -> String {
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
    use std::time::Duration;

    use shared::host::Timestamp;

    use super::{Facts, finding, span};
    use crate::doctor::finding::Severity;

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
            assert_eq!(finding(&facts).severity, severity, "{facts:?}");
        }
    }

    #[test]
    fn span_is_written_in_its_largest_unit() {
        for (secs, written) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7200, "2 h"), (172_800, "2 days")] {
            assert_eq!(span(Duration::from_secs(secs)), written);
        }
    }
}
