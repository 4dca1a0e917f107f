//! The form of every file of this repository. Pure.

use super::{Source, finding};

/// A longer file is two files.
const MAX_LINES: usize = 500;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 9] =
    ["mod", "util", "utils", "helper", "helpers", "common", "misc", "types", "prelude"];

/// Folders that exist on one machine only.
const HOST_FOLDERS: [&str; 3] = ["home", "root", "work"];

/// The people of examples and recordings.
const NOBODY: [&str; 2] = ["me", "user"];

/// Cargo's name for the public registry, whichever mirror answers for it.
const PUBLIC_REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(files: &[Source]) -> Vec<String> {
    files.iter().flat_map(check_one).collect()
}

fn check_one(file: &Source) -> Vec<String> {
    let mut findings = Vec::new();
    if file.is_rust() {
        findings.extend(header(file));
        findings.extend(name(file));
        findings.extend(length(file));
    }
    if !file.is_recorded() {
        findings.extend(white_space(file));
    }
    findings.extend(host_paths(file));
    findings.extend(registries(file));
    findings
}

fn header(file: &Source) -> Option<String> {
    let todo = "say in 1 to 8 lines what the file is for and what it must not do";
    (!file.text.starts_with("//!")).then(|| finding(&file.path, "does not open with a `//!` header", todo))
}

fn name(file: &Source) -> Option<String> {
    let bad = file
        .path
        .split('/')
        .map(|part| part.trim_end_matches(".rs"))
        .find(|part| EMPTY_NAMES.contains(part))?;
    let todo = "name the file after what is in it";
    Some(finding(&file.path, format!("is named `{bad}`, which says nothing"), todo))
}

fn length(file: &Source) -> Option<String> {
    let lines = file.text.lines().count();
    let todo = "find the two things in it and give each its file";
    (lines > MAX_LINES)
        .then(|| finding(&file.path, format!("has {lines} lines, more than {MAX_LINES}"), todo))
}

fn white_space(file: &Source) -> Vec<String> {
    let trailing = |line: &&str| line.ends_with([' ', '\t', '\r']);
    let mut findings = lines_where(file, trailing, "ends in white space", "remove it");
    if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
        findings.push(finding(&file.path, "does not end in one line break", "end it in exactly one"));
    }
    findings
}

fn host_paths(file: &Source) -> Vec<String> {
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

/// A lock file that names a mirror works on one machine only.
fn registries(file: &Source) -> Vec<String> {
    let foreign = |line: &&str| line.starts_with("source = \"registry+") && !line.contains(PUBLIC_REGISTRY);
    lines_where(file, foreign, "names a mirror of the registry", "lock against the public registry")
}

/// One finding per line that is `bad`.
fn lines_where(file: &Source, bad: impl Fn(&&str) -> bool, what: &str, todo: &str) -> Vec<String> {
    // Not `lines()`, which takes a carriage return away.
    let lines = file.text.split('\n').enumerate();
    lines
        .filter(|(_, line)| bad(line))
        .map(|(index, _)| finding(format!("{}:{}", file.path, index + 1), what, todo))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, check};
    use crate::tidy::given;

    #[test]
    fn finds_what_each_rule_is_about() {
        let (long, too_long) = ("//! H\n".repeat(MAX_LINES), "//! H\n".repeat(MAX_LINES + 1));
        for (path, text, expected) in [
            ("shared/src/a.rs", "//! What it is for.\n", ""),
            ("shared/src/a.rs", "// What?\n", "shared/src/a.rs: does not open with a `//!` header"),
            ("config/a.yaml", "a: 1\n", ""),
            ("shared/src/common/a.rs", "//! H\n", "shared/src/common/a.rs: is named `common`"),
            ("shared/src/modes.rs", "//! H\n", ""),
            ("a.rs", &long, ""),
            ("a.rs", &too_long, "a.rs: has 501 lines"),
            ("a.md", "a\nb \n", "a.md:2: ends in white space"),
            ("a.md", "a\r\n", "a.md:1: ends in white space"),
            ("a.md", "a", "a.md: does not end in one line break"),
            ("a.md", "a\n\n", "a.md: does not end in one line break"),
            ("tests/fixtures/payloads/a.json", "{} ", ""),
            ("a.md", &format!("see /{}/jane/x\n", "home"), "a.md:1: names a folder of one machine"),
            ("a.md", "see src/home/x, ~/work/x, /home/user/project and /home/me/.claude\n", ""),
            ("Cargo.lock", "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n", ""),
            ("Cargo.lock", "source = \"registry+https://mirror.example/index\"\n", "Cargo.lock:1: names a"),
        ] {
            let findings = check(&given(&[(path, text)]));
            let found = findings.first().cloned().unwrap_or_default();
            assert!(
                found.starts_with(expected) && findings.len() == usize::from(!expected.is_empty()),
                "{path}: {findings:?}"
            );
        }
    }
}
