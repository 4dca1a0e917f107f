//! The line, and its shorter forms where there is little room. Pure.

use pacing::{Pace, Status, Strategy, Window, WindowPace, duration};

/// The content of the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) model: Option<&'a str>,
    /// The used share of the context window, in percent.
    pub(super) context_percent: Option<f64>,
    pub(super) pace: &'a Pace,
    /// The delay of the next call, in seconds.
    pub(super) delay_secs: f64,
    pub(super) is_off: bool,
    /// The reading could not be written down, so no hook knows it.
    pub(super) is_lost: bool,
    /// Claude Code has had a reply in this session: it would know the usage by now.
    pub(super) has_replied: bool,
    pub(super) now: i64,
}

/// A colour by its number in the terminal's escape sequences.
#[derive(Clone, Copy)]
enum Colour {
    Plain = 39,
    Green = 32,
    Yellow = 33,
    Red = 31,
}

type Part = (String, Colour);

const MAX_SHOWN_PERCENT: f64 = 999.0;

const MAX_MODEL: usize = 40;

const SEPARATOR: &str = " · ";

/// The line, without a line break, for so many columns: where there is little room, the first parts are left out.
pub(super) fn line(shown: &Shown<'_>, columns: usize, takes_colours: bool) -> String {
    let model = shown.model.map(model).filter(|(name, _)| !name.is_empty());
    let parts = [model, shown.context_percent.map(context)].into_iter().flatten();
    let mut parts: Vec<Part> = parts.chain(shown.windows()).chain(shown.next()).collect();
    let width = |parts: &[Part]| -> usize {
        parts.iter().map(|(text, _)| text.chars().count() + SEPARATOR.chars().count()).sum()
    };
    while width(&parts) > columns + SEPARATOR.chars().count() && parts.len() > 1 {
        parts.remove(0);
    }
    let written = parts.iter().map(|(text, colour)| match colour {
        Colour::Plain => text.clone(),
        _ if !takes_colours => text.clone(),
        colour => format!("\u{1b}[{}m{text}\u{1b}[0m", *colour as u8),
    });
    written.collect::<Vec<_>>().join(SEPARATOR)
}

impl Shown<'_> {
    /// The usage of each window, and where it stands against the safe line, or how old the reading is.
    fn windows(&self) -> Vec<Part> {
        let parts: Vec<Part> = self.pace.windows.iter().filter_map(|window| self.window(window)).collect();
        if !parts.is_empty() {
            return parts;
        }
        let why = if self.has_replied { " (needs a Pro or Max login)" } else { " yet" };
        vec![(format!("no usage reported{why}"), Colour::Plain)]
    }

    fn window(&self, pace: &WindowPace) -> Option<Part> {
        let (at, reading) = pace.reading?;
        let name = match pace.window {
            Window::FiveHour => "5h",
            Window::SevenDay => "wk",
        };
        if reading.resets_at <= self.now {
            return Some((format!("{name} reset"), Colour::Plain));
        }
        let detail = match pace.status {
            Status::Ok | Status::Over => format!(" {}", mark(pace.over_percent)),
            Status::Stale => format!(" {} old", duration(self.now.saturating_sub(at))),
            Status::Unknown | Status::Off => String::new(),
        };
        let used = shown_percent(reading.used_percent);
        Some((format!("{name} {used:.0}%{detail}"), self.colour(pace, reading.used_percent)))
    }

    fn colour(&self, pace: &WindowPace, used_percent: f64) -> Colour {
        let is_emergency =
            self.pace.strategy == Strategy::Emergency && self.pace.constrained_window == Some(pace.window);
        match pace.status {
            Status::Stale | Status::Unknown | Status::Off => Colour::Plain,
            _ if is_emergency || used_percent >= 95.0 || pace.over_percent >= 20.0 => Colour::Red,
            Status::Over => Colour::Yellow,
            Status::Ok => Colour::Green,
        }
    }

    fn next(&self) -> Option<Part> {
        match self.delay_secs {
            _ if self.is_off => Some(("pacing off".to_owned(), Colour::Plain)),
            _ if self.is_lost => Some(("not recorded".to_owned(), Colour::Yellow)),
            delay => (delay >= 0.5).then(|| (format!("next +{delay:.0}s"), Colour::Yellow)),
        }
    }
}

/// The name without anything that a terminal could take for more than a letter.
fn model(name: &str) -> Part {
    let shown = name.chars().filter(|char| char.is_ascii_graphic() || *char == ' ').take(MAX_MODEL);
    (shown.collect::<String>().trim().to_owned(), Colour::Plain)
}

fn context(percent: f64) -> Part {
    let colour = match percent {
        _ if percent >= 90.0 => Colour::Red,
        _ if percent >= 75.0 => Colour::Yellow,
        _ => Colour::Green,
    };
    (format!("ctx {:.0}%", shown_percent(percent)), colour)
}

const fn shown_percent(percent: f64) -> f64 {
    percent.clamp(0.0, MAX_SHOWN_PERCENT)
}

/// Points above the safe line, or below it.
fn mark(over_percent: f64) -> String {
    let points = shown_percent(over_percent.abs());
    if over_percent > 0.0 { format!("▲{:.0}", points.max(1.0)) } else { format!("▼{points:.0}") }
}

#[cfg(test)]
mod tests;
