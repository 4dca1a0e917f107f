//! What the commands say: results to stdout, progress and notes to stderr, colour only where a person looks.
//! A reader that has gone away is no error. Nothing here knows what is said.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use comfy_table::{ContentArrangement, Table, presets};
use similar::{ChangeTag, TextDiff};

/// How wide a table is where there is no terminal, in characters.
const WIDTH: u16 = 120;

/// Columns narrower than this on average cannot be read.
const LEAST_COLUMN: usize = 16;

/// A result.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Progress, or something worth knowing.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A table without lines, wrapped to the terminal. On a narrow terminal each row becomes a block of lines.
pub fn table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if !table.is_tty() {
        table.set_width(WIDTH);
    }
    let room = usize::from(table.width().unwrap_or(WIDTH));
    if room < heads.len() * LEAST_COLUMN {
        return blocks(heads, &rows);
    }
    table.set_header(heads.iter().map(|head| head.to_uppercase())).add_rows(rows);
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    table.trim_fmt()
}

/// Each row as its first cell and, below it, the others by name: for rows too long for a table.
pub fn blocks(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = heads.iter().map(|head| head.len()).max().unwrap_or_default();
    let line = |(head, cell): (&&str, &String)| format!("\n  {head:width$}  {cell}");
    let block = |row: &Vec<String>| {
        let name = row.first().cloned().unwrap_or_default();
        name + &heads.iter().zip(row).skip(1).map(line).collect::<String>()
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// What changes in a file, line by line; empty if nothing does.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    let painted = colours(io::stdout().is_terminal());
    diff_with(
        name,
        before,
        after,
        |colour, line| if painted { format!("\u{1b}[{colour}m{line}\u{1b}[0m") } else { line },
    )
}

fn diff_with(name: &str, before: &str, after: &str, paint: impl Fn(u8, String) -> String) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    let mut lines = vec![format!("--- {name}"), format!("+++ {name}")];
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        lines.push(hunk.header().to_string());
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches(['\r', '\n']);
            lines.push(match change.tag() {
                ChangeTag::Delete => paint(31, format!("-{line}")),
                ChangeTag::Insert => paint(32, format!("+{line}")),
                ChangeTag::Equal => format!(" {line}"),
            });
        }
    }
    lines.join("\n")
}

/// Colour is for terminals, and only where the user has not asked for none (<https://no-color.org>).
fn colours(is_terminal: bool) -> bool {
    is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{blocks, diff_with, list};

    #[test]
    fn on_a_narrow_terminal_each_row_is_a_block() {
        let rows = [["a", "1", "2"], ["b", "3", "4"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(blocks(&["hook", "x", "long"], &rows), "a\n  x     1\n  long  2\nb\n  x     3\n  long  4");
    }

    #[test]
    fn a_list_reads_like_a_sentence() {
        for (words, text) in
            [(&[][..], ""), (&["a"], "a"), (&["a", "b"], "a and b"), (&["a", "b", "c"], "a, b and c")]
        {
            assert_eq!(list(words), text);
        }
    }

    #[test]
    fn a_diff_shows_what_changes_and_nothing_when_nothing_does() {
        let diff = |before, after| diff_with("f", before, after, |colour, line| format!("<{colour}>{line}"));
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff("a\nb\n", "a\nc\n"), "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n<31>-b\n<32>+c");
    }
}
