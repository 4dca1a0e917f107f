//! The readings of the credits used: whether there are any, how old they are, and where they can come from. Pure.

use std::time::Duration;

use shared::catalog::Catalog;
use shared::host::Timestamp;
use shared::usage::{Freshness, STALE_AFTER, Source, Usage, freshness};

use super::finding::{Finding, Severity};
use super::heartbeats::span;
use super::level::Level;
use crate::readings::prints_ours;

/// Where readings come from.
const ORIGIN: &str = "they come from the status line of the client in a terminal, with a Pro or Max login";

/// Where else they come from, while that is off.
const ELSEWHERE: &str = "; elsewhere only from usage_api, which your global requirements.yaml switches on";

/// A file's time and a session's differ by so much though they are of one moment.
const TOLERANCE: Duration = Duration::from_secs(60);

/// Whose status line the client prints here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// The one that writes readings down.
    Ours,
    /// None is set.
    Nobodys,
    /// Another one, set by this file.
    Another(String),
}

/// What is known of the readings.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// The last one.
    pub(super) usage: Option<Usage>,
    pub(super) now: Timestamp,
    /// The registered hook that works from them.
    pub(super) needed_by: Option<String>,
    pub(super) line: Line,
    /// When the client's settings were last changed: an older reading says nothing of the status line they set.
    pub(super) wired: Option<Timestamp>,
    /// The usage API is asked too, and this command says how that went.
    pub(super) polled: Option<String>,
    /// When that hook was put there.
    pub(super) installed: Option<Timestamp>,
    /// When any session of this user last wrote to its transcript.
    pub(super) session: Option<Timestamp>,
    /// What sets the status line.
    pub(super) command: String,
}

/// Whose status line is in force: the last level that sets one.
pub(super) fn line(levels: &[Level], catalog: &Catalog) -> Line {
    let mut in_force = levels.iter().rev().filter(|level| !level.is_elsewhere).filter_map(|level| {
        let is_ours = prints_ours(level.status_line.as_ref()?, catalog);
        Some(if is_ours { Line::Ours } else { Line::Another(level.shown.clone()) })
    });
    in_force.next().unwrap_or(Line::Nobodys)
}

/// What is said of the last reading.
pub(super) fn finding(facts: &Facts) -> Finding {
    let Facts { usage, now, session, .. } = facts;
    let source = match usage.as_ref().map(|usage| usage.source) {
        Some(Source::UsageApi) => "the usage API",
        Some(Source::StatusLine) | None => "the status line",
    };
    match freshness(usage.as_ref(), *now) {
        Freshness::Fresh if facts.is_the_last() => {
            facts.lacking("the last reading of the credits used is fresh, but none will follow", false)
        }
        Freshness::Fresh => Finding::ok(format!("readings of the credits used are fresh, from {source}")),
        Freshness::Stale(age) => {
            let what = format!("the last reading of the credits used is {} old, from {source}", span(age));
            // While nobody works there are none.
            let last = usage.as_ref().map(|usage| Timestamp::from_secs(usage.observed_at));
            let is_overdue =
                last.is_some_and(|last| session.is_some_and(|session| session > last.plus(STALE_AFTER)));
            facts.lacking(&what, is_overdue)
        }
        Freshness::Missing => {
            let was_session = facts
                .installed
                .is_none_or(|installed| session.is_some_and(|session| session > installed.plus(TOLERANCE)));
            facts.lacking("there are no readings of the credits used", was_session)
        }
    }
}

impl Facts {
    /// A hook needs readings, nothing is set up that brings any, and what there is, is from before.
    fn is_the_last(&self) -> bool {
        // A script may start ours in its turn without naming it: then readings came since.
        let came_since = self.usage.as_ref().is_some_and(|usage| {
            let observed = Timestamp::from_secs(usage.observed_at);
            usage.source == Source::StatusLine && self.wired.is_some_and(|wired| observed > wired)
        });
        self.needed_by.is_some() && self.line != Line::Ours && self.polled.is_none() && !came_since
    }

    /// `is_overdue`: a session should have brought one.
    fn lacking(&self, what: &str, is_overdue: bool) -> Finding {
        let origin = self.origin();
        let Some(hook) = &self.needed_by else {
            return Finding::note(format!("{what}; no registered hook needs them")).next(origin);
        };
        let severity = if is_overdue { Severity::Warning } else { Severity::Note };
        let what = format!("{what}; {hook} delays nothing without them");
        match &self.line {
            _ if self.polled.is_some() => Finding::new(severity, what).next(origin),
            Line::Ours if is_overdue => Finding::new(severity, what).next(origin),
            Line::Ours => Finding::new(severity, what).next(format!("{origin}: the next session brings one")),
            Line::Nobodys => Finding::warning(format!("{what}, and no status line is set"))
                .next(format!("{}; {origin}", self.command)),
            Line::Another(file) => Finding::warning(format!("{what}, and the status line is another one"))
                .at(file, None)
                .next(format!("{}, which prints yours below its own; {origin}", self.command)),
        }
    }

    fn origin(&self) -> String {
        match &self.polled {
            Some(command) => {
                format!("{ORIGIN}, or from the usage API, which is on: {command} says how it went")
            }
            None => ORIGIN.to_owned() + ELSEWHERE,
        }
    }
}

#[cfg(test)]
mod tests {
    use client_settings::StatusLineThere;
    use shared::catalog::Catalog;
    use shared::host::Timestamp;
    use shared::usage::{Source, Usage, Window};

