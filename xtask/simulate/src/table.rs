//! The output: a row for each user, week and controller, and the means.

use std::fmt::Write;

use crate::world::Week;

/// A week in which no window comes to this usage is easy: nothing has to be delayed.
const EASY_PERCENT: f64 = 95.0;

/// Who paced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    /// Nobody.
    Nobody,
    /// The original tool's formula.
    Original,
    /// The controller of credit-pacer.
    Pacer,
    /// A controller that knows the future.
    Clairvoyant,
}

impl Who {
    const ALL: [Self; 4] = [Self::Nobody, Self::Original, Self::Pacer, Self::Clairvoyant];

    const fn word(self) -> &'static str {
        match self {
            Self::Nobody => "no pacing",
            Self::Original => "original tool",
            Self::Pacer => "credit-pacer",
            Self::Clairvoyant => "knows the future",
        }
    }
}

/// One run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) profile: &'static str,
    pub(crate) who: Who,
    /// Two weeks were learned before.
    pub(crate) is_third: bool,
    locked_secs: f64,
    /// Work done, as a share of what is done without pacing.
    work: f64,
    /// Delays of an easy week, in seconds.
    needless: Option<f64>,
}

impl Row {
    pub(crate) fn of(profile: &'static str, who: Who, is_third: bool, week: &Week, unpaced: &Week) -> Self {
        let needless = (unpaced.highest_percent < EASY_PERCENT).then_some(week.delayed_secs);
        Self {
            profile,
            who,
            is_third,
            locked_secs: week.locked_secs,
            work: week.work / unpaced.work.max(1e-9),
            needless,
        }
    }
}

/// The table.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut text =
        String::from("locked-out seconds / work done / needless delay in seconds, means of a week\n\n");
    let mut profiles: Vec<&str> = rows.iter().map(|row| row.profile).collect();
    profiles.dedup();
    for is_third in [false, true] {
        let _ = write!(text, "{:<28}", if is_third { "third week" } else { "first week" });
        for who in Who::ALL {
            let _ = write!(text, "{:>26}", who.word());
        }
        text.push('\n');
        for profile in profiles.iter().map(|name| Some(*name)).chain([None]) {
            let _ = write!(text, "  {:<26}", profile.unwrap_or("mean"));
            for who in Who::ALL {
                let is_meant = |row: &&Row| {
                    row.who == who
                        && row.is_third == is_third
                        && profile.is_none_or(|name| name == row.profile)
                };
                let meant: Vec<&Row> = rows.iter().filter(is_meant).collect();
                let locked = mean(meant.iter().map(|row| row.locked_secs));
                let work = mean(meant.iter().map(|row| row.work));
                let needless = mean(meant.iter().filter_map(|row| row.needless));
                let _ = write!(text, "{:>26}", format!("{locked:.0} / {work:.3} / {needless:.0}"));
            }
            text.push('\n');
        }
    }
    text
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number));
    if count > 0.0 { sum / count } else { 0.0 }
}
