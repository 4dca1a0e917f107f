//! The line itself: what it says, and what of it where there is little room. Pure.

use pacing::{Pace, Status, Strategy, Window, WindowPace};

/// What the line is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    /// The model's name.
    pub(super) model: Option<&'a str>,
    /// Used of the context window, in percent.
    pub(super) context_percent: Option<f64>,
    /// How the windows stand.
    pub(super) pace: &'a Pace,
    /// The next call waits for so long, in seconds.
    pub(super) delay_secs: f64,
    /// Nothing is delayed at all.
    pub(super) is_off: bool,
    /// What was told could not be written down: no hook knows of it.
    pub(super) is_lost: bool,
    /// The client has had a reply in this session: it would know of credits by now.
    pub(super) has_replied: bool,
    /// In seconds since the epoch.
    pub(super) now: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    Plain,
    Green,
    Yellow,
    Red,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    text: String,
    colour: Colour,
}

/// No higher number is printed, in percent.
const MAX_SHOWN_PERCENT: f64 = 999.0;

/// How much of it is said.
struct Form {
    /// So many columns for the model's name.
    model: usize,
    context: bool,
    next: bool,
    windows: Windows,
    separator: &'static str,
}

/// How much is said of the windows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Windows {
    /// Also where each stands against the safe line, or how old that is; and whole sentences.
    InDetail,
    /// What is used of each.
    InShort,
    /// What is used of the one that is furthest ahead.
    OneOnly,
}

/// From all of it to the least: the first that fits is taken.
const FORMS: [Form; 9] = [
    Form { model: 40, context: true, next: true, windows: Windows::InDetail, separator: " · " },
    Form { model: 16, context: true, next: true, windows: Windows::InDetail, separator: " · " },
    Form { model: 0, context: true, next: true, windows: Windows::InDetail, separator: " · " },
    Form { model: 0, context: false, next: true, windows: Windows::InDetail, separator: " · " },
    Form { model: 0, context: false, next: false, windows: Windows::InDetail, separator: " · " },
    Form { model: 0, context: false, next: false, windows: Windows::InDetail, separator: " " },
    Form { model: 0, context: false, next: false, windows: Windows::InShort, separator: " · " },
    Form { model: 0, context: false, next: false, windows: Windows::InShort, separator: " " },
    Form { model: 0, context: false, next: false, windows: Windows::OneOnly, separator: " " },
];

/// The line, without a line break, at most `columns` wide.
pub(super) fn line(shown: &Shown<'_>, columns: usize, takes_colours: bool) -> String {
    let mut least = String::new();
    for form in &FORMS {
        let parts = shown.parts(form);
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        least = texts.join(form.separator);
        if width(&least) <= columns && !least.is_empty() {
            return if takes_colours { coloured(&parts, form.separator) } else { least };
        }
    }
    cut(&least, columns)
}

impl Shown<'_> {
    fn parts(&self, form: &Form) -> Vec<Part> {
        let model = self.model.map(|name| plain(cut(&printable(name), form.model)));
        let context = self.context_percent.filter(|_| form.context).map(context);
        let mut parts: Vec<Part> =
            model.into_iter().filter(|part| !part.text.is_empty()).chain(context).collect();
        let mut windows: Vec<Part> = self.windows(form).collect();
        if windows.is_empty() {
            windows.push(self.nothing(form, !parts.is_empty()));
        }
        parts.append(&mut windows);
        parts.extend(self.next().filter(|_| form.next));
        parts
    }

    fn windows(&self, form: &Form) -> impl Iterator<Item = Part> {
        let windows = self.pace.windows.iter().filter(|window| window.reading.is_some());
        let ahead = windows.clone().max_by(|one, other| one.over_percent.total_cmp(&other.over_percent));
        let ahead = ahead.map(|window| window.window);
        let shown =
            windows.filter(move |window| form.windows != Windows::OneOnly || Some(window.window) == ahead);
        shown.filter_map(|window| self.window(window, form.windows == Windows::InDetail))
    }

    fn window(&self, pace: &WindowPace, details: bool) -> Option<Part> {
        let (at, reading) = pace.reading?;
        let name = match pace.window {
            Window::FiveHour => "5h",
            Window::SevenDay => "wk",
        };
        if reading.resets_at <= self.now {
            return Some(plain(format!("{name} reset")));
        }
        let used = format!("{name} {:.0}%", shown_percent(reading.used_percent));
        let said = match pace.status {
            Status::Ok | Status::Over => Some(mark(pace.over_percent)),
            Status::Stale => Some(age(self.now.saturating_sub(at))),
            Status::Unknown | Status::Off => None,
        };
        let text = said.filter(|_| details).map_or_else(|| used.clone(), |said| format!("{used} {said}"));
        Some(Part { text, colour: self.colour(pace, reading.used_percent) })
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

    /// Where no window is known.
    fn nothing(&self, form: &Form, is_beside_others: bool) -> Part {
        plain(match (form.windows == Windows::InDetail, self.has_replied) {
            (true, true) if form.model >= 40 || !is_beside_others => {
                "no credits told (needs a Pro or Max login)".to_owned()
            }
            (true, false) => "no credits told yet".to_owned(),
            _ => "no credits told".to_owned(),
        })
    }

    fn next(&self) -> Option<Part> {
        if self.is_off {
            return Some(plain("pacing off".to_owned()));
        }
        if self.is_lost {
            return Some(Part { text: "not recorded".to_owned(), colour: Colour::Yellow });
        }
        let delay = self.delay_secs;
        (delay >= 0.5).then(|| Part { text: format!("next +{delay:.0}s"), colour: Colour::Yellow })
    }
}

