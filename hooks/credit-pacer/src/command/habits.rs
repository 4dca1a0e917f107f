//! When the user works, as their calls show: what `work_hours` could be.

use std::collections::{BTreeMap, BTreeSet};

use pacing::Calendar;

/// Fewer days tell nothing.
const ENOUGH_DAYS: usize = 5;

/// An hour with work on a smaller share of the days, one in so many, is an exception.
const ONE_DAY_IN: usize = 3;

/// Whoever works in more hours than that has no working hours.
const MOST_HOURS: usize = 16;

/// The hours of the day with work on at least a third of the days, as `work_hours` are written. Empty before there are five
/// days, and if the hours are most of the day. `busy` are moments with calls, in seconds since the epoch.
pub(super) fn work_hours(busy: impl Iterator<Item = i64>, calendar: &Calendar) -> Vec<String> {
    let mut days: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
    for at in busy {
        let local = calendar.zone.local(at);
        let hour = usize::try_from(local.rem_euclid(pacing::DAY_SECS) / 3600).unwrap_or(0);
        days.entry(local.div_euclid(pacing::DAY_SECS)).or_default().insert(hour);
    }
    let days_with = |hour: usize| days.values().filter(|hours| hours.contains(&hour)).count();
    let hours: Vec<bool> = (0..24).map(|hour| days_with(hour) * ONE_DAY_IN >= days.len()).collect();
    let count = hours.iter().filter(|usual| **usual).count();
    if days.len() < ENOUGH_DAYS || count > MOST_HOURS { Vec::new() } else { spans(&hours) }
}

/// The hours that follow one another, as in `09:00-13:00`; over midnight as in `22:00-02:00`.
fn spans(hours: &[bool]) -> Vec<String> {
    let is_busy = |hour: usize| hours[hour % hours.len()];
    let starts = (0..hours.len()).filter(|start| is_busy(*start) && !is_busy(start + hours.len() - 1));
    let written = starts.map(|start| {
        let length = (0..hours.len()).take_while(|step| is_busy(start + step)).count();
        let end = start + length;
        let end = if end > hours.len() { end - hours.len() } else { end };
        format!("{start:02}:00-{end:02}:00")
    });
    written.collect()
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
