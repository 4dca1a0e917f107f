//! The form of every file of this repository. Pure.

use super::Finding;
use super::sources::Source;

/// A longer file is two files.
const MAX_LINES: usize = 500;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 9] =
    ["mod", "util", "utils", "helper", "helpers", "common", "misc", "types", "prelude"];

/// Words for work that was put off; in two halves, so that this file is none of it.
const LEFTOVERS: [(&str, &str); 3] = [("TO", "DO"), ("FIX", "ME"), ("XX", "X")];

/// Folders that exist on one machine only.
const HOST_FOLDERS: [&str; 3] = ["home", "root", "work"];

/// The people of examples and recordings.
const NOBODY: [&str; 2] = ["me", "user"];

/// Hosts of packages, which each machine's own settings choose; in two halves, as above.
const REGISTRIES: [(&str, &str); 7] = [
    ("registry.npmjs", ".org"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("deb.debian", ".org"),
    ("arti", "factory"),
];

/// Cargo's name for the public registry, whichever mirror answers for it.
const PUBLIC_REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(files: &[Source]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = files.iter().flat_map(check_one).collect();
    findings.extend(changelog(files));
    findings
}

fn check_one(file: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.is_rust() {
        findings.extend(header(file));
        findings.extend(name(file));
        findings.extend(length(file));
    }
    if !file.is_recorded() {
        findings.extend(white_space(file));
        findings.extend(leftovers(file));
    }
    findings.extend(host_paths(file));
    findings.extend(registries(file));
    findings
}

fn header(file: &Source) -> Option<Finding> {
    let todo = "say in 1 to 8 lines what the file is for and what it must not do";
    (!file.text.starts_with("//!"))
        .then(|| Finding::new(&file.path, "does not open with a `//!` header", todo))
}

fn name(file: &Source) -> Option<Finding> {
    let bad = file
        .path
        .split('/')
        .map(|part| part.trim_end_matches(".rs"))
        .find(|part| EMPTY_NAMES.contains(part))?;
    let todo = "name the file after what is in it";
    Some(Finding::new(&file.path, format!("is named `{bad}`, which says nothing"), todo))
}

fn length(file: &Source) -> Option<Finding> {
    let lines = file.text.lines().count();
    let todo = "find the two things in it and give each its file";
    (lines > MAX_LINES)
        .then(|| Finding::new(&file.path, format!("has {lines} lines, more than {MAX_LINES}"), todo))
}

fn white_space(file: &Source) -> Vec<Finding> {
    let trailing = |line: &&str| line.ends_with([' ', '\t', '\r']);
    let mut findings = lines_where(file, trailing, "ends in white space", "remove it");
    if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
        findings.push(Finding::new(&file.path, "does not end in one line break", "end it in exactly one"));
    }
    findings
}

fn leftovers(file: &Source) -> Vec<Finding> {
    let put_off = |line: &&str| comment(line).is_some_and(|comment| words(comment).any(is_leftover));
    lines_where(file, put_off, "puts work off", "do it now, or drop the comment")
}

/// The text behind a comment sign, unless that is inside a string.
fn comment(line: &str) -> Option<&str> {
    let start = ["//", "#", "<!--"].iter().filter_map(|sign| line.find(sign)).min()?;
    let (code, comment) = line.split_at(start);
    (!code.contains(['"', '\'', '`'])).then_some(comment)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric())
}

fn is_leftover(word: &str) -> bool {
    LEFTOVERS.iter().any(|(start, end)| word.strip_prefix(start) == Some(end))
}

fn host_paths(file: &Source) -> Vec<Finding> {
    lines_where(
        file,
        |line| names_host_folder(line),
        "names a folder of one machine",
        "use a neutral path such as ~/project",
    )
}

fn names_host_folder(line: &str) -> bool {
    HOST_FOLDERS.iter().any(|folder| {
        let needle = format!("/{folder}/");
        line.match_indices(&needle).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let is_inner = before.is_some_and(|char| {
                char.is_alphanumeric() || matches!(char, '.' | '-' | '_' | '~' | '}' | ')')
            });
            let next = line[at + needle.len()..].split(|char: char| !char.is_alphanumeric()).next();
            !is_inner && !next.is_some_and(|next| NOBODY.contains(&next))
        })
    })
}

fn registries(file: &Source) -> Vec<Finding> {
    let todo = "leave out where a package comes from; a lock file names the public registry only";
    let foreign = |line: &&str| {
        let names = |(start, end): &(&str, &str)| {
            line.find(start).is_some_and(|at| line[at + start.len()..].starts_with(end))
        };
        let locked = line.strip_prefix("source = \"registry+").is_some();
        REGISTRIES.iter().any(names) || (locked && !line.contains(PUBLIC_REGISTRY))
    };
    lines_where(file, foreign, "names a registry's host", todo)
}

