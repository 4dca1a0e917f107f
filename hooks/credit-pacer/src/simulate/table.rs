//! What came of many weeks, in numbers.

use std::fmt::Write;

use serde::Serialize;

use super::profile::{PROFILES, Profile};
use super::world::Week;

/// Who paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Who {
    /// Nobody.
    Nobody,
    /// This hook.
    Pacer,
    /// The original tool's formula.
    Original,
}

impl Who {
    /// All, in the order they are shown.
    pub(super) const ALL: [Self; 3] = [Self::Nobody, Self::Pacer, Self::Original];

    const fn name(self) -> &'static str {
        match self {
            Self::Nobody => "no pacing",
            Self::Pacer => "credit-pacer",
            Self::Original => "original",
        }
    }
}

/// The weeks of one user under one controller.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    profile: &'static str,
    pub(super) who: Who,
    /// Weeks.
    pub(super) runs: u64,
    /// Weeks in which a limit was hit.
    pub(super) runs_with_hard_limit: u64,
    /// Weeks in which one was hit that could have been avoided.
    pub(super) runs_with_avoidable: u64,
    /// Limits hit.
    pub(super) hard_limits: usize,
    /// Those that could have been avoided.
    pub(super) avoidable: usize,
    locked_out_hours: f64,
    delay_hours: f64,
    /// Weeks in which nothing had to be delayed.
    pub(super) easy_runs: u64,
    /// Those of them in which something was.
    pub(super) easy_runs_delayed: u64,
    /// By how much, in minutes.
    needless_delay_minutes: f64,
    /// Tool calls made.
    calls: u64,
}

impl Row {
    /// Of no week yet.
    pub(super) fn new(profile: &'static str, who: Who) -> Self {
        Self {
            profile,
            who,
            runs: 0,
            runs_with_hard_limit: 0,
            runs_with_avoidable: 0,
            hard_limits: 0,
            avoidable: 0,
            locked_out_hours: 0.0,
            delay_hours: 0.0,
            easy_runs: 0,
            easy_runs_delayed: 0,
            needless_delay_minutes: 0.0,
            calls: 0,
        }
    }

    /// Counts a week.
    pub(super) fn count(&mut self, week: &Week, avoidable: usize, is_easy: bool) {
        self.runs += 1;
        self.runs_with_hard_limit += u64::from(!week.full.is_empty());
        self.runs_with_avoidable += u64::from(avoidable > 0);
        self.hard_limits += week.full.len();
        self.avoidable += avoidable;
        self.locked_out_hours += week.locked_secs / 3600.0;
        self.delay_hours += week.delayed_secs / 3600.0;
        self.calls += week.calls;
        if is_easy {
            self.easy_runs += 1;
            self.easy_runs_delayed += u64::from(week.delayed_secs > 0.0);
            self.needless_delay_minutes += week.delayed_secs / 60.0;
        }
    }

    /// Adds the weeks of another row.
    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.runs_with_hard_limit += other.runs_with_hard_limit;
        self.runs_with_avoidable += other.runs_with_avoidable;
        self.hard_limits += other.hard_limits;
        self.avoidable += other.avoidable;
        self.locked_out_hours += other.locked_out_hours;
        self.delay_hours += other.delay_hours;
        self.easy_runs += other.easy_runs;
        self.easy_runs_delayed += other.easy_runs_delayed;
        self.needless_delay_minutes += other.needless_delay_minutes;
        self.calls += other.calls;
    }
}

/// For programs.
pub(super) fn json(rows: &[Row]) -> String {
    serde_json::to_string_pretty(rows).unwrap_or_default()
}

/// For people: the table, what its columns mean, how the users work, and what came of it.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "profile    paced by      weeks limited missed limits avoidable locked h waited h  easy delayed minutes    calls\n",
    );
    let totals = totals(rows);
    for row in rows.iter().chain(&totals) {
        let _ = writeln!(
            text,
            "{:<10} {:<12} {:>6} {:>7} {:>6} {:>6} {:>9} {:>8.0} {:>8.0} {:>5} {:>7} {:>7.0} {:>8}",
            row.profile,
            row.who.name(),
            row.runs,
            row.runs_with_hard_limit,
            row.runs_with_avoidable,
            row.hard_limits,
            row.avoidable,
            row.locked_out_hours,
            row.delay_hours,
            row.easy_runs,
            row.easy_runs_delayed,
            row.needless_delay_minutes,
            row.calls,
        );
    }
    let shown = if totals.is_empty() { rows } else { &totals };
    let profiles = PROFILES.iter().filter(|profile| rows.iter().any(|row| row.profile == profile.name));
    let habits: Vec<String> = profiles.map(Profile::habits).collect();
    format!("{text}\n{LEGEND}\n\n{SETTINGS}\n{}\n\n{}", habits.join("\n"), closing(shown))
}

