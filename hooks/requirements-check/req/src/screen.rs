//! Prose on a terminal: broken between words at its width. What goes into a file or a pipe stays as it is, and so does a line
//! that is there to be copied: a line end in the middle of a command would make two of it.

use std::borrow::Cow;
use std::iter;

/// A narrower terminal is not helped by shorter lines, in columns.
const MIN_WIDTH: usize = 40;

/// The text as the terminal it is printed on has room for it.
pub(super) fn fitted(text: &str) -> Cow<'_, str> {
    match width().filter(|width| *width >= MIN_WIDTH) {
        Some(width) => Cow::Owned(wrapped(text, width)),
        None => Cow::Borrowed(text),
    }
}

/// The columns of the terminal that stdout is; none where it is no terminal.
#[cfg(unix)]
fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn width() -> Option<usize> {
    None
}

fn wrapped(text: &str, width: usize) -> String {
    let mut is_code = false;
    let lines = text.lines().map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence || is_to_be_copied(line) { line.to_owned() } else { broken(line, width) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// An example, or a row of a table.
fn is_to_be_copied(line: &str) -> bool {
    ["Example", "req ", "|"].iter().any(|start| line.trim_start().starts_with(start))
}

/// The line in pieces of at most so many characters, as far as its words allow; what follows stands below where its text began.
fn broken(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let (head, text) = line.split_at(text_start(line, width));
    let indent = head.chars().count();
    let (mut lines, mut used) = (head.to_owned(), indent);
    for word in words(text) {
        let length = word.chars().count();
        if used > indent && used + 1 + length > width {
            lines.extend(iter::once('\n').chain(iter::repeat_n(' ', indent)));
            used = indent;
        }
        if used > indent {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

/// Where the text of a line begins, in bytes: in its last column, behind the sign of a point, or behind what indents it.
fn text_start(line: &str, width: usize) -> usize {
    let is_start = |at: usize| line[..at].ends_with("  ") && !line[at..].starts_with(' ');
    let half = line.char_indices().map(|(at, _)| at).take(width / 2);
    let column = half.filter(|at| is_start(*at)).last().unwrap_or(0);
    let text = &line[column..];
    let sign = text.split_once(' ').map(|(sign, _)| sign).filter(|sign| {
        matches!(*sign, "-" | "*")
            || sign.strip_suffix('.').is_some_and(|number| number.parse::<u8>().is_ok())
    });
    column + sign.map_or(0, |sign| sign.len() + 1)
}

/// The words of a text; what stands between backquotes is one.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let is_between = move |char: char| {
        is_quoted ^= char == '`';
        char == ' ' && !is_quoted
    };
    text.split(is_between).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_are_broken_between_words_and_go_on_below_their_text() {
        for (line, expected) in [
            ("it fits in so many columns", "it fits in so many columns"),
            ("a line of words that is too long", "a line of words that is too\nlong"),
            ("- a point of a list goes on too far", "- a point of a list goes on\n  too far"),
            ("12. the twelfth goes on too far, too", "12. the twelfth goes on too\n    far, too"),
            (
                "  -a, --all  Every one of them, and more",
                "  -a, --all  Every one of\n             them, and more",
            ),
            ("type `req satisfy --session ID` in a shell", "type\n`req satisfy --session ID`\nin a shell"),
            ("x a_word_that_is_longer_than_any_line_is y", "x\na_word_that_is_longer_than_any_line_is\ny"),
            ("äöü äöü äöü äöü äöü äöü äöü", "äöü äöü äöü äöü äöü äöü äöü"),
        ] {
            assert_eq!(wrapped(line, 28), expected);
        }
    }

    #[test]
    fn what_is_there_to_be_copied_stays_on_one_line() {
        for text in [
            "```sh\nreq waive protected_branch --for 30m --note x\nreq\n```",
            "Example: req satisfy commit_plan --note \"the plan\"",
            "| a row | of a table | which is wide |",
        ] {
            assert_eq!(wrapped(text, 28), text);
        }
    }
}
