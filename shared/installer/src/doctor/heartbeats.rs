//! When each hook last really fired. A hook that is silent leaves the time; one that the client never starts does
//! not. Pure.

use std::time::Duration;

use shared::host::Timestamp;

use super::finding::Finding;

/// A session that goes on so long after a hook last fired shows that it does not fire any more.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// Clocks of file systems differ from the system's by so much.
const TOLERANCE: Duration = Duration::from_secs(60);

/// What is known of one registered hook.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) hook: String,
    /// When it last fired.
    pub(super) fired: Option<Timestamp>,
    /// When its binary was put there.
    pub(super) installed: Option<Timestamp>,
    /// When any session of this user last wrote to its transcript.
    pub(super) session: Option<Timestamp>,
    /// It is registered for every project.
    pub(super) is_everywhere: bool,
    pub(super) now: Timestamp,
}

/// What is said of it.
pub(super) fn finding(facts: &Facts) -> Finding {
    let Facts { hook, now, .. } = facts;
    let is_later = |session: Timestamp, than: Timestamp, by: Duration| session > than.plus(by);
    let session = facts.session.filter(|_| facts.is_everywhere);
    let next =
        "if hooks of others run there, restart that session; else see what /hooks and claude --debug say";
    match (facts.fired, session, facts.installed) {
        (Some(fired), _, _) if is_later(fired, *now, TOLERANCE) => {
            let what = format!(
                "{hook} last fired {} from now by the clock, so when it really did is not known",
                span(fired.since(*now))
            );
            Finding::warning(what).next("set the clock right; the hook's next run puts the time right")
        }
        (Some(fired), Some(session), _) if is_later(session, fired, LONG) => {
            let what = format!(
                "{hook} last fired {} ago, though a session went on until {} ago",
                span(now.since(fired)),
                span(now.since(session))
            );
            Finding::warning(what).next(next)
        }
        (Some(fired), _, _) => Finding::ok(format!("{hook} last fired {} ago", span(now.since(fired)))),
        (None, Some(session), Some(installed)) if is_later(session, installed, Duration::from_secs(60)) => {
            let what = format!(
                "{hook} has never fired, though a session went on after it was installed, until {} ago",
                span(now.since(session))
            );
            Finding::note(what)
                .next("a session that is running already takes new hooks over when it is restarted")
        }
        (None, _, _) => Finding::ok(format!("{hook} waits for its first session")),
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
    fn a_hook_that_fires_no_more_is_told_where_sessions_go_on() {
        const HOUR: i64 = 3600;
        let at = |hours: i64| Some(Timestamp::from_secs(1_000_000 + hours * HOUR));
        for (fired, session, installed, is_everywhere, severity) in [
            (None, None, at(0), true, Severity::Ok),
            (None, at(-1), at(0), true, Severity::Ok),
            (None, at(1), at(0), true, Severity::Note),
            (None, at(1), at(0), false, Severity::Ok),
            (at(1), None, at(0), true, Severity::Ok),
            (at(1), at(2), at(0), true, Severity::Ok),
            (at(1), at(25), at(0), true, Severity::Ok),
            (at(1), at(26), at(0), true, Severity::Warning),
            (at(1), at(26), at(0), false, Severity::Ok),
            (at(100), None, at(0), true, Severity::Ok),
            (at(101), None, at(0), true, Severity::Warning),
        ] {
            let now = at(100).unwrap();
            let facts = Facts { hook: "a-gate".to_owned(), fired, installed, session, is_everywhere, now };
            assert_eq!(finding(&facts).severity, severity, "{facts:?}");
        }
    }

    #[test]
    fn a_span_is_told_in_its_largest_unit() {
        for (secs, told) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7200, "2 h"), (172_800, "2 days")] {
            assert_eq!(span(Duration::from_secs(secs)), told);
        }
    }
}
