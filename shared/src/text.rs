//! A word for a shell, texts without characters that nobody sees, and a time in words.

/// A word as every shell reads it, and as [`crate::own_commands`] does, which knows no backslash.
pub fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./:@%+=,".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

/// Characters that move the cursor or make a text look like another: controls, marks of direction, no width, fillers, tags.
pub const fn is_hidden(char: char) -> bool {
    matches!(char,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The same with joiners and selectors, which belong to emoji and to letters of some scripts.
pub const fn is_invisible(char: char) -> bool {
    is_hidden(char) || matches!(char, '\u{200c}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// A span in the largest unit that fits: `40 s`, `12 min`, `3 h`, `2 d`. A clock that went back counts as none.
pub fn age(secs: i64) -> String {
    match secs.max(0) {
        secs @ 0..=119 => format!("{secs} s"),
        secs @ 120..=7_199 => format!("{} min", secs / 60),
        secs @ 7_200..=172_799 => format!("{} h", secs / 3_600),
        secs => format!("{} d", secs / 86_400),
    }
}

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
    use super::{age, cut, plain};

    #[test]
    fn duration_uses_the_largest_unit_that_fits() {
        for (secs, words) in [
            (-5, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7_199, "119 min"),
            (7_200, "2 h"),
            (172_800, "2 d"),
        ] {
            assert_eq!(age(secs), words);
        }
    }

    #[test]
    fn text_loses_control_characters_and_direction_marks() {
        assert_eq!(
            plain("a\u{1b}[2Jb\u{202e}c\u{9b}d\r\n\te"),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\u{fffd}\n\te"
        );
        assert_eq!(plain("grün 好"), "grün 好");
    }

    #[test]
    fn cut_text_shows_the_cut() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüx", 3), "äöü…");
    }
}
