//! Texts of a session and its repository, as they stand in a snapshot: on one line, without secrets, and short. Pure.

/// Signs that turn the direction of writing, or cannot be context: a text with them looks like another.
const UNSEEN: [std::ops::RangeInclusive<char>; 6] = [
    '\u{200b}'..='\u{200b}',
    '\u{200e}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{2069}',
    '\u{e0000}'..='\u{e007f}',
    '\u{feff}'..='\u{feff}',
];

/// The text on one line: secrets masked, breaks and what cannot be seen as single spaces, at most so many characters.
#[must_use]
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let masked = secrets::masked(text);
    let words = masked.split(|char: char| char.is_whitespace() || char.is_control() || is_unseen(char));
    let mut line = String::new();
    let mut count = 0;
    for word in words.filter(|word| !word.is_empty()) {
        if count >= most {
            break;
        }
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        line.extend(word.chars().take(most - count));
        count += word.chars().count();
    }
    line.truncate(line.trim_end().len());
    line
}

/// It cannot be seen, or makes what can be seen look like something else.
#[must_use]
pub(super) fn is_unseen(char: char) -> bool {
    UNSEEN.iter().any(|signs| signs.contains(&char))
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn breaks_and_what_cannot_be_seen_are_spaces() {
        for (text, line) in [
            ("plain words", "plain words"),
            ("  a \n\n# b\r\n\tc ", "a # b c"),
            ("a\u{0}\u{1b}[31mb\u{85}c\u{2028}d\u{2029}e", "a [31mb c d e"),
            ("a\u{202e}b\u{200b}c", "a b c"),
            ("", ""),
            ("\n", ""),
        ] {
            assert_eq!(one_line(text, 100), line, "{text:?}");
        }
    }

    #[test]
    fn it_is_cut_to_whole_characters() {
        for (text, most, line) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "abc"),
            ("äöü", 2, "äö"),
            ("ab cd", 3, "ab"),
            ("ab cd", 4, "ab c"),
            ("a", 0, ""),
        ] {
            assert_eq!(one_line(text, most), line, "{text:?} {most}");
        }
    }

    #[test]
    fn secrets_are_masked_before_it_is_cut() {
        let line = one_line("key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789", 20);
        assert!(line.starts_with("key [masked"), "{line}");
    }
}
