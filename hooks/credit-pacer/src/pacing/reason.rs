//! One sentence for people on why there is a delay, or none.

use super::{Rules, Status, WindowPace, seconds, whole_seconds};

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
    let over: Vec<String> = told(windows, Status::Over, used_and_planned);
    if !over.is_empty() {
        let why = if is_quiet { "nothing waits in quiet hours" } else { "too little over for a delay" };
        return format!("{why}: {}", over.join(", "));
    }
    let within = told(windows, Status::Ok, used_and_planned);
    let within = (!within.is_empty()).then(|| format!("within plan: {}", within.join(", ")));
    let stale = told(windows, Status::Stale, |pace| stale(pace, now));
    let unknown = told(windows, Status::Unknown, |pace| pace.window.name().to_owned());
    let unknown = (!unknown.is_empty()).then(|| format!("no reading yet: {}", unknown.join(", ")));
    let parts: Vec<String> = within.into_iter().chain(stale).chain(unknown).collect();
    if parts.is_empty() { "no window is paced by".to_owned() } else { parts.join("; ") }
}

fn told(windows: &[WindowPace], status: Status, say: impl Fn(&WindowPace) -> String) -> Vec<String> {
    let mut told: Vec<String> = windows.iter().filter(|pace| pace.status == status).map(say).collect();
    told.dedup();
    told
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
    format!("{} by now{resets}", used_and_planned(pace))
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
