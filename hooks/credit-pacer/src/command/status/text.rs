//! The status as people read it.

use super::{DelayReport, StatusReport, WindowReport};

/// Lines, the most important first.
pub(super) fn text(report: &StatusReport) -> String {
    let mut lines = vec![first(report)];
    lines.extend(report.still.clone());
    if report.overruled {
        lines.push(
            "its switch counts for nothing: the section is locked by your global requirements.yaml"
                .to_owned(),
        );
    }
    lines.push(next(report));
    lines.extend(report.windows.iter().map(window));
    lines.push(source(report));
    lines.extend(report.last_delay.map(last));
    lines.extend(report.switches.iter().map(|switch| {
        format!("switch: {} {} (as the files say: {})", switch.name, switch.position, switch.ended_by)
    }));
    lines.extend(suggestion(&report.suggested_work_hours));
    lines.extend(report.problems.iter().map(|problem| format!("problem: {problem}")));
    lines.join("\n")
}

fn first(report: &StatusReport) -> String {
    let word = if report.enabled { "on" } else { "off" };
    let by = report.set_by.as_ref().map_or_else(String::new, |by| format!(", set by {by}"));
    let way = match (report.enabled, report.switch) {
        (true, _) => "; pace-maker off ends it",
        (false, "off") => "; pace-maker on begins again",
        (false, _) => "",
    };
    format!("pacing: {word}{by}{way}")
}

fn next(report: &StatusReport) -> String {
    let sessions = match report.sessions {
        0 => "no session at work".to_owned(),
        1 => "1 session at work".to_owned(),
        count => format!("{count} sessions at work"),
    };
    if report.enabled {
        let delay = seconds(report.delay_secs);
        format!("next delay: {delay} ({}); {}; {sessions}", report.strategy, report.reason)
    } else {
        format!("next delay: none while it is off; {sessions}")
    }
}

fn window(window: &WindowReport) -> String {
    let WindowReport { name, status, safe_percent, over_percent, .. } = window;
    let Some(((used, resets), age)) = window.used_percent.zip(window.resets.as_ref()).zip(window.age_secs)
    else {
        let why = if *status == "off" { "not paced by" } else { "no reading" };
        return format!("  {name}: {why}");
    };
    let read = format!("read {} ago", minutes(age));
    let resets = format!("resets {resets}");
    let used = format!("{} used", percent(used));
    match *status {
        "off" => format!("  {name}: {used}; not paced by; {resets}; {read}"),
        "stale" => format!("  {name}: {used}, but that says nothing about now: {read}; {resets}"),
        _ => {
            let side = if *over_percent > 0.0 { "over" } else { "under" };
            let delay = if window.delay_secs > 0.0 {
                format!("; asks for {}", seconds(window.delay_secs))
            } else {
                String::new()
            };
            format!(
                "  {name}: {used}, {} planned by now, safe line {}: {} points {side}{delay}; {resets}; {read}",
                percent(window.allowance_percent),
                percent(*safe_percent),
                number(over_percent.abs()),
            )
        }
    }
}

fn source(report: &StatusReport) -> String {
    match report.source {
        Some(source) => format!("readings: from {source}"),
        None => "readings: none yet; they come from the status line, in a terminal with a Pro or Max login \
                 (req hooks statusline sets it), or from the usage API (usage_api.enabled, off by default)"
            .to_owned(),
    }
}

fn last(delay: DelayReport) -> String {
    let ago = i64::try_from(delay.ago_secs).unwrap_or(i64::MAX);
    format!("last delay: {}, {} ago", seconds(delay.secs), minutes(ago))
}

fn suggestion(hours: &[String]) -> Option<String> {
    let (first, _) = hours.split_first()?;
    let list: Vec<String> = hours.iter().map(|hours| format!("\"{hours}\"")).collect();
    let shown = if hours.len() == 1 { first.clone() } else { hours.join(" and ") };
    Some(format!(
        "you seem to work {shown}; to plan the week by that: req config set credit-pacer.work_hours '[{}]' --global",
        list.join(", ")
    ))
}

fn percent(number: f64) -> String {
    format!("{} %", self::number(number))
}

/// With a digit behind the point only where there is something to say.
fn number(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    // No number is shown as less than nothing.
    let tenths = if tenths == 0.0 { 0.0 } else { tenths };
    if tenths.fract() == 0.0 { format!("{tenths:.0}") } else { format!("{tenths:.1}") }
}

fn seconds(secs: f64) -> String {
    format!("{} s", number(secs))
}

fn minutes(secs: i64) -> String {
    match secs {
        ..60 => format!("{} s", secs.max(0)),
        60..7200 => format!("{} min", secs / 60),
        _ => format!("{} h", secs / 3600),
    }
}

#[cfg(test)]
mod tests;
