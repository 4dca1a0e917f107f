//! Which windows are past their safe line, for others who spend credits: written down when that changes.

use shared::host::Timestamp;
use shared::usage::line::Line;

use super::seconds;
use crate::effect::Change;
use crate::pacing::{Pace, Status};
use crate::state::State;

/// As the arithmetic has it; none without it: nothing is past, or nobody is to care.
pub(super) fn found(pace: Option<&Pace>, now: Timestamp) -> Line {
    let windows = pace.iter().flat_map(|pace| &pace.windows).filter(|window| window.status == Status::Over);
    let past = windows.filter_map(|window| {
        let (_, reading) = window.reading?;
        Some((window.window.key().to_owned(), reading.resets_at))
    });
    Line { at: seconds(now), past: past.collect() }
}

impl State {
    /// What is to be written down of it, if it is news.
    pub(super) fn tell(&mut self, found: Line) -> Option<Change> {
        if !self.line.is_news(&found) {
            return None;
        }
        self.line = if found.past.is_empty() { Line::default() } else { found.clone() };
        Some(Change::Line(found))
    }
}
