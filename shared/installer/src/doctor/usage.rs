//! Usage readings, which a hook works from: whether they are fresh, and whether more will come. Pure.

use shared::catalog::{Catalog, HookEntry};

use shared::host::Timestamp;
use shared::usage::{Freshness, STALE_AFTER, Usage, freshness};

use super::finding::{Finding, Severity};
use super::heartbeats::span;
use super::level::Level;
use crate::registration::starts_ours;

/// Where readings come from.
const ORIGIN: &str = "readings come from the status line of Claude Code in a terminal, with a Pro or Max login; elsewhere only \
                      from usage_api, which your global requirements.yaml enables";

/// Where the next reading comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The status line that writes readings, or the usage API.
    Ours,
    /// Nowhere: no status line is set.
    Nothing,
    /// Nowhere: another status line is set.
    AnotherLine,
}

impl Origin {
    /// The last level that sets a status line decides, unless the user's own file, `requirements`, has the usage API asked.
    pub(super) fn of(levels: &[Level], catalog: &Catalog, requirements: Option<&str>) -> Self {
        let hooks: Vec<&HookEntry> = catalog.hooks.iter().collect();
        if hooks.iter().any(|hook| is_polled(requirements, hook)) {
            return Self::Ours;
        }
        match levels.iter().rev().find_map(|level| level.status_line.as_ref()) {
            Some(line) if line.is_ours => Self::Ours,
            Some(line) if line.command.as_deref().is_some_and(|line| starts_ours(line, &hooks)) => Self::Ours,
            Some(_) => Self::AnotherLine,
            None => Self::Nothing,
        }
    }
}

fn is_polled(requirements: Option<&str>, hook: &HookEntry) -> bool {
    let key = [hook.name.as_str(), "usage_api", "enabled"].map(str::to_owned);
    let said = requirements.and_then(|text| config_edit::get_at(text, &key).ok().flatten());
    hook.needs_usage && said.as_deref() == Some("true")
}

/// What is known of the readings.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// The last reading.
    pub(super) usage: Option<Usage>,
    pub(super) now: Timestamp,
    /// The registered hook that works from readings.
    pub(super) needed_by: Option<String>,
    pub(super) origin: Origin,
    /// When that hook was installed.
    pub(super) installed: Option<Timestamp>,
    /// When any session last wrote to its transcript.
    pub(super) session: Option<Timestamp>,
    /// The command that sets the status line.
    pub(super) command: String,
}

/// The finding for the last reading; `None` where there is none, and no hook needs one.
pub(super) fn finding(facts: &Facts) -> Option<Finding> {
    let what = match freshness(facts.usage.as_ref(), facts.now) {
        Freshness::Fresh => return Some(Finding::ok("the last usage reading is fresh")),
        Freshness::Stale(age) => format!("the last usage reading is {} old", span(age)),
        Freshness::Missing if facts.needed_by.is_none() => return None,
        Freshness::Missing => "there are no usage readings".to_owned(),
    };
    let Some(hook) = &facts.needed_by else {
        return Some(Finding::note(format!("{what}; no registered hook needs them")));
    };
    let what = format!("{what}; {hook} delays nothing without them");
    Some(match facts.origin {
        Origin::Ours => {
            let severity = if facts.is_overdue() { Severity::Warning } else { Severity::Note };
            Finding::new(severity, what).next(format!("the next session should bring one: {ORIGIN}"))
        }
        Origin::Nothing => Finding::warning(format!("{what}, and no status line is set"))
            .next(format!("{}; {ORIGIN}", facts.command)),
        Origin::AnotherLine => Finding::warning(format!("{what}, and the status line is another one"))
            .next(format!("{}, which prints yours below its own; {ORIGIN}", facts.command)),
    })
}

impl Facts {
    /// A session should have brought a reading.
    fn is_overdue(&self) -> bool {
        let last = self.usage.as_ref().map(|usage| Timestamp::from_secs(usage.observed_at));
        let due = last.or(self.installed).map(|last| last.plus(STALE_AFTER));
        due.is_none_or(|due| self.session.is_some_and(|session| session > due))
    }
}

