//! The line, and its shorter forms where there is little room. Pure.

use pacing::{Status, Strategy, Window, WindowPace, duration};

use super::Report;
use crate::command::Now;

/// The content of the line.
pub(super) struct Shown<'a> {
    pub(super) report: &'a Report,
    pub(super) now: &'a Now,
    /// The reading could not be written down, so no hook knows it.
    pub(super) is_lost: bool,
}

/// A text, and the number of its colour in the terminal's escape sequences.
type Part = (String, Option<u8>);

const GREEN: Option<u8> = Some(32);
const YELLOW: Option<u8> = Some(33);
const RED: Option<u8> = Some(31);
const MAX_MODEL: usize = 40;
const SEPARATOR: &str = " · ";

impl Shown<'_> {
    /// The line, without a line break, for so many columns: where there is little room, the first parts are left out.
    pub(super) fn line(&self, columns: usize, takes_colours: bool) -> String {
        let parts = self.model().into_iter().chain(self.context()).chain(self.windows()).chain(self.next());
        let mut parts: Vec<Part> = parts.collect();
        let width =
            |parts: &[Part]| -> usize { parts.iter().map(|(text, _)| text.chars().count() + 3).sum() };
        while width(&parts) > columns + 3 && parts.len() > 1 {
            parts.remove(0);
        }
        let written = parts.into_iter().map(|(text, colour)| match colour.filter(|_| takes_colours) {
            Some(colour) => format!("\u{1b}[{colour}m{text}\u{1b}[0m"),
            None => text,
        });
        written.collect::<Vec<_>>().join(SEPARATOR)
    }

    /// The model's name without anything that a terminal could take for more than a letter.
    fn model(&self) -> Option<Part> {
        let name = self.report.model_name.as_deref()?;
        let shown = name.chars().filter(|char| char.is_ascii_graphic() || *char == ' ').take(MAX_MODEL);
        let shown = shown.collect::<String>().trim().to_owned();
        (!shown.is_empty()).then_some((shown, None))
    }

    fn context(&self) -> Option<Part> {
        let percent = self.report.usage.context.used_percent?;
        let colour = match percent {
            90.0.. => RED,
            75.0.. => YELLOW,
            _ => GREEN,
        };
        Some((format!("ctx {:.0}%", percent.clamp(0.0, 999.0)), colour))
    }

    /// The usage of each window, and where it stands against the safe line, or how old the reading is.
    fn windows(&self) -> Vec<Part> {
        let windows = &self.now.pace.windows;
        let parts: Vec<Part> = windows.iter().filter_map(|window| self.window(window)).collect();
        if !parts.is_empty() || self.is_lost {
            return parts;
        }
        let has_replied = self.report.usage.total_api_duration_ms > 0;
        let why = if has_replied { " (needs a Pro or Max login)" } else { " yet" };
        vec![(format!("no usage reported{why}"), None)]
    }

    fn window(&self, pace: &WindowPace) -> Option<Part> {
        let (reading, now) = (pace.reading?, self.now.time.secs());
        let name = match pace.window {
            Window::FiveHour => "5h",
            Window::SevenDay => "wk",
        };
        if reading.resets_at <= now {
            return Some((format!("{name} reset"), None));
        }
        let detail = match pace.status {
            Status::Ok | Status::Over => format!(" {}", mark(pace.over_percent)),
            Status::Stale => format!(" {} old", duration(now.saturating_sub(reading.at))),
            Status::Unknown | Status::Off => String::new(),
        };
        let used = reading.used_percent;
        Some((format!("{name} {used:.0}%{detail}"), self.colour(pace, used)))
    }

    fn colour(&self, pace: &WindowPace, used_percent: f64) -> Option<u8> {
        let all = &self.now.pace;
        let is_longest = all.strategy == Strategy::Emergency && all.constrained_window == Some(pace.window);
        match pace.status {
            Status::Stale | Status::Unknown | Status::Off => None,
            _ if is_longest || used_percent >= 95.0 || pace.over_percent >= 20.0 => RED,
            Status::Over => YELLOW,
            Status::Ok => GREEN,
        }
    }

    fn next(&self) -> Option<Part> {
        match self.now.delay_secs {
            _ if self.now.is_off => Some(("pacing off".to_owned(), None)),
            _ if self.is_lost => Some(("not recorded".to_owned(), YELLOW)),
            delay => (delay >= 0.5).then(|| (format!("next +{delay:.0}s"), YELLOW)),
        }
    }
}

/// Points above the safe line, or below it.
fn mark(over_percent: f64) -> String {
    let points = over_percent.abs();
    if over_percent > 0.0 { format!("▲{:.0}", points.max(1.0)) } else { format!("▼{points:.0}") }
}

#[cfg(test)]
mod tests;
