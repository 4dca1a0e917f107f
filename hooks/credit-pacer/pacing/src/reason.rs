//! One sentence for people on why there is a delay, or none.

use crate::calendar::{DAYS, Off};
use crate::{Reading, Rules, Status, Window, WindowPace, seconds, whole_seconds};

pub(crate) fn of(
    windows: &[WindowPace],
    constrained: Option<&WindowPace>,
    is_quiet: bool,
    now: f64,
    rules: &Rules,
) -> String {
    if let Some(pace) = constrained {
        return pace.why(now, rules);
    }
    let parts: Vec<String> =
        windows.iter().filter_map(|pace| undelayed(pace, is_quiet, now, rules)).collect();
    if parts.is_empty() { "every limit is switched off".to_owned() } else { parts.join("; ") }
}

fn undelayed(pace: &WindowPace, is_quiet: bool, now: f64, rules: &Rules) -> Option<String> {
    let text = match pace.status {
        Status::Off => return None,
        Status::Unknown => "no reading yet".to_owned(),
        Status::Stale => pace.reading.map(|reading| stale(reading, now)).unwrap_or_default(),
        Status::Ok => pace.standing(),
        Status::Over => {
            let why = match () {
                () if is_quiet => "nothing waits in quiet_hours",
                () if rules.longest_delay < rules.shortest_delay.max(f64::MIN_POSITIVE) => {
                    "nothing waits with this max_delay_secs"
                }
                () => "nothing waits, because the expected calls fit or nearly fit",
            };
            format!("{}; {why}{}", pace.standing(), pace.standstill(now, rules))
        }
    };
    Some(format!("{}: {text}", pace.window.name()))
}

impl WindowPace {
    /// "62 % used, 52 % safe by now". With a decimal where whole numbers would look the same.
    pub fn standing(&self) -> String {
        let used = self.reading.map_or(0.0, |(_, reading)| reading.used_percent);
        let safe = self.line.safe_percent;
        let is_close = (used - safe).abs() < 1.0;
        format!("{} % used, {} % safe by now", percent(used, is_close), percent(safe, is_close))
    }

    /// "5-hour limit: 62 % used at 14:10; at this pace it would end at 15:05, 55 min before it resets".
    pub fn why(&self, now: f64, rules: &Rules) -> String {
        let (name, calendar) = (self.window.name(), &rules.calendar);
        let Some((_, reading)) = self.reading else { return name.to_owned() };
        let (at, resets_at) = (whole_seconds(now), reading.resets_at);
        let resets = calendar.said(resets_at, at);
        let ends_at = self.fit.and_then(|fit| fit.ends_at).filter(|ends_at| *ends_at < resets_at);
        let rest = match ends_at {
            Some(ends_at) => {
                let before = duration(resets_at - ends_at);
                let ends = match self.window {
                    Window::FiveHour => calendar.time(ends_at),
                    Window::SevenDay => calendar.said(ends_at, at),
                };
                format!("at this pace it would end at {ends}, {before} before it resets ({resets})")
            }
            None => format!("little is left until it resets ({resets})"),
        };
        format!(
            "{name}: {} % used at {}, {} % safe by now; {rest}{}",
            percent(reading.used_percent, false),
            calendar.time(at),
            percent(self.line.safe_percent, false),
            self.standstill(now, rules)
        )
    }

    /// "; the safe line stands still until Mon 00:00, because Sunday is no working day (credit-pacer.workdays)", or nothing.
    pub fn standstill(&self, now: f64, rules: &Rules) -> String {
        let reading = self.reading.filter(|(_, reading)| seconds(reading.resets_at) > now);
        let standstill =
            reading.and_then(|(_, reading)| rules.standstill(self.window, reading.resets_at, now));
        let Some((until, why)) = standstill else { return String::new() };
        let until = rules.calendar.said(until, whole_seconds(now));
        let because = match why {
            Off::Weekday(day) => format!("{} is no working day (credit-pacer.workdays)", DAYS[day]),
            Off::Holiday => "today is a day off (credit-pacer.holidays)".to_owned(),
            Off::Hours => "this is no working hour (credit-pacer.work_hours)".to_owned(),
        };
        format!("; the safe line stands still until {until}, because {because}")
    }
}

/// In whole percents, or in tenths.
pub fn percent(percent: f64, in_tenths: bool) -> String {
    let text = if in_tenths { format!("{percent:.1}") } else { format!("{percent:.0}") };
    text.strip_suffix(".0").map(ToOwned::to_owned).unwrap_or(text)
}

/// In its two largest units: `42 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`.
pub fn duration(secs: i64) -> String {
    let secs = secs.max(0);
    let parts = [(secs / 86_400, "d"), (secs / 3600 % 24, "h"), (secs / 60 % 60, "min"), (secs % 60, "s")];
    let first = parts.iter().position(|(count, _)| *count > 0).unwrap_or(3);
    let shown = parts.iter().skip(first).take(2).enumerate();
    let shown = shown.filter(|(index, (count, _))| *index == 0 || *count > 0);
    shown.map(|(_, (count, unit))| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}

fn stale((at, reading): (i64, Reading), now: f64) -> String {
    match whole_seconds(now) - at {
        _ if seconds(reading.resets_at) <= now => "no reading since the reset".to_owned(),
        age if age < 0 => "the reading is from the future".to_owned(),
        age => format!("the reading is {} old", duration(age)),
    }
}