#[cfg(test)]
mod tests {
    use client_settings::StatusLineThere;
    use shared::catalog::Catalog;
    use shared::host::Timestamp;
    use shared::usage::{Usage, Window};

    use super::{Facts, Origin, finding};
    use crate::doctor::finding::Severity::{self, Note, Ok, Warning};
    use crate::doctor::level::{Kind, Level};

    fn at(secs: i64) -> Timestamp {
        Timestamp::from_secs(secs)
    }

    fn reading(observed_at: i64) -> Usage {
        let windows = [("five_hour".to_owned(), Window::default())].into();
        Usage { observed_at, windows, ..Usage::default() }
    }

    #[test]
    fn stale_or_missing_reading_matters_if_a_hook_needs_it_and_none_will_come() {
        type Change = fn(&mut Facts);
        let rows: [(Change, Option<(Severity, &str)>); 9] = [
            (|_| {}, Some((Warning, "a-pacer delays nothing without them"))),
            (|facts| facts.session = None, Some((Note, "the next session should bring one"))),
            (|facts| facts.usage = Some(reading(5900)), Some((Ok, "fresh"))),
            (|facts| facts.usage = Some(reading(3000)), Some((Warning, "50 min old"))),
            (|facts| facts.usage = Some(reading(4900)), Some((Note, "18 min old"))),
            (|facts| facts.needed_by = None, None),
            (
                |facts| (facts.usage, facts.needed_by) = (Some(reading(3000)), None),
                Some((Note, "no registered hook needs them")),
            ),
            (
                |facts| (facts.origin, facts.session) = (Origin::Nothing, None),
                Some((Warning, "no status line is set; req hooks statusline;")),
            ),
            (|facts| facts.origin = Origin::AnotherLine, Some((Warning, "which prints yours below"))),
        ];
        for (change, expected) in rows {
            let mut facts = Facts {
                usage: None,
                now: at(6000),
                needed_by: Some("a-pacer".to_owned()),
                origin: Origin::Ours,
                installed: Some(at(1000)),
                session: Some(at(5000)),
                command: "req hooks statusline".to_owned(),
            };
            change(&mut facts);
            let found = finding(&facts);
            assert_eq!(found.as_ref().map(|found| found.severity), expected.map(|(severity, _)| severity));
            let text = found.map(|found| format!("{}; {}", found.what, found.next.unwrap_or_default()));
            assert!(text.unwrap_or_default().contains(expected.unwrap_or((Ok, "")).1));
        }
    }

    #[test]
    fn readings_come_from_our_status_line_or_the_usage_api() {
        let catalog = Catalog::built_in().unwrap();
        let printer = catalog.hooks.iter().find(|hook| hook.status_line.is_some()).unwrap();
        let level = |command: &str, is_ours| {
            let command = Some(command.to_owned());
            let there = StatusLineThere { raw: String::new(), command, is_command: true, is_ours };
            Level { status_line: Some(there), ..Level::of_text(Kind::User, "f", "{}") }
        };
        let none = Level::of_text(Kind::Project, "f", "{}");
        let through = format!("echo x; {} statusline", printer.name);
        let polled = format!("{}:\n  usage_api: {{enabled: true}} # mine\n", printer.name);
        for (levels, yaml, expected) in [
            (vec![], None, Origin::Nothing),
            (vec![level("ours", true), none], None, Origin::Ours),
            (vec![level("ours", true), level("other", false)], None, Origin::AnotherLine),
            (vec![level("other", false), level(&through, false)], None, Origin::Ours),
            (vec![level("other", false)], Some(polled.as_str()), Origin::Ours),
            (vec![], Some("x: {usage_api: {enabled: true}}"), Origin::Nothing),
        ] {
            assert_eq!(Origin::of(&levels, &catalog, yaml), expected, "{levels:?}");
        }
    }
}
