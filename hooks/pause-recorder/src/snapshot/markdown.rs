//! A snapshot for people. It says what the JSON says. Pure.

use super::Snapshot;

/// The page. What comes from a session or a repository is put so that it cannot become markup.
#[must_use]
pub fn markdown(snapshot: &Snapshot) -> String {
    format!("# {}\n", snapshot.session_id)
}
