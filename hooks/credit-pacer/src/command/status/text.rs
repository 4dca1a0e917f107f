//! The status as people read it.

use super::{DelayReport, StatusReport, SwitchReport, WindowReport};

/// Lines, the most important first. `name` is what was typed.
pub(super) fn text(report: &StatusReport, name: &str) -> String {
    let mut lines = vec![first(report, name)];
    lines.extend(report.still.clone());
    if report.overruled {
        lines.push(
            "its switch counts for nothing: the section is locked by your global requirements.yaml"
                .to_owned(),
        );
    }
    lines.push(next(report));
    lines.extend(report.windows.iter().map(|each| window(each, report)));
    lines.push(format!("plan: {}", report.plan));
    lines.extend(report.standstill.clone());
    lines.extend(by_project(report));
    lines.push(source(report));
    lines.extend(report.last_delay.map(last));
    lines.extend(report.switches.iter().map(switch));
    lines.extend(suggested_hours(&report.suggested_work_hours));
    lines.extend(suggested_days(&report.suggested_workdays));
    lines.extend(report.problems.iter().map(|problem| format!("problem: {problem}")));
    lines.join("\n")
}

fn first(report: &StatusReport, name: &str) -> String {
    if let Some(end) = &report.paused_until {
        return format!("pacing: off, paused until {end} (every hook); req resume ends it");
    }
    let word = if report.enabled { "on" } else { "off" };
    let by = report.set_by.as_ref().map_or_else(String::new, |by| format!(", set by {by}"));
    let way = match (report.enabled, report.switch) {
        (true, _) => format!("; {name} off ends it"),
        (false, "off") => format!("; {name} on begins again"),
        (false, _) => String::new(),
    };
    format!("pacing: {word}{by}{way}")
}

/// Only `auto` gives the decision back to the files.
fn switch(switch: &SwitchReport) -> String {
    let SwitchReport { name, position, ended_by } = switch;
    let way = if ended_by.ends_with(" auto") { "as the files say" } else { "otherwise" };
    format!("switch: {name} {position} ({way}: {ended_by})")
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

fn window(window: &WindowReport, report: &StatusReport) -> String {
    let WindowReport { name, status, .. } = window;
    let (Some(used), Some(resets), Some(left), Some(age)) =
        (window.used_percent, &window.resets, window.resets_in_secs, window.age_secs)
    else {
        let why = if *status == "off" { "not paced by" } else { "no reading" };
        return format!("  {name}: {why}");
    };
    let read = format!("read {} ago", minutes(age));
    let used = format!("{} used", percent(used));
    if left <= 0 {
        return format!("  {name}: no reading since it began anew {resets}; before that {used}, {read}");
    }
    let resets = format!("resets {resets}, in {}", time_to_go(left));
    match (*status, window.safe_percent, window.allowance_percent, window.over_percent) {
        ("ok" | "over", Some(safe), Some(allowance), Some(over)) => {
            let side = if over > 0.0 { "over" } else { "under" };
            format!(
                "  {name}: {used}, {} planned by now (the safe line; {} with the reserve): {} points {side}{}; \
                 {resets}; {read}",
                percent(safe),
                percent(allowance),
                number(over.abs()),
                asked_delay(window, report),
            )
        }
        ("off", ..) => format!("  {name}: {used}; not paced by; {resets}; {read}"),
        _ => format!("  {name}: {used}, {}; {resets}", too_old(age, report)),
    }
}

/// A project may pace its sessions as it likes, but not unsaid.
fn by_project(report: &StatusReport) -> Option<String> {
    let keys = report.by_project.iter().map(|by| format!("{} ({})", by.key, by.place));
    let keys: Vec<String> = keys.collect();
    (!keys.is_empty()).then(|| format!("set for this project: {}", keys.join(", ")))
}

fn asked_delay(window: &WindowReport, report: &StatusReport) -> String {
    let asks = if report.enabled { "asks for" } else { "would ask for" };
    if window.delay_secs > 0.0 { format!("; {asks} {}", seconds(window.delay_secs)) } else { String::new() }
}

/// A reading of the future is none either.
fn too_old(age: i64, report: &StatusReport) -> String {
    let limit = i64::from(report.stale_after_secs);
    if age <= limit {
        return "but that says nothing about now, so nothing is paced by it".to_owned();
    }
    format!(
        "{} old (limit {}), so nothing is paced by it; readings come back with the next answer in a terminal session",
        minutes(age),
        minutes(limit)
    )
}

fn source(report: &StatusReport) -> String {
    let api = report.usage_api.told();
    match (report.source, api) {
        (Some(source), None) => format!("readings: from {source}"),
        (Some(source), Some(api)) => format!("readings: from {source}; {api}"),
        (None, Some(api)) => format!("readings: none; {api}"),
        (None, None) => "readings: none yet; they come from the status line, in a terminal with a Pro or Max login \
                         (req hooks statusline sets it), or from the usage API (usage_api.enabled, off by default)"
            .to_owned(),
    }
}

fn last(delay: DelayReport) -> String {
    let ago = i64::try_from(delay.ago_secs).unwrap_or(i64::MAX);
    format!("last delay: {}, {} ago", seconds(delay.secs), minutes(ago))
}

fn suggested_hours(hours: &[String]) -> Option<String> {
    let (first, _) = hours.split_first()?;
    let list: Vec<String> = hours.iter().map(|hours| format!("\"{hours}\"")).collect();
    let shown = if hours.len() == 1 { first.clone() } else { hours.join(" and ") };
    Some(format!(
        "you seem to work {shown}; to plan the week by that: req config set credit-pacer.work_hours '[{}]' --global",
        list.join(", ")
    ))
}

fn suggested_days(days: &[&str]) -> Option<String> {
    let list = days.join(", ");
    (!days.is_empty()).then(|| {
        format!(
            "you seem to work on {list}; to plan the week by that: \
             req config set credit-pacer.workdays \"[{list}]\" --global"
        )
    })
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

/// "2 h 30 min", from two days on "4 days 3 h".
fn time_to_go(secs: i64) -> String {
    let (days, hours, minutes) = (secs / 86_400, secs / 3600, secs / 60 % 60);
    match secs {
        ..3600 => self::minutes(secs),
        3600..172_800 if minutes == 0 => format!("{hours} h"),
        3600..172_800 => format!("{hours} h {minutes} min"),
        _ => format!("{days} days {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests;
