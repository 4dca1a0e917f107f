//! Where the counts of a day can be read: in what this test prints, and in README.md.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

const README: &str = include_str!("../../../README.md");

/// Keeps what the day that is run inside its namespace has come to, for [`tell`] outside.
pub(super) fn keep(name: &str, lines: &str) {
    fs::write(path(name), lines).expect("the day's lines");
}

/// Past the capture of the test harness: whoever runs the day is to read what it came to.
pub(super) fn tell(name: &str) {
    if let Ok(lines) = fs::read_to_string(path(name)) {
        drop(writeln!(io::stderr(), "{lines}"));
        drop(fs::remove_file(path(name)));
    }
}

fn path(name: &str) -> PathBuf {
    let name = name.replace(' ', "-");
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("day-of-{name}.txt"))
}

/// README.md tells this number before these words.
#[track_caller]
pub(super) fn in_readme(words: &str) -> usize {
    let readme = README.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = readme.split_once(&format!(" {words}")).map(|(before, _)| before);
    let number = before.and_then(|before| before.rsplit([' ', '(']).next());
    let number = number.and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("README.md has no number before `{words}`"))
}

/// It is about right there: what depends on how long things took is another on each day.
#[track_caller]
pub(super) fn assert_about(words: &str, counted: usize) {
    let told = in_readme(words);
    let play = (told / 5).max(3);
    assert!(counted.abs_diff(told) <= play, "README.md says {told} {words}, it was {counted}");
}
