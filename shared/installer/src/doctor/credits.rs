//! The readings of the credits used: whether there are any, how old they are, and where they can come from. Pure.

use shared::host::Timestamp;
use shared::usage::{Freshness, Source, Usage, freshness};

use super::finding::{Finding, Severity};
use super::heartbeats::span;

/// Where readings come from.
const ORIGIN: &str = "they come from the status line of the client in a terminal, with a Pro or Max login; elsewhere \
                      only from usage_api, which your global requirements.yaml switches on";

/// What is said of the last reading; `needed_by` is the registered hook that works from it.
pub(super) fn finding(usage: Option<&Usage>, now: Timestamp, needed_by: Option<&str>) -> Finding {
    let wrong = if needed_by.is_some() { Severity::Warning } else { Severity::Note };
    let need = match needed_by {
        Some(hook) => format!("{hook} does nothing without them"),
        None => "no registered hook needs them".to_owned(),
    };
    let source = match usage.map(|usage| usage.source) {
        Some(Source::UsageApi) => "the usage API",
        Some(Source::StatusLine) | None => "the status line",
    };
    match freshness(usage, now) {
        Freshness::Fresh => Finding::ok(format!("readings of the credits used are fresh, from {source}")),
        Freshness::Stale(age) => {
            let what =
                format!("the last reading of the credits used is {} old, from {source}; {need}", span(age));
            Finding::new(wrong, what).next(ORIGIN)
        }
        Freshness::Missing => {
            Finding::new(wrong, format!("there are no readings of the credits used; {need}")).next(ORIGIN)
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::host::Timestamp;
    use shared::usage::{Source, Usage, Window};

    use super::finding;
    use crate::doctor::finding::Severity;

    #[test]
    fn stale_or_missing_readings_matter_where_a_hook_needs_them() {
        let usage = Usage {
            observed_at: 1000,
            source: Source::UsageApi,
            windows: [("five_hour".to_owned(), Window::default())].into(),
        };
        for (usage, now, needed_by, severity, said) in [
            (None, 1000, None, Severity::Note, "no readings"),
            (None, 1000, Some("a-pacer"), Severity::Warning, "a-pacer does nothing without them"),
            (Some(&usage), 1900, Some("a-pacer"), Severity::Ok, "fresh, from the usage API"),
            (Some(&usage), 1901, None, Severity::Note, "15 min old"),
            (Some(&usage), 1901, Some("a-pacer"), Severity::Warning, "15 min old"),
        ] {
            let found = finding(usage, Timestamp::from_secs(now), needed_by);
            assert_eq!(found.severity, severity, "{found}");
            assert!(found.what.contains(said), "{found}");
        }
    }
}
