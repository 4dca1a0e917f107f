//! The working hours of the user, as their calls show them: a value for `work_hours`.

use std::collections::BTreeSet;

use pacing::{Calendar, DAY_SECS};

/// Fewer days show no habit.
const ENOUGH_DAYS: usize = 5;

/// More hours than these are no working hours.
const MOST_HOURS: usize = 16;

/// The hours of the day with work on at least a third of the days, as `work_hours` are written. Empty before there are five
/// days, and if the hours are most of the day. `busy` are moments with calls, in seconds since the epoch.
pub(super) fn work_hours(busy: impl Iterator<Item = i64>, calendar: &Calendar) -> Vec<String> {
    let hours_of_days: BTreeSet<(i64, i64)> = busy
        .map(|at| calendar.zone.local(at))
        .map(|local| (local.div_euclid(DAY_SECS), local.rem_euclid(DAY_SECS) / 3600))
        .collect();
    let days = hours_of_days.iter().map(|(day, _)| day).collect::<BTreeSet<_>>().len();
    let is_usual = |hour: i64| 3 * hours_of_days.iter().filter(|(_, busy)| *busy == hour).count() >= days;
    let usual: Vec<bool> = (0..24).map(is_usual).collect();
    if days < ENOUGH_DAYS || usual.iter().filter(|is_usual| **is_usual).count() > MOST_HOURS {
        return Vec::new();
    }
    // A span over midnight ends on the next day.
    let is_busy = |hour: usize| usual[hour % 24];
    let starts = (0..24).filter(|start| is_busy(*start) && !is_busy(start + 23));
    let spans = starts.map(|start| (start, start + (0..24).take_while(|step| is_busy(start + step)).count()));
    spans
        .map(|(start, end)| format!("{start:02}:00-{:02}:00", if end > 24 { end - 24 } else { end }))
        .collect()
}

#[cfg(test)]
mod tests {
    use pacing::{Calendar, Zone};

    use super::work_hours;

    /// Monday the 2nd of November 2026, 00:00 UTC.
    const MONDAY: i64 = 1_793_577_600;

    fn in_utc(slots: &[i64]) -> Vec<String> {
        work_hours(slots.iter().copied(), &Calendar::default())
    }

    /// A slot in each of these hours on so many days from Monday on.
    fn slots(days: i64, hours: &[i64]) -> Vec<i64> {
        (0..days)
            .flat_map(|day| hours.iter().map(move |hour| MONDAY + day * 86_400 + hour * 3600 + 900))
            .collect()
    }

    #[test]
    fn suggests_hours_with_work_on_a_third_of_the_days() {
        let all: Vec<i64> = (0..24).collect();
        for (days, hours, expected) in [
            (5, &[9, 10, 11, 13, 14, 15, 16][..], &["09:00-12:00", "13:00-17:00"][..]),
            (5, &[22, 23, 0, 1], &["22:00-02:00"]),
            (7, &[20, 21, 22, 23], &["20:00-24:00"]),
            (4, &[9, 10, 11], &[]),
            (0, &[], &[]),
            (6, &all, &[]),
        ] {
            assert_eq!(in_utc(&slots(days, hours)), expected, "{days} {hours:?}");
        }
        let often = [slots(7, &[9, 10]), slots(3, &[23])].concat();
        assert_eq!(in_utc(&often), ["09:00-11:00", "23:00-24:00"]);
        let tokyo = Calendar { zone: Zone::new(vec![(0, 9 * 3600)]), ..Calendar::default() };
        assert_eq!(work_hours(slots(5, &[1, 2]).into_iter(), &tokyo), ["10:00-12:00"]);
    }
}
