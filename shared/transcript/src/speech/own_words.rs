//! Lines with the user's own words.

use super::prose;
use crate::line::Entry;
use shared::claude_code::{INSERTED_TEXTS, REMINDER};
use shared::operator::typed;

/// Words of the user; `None` if nobody wrote them, or if they are for Claude Code or for us alone.
pub(super) fn of(entry: Entry) -> Option<String> {
    let texts = match entry {
        Entry::Typed(text) => vec![text],
        Entry::Message(line) if line.is_prompt() && !line.is_sent_by_client => prose(&line),
        _ => return None,
    };
    let texts = texts.iter().map(|text| without_reminders(text));
    let texts: Vec<String> = texts.filter(|text| !is_put_in(text)).collect();
    let text = texts.join("\n");
    let text = text.trim();
    (!text.is_empty() && !typed::is_command_line(text)).then(|| text.to_owned())
}

/// A text without the reminders that the client puts between the user's words. What a reminder tells of may hold the mark
/// that ends one, so it goes on to the last before the next.
fn without_reminders(text: &str) -> String {
    let (open, close) = REMINDER;
    let mut pieces = text.split(open);
    let mut own = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        if let Some(end) = piece.rfind(close) {
            own.push_str(&piece[end + close.len()..]);
        } else {
            own.push_str(open);
            own.push_str(piece);
        }
    }
    own
}

fn is_put_in(text: &str) -> bool {
    let text = text.trim_start();
    INSERTED_TEXTS.iter().any(|beginning| text.starts_with(beginning))
}