    use super::{Facts, Line, finding, line};
    use crate::doctor::finding::Severity::{self, Note, Ok, Warning};
    use crate::doctor::level::{Kind, Level};

    /// Installed at 1000, with a session at 5000.
    fn facts() -> Facts {
        Facts {
            usage: None,
            now: Timestamp::from_secs(6000),
            needed_by: Some("a-pacer".to_owned()),
            line: Line::Ours,
            wired: Some(Timestamp::from_secs(5800)),
            polled: None,
            installed: Some(Timestamp::from_secs(1000)),
            session: Some(Timestamp::from_secs(5000)),
            command: "req hooks statusline".to_owned(),
        }
    }

    fn read_at(observed_at: i64) -> Usage {
        let windows = [("five_hour".to_owned(), Window::default())].into();
        Usage { observed_at, source: Source::UsageApi, windows, ..Usage::default() }
    }

    const NOBODYS: Line = Line::Nobodys;

    const OTHER: Line = Line::Another(String::new());

    /// The status line told of this reading, and it is that one now.
    fn told(facts: &mut Facts, observed_at: i64, line: &Line) {
        facts.usage = Some(Usage { source: Source::StatusLine, ..read_at(observed_at) });
        facts.line = line.clone();
    }

    type Change = fn(&mut Facts);

    #[track_caller]
    fn check(rows: &[(Change, Severity, &str)]) {
        for (change, severity, said) in rows {
            let mut facts = facts();
            change(&mut facts);
            let found = finding(&facts);
            assert_eq!(found.severity, *severity, "{found}");
            let text = format!("{}; {}", found.what, found.next.as_deref().unwrap_or_default());
            assert!(text.contains(said), "{text}");
        }
    }

    #[test]
    fn stale_or_missing_readings_matter_where_a_hook_needs_them_and_a_session_went_on() {
        let another: Change = |facts| facts.line = Line::Another("~/.claude/settings.json".to_owned());
        check(&[
            (|_| {}, Warning, "a-pacer delays nothing without them; they come from"),
            (|facts| facts.needed_by = None, Note, "no registered hook needs them"),
            (|facts| facts.session = None, Note, "the next session brings one"),
            (|facts| facts.usage = Some(read_at(5900)), Ok, "fresh, from the usage API"),
            (|facts| facts.usage = Some(read_at(3000)), Warning, "50 min old"),
            (|facts| facts.usage = Some(read_at(4900)), Note, "18 min old"),
            (
                |facts| (facts.line, facts.session) = (Line::Nobodys, None),
                Warning,
                "no status line is set; req hooks statusline;",
            ),
            (another, Warning, "req hooks statusline, which prints yours below its own"),
            (|facts| (facts.usage, facts.needed_by) = (Some(read_at(3000)), None), Note, "50 min old"),
        ]);
    }

    #[test]
    fn a_fresh_reading_of_a_status_line_that_is_gone_was_the_last_one() {
        check(&[
            (
                |facts| told(facts, 5700, &OTHER),
                Warning,
                "none will follow; a-pacer delays nothing without them, and the",
            ),
            (
                |facts| told(facts, 5700, &NOBODYS),
                Warning,
                "none will follow; a-pacer delays nothing without them, and no",
            ),
            (|facts| told(facts, 5900, &OTHER), Ok, "fresh, from the status line"),
            (|facts| (facts.usage, facts.line) = (Some(read_at(5900)), NOBODYS), Warning, "none will follow"),
            (
                |facts| {
                    told(facts, 5700, &NOBODYS);
                    facts.polled = Some("a-pacer status".to_owned());
                },
                Ok,
                "fresh, from the status line",
            ),
            (
                |facts| {
                    told(facts, 5700, &NOBODYS);
                    facts.needed_by = None;
                },
                Ok,
                "fresh, from the status line",
            ),
            (
                |facts| (facts.polled, facts.line) = (Some("a-pacer status".to_owned()), NOBODYS),
                Warning,
                "login, or from the usage API, which is on: a-pacer status says how it went",
            ),
            (
                |facts| (facts.polled, facts.session) = (Some("a-pacer status".to_owned()), None),
                Note,
                "which is on: a-pacer status says how it went",
            ),
        ]);
    }

    #[test]
    fn the_last_level_that_sets_a_status_line_decides() {
        let catalog = Catalog::built_in().unwrap();
        let printer = catalog.hooks.iter().find(|hook| hook.status_line.is_some()).unwrap();
        let level = |kind, command: &str, is_ours| Level {
            status_line: Some(StatusLineThere {
                raw: String::new(),
                command: Some(command.to_owned()),
                is_command: true,
                is_ours,
            }),
            ..Level::of_text(kind, command, "{}")
        };
        let none = Level::of_text(Kind::Project, "none", "{}");
        let (ours, other) = (level(Kind::User, "ours", true), level(Kind::Local, "other", false));
        let through = level(Kind::Local, &format!("echo x; {} statusline", printer.name), false);
        let another = Line::Another("other".to_owned());
        for (levels, expected) in [
            (vec![], Line::Nobodys),
            (vec![ours.clone(), none], Line::Ours),
            (vec![ours.clone(), other.clone()], another),
            (vec![ours, Level { is_elsewhere: true, ..other.clone() }], Line::Ours),
            (vec![other, through], Line::Ours),
        ] {
            assert_eq!(line(&levels, &catalog), expected, "{levels:?}");
        }
    }
}
