//! What came of many weeks, in numbers.

use std::fmt::Write;

use serde::Serialize;

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

/// For people.
pub(super) fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "                          weeks  hit a  could     limits  could  locked   delay   easy    of them     for     tool\n\
         profile    paced by             limit  avoid it     hit  avoid       h       h  weeks    delayed     min    calls\n",
    );
    for row in rows.iter().chain(&totals(rows)) {
        let _ = writeln!(
            text,
            "{:<10} {:<13} {:>6} {:>6}  {:>8}  {:>6} {:>6} {:>7.0} {:>7.0} {:>6}     {:>6} {:>7.0} {:>8}",
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
    text.push_str(
        "\nhit a limit: a window was used up, and nothing went until its reset. could avoid: the longest delay at each call of \
         that\nwindow would have kept it below 100 %. easy: left alone, no window comes to 95 %, so that any delay is needless.",
    );
    text
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