fn changelog(files: &[Source]) -> Option<Finding> {
    let text = super::text_of(files, "CHANGELOG.md").unwrap_or_default();
    let is_there = text.lines().any(|line| matches!(line.trim_end(), "## Unreleased" | "## [Unreleased]"));
    let todo = "add the heading above the newest version, and under it what users will notice";
    (!is_there).then(|| Finding::new("CHANGELOG.md", "has no heading `## Unreleased`", todo))
}

/// One finding per line that is `bad`.
fn lines_where(file: &Source, bad: impl Fn(&&str) -> bool, what: &str, todo: &str) -> Vec<Finding> {
    // Not `lines()`, which takes a carriage return away.
    let lines = file.text.split('\n').enumerate();
    lines
        .filter(|(_, line)| bad(line))
        .map(|(index, _)| Finding::new(format!("{}:{}", file.path, index + 1), what, todo))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{LEFTOVERS, MAX_LINES, REGISTRIES, check};
    use crate::tidy::given;

    const CHANGELOG: (&str, &str) = ("CHANGELOG.md", "# Changelog\n\n## Unreleased\n");

    /// The places of what is found in one file.
    #[track_caller]
    fn found(path: &str, text: &str) -> Vec<String> {
        check(&given(&[(path, text), CHANGELOG]))
            .into_iter()
            .map(|finding| format!("{} {}", finding.place, finding.what))
            .collect()
    }

    #[track_caller]
    fn clean(path: &str, text: &str) {
        assert_eq!(found(path, text), Vec::<String>::new());
    }

    #[test]
    fn a_rust_file_opens_with_its_header() {
        clean("shared/src/a.rs", "//! What it is for.\n");
        assert_eq!(
            found("shared/src/a.rs", "// What?\n"),
            ["shared/src/a.rs does not open with a `//!` header"]
        );
        clean("config/a.yaml", "a: 1\n");
    }

    #[test]
    fn names_that_say_nothing_are_found_as_files_and_as_folders() {
        for path in ["shared/src/utils.rs", "shared/src/common/a.rs", "tests/process/mod.rs"] {
            assert_eq!(found(path, "//! H\n").len(), 1, "{path}");
        }
        clean("shared/src/modes.rs", "//! H\n");
    }

    #[test]
    fn a_file_may_have_five_hundred_lines() {
        clean("a.rs", &"//! H\n".repeat(MAX_LINES));
        assert_eq!(found("a.rs", &"//! H\n".repeat(MAX_LINES + 1)), ["a.rs has 501 lines, more than 500"]);
    }

    #[test]
    fn white_space_is_judged_in_our_own_files_only() {
        assert_eq!(found("a.md", "a \nb\t\nc\r\n").len(), 3);
        for text in ["a", "a\n\n"] {
            assert_eq!(found("a.md", text), ["a.md does not end in one line break"]);
        }
        clean("a.md", "");
        clean("tests/fixtures/payloads/a.json", "{} ");
    }

    #[test]
    fn work_put_off_is_found_in_comments_and_not_in_texts() {
        for (start, end) in LEFTOVERS {
            let word = format!("{start}{end}");
            for text in [format!("//! H\n// {word}: later\n"), format!("//! H\nlet a = 1; // {word}\n")] {
                assert_eq!(found("a.rs", &text), ["a.rs:2 puts work off"]);
            }
            assert_eq!(found("a.yaml", &format!("a: 1 # {word}\n")).len(), 1);
            clean("a.rs", &format!("//! H\nlet a = \"// {word}\";\n"));
            clean("a.rs", &format!("//! H\n// {word}S are found by the validator\n"));
        }
    }

    #[test]
    fn folders_of_one_machine_are_found_and_examples_are_not() {
        for folder in ["home", "root", "work"] {
            assert_eq!(
                found("a.md", &format!("see /{folder}/jane/x\n")),
                ["a.md:1 names a folder of one machine"]
            );
            clean("a.md", &format!("see src/{folder}/x and ~/{folder}/x\n"));
        }
        clean("a.md", "/home/user/project, /home/me/.claude\n");
    }

    #[test]
    fn registries_are_named_by_nobody_and_lock_files_name_the_public_one() {
        for (start, end) in REGISTRIES {
            assert_eq!(
                found("a.md", &format!("from https://{start}{end}/x\n")),
                ["a.md:1 names a registry's host"]
            );
        }
        clean("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n");
        assert_eq!(found("Cargo.lock", "source = \"registry+https://mirror.example/index\"\n").len(), 1);
    }

    #[test]
    fn the_changelog_has_a_place_for_what_comes_next() {
        for (text, count) in [("## [Unreleased]\n", 0), ("## 0.1.0\n", 1), ("Unreleased\n", 1)] {
            assert_eq!(check(&given(&[("CHANGELOG.md", text)])).len(), count, "{text}");
        }
        assert_eq!(check(&[]).len(), 1);
    }
}
