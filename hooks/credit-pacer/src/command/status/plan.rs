//! What the safe line of the week is made of.

use crate::settings::{Day, HoursOfDay, Settings};

/// Two neighbours are listed, more are a span.
const SPAN_DAYS: usize = 3;

/// "mon-fri, 09:00-17:00, 2 entries of holidays, Europe/Berlin (system)". `zone` is the zone's name, `set_by` the place of the
/// setting.
pub(super) fn plan(settings: &Settings, zone: Option<&str>, set_by: Option<String>) -> String {
    let hours: Vec<String> = settings.work_hours.as_slice().iter().copied().map(span).collect();
    let hours = if hours.is_empty() { "all day".to_owned() } else { hours.join(" and ") };
    let holidays = match settings.holidays.as_slice().len() {
        0 => String::new(),
        1 => ", 1 entry of holidays".to_owned(),
        count => format!(", {count} entries of holidays"),
    };
    let name = zone.unwrap_or("a time zone without a name");
    let by = if settings.timezone.is_system() { "system".to_owned() } else { set_by.unwrap_or_default() };
    let by = if by.is_empty() { by } else { format!(" ({by})") };
    format!("{}, {hours}{holidays}, {name}{by}", days(settings.workdays.as_slice()))
}

/// "mon-fri", "mon, tue", "every day".
fn days(workdays: &[Day]) -> String {
    let is_worked = |(day, _): &(Day, &str)| workdays.contains(day);
    if Day::WEEK.iter().all(is_worked) {
        return "every day".to_owned();
    }
    let mut told = Vec::new();
    for run in
        Day::WEEK.chunk_by(|one, other| is_worked(one) == is_worked(other)).filter(|run| is_worked(&run[0]))
    {
        match run {
            [(_, from), .., (_, to)] if run.len() >= SPAN_DAYS => told.push(format!("{from}-{to}")),
            _ => told.extend(run.iter().map(|(_, name)| (*name).to_owned())),
        }
    }
    if told.is_empty() { "no working days, so the clock counts".to_owned() } else { told.join(", ") }
}

fn span(hours: HoursOfDay) -> String {
    let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}-{}", time(hours.from), time(hours.to))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};
    use shared::config::read_typed;

    use super::plan;
    use crate::settings::Settings;

    #[test]
    fn names_days_hours_holidays_and_zone() {
        for (lines, expected) in [
            ("{}", "mon-fri, all day, UTC (system)"),
            ("workdays: [sun, mon, sat, tue, wed, thu, fri]", "every day, all day, UTC (system)"),
            ("workdays: [mon, tue, thu]", "mon, tue, thu, all day, UTC (system)"),
            ("workdays: [wed, thu, fri, sun]", "wed-fri, sun, all day, UTC (system)"),
            ("workdays: []", "no working days, so the clock counts, all day, UTC (system)"),
            (
                "{work_hours: ['9:00-12:30', '22:00-02:00'], timezone: UTC}",
                "mon-fri, 09:00-12:30 and 22:00-02:00, UTC (f:1)",
            ),
            ("holidays: [2026-12-24, 2026-12-28]", "mon-fri, all day, 2 entries of holidays, UTC (system)"),
        ] {
            let entries = read_typed::<Map<String, Value>>(lines).unwrap();
            let settings = Settings::over_defaults(&entries).unwrap();
            assert_eq!(plan(&settings, Some("UTC"), Some("f:1".to_owned())), expected, "{lines}");
        }
    }
}
