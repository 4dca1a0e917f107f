//! The output: a row for each user and week, a column for each controller, and the means.

use crate::profile::PROFILES;
use crate::world::Week;

/// A week in which no window comes to this usage is easy: nothing has to be delayed.
const EASY_PERCENT: f64 = 95.0;

const COLUMNS: [&str; 4] = ["no pacing", "original tool", "credit-pacer", "knows the future"];

/// A user's week.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) profile: &'static str,
    /// Two weeks were learned before.
    pub(crate) is_third: bool,
    /// The outcome by column.
    pub(crate) weeks: [Week; COLUMNS.len()],
}

pub(crate) fn text(rows: &[Row]) -> String {
    let mut lines =
        vec!["locked-out seconds / work done / needless delay in seconds, means of a week\n".to_owned()];
    for (is_third, title) in [(false, "first week"), (true, "third week")] {
        lines.push(format!("{title:<16}{}", COLUMNS.map(|name| format!("{name:>25}")).concat()));
        let of_week: Vec<&Row> = rows.iter().filter(|row| row.is_third == is_third).collect();
        for name in PROFILES.map(|profile| profile.name) {
            let own: Vec<&Row> = of_week.iter().copied().filter(|row| row.profile == name).collect();
            lines.push(format!("  {name:<14}{}", means(&own)));
        }
        lines.push(format!("  {:<14}{}", "mean", means(&of_week)));
    }
    lines.join("\n") + "\n"
}

fn means(rows: &[&Row]) -> String {
    let column = |column: usize| {
        let locked = mean(rows.iter().map(|row| row.weeks[column].locked_secs));
        let work = mean(rows.iter().map(|row| row.weeks[column].work / row.weeks[0].work.max(1e-9)));
        let easy = rows.iter().filter(|row| row.weeks[0].highest_percent < EASY_PERCENT);
        let needless = mean(easy.map(|row| row.weeks[column].delayed_secs));
        format!("{:>25}", format!("{locked:.0} / {work:.3} / {needless:.0}"))
    };
    (0..COLUMNS.len()).map(column).collect()
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number));
    if count > 0.0 { sum / count } else { 0.0 }
}
