//! What the plan of the week is made of, and whether it goes on now.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use crate::command::habits::WEEK;
use crate::settings::{Day, HoursOfDay, Settings};

/// Two neighbours are listed, more are a span.
const SPAN_DAYS: usize = 3;

/// Whoever has so many days off in a row has no plan that could be told.
const LOOKED_AHEAD: usize = 60;

/// The plan stands still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rest {
    /// Why.
    why: String,
    /// When it goes on, in seconds since the epoch.
    pub(super) until: i64,
    /// It is a day of the week that is none of `workdays`.
    is_day_off: bool,
}

impl Rest {
    /// As people read it; `until` is its end by their clock.
    pub(super) fn told(&self, until: &str) -> String {
        let mut told = format!("{}, so the plan of the week stands still until {until}", self.why);
        if self.is_day_off {
            let all: Vec<&str> = WEEK.into_iter().map(|(_, name)| name).collect();
            let list = all.join(", ");
            told.push_str("; if you work then: req config set credit-pacer.workdays \"[");
            told.push_str(&list);
            told.push_str("]\" --global");
        }
        told
    }
}

/// "mon-fri, 09:00-17:00, 2 holidays, Europe/Berlin (system)". `set_by` is where the time zone stands, if it is set.
pub(super) fn plan(settings: &Settings, set_by: Option<String>) -> String {
    let hours: Vec<String> = settings.work_hours.as_slice().iter().copied().map(span).collect();
    let hours = if hours.is_empty() { "all day".to_owned() } else { hours.join(" and ") };
    let holidays = match settings.holidays.as_slice().len() {
        0 => String::new(),
        1 => ", 1 entry of holidays".to_owned(),
        count => format!(", {count} entries of holidays"),
    };
    let zone = settings.timezone.find();
    let name = zone.iana_name().unwrap_or("a time zone without a name");
    let by = if settings.timezone.is_system() { "system".to_owned() } else { set_by.unwrap_or_default() };
    let by = if by.is_empty() { by } else { format!(" ({by})") };
    format!("{}, {hours}{holidays}, {name}{by}", days(settings.workdays.as_slice()))
}

/// "mon-fri", "mon, tue", "every day".
fn days(workdays: &[Day]) -> String {
    let is_worked: Vec<bool> = WEEK.iter().map(|(day, _)| workdays.contains(day)).collect();
    if is_worked.iter().all(|worked| *worked) {
        return "every day".to_owned();
    }
    let mut told = Vec::new();
    for run in WEEK.chunk_by(|(one, _), (other, _)| workdays.contains(one) == workdays.contains(other)) {
        match run {
            [(first, from), .., (_, to)] if workdays.contains(first) && run.len() >= SPAN_DAYS => {
                told.push(format!("{from}-{to}"));
            }
            _ => told.extend(
                run.iter().filter(|(day, _)| workdays.contains(day)).map(|(_, name)| (*name).to_owned()),
            ),
        }
    }
    if told.is_empty() { "no working days, so the clock counts".to_owned() } else { told.join(", ") }
}

fn span(hours: HoursOfDay) -> String {
    let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}-{}", time(hours.from), time(hours.to))
}

/// No work is planned now, in a week that ends at `resets_at` and has some. Both in seconds since the epoch.
pub(super) fn rest(settings: &Settings, resets_at: i64, now: i64) -> Option<Rest> {
    let calendar = Calendar { settings, zone: settings.timezone.find() };
    let today = calendar.local(now)?;
    if calendar.is_worked(today) || !calendar.has_work(resets_at) {
        return None;
    }
    let until = calendar.next(today)?;
    let date = today.date();
    let day = today.strftime("%A").to_string();
    let is_day_off = !calendar.is_in_week(date);
    let why = if is_day_off {
        format!("{day} is no working day")
    } else if calendar.is_workday(date) {
        "this is outside your working hours".to_owned()
    } else {
        format!("{day} is one of your holidays")
    };
    Some(Rest { why, until, is_day_off })
}

struct Calendar<'a> {
    settings: &'a Settings,
    zone: TimeZone,
}

impl Calendar<'_> {
    fn local(&self, at: i64) -> Option<DateTime> {
        Timestamp::from_second(at).ok().map(|at| self.zone.to_datetime(at))
    }

    fn hours(&self) -> &[HoursOfDay] {
        match self.settings.work_hours.as_slice() {
            [] => &[HoursOfDay::ALL_DAY],
            hours => hours,
        }
    }

    fn is_in_week(&self, date: Date) -> bool {
        self.settings.workdays.as_slice().iter().any(|day| day.is(date.weekday()))
    }

    fn is_workday(&self, date: Date) -> bool {
        let is_off = self.settings.holidays.as_slice().iter().any(|days| days.contains(date));
        !is_off && self.is_in_week(date)
    }

    /// Hours over midnight belong to the day on which they begin.
    fn is_worked(&self, at: DateTime) -> bool {
        let minute = u16::from(at.hour().unsigned_abs()) * 60 + u16::from(at.minute().unsigned_abs());
        let is_today = self.is_workday(at.date());
        let is_yesterday = at.date().yesterday().is_ok_and(|date| self.is_workday(date));
        self.hours().iter().any(|hours| {
            let is_over = hours.is_over_midnight();
            (is_today && minute >= hours.from && (is_over || minute < hours.to))
                || (is_yesterday && is_over && minute < hours.to)
        })
    }

    /// The week that ends then has a working day: without any, the clock counts.
    fn has_work(&self, resets_at: i64) -> bool {
        let first = self.local(resets_at).map(DateTime::date);
        let dates = std::iter::successors(first, |date| date.yesterday().ok());
        dates.take(8).any(|date| self.is_workday(date))
    }

    /// When work begins after that, in seconds since the epoch.
    fn next(&self, after: DateTime) -> Option<i64> {
        let dates = std::iter::successors(Some(after.date()), |date| date.tomorrow().ok());
        let workdays = dates.take(LOOKED_AHEAD).filter(|date| self.is_workday(*date));
        let begins =
            workdays.flat_map(|date| self.hours().iter().filter_map(move |hours| begin(date, *hours)));
        let next = begins.filter(|begin| *begin > after).min()?;
        self.zone.to_timestamp(next).ok().map(Timestamp::as_second)
    }
}