const fn plain(text: String) -> Part {
    Part { text, colour: Colour::Plain }
}

fn context(percent: f64) -> Part {
    let colour = match percent {
        _ if percent >= 90.0 => Colour::Red,
        _ if percent >= 75.0 => Colour::Yellow,
        _ => Colour::Green,
    };
    Part { text: format!("ctx {:.0}%", shown_percent(percent)), colour }
}

/// Longer numbers are nobody's: they would push everything else off the line.
const fn shown_percent(percent: f64) -> f64 {
    percent.clamp(0.0, MAX_SHOWN_PERCENT)
}

/// So many points above the safe line, or below it.
fn mark(over_percent: f64) -> String {
    let points = format!("{:.0}", shown_percent(over_percent.abs()));
    match over_percent {
        _ if over_percent > 0.0 => format!("▲{}", if points == "0" { "1" } else { &points }),
        _ => format!("▼{points}"),
    }
}

fn age(secs: i64) -> String {
    match secs {
        ..3600 => format!("{}m old", secs.max(0) / 60),
        3600..86_400 => format!("{}h old", secs / 3600),
        _ => format!("{}d old", secs / 86_400),
    }
}

fn coloured(parts: &[Part], separator: &str) -> String {
    let part = |part: &Part| {
        let code = match part.colour {
            Colour::Plain => return part.text.clone(),
            Colour::Green => 32,
            Colour::Yellow => 33,
            Colour::Red => 31,
        };
        format!("\u{1b}[{code}m{}\u{1b}[0m", part.text)
    };
    parts.iter().map(part).collect::<Vec<_>>().join(separator)
}

/// Without what moves the cursor, turns the direction of writing, or is not seen.
fn printable(text: &str) -> String {
    let is_seen = |char: &char| {
        !char.is_control()
            && !matches!(
                char,
                '\u{ad}'
                    | '\u{61c}'
                    | '\u{180e}'
                    | '\u{200b}'..='\u{200f}'
                    | '\u{2028}'..='\u{202e}'
                    | '\u{2060}'..='\u{206f}'
                    | '\u{fe00}'..='\u{fe0f}'
                    | '\u{feff}'
                    | '\u{fff9}'..='\u{fffb}'
                    | '\u{e0000}'..='\u{e0fff}'
            )
    };
    let seen: String =
        text.chars().map(|char| if char.is_whitespace() { ' ' } else { char }).filter(is_seen).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As many characters from its beginning as fit; the last one says that there were more.
fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |char: &char| {
        let rest = left.checked_sub(columns_of(*char));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.truncate(kept.trim_end().len());
    if columns > 0 {
        kept.push('…');
    }
    kept
}

fn width(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Wide characters of East Asia and pictures take two columns. Marks that take none are counted as one: too short a line
/// does no harm.
const fn columns_of(char: char) -> usize {
    match char {
        '\u{1100}'..='\u{115f}'
        | '\u{231a}'..='\u{231b}'
        | '\u{23e9}'..='\u{23f3}'
        | '\u{2600}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe10}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{16fe0}'..='\u{18fff}'
        | '\u{1b000}'..='\u{1b2ff}'
        | '\u{1f000}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
