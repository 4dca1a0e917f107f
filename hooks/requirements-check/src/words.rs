//! Times in words, for people.

pub use shared::text::age;
use shared::text::is_hidden;

/// The text with a sign for each hidden character but line ends and tabs: names and messages come from files that anybody may
/// have written.
pub fn plain(text: &str) -> String {
    let shown = |char| if is_hidden(char) && !matches!(char, '\n' | '\t') { '\u{fffd}' } else { char };
    text.chars().map(shown).collect()
}

/// The first so many characters, with a sign where some are left out.
pub fn cut(text: &str, max_chars: usize) -> String {
    let mut kept: String = text.chars().take(max_chars).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{cut, plain};

    #[test]
    fn nothing_in_a_text_moves_the_cursor_or_turns_the_writing_round() {
        assert_eq!(
            plain("a\u{1b}[2Jb\u{202e}c\u{9b}d\r\n\te"),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\u{fffd}\n\te"
        );
        assert_eq!(plain("grün 好"), "grün 好");
    }

    #[test]
    fn what_is_left_out_shows() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüx", 3), "äöü…");
    }
}
