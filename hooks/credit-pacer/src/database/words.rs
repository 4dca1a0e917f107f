//! How the database writes what has a name here. What it does not know is nothing in particular: another version wrote it.

use pacing::{Strategy, Window};
use shared::usage::Source;

pub(super) const fn of_source(source: Source) -> &'static str {
    match source {
        Source::StatusLine => "status_line",
        Source::UsageApi => "usage_api",
    }
}

pub(super) fn source(word: &str) -> Source {
    if word == of_source(Source::UsageApi) { Source::UsageApi } else { Source::StatusLine }
}

pub(super) fn window(word: &str) -> Option<Window> {
    Window::ALL.into_iter().find(|window| window.key() == word)
}

pub(super) fn strategy(word: &str) -> Strategy {
    Strategy::ALL.into_iter().find(|strategy| strategy.word() == word).unwrap_or_default()
}
