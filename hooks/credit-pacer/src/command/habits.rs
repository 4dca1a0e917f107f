//! When the user works, as it shows in a week of calls: what `work_hours` and `workdays` could be.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::settings::Day;

/// A slot, in seconds.
const SLOT_SECS: i64 = 10 * 60;

/// Fewer days tell nothing.
const ENOUGH_DAYS: usize = 5;

/// An hour in which there is work on a smaller share of the days, one in so many, is an exception.
const ONE_DAY_IN: usize = 3;

/// Whoever works in more hours than that has no working hours.
const MOST_HOURS: usize = 16;

/// The hours of the day in which there was work on at least a third of the days, as `work_hours` are written. Empty before
/// there are five days, and where the hours are most of the day. `busy_slots` count ten minutes since the epoch.
pub(super) fn work_hours(busy_slots: &[i64], zone: &TimeZone) -> Vec<String> {
    let mut days_of: BTreeMap<i8, BTreeSet<Date>> = BTreeMap::new();
    let mut days = BTreeSet::new();
    for slot in busy_slots {
        let Ok(time) = Timestamp::from_second(slot.saturating_mul(SLOT_SECS)) else { continue };
        let time = zone.to_datetime(time);
        days.insert(time.date());
        days_of.entry(time.hour()).or_default().insert(time.date());
    }
    let is_usual = |hour: i8| days_of.get(&hour).is_some_and(|of| of.len() * ONE_DAY_IN >= days.len());
    let hours: Vec<bool> = (0..24).map(is_usual).collect();
    let count = hours.iter().filter(|usual| **usual).count();
    if days.len() < ENOUGH_DAYS || count > MOST_HOURS {
        return Vec::new();
    }
    spans(&hours)
}

/// A day on which there is work in fewer slots than that, an hour together, is an exception.
const FEWEST_SLOTS: usize = 6;

/// The days of the week, as `workdays` are written.
pub(super) const WEEK: [(Day, &str); 7] = [
    (Day::Mon, "mon"),
    (Day::Tue, "tue"),
    (Day::Wed, "wed"),
    (Day::Thu, "thu"),
    (Day::Fri, "fri"),
    (Day::Sat, "sat"),
    (Day::Sun, "sun"),
];

/// What `workdays` could be: the days that are `planned`, and those with an hour of work beside them. A day without work may
/// have been one off, so none is left out. Empty before there are five days, and where there was no work beside the plan.
pub(super) fn workdays(busy_slots: &[i64], zone: &TimeZone, planned: &[Day]) -> Vec<&'static str> {
    let mut slots_of: BTreeMap<Date, usize> = BTreeMap::new();
    for slot in busy_slots {
        let Ok(time) = Timestamp::from_second(slot.saturating_mul(SLOT_SECS)) else { continue };
        *slots_of.entry(zone.to_datetime(time).date()).or_default() += 1;
    }
    let is_worked =
        |day: Day| slots_of.iter().any(|(date, slots)| day.is(date.weekday()) && *slots >= FEWEST_SLOTS);
    let is_beside = |(day, _): &(Day, &str)| !planned.contains(day) && is_worked(*day);
    if slots_of.len() < ENOUGH_DAYS || !WEEK.iter().any(is_beside) {
        return Vec::new();
    }
    let all = WEEK.into_iter().filter(|each| planned.contains(&each.0) || is_beside(each));
    all.map(|(_, name)| name).collect()
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
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::{work_hours, workdays};
    use crate::settings::Day::{Fri, Mon, Sat, Sun, Thu, Tue, Wed};

    /// The slots of these hours on so many days from Monday the 2nd of November 2026 on.
    fn slots(days: i8, hours: &[i8], zone: &TimeZone) -> Vec<i64> {
        let slot = |day: i8, hour: i8| {
            let time = date(2026, 11, 2 + day).at(hour, 20, 0, 0);
            zone.to_timestamp(time).unwrap().as_second() / 600
        };
        (0..days).flat_map(|day| hours.iter().map(move |hour| slot(day, *hour))).collect()
    }

    #[test]
    fn hours_with_work_on_a_third_of_the_days() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        for (days, hours, expected) in [
            (5, &[9, 10, 11, 13, 14, 15, 16][..], &["09:00-12:00", "13:00-17:00"][..]),
            (5, &[22, 23, 0, 1], &["22:00-02:00"]),
            (7, &[20, 21, 22, 23], &["20:00-24:00"]),
            (7, &[0, 1], &["00:00-02:00"]),
            (4, &[9, 10, 11], &[]),
            (0, &[], &[]),
            (6, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23], &[]),
        ] {
            assert_eq!(work_hours(&slots(days, hours, &zone), &zone), expected, "{days} {hours:?}");
        }
    }

    #[test]
    fn days_with_an_hour_of_work_beside_the_plan() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let planned = [Mon, Tue, Wed, Thu, Fri];
        let hour = |day: i8, count: i64| {
            let from = zone.to_timestamp(date(2026, 11, 2 + day).at(10, 0, 0, 0)).unwrap().as_second() / 600;
            (from..from + count).collect::<Vec<i64>>()
        };
        let of = |days: &[(i8, i64)]| -> Vec<i64> {
            days.iter().flat_map(|(day, count)| hour(*day, *count)).collect()
        };
        let whole = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        for (days, planned, expected) in [
            (&[(0, 9), (1, 9), (2, 9), (5, 9), (6, 6)][..], &planned[..], &whole[..]),
            (
                &[(0, 9), (1, 9), (2, 9), (5, 5), (6, 6)],
                &planned,
                &["mon", "tue", "wed", "thu", "fri", "sun"],
            ),
            (&[(0, 9), (1, 9), (2, 9), (3, 9), (4, 9)], &planned, &[]),
            (&[(0, 9), (1, 9), (5, 9), (6, 9)], &planned, &[]),
            (&[(0, 9), (1, 9), (2, 9), (5, 9), (6, 9)], &[Sun, Sat, Mon, Tue, Wed], &[]),
            (&[(0, 9), (1, 9), (2, 9), (3, 9), (6, 9)], &[], &["mon", "tue", "wed", "thu", "sun"]),
        ] {
            assert_eq!(workdays(&of(days), &zone, planned), expected, "{days:?} {planned:?}");
        }
    }

    #[test]
    fn a_late_evening_now_and_then_is_none() {
        let zone = TimeZone::UTC;
        let usual = slots(7, &[9, 10], &zone);
        let with_exceptions = [usual.clone(), slots(2, &[23], &zone)].concat();
        assert_eq!(work_hours(&with_exceptions, &zone), ["09:00-11:00"]);
        let often = [usual, slots(3, &[23], &zone)].concat();
        assert_eq!(work_hours(&often, &zone), ["09:00-11:00", "23:00-24:00"]);
    }

    #[test]
    fn hours_are_those_of_the_users_clock() {
        let tokyo = TimeZone::get("Asia/Tokyo").unwrap();
        assert_eq!(work_hours(&slots(5, &[1, 2], &TimeZone::UTC), &tokyo), ["10:00-12:00"]);
    }

    #[test]
    fn slots_that_are_no_time_are_passed_over() {
        assert_eq!(work_hours(&[i64::MAX, i64::MIN, -1], &TimeZone::UTC), [""; 0]);
    }
}
