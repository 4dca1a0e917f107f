//! Lines as they are typed, and what is understood of them.

mod counting;
mod matching;
mod reading;

use std::path::PathBuf;

use super::{Hidden, Line, Pattern, Simple, parse};

fn commands(line: &str) -> Vec<Simple> {
    parse(line).commands.unwrap_or_else(|| panic!("cannot be read: {line:?}"))
}

fn joined(simple: &Simple) -> String {
    simple.words.join("|")
}

/// The words of the commands, joined by bars.
fn words(line: &str) -> Vec<String> {
    commands(line).iter().map(joined).collect()
}

fn only(line: &str) -> Simple {
    let mut found = commands(line);
    assert_eq!(found.len(), 1, "{line:?}: {found:?}");
    found.remove(0)
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse_pattern(text).unwrap()
}

/// A folder that the line spells out; that of the call is empty.
#[allow(clippy::unnecessary_wraps, reason = "tables compare it with folders that are not spelled out")]
fn at(directory: &str) -> Option<PathBuf> {
    Some(PathBuf::from(directory))
}

/// The commands of `line` that `text` matches.
fn matched<'a>(line: &'a Line, text: &str) -> Vec<&'a Simple> {
    pattern(text).matches(line)
}

/// What hides the exit status of the command that `text` matches; it has to be one.
fn hidden(line: &str, text: &str) -> Option<Hidden> {
    let line = parse(line);
    let found = matched(&line, text);
    assert_eq!(found.len(), 1, "{text} in {line:?}");
    found[0].hidden
}

/// What a line's commands do to files, as far as their words tell: in doubt they change some.
#[test]
fn commands_that_change_no_file_are_known() {
    let all = |line: &str, is: fn(&Simple) -> bool| commands(line).iter().all(is);
    for line in [
        "cat a b | head -3",
        "grep -rn x . 2>/dev/null | sort -u >&2",
        "cd x && git status",
        "git --version",
        "git -C d --no-pager diff HEAD -- a",
        "git branch -a -v",
        "find . -name '*.rs' -type f",
        "sed -n -e '/x/p' a",
        "sed 's/a/b/g' a",
        "for f in a b; do cat $f; done",
        "cat $(git ls-files)",
    ] {
        assert!(all(line, Simple::reads) && all(line, Simple::keeps_files), "{line:?}");
    }
    for line in [
        "cat a > b",
        "cat a | tee b",
        "echo $(rm b)",
        "sort -o a b",
        "sort --outp=a b",
        "sort -uo a b",
        "find . -exec rm {} ;",
        "sed -i s/a/b/ c",
        "sed -n 's/a/b/w c' d",
        "sed 's/a/b/' c -i",
        "sed -f script a",
        "awk '{print > \"b\"}' a",
        "awk '{system(\"rm b\")}' a",
        "git diff --output=a",
        "git -c core.pager=x log",
        "git branch new",
        "git stash",
        "PAGER=x git log",
        "./cat a",
        "python -c 1",
        "xargs cat",
    ] {
        assert!(!all(line, Simple::reads), "{line:?}");
    }
    for line in
        ["git add -A && git commit -m x", "source .venv/bin/activate", "X=1 git push", "git switch -c x"]
    {
        assert!(all(line, Simple::keeps_files), "{line:?}");
    }
    for line in ["git checkout x", "make", "GIT_DIR=x git commit", "rm a", "sh x.sh"] {
        assert!(!all(line, Simple::keeps_files), "{line:?}");
    }
}
