//! What happened, in sentences. Pure.

use crate::history::past::{Course, Past, Run};
use crate::history::spoken::{capitalised, duration, percent, times};
use crate::pacing::Window;

/// So many percent are all of a window.
const LIMIT: f64 = 100.0;

/// The summary, a paragraph each.
pub(crate) fn summary(past: &Past) -> Vec<String> {
    past.courses.iter().map(of_window).chain([of_delays(past)]).collect()
}

/// `From 26 October to 22 November 2026`, or the day alone.
pub(crate) fn period(past: &Past) -> String {
    match past.span.days.as_slice() {
        [] => String::new(),
        [day] => day.in_full(),
        [first, .., last] => format!("{} to {}", first.in_full(), last.in_full()),
    }
}

/// How a window's charts read, for who cannot see them.
pub(crate) fn description(past: &Past, course: &Course) -> String {
    let delays = past.delays.iter().filter(|delay| delay.window == Some(course.window)).count();
    let peak = course.peak().map_or_else(|| "nothing".to_owned(), percent);
    let delayed = match delays {
        0 => "Nothing was delayed".to_owned(),
        _ => format!("Calls were delayed {}", times(delays)),
    };
    format!(
        "Use of the {} in percent over time, as a step line, with the safe line dashed and resets as vertical rules. \
         At most {peak} was used. {delayed} for it. The table of days below has the numbers.",
        course.window.name(),
    )
}

fn of_window(course: &Course) -> String {
    let name = capitalised(course.window.name());
    let count = course.runs.len();
    let Some(peak) = course.peak() else { return format!("{name}: nothing was recorded.") };
    let full = course.runs.iter().filter(|run| run.highest() >= LIMIT).count();
    let limit = match full {
        0 => "the limit was not reached".to_owned(),
        _ => format!("the limit was reached {}", times(full)),
    };
    if count == 1 {
        return format!("{name}: one window was seen, {} of it used; {limit}.", percent(peak));
    }
    let sum: f64 = course.runs.iter().map(Run::highest).sum();
    let mean = sum / f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    format!(
        "{name}: {count} windows were seen, {} used on average and {} at most; {limit}.",
        percent(mean.round()),
        percent(peak)
    )
}

fn of_delays(past: &Past) -> String {
    let Some(longest) = past.delays.iter().map(|delay| delay.secs).max() else {
        return "Nothing was delayed.".to_owned();
    };
    let asked = |window: Window| past.delays.iter().filter(|delay| delay.window == Some(window)).count();
    let windows = Window::ALL.into_iter().filter(|window| asked(*window) > 0);
    let windows: Vec<String> =
        windows.map(|window| format!("{} for the {}", times(asked(window)), window.name())).collect();
    let (all, longest) = (duration(past.delayed_secs()), duration(longest));
    let of_it = if windows.is_empty() { String::new() } else { format!(": {}", windows.join(", ")) };
    format!("Sessions were delayed {}, {all} in all and {longest} at most{of_it}.", times(past.delays.len()))
}