const LEGEND: &str = "\
weeks      weeks that were played through
limited    those in which a limit was hit: a window was used up, and nothing went until its reset
missed     those in which such a limit could have been avoided
limits     limits hit in all these weeks
avoidable  those of them that could have been avoided: by the longest delay at each call of that window
locked h   hours of work in which nothing went, because a limit was hit
waited h   hours of work spent in delays
easy       weeks that need no delay: left alone, no window comes to 95 %
delayed    easy weeks in which something was delayed all the same
minutes    minutes of delay in these
calls      tool calls made
paced by   no pacing; credit-pacer: the rules of this hook; original: the formula of the tool this one follows";

const SETTINGS: &str =
    "Settings: the defaults, in UTC, but for what is named here. The users and when they work:";

/// What came of it in one sentence, from the rows of one user or of all.
fn closing(rows: &[Row]) -> String {
    let row = |who: Who| rows.iter().find(|row| row.who == who);
    let (Some(nobody), Some(pacer)) = (row(Who::Nobody), row(Who::Pacer)) else { return String::new() };
    let limits = format!(
        "With pacing a limit was hit in {} of {} weeks instead of {}; {:.0} h of waiting",
        pacer.runs_with_hard_limit, pacer.runs, nobody.runs_with_hard_limit, pacer.delay_hours
    );
    let easy = match (pacer.easy_runs, pacer.easy_runs_delayed) {
        (0, _) => "every week needed some".to_owned(),
        (easy, 0) => format!("of {easy} weeks that needed none 0 were delayed"),
        (easy, delayed) => format!(
            "of {easy} weeks that needed none {delayed} were delayed, {:.0} min each on average",
            pacer.needless_delay_minutes / f64::from(u32::try_from(delayed).unwrap_or(u32::MAX))
        ),
    };
    format!("{limits}; {easy}.")
}

/// Over all profiles, where there are several.
fn totals(rows: &[Row]) -> Vec<Row> {
    if rows.len() <= Who::ALL.len() {
        return Vec::new();
    }
    Who::ALL
        .map(|who| {
            let same = rows.iter().filter(|row| row.who == who);
            same.fold(Row::new("all", who), |mut sum, row| {
                sum.add(row);
                sum
            })
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::{LEGEND, Row, Who, closing, text};

    fn rows(easy_runs: u64, easy_runs_delayed: u64) -> [Row; 3] {
        Who::ALL.map(|who| {
            let limited = if who == Who::Nobody { 667 } else { 117 };
            let mut row = Row::new("light", who);
            (row.runs, row.runs_with_hard_limit, row.delay_hours) = (1200, limited, 33_464.0);
            (row.easy_runs, row.easy_runs_delayed) = (easy_runs, easy_runs_delayed);
            row.needless_delay_minutes = 5070.0;
            row
        })
    }

    #[test]
    fn what_came_of_it_is_one_sentence() {
        for (easy, delayed, end) in [
            (490, 195, "of 490 weeks that needed none 195 were delayed, 26 min each on average."),
            (490, 0, "of 490 weeks that needed none 0 were delayed."),
            (0, 0, "every week needed some."),
        ] {
            let start =
                "With pacing a limit was hit in 117 of 1200 weeks instead of 667; 33464 h of waiting; ";
            assert_eq!(closing(&rows(easy, delayed)), format!("{start}{end}"));
        }
    }

    #[test]
    fn every_column_is_explained_and_every_line_fits() {
        let text = text(&rows(490, 195));
        let head = text.lines().next().unwrap();
        for name in LEGEND.lines().filter_map(|line| line.split("  ").next()) {
            assert!(head.contains(name), "{name}\n{text}");
        }
        let explained: usize = LEGEND.lines().filter_map(|line| line.split("  ").next()).map(str::len).sum();
        let named = head.replace(' ', "").len() - "profile".len();
        assert_eq!(
            explained - LEGEND.matches(" h  ").count() - "paced by".matches(' ').count(),
            named,
            "{text}"
        );
        let width = head.len();
        assert!(text.lines().skip(1).take(3).all(|line| line.len() == width), "{text}");
        assert!(text.contains("\nlight      Mon-Fri 10:00-12:00, 14:00-16:00\n"), "{text}");
    }
}
