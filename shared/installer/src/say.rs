//! Output of the commands: results to stdout, progress and notes to stderr, colour only on a terminal. A reader that has gone away
//! is no error.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use similar::{ChangeTag, TextDiff};

/// A result.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Progress, or something worth knowing.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Each row as its first cell and, below it, the others by name.
pub(crate) fn blocks(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = heads.iter().map(|head| head.len()).max().unwrap_or_default();
    let line = |(head, cell): (&&str, &String)| format!("\n  {head:width$}  {cell}");
    let block = |row: &Vec<String>| {
        let name = row.first().cloned().unwrap_or_default();
        name + &heads.iter().zip(row).skip(1).map(line).collect::<String>()
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// The lines that change in a file; empty if none does.
pub(crate) fn diff(name: &str, before: &str, after: &str) -> String {
    // https://no-color.org
    let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let paint = |colour: u8, line: String| format!("\u{1b}[{colour}m{line}\u{1b}[0m");
    if io::stdout().is_terminal() && !is_plain {
        diff_with(name, before, after, paint)
    } else {
        diff_with(name, before, after, |_, line| line)
    }
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

/// `a`, `a and b`, `a, b and c`.
pub fn list<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// The names of these hooks, as [`list`] writes them.
pub(crate) fn names_of(hooks: &[&shared::catalog::HookEntry]) -> String {
    list(&hooks.iter().map(|hook| hook.name.as_str()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::{diff_with, list};

    #[test]
    fn list_reads_like_a_sentence() {
        for (words, text) in
            [(&[][..], ""), (&["a"], "a"), (&["a", "b"], "a and b"), (&["a", "b", "c"], "a, b and c")]
        {
            assert_eq!(list(words), text);
        }
    }

    #[test]
    fn diff_shows_changed_lines_and_nothing_for_equal_texts() {
        let diff = |before, after| diff_with("f", before, after, |colour, line| format!("<{colour}>{line}"));
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff("a\nb\n", "a\nc\n"), "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n<31>-b\n<32>+c");
    }
}
