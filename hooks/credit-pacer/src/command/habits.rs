//! When the user works, as their calls show: what `work_hours` and `workdays` could be.

use std::collections::{BTreeMap, BTreeSet};

use pacing::{Calendar, weekday};

use crate::settings::Day;

/// Fewer days tell nothing.
const ENOUGH_DAYS: usize = 5;

/// An hour with work on a smaller share of the days, one in so many, is an exception.
const ONE_DAY_IN: usize = 3;

/// Whoever works in more hours than that has no working hours.
const MOST_HOURS: usize = 16;

/// A day with work in fewer quarters of an hour is an exception.
const FEWEST_SLOTS: usize = 4;

/// Quarters of an hour with calls, by day since 1970-01-01, as hours of the day.
pub(super) struct Habits(BTreeMap<i64, Vec<usize>>);

impl Habits {
    /// Of these moments, in seconds since the epoch.
    pub(super) fn of(busy: impl Iterator<Item = i64>, calendar: &Calendar) -> Self {
        let mut days: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for at in busy {
            let local = calendar.zone.local(at);
            let hour = usize::try_from(local.rem_euclid(pacing::DAY_SECS) / 3600).unwrap_or(0);
            days.entry(local.div_euclid(pacing::DAY_SECS)).or_default().push(hour);
        }
        Self(days)
    }

    /// The hours of the day with work on at least a third of the days, as `work_hours` are written. Empty before there are five
    /// days, and if the hours are most of the day.
    pub(super) fn work_hours(&self) -> Vec<String> {
        let days_with = |hour: usize| self.0.values().filter(|hours| hours.contains(&hour)).count();
        let hours: Vec<bool> = (0..24).map(|hour| days_with(hour) * ONE_DAY_IN >= self.0.len()).collect();
        let count = hours.iter().filter(|usual| **usual).count();
        if self.0.len() < ENOUGH_DAYS || count > MOST_HOURS { Vec::new() } else { spans(&hours) }
    }

    /// The days that are `planned`, and those with an hour of work beside them. Empty before there are five days, and if there
    /// was no work beside the plan.
    pub(super) fn workdays(&self, planned: &[Day]) -> Vec<&'static str> {
        let worked: BTreeSet<usize> = self
            .0
            .iter()
            .filter(|(_, hours)| hours.len() >= FEWEST_SLOTS)
            .map(|(day, _)| weekday(*day))
            .collect();
        let week = || Day::WEEK.into_iter().enumerate();
        let is_beside = |index: usize, day: Day| !planned.contains(&day) && worked.contains(&index);
        if self.0.len() < ENOUGH_DAYS || !week().any(|(index, (day, _))| is_beside(index, day)) {
            return Vec::new();
        }
        let all = week().filter(|(index, (day, _))| planned.contains(day) || is_beside(*index, *day));
        all.map(|(_, (_, name))| name).collect()
    }
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

    use super::Habits;
    use crate::settings::Day::{Fri, Mon, Sat, Sun, Thu, Tue, Wed};

    /// Monday the 2nd of November 2026, 00:00 UTC.
    const MONDAY: i64 = 1_793_577_600;

    fn in_utc(slots: &[i64]) -> Habits {
        Habits::of(slots.iter().copied(), &Calendar::default())
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
            assert_eq!(in_utc(&slots(days, hours)).work_hours(), expected, "{days} {hours:?}");
        }
        let often = [slots(7, &[9, 10]), slots(3, &[23])].concat();
        assert_eq!(in_utc(&often).work_hours(), ["09:00-11:00", "23:00-24:00"]);
        let tokyo = Calendar { zone: Zone::new(vec![(0, 9 * 3600)]), ..Calendar::default() };
        assert_eq!(Habits::of(slots(5, &[1, 2]).into_iter(), &tokyo).work_hours(), ["10:00-12:00"]);
    }

    #[test]
    fn suggests_days_with_an_hour_of_work_beside_the_plan() {
        let of = |days: &[(i64, i64)]| -> Vec<i64> {
            days.iter()
                .flat_map(|(day, count)| {
                    (0..*count).map(move |slot| MONDAY + day * 86_400 + 36_000 + slot * 900)
                })
                .collect()
        };
        let planned = [Mon, Tue, Wed, Thu, Fri];
        for (days, planned, expected) in [
            (
                &[(0, 9), (1, 9), (2, 9), (5, 3), (6, 4)][..],
                &planned[..],
                &["mon", "tue", "wed", "thu", "fri", "sun"][..],
            ),
            (&[(0, 9), (1, 9), (2, 9), (3, 9), (4, 9)], &planned, &[]),
            (&[(0, 9), (1, 9), (5, 9), (6, 9)], &planned, &[]),
            (&[(0, 9), (1, 9), (2, 9), (5, 9), (6, 9)], &[Sun, Sat, Mon, Tue, Wed], &[]),
        ] {
            assert_eq!(in_utc(&of(days)).workdays(planned), expected, "{days:?} {planned:?}");
        }
    }
}
