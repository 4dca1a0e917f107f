//! One sentence for people on why there is a delay, or none.

use super::clock::Off;
use super::{Rules, Status, WindowPace, seconds, whole_seconds};

/// So little over the line, in points, is said to be too little for a delay: one step of the readings.
const LITTLE_POINTS: f64 = 1.0;

pub(super) fn of(
    windows: &[WindowPace],
    constrained: Option<&WindowPace>,
    is_quiet: bool,
    now: f64,
    rules: &Rules,
) -> String {
    if let Some(pace) = constrained {
        return delayed(pace, now, rules);
    }
    if windows.iter().any(|pace| pace.status == Status::Over) {
        return undelayed(windows, is_quiet, now, rules);
    }
    let (over, within): (Vec<&WindowPace>, Vec<&WindowPace>) =
        windows.iter().filter(|pace| pace.status == Status::Ok).partition(|pace| pace.over_percent > 0.0);
    let within = (!within.is_empty()).then(|| format!("within plan: {}", all(&within)));
    let let_pass = (!over.is_empty()).then(|| {
        let points = match percent(rules.threshold, rules.threshold.fract() != 0.0) {
            one if one == "1" => "1 point".to_owned(),
            points => format!("{points} points"),
        };
        format!("over, but within threshold_pct ({points}): {}", all(&over))
    });
    let stale = told(windows, Status::Stale, |pace| stale(pace, now));
    let unknown = told(windows, Status::Unknown, |pace| pace.window.name().to_owned());
    let unknown = (!unknown.is_empty()).then(|| format!("no reading yet: {}", unknown.join(", ")));
    let parts: Vec<String> = within.into_iter().chain(let_pass).chain(stale).chain(unknown).collect();
    if parts.is_empty() { "no window is paced by".to_owned() } else { parts.join("; ") }
}

fn told(windows: &[WindowPace], status: Status, say: impl Fn(&WindowPace) -> String) -> Vec<String> {
    let mut told: Vec<String> = windows.iter().filter(|pace| pace.status == status).map(say).collect();
    told.dedup();
    told
}

fn all(windows: &[&WindowPace]) -> String {
    windows.iter().copied().map(used_and_planned).collect::<Vec<_>>().join(", ")
}

/// Why nothing waits though something is over.
fn undelayed(windows: &[WindowPace], is_quiet: bool, now: f64, rules: &Rules) -> String {
    let over: Vec<&WindowPace> = windows.iter().filter(|pace| pace.status == Status::Over).collect();
    let numbers = all(&over);
    if is_quiet {
        return format!("nothing waits in quiet hours: {numbers}");
    }
    if rules.longest_delay <= 0.0 || rules.longest_delay < rules.shortest_delay {
        return format!("nothing waits with this max_delay_secs: {numbers}");
    }
    if over.iter().all(|pace| pace.over_percent - rules.threshold < LITTLE_POINTS) {
        return format!("too little over for a delay: {numbers}");
    }
    let still: String = over.iter().map(|pace| rules.standstill_clause(pace, now)).collect();
    format!("calls are far enough apart already: {numbers} by now{still}")
}

impl Rules {
    /// That and why what may be used of a window stands still: "; the plan stands still until Mon 00:00, because Sunday is no
    /// working day (credit-pacer.workdays)". Empty if it does not, or if nothing is left anyway.
    pub(crate) fn standstill_clause(&self, pace: &WindowPace, now: f64) -> String {
        let reading = pace.reading.map(|(_, reading)| reading);
        let Some(reading) = reading.filter(|reading| reading.used() < self.target()) else {
            return String::new();
        };
        let Some((until, why)) = self.standstill(pace.window, reading.resets_at, now) else {
            return String::new();
        };
        let until = self.local(until, whole_seconds(now));
        let because = match why {
            Off::Weekday(day) => format!("{day} is no working day (credit-pacer.workdays)"),
            Off::Holiday => "today is a day off (credit-pacer.holidays)".to_owned(),
            Off::Hours => "these are no working hours (credit-pacer.work_hours)".to_owned(),
        };
        format!("; the plan stands still until {until}, because {because}")
    }
}

fn delayed(pace: &WindowPace, now: f64, rules: &Rules) -> String {
    let used = pace.reading.map_or(0.0, |(_, reading)| reading.used_percent);
    let resets = pace.reading.map(|(_, reading)| rules.local(reading.resets_at, whole_seconds(now)));
    let resets = resets.map_or_else(String::new, |at| format!("; resets {at}"));
    if used >= rules.target() {
        let target = percent(rules.target(), false);
        return format!(
            "{} {} % used, nothing left before {target} %{resets}",
            pace.window.name(),
            percent(used, false)
        );
    }
    format!("{} by now{resets}{}", used_and_planned(pace), rules.standstill_clause(pace, now))
}

/// With a decimal where whole numbers would look the same.
fn used_and_planned(pace: &WindowPace) -> String {
    let (used, planned) = (pace.reading.map_or(0.0, |(_, reading)| reading.used_percent), pace.safe_percent);
    let is_close = (used - planned).abs() < 1.0;
    format!(
        "{} {} % used, {} % planned",
        pace.window.name(),
        percent(used, is_close),
        percent(planned, is_close)
    )
}

/// In whole percents, or in tenths.
fn percent(percent: f64, in_tenths: bool) -> String {
    let text = if in_tenths { format!("{percent:.1}") } else { format!("{percent:.0}") };
    text.strip_suffix(".0").map(ToOwned::to_owned).unwrap_or(text)
}

fn stale(pace: &WindowPace, now: f64) -> String {
    let Some((at, reading)) = pace.reading else { return String::new() };
    if seconds(reading.resets_at) <= now {
        return format!("no reading since the reset: {}", pace.window.name());
    }
    let minutes = ((now - seconds(at)) / 60.0).floor();
    match minutes {
        _ if minutes < 0.0 => "the reading is from the future".to_owned(),
        _ if minutes < 120.0 => format!("the reading is {minutes:.0} min old"),
        _ => format!("the reading is {:.0} h old", (minutes / 60.0).floor()),
    }
}