fn begin(date: Date, hours: HoursOfDay) -> Option<DateTime> {
    let (hour, minute) = (i8::try_from(hours.from / 60).ok()?, i8::try_from(hours.from % 60).ok()?);
    Some(date.to_datetime(Time::new(hour, minute, 0, 0).ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};
    use shared::config::read_typed;

    use super::{plan, rest};
    use crate::settings::Settings;

    fn settings(lines: &str) -> Settings {
        let mut entries = Map::from_iter([("timezone".to_owned(), "UTC".into())]);
        entries.extend(read_typed::<Map<String, Value>>(lines).unwrap());
        Settings::over_defaults(&entries).unwrap()
    }

    fn at(text: &str) -> i64 {
        let time: jiff::civil::DateTime = text.replace(' ', "T").parse().unwrap();
        jiff::tz::TimeZone::UTC.to_timestamp(time).unwrap().as_second()
    }

    #[test]
    fn what_the_plan_is_made_of() {
        for (lines, expected) in [
            ("{}", "mon-fri, all day, UTC (f:1)"),
            ("workdays: [sun, mon, sat, tue, wed, thu, fri]", "every day, all day, UTC (f:1)"),
            ("workdays: [mon, tue, thu]", "mon, tue, thu, all day, UTC (f:1)"),
            ("workdays: [wed, thu, fri, sun]", "wed-fri, sun, all day, UTC (f:1)"),
            ("workdays: []", "no working days, so the clock counts, all day, UTC (f:1)"),
            (
                "{work_hours: ['9:00-12:30', '22:00-02:00'], timezone: Europe/Berlin}",
                "mon-fri, 09:00-12:30 and 22:00-02:00, Europe/Berlin (f:1)",
            ),
            ("holidays: [2026-12-24, 2026-12-28]", "mon-fri, all day, 2 entries of holidays, UTC (f:1)"),
            ("holidays: 2026-12-24", "mon-fri, all day, 1 entry of holidays, UTC (f:1)"),
        ] {
            assert_eq!(plan(&settings(lines), Some("f:1".to_owned())), expected, "{lines}");
        }
        let system = plan(&settings("timezone: system"), Some("the defaults".to_owned()));
        assert!(system.ends_with(" (system)"), "{system}");
    }

    #[test]
    fn when_the_plan_stands_still_and_until_when() {
        // The 22nd of November 2026 is a Sunday.
        for (lines, now, expected) in [
            ("{}", "2026-11-22 12:25", Some(("Sunday is no working day", "2026-11-23 00:00"))),
            ("{}", "2026-11-23 12:25", None),
            ("workdays: [sun]", "2026-11-22 12:25", None),
            ("workdays: []", "2026-11-22 12:25", None),
            (
                "work_hours: 9:00-17:00",
                "2026-11-22 12:25",
                Some(("Sunday is no working day", "2026-11-23 09:00")),
            ),
            (
                "work_hours: 9:00-17:00",
                "2026-11-23 17:00",
                Some(("this is outside your working hours", "2026-11-24 09:00")),
            ),
            ("work_hours: 22:00-02:00", "2026-11-28 01:59", None),
            (
                "work_hours: 22:00-02:00",
                "2026-11-23 01:59",
                Some(("this is outside your working hours", "2026-11-23 22:00")),
            ),
            (
                "holidays: 2026-11-23..2026-11-24",
                "2026-11-23 10:00",
                Some(("Monday is one of your holidays", "2026-11-25 00:00")),
            ),
            ("holidays: 2026-11-01..2026-12-24", "2026-11-23 10:00", None),
        ] {
            let rest = rest(&settings(lines), at("2026-11-25 12:00"), at(now));
            let found = rest.map(|rest| (rest.why, rest.until));
            assert_eq!(found, expected.map(|(why, until)| (why.to_owned(), at(until))), "{lines} {now}");
        }
    }

    #[test]
    fn how_to_work_on_such_a_day_is_told() {
        let told = |lines: &str, now: &str| {
            rest(&settings(lines), at("2026-11-25 12:00"), at(now)).unwrap().told("Mon 00:00")
        };
        assert_eq!(
            told("{}", "2026-11-22 12:25"),
            "Sunday is no working day, so the plan of the week stands still until Mon 00:00; if you work then: \
             req config set credit-pacer.workdays \"[mon, tue, wed, thu, fri, sat, sun]\" --global"
        );
        let outside = told("work_hours: 9:00-17:00", "2026-11-23 20:00");
        assert!(!outside.contains("req config"), "{outside}");
    }
}
