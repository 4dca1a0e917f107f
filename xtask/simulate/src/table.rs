//! The output: a row for each user and week, a column for each controller, and the means.

use crate::Row;
use crate::demand::WEEKS;
use crate::profile::PROFILES;

/// A week in which no window comes to this usage is easy: nothing has to be delayed.
const EASY_PERCENT: f64 = 95.0;

const COLUMNS: [&str; 4] = ["no pacing", "original tool", "credit-pacer", "knows the future"];

/// The first week, in which nothing is known, and the third, with two weeks learned.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut lines =
        vec!["locked-out seconds / work done / needless delay in seconds, means of a week\n".to_owned()];
    for (week, title) in [(0, "first week"), (WEEKS - 1, "third week")] {
        lines.push(format!("{title:<16}{}", COLUMNS.map(|name| format!("{name:>25}")).concat()));
        for name in PROFILES.map(|profile| profile.name) {
            let own = rows.iter().filter(|row| row.0 == name).collect();
            lines.push(format!("  {name:<14}{}", means(own, week)));
        }
        lines.push(format!("  {:<14}{}", "mean", means(rows.iter().collect(), week)));
    }
    lines.join("\n") + "\n"
}

fn means(rows: Vec<&Row>, week: usize) -> String {
    let weeks: Vec<_> = rows.into_iter().map(|(_, columns)| columns.map(|weeks| weeks[week])).collect();
    let column = |column: usize| {
        let locked = mean(weeks.iter().map(|weeks| weeks[column].locked_secs));
        let work = mean(weeks.iter().map(|weeks| weeks[column].work / weeks[0].work.max(1e-9)));
        let easy = weeks.iter().filter(|weeks| weeks[0].highest_percent < EASY_PERCENT);
        let needless = mean(easy.map(|weeks| weeks[column].delayed_secs));
        format!("{:>25}", format!("{locked:.0} / {work:.3} / {needless:.0}"))
    };
    (0..COLUMNS.len()).map(column).collect()
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number));
    if count > 0.0 { sum / count } else { 0.0 }
}
