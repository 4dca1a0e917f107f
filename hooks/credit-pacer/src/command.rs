//! The commands, in a shell and as a prompt. `pace-maker`, the name of the original tool, is another name for `credit-pacer`.
//!
//! `shared::cli` has the verbs of every hook; `status` adds lines to its status.

mod status;

use std::path::PathBuf;

use pacing::Window;
use shared::cli::{self, Asker, Commands, Line, Verb};
use shared::hook::{Context, Hook};
use shared::switches::{Position, Turn};

use crate::decide::{Change, Reply};
use crate::past::days_of;
use crate::settings::Settings;
use crate::{CreditPacer, history};

pub(crate) use status::{Now, lines};

const OTHER_NAME: &str = "pace-maker";

/// Days of the chart and of the report.
const CHART_DAYS: u32 = 7;
const REPORT_DAYS: u32 = 30;

const fn verb(usage: &'static str, about: &'static str) -> Verb {
    Verb { usage, about }
}

/// The verbs beside those every hook has.
pub(crate) const VERBS: &[Verb] = &[
    verb("5-hour on|off|auto", "delay calls for the 5-hour limit"),
    verb("weekly on|off|auto", "delay calls for the weekly limit"),
    verb("history [--days N]", "a chart of usage, with the delays"),
    verb("report --html FILE [--days N]", "the same as a page"),
    verb(
        "statusline",
        "records the usage that Claude Code gives its status line on stdin, and prints a line",
    ),
    verb("decide", "the controller as a filter: one JSON object per line in, one answer per line out"),
];

/// A command of this hook's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Status,
    StatusJson,
    /// The chart of some days.
    History(u32),
    /// Writes the report of some days to a file.
    Report(PathBuf, u32),
    /// Turns the delays for a limit on or off, or gives them back to the files.
    Turn(Window, Position),
}

impl Commands for CreditPacer {
    type Asked = Asked;

    fn name_of(word: &str) -> Option<&'static str> {
        [Self::NAME, OTHER_NAME].into_iter().find(|name| word.eq_ignore_ascii_case(name))
    }

    fn asked(line: &Line<'_>) -> Option<Asked> {
        let turn =
            |window, word: &str| Some(Asked::Turn(window, Position::of_word(&word.to_ascii_lowercase())?));
        match *line.words {
            [] => (line.name == OTHER_NAME).then_some(Asked::Status),
            ["status", "--json"] => Some(Asked::StatusJson),
            ["history", ref words @ ..] => days_of(words, CHART_DAYS).map(Asked::History),
            ["report", "--html", file, ref words @ ..] if !line.is_prompt => {
                days_of(words, REPORT_DAYS).map(|days| Asked::Report(file.into(), days))
            }
            ["5-hour" | "5-hour-limit", word] => turn(Window::FiveHour, word),
            ["weekly" | "weekly-limit", word] => turn(Window::SevenDay, word),
            _ => None,
        }
    }

    fn answer(wanted: &Asked, asker: &Asker<'_>, _: Option<&Context<'_, Settings>>) -> Reply {
        match wanted {
            Asked::Status => cli::status::<Self, Change>(asker, false),
            Asked::StatusJson => status::json(asker),
            Asked::History(days) => reply(history::text(asker, *days)),
            Asked::Report(file, days) => reply(history::write(asker, file, *days)),
            Asked::Turn(window, position) => turned(*window, *position, asker),
        }
    }
}

fn reply(result: Result<String, String>) -> Reply {
    result.map_or_else(|why| Reply::no(format!("credit-pacer: {why}")), Reply::yes)
}

/// Turns the switch of a limit. Anybody may switch delays on; only the user may do the rest.
fn turned(window: Window, position: Position, asker: &Asker<'_>) -> Reply {
    let (own, name) = (CreditPacer::NAME, window.name());
    let verb = if window == Window::FiveHour { "5-hour" } else { "weekly" };
    if position != Position::On && !asker.caller.is_operator() {
        return Reply::no(asker.caller.refusal(&format!("{own} {verb} {}", position.word()), true));
    }
    let turn = Turn::everywhere(format!("{own}.{}", window.key()), position);
    let Some(section) = asker.section::<CreditPacer>(&asker.switches().with(&turn, asker.host.now())) else {
        return Reply::no(format!("{own}: the built-in defaults cannot be read; this is a bug"));
    };
    if section.overruled.iter().any(|key| key == window.key()) {
        return Reply::no(format!("{name}: locked by your global requirements.yaml; nothing was changed"));
    }
    let word = if section.settings.window(window).enabled { "on" } else { "off" };
    let off = if section.enabled { "" } else { "; but credit-pacer is off" };
    let back = match position {
        Position::Off => format!("\non again: {own} {verb} auto"),
        Position::On | Position::Auto => String::new(),
    };
    Reply { effects: vec![Change::Turn(turn)], ..Reply::yes(format!("{name}: {word}{off}{back}")) }
}

#[cfg(test)]
mod tests;
