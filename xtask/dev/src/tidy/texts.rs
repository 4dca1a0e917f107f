//! The form of every file of this repository, and the few calls that belong behind one door. Pure; it reads lines, not syntax.

use super::{Source, finding};

/// A longer file is two files.
const MAX_LINES: usize = 500;

/// Folders that exist on one machine only.
const HOST_FOLDERS: [&str; 3] = ["home", "root", "work"];

/// The people of examples and recordings.
const NOBODY: [&str; 2] = ["me", "user"];

/// Calls that make a function impure, and the files that may make them.
const DOORS: [(&str, &str, &[&str]); 2] = [
    (
        "env::var",
        "take it from `shared::host::Environment`",
        &[
            "shared/src/host.rs",
            // Left by the hook that started req.
            "hooks/requirements-check/src/typed.rs",
            // The user's PATH, looked at and handed on.
            "shared/installer/src/programs.rs",
            "shared/installer/src/prove.rs",
        ],
    ),
    ("SystemTime::now", "take `now` from the `Host` or from `Input`", &["shared/src/host.rs"]),
];

pub(super) fn check(files: &[Source]) -> Vec<String> {
    files.iter().flat_map(check_one).collect()
}

fn check_one(file: &Source) -> Vec<String> {
    let mut findings =
        lines_where(file, &file.text, names_host_folder, "names a folder of one machine", "use ~/project");
    if file.is_rust() {
        findings.extend(of_file(file));
        // Command lines and test harnesses run in real time, in the developer's environment.
        if !file.is_test() && !file.path.starts_with("xtask/") && !file.path.starts_with("tests/") {
            findings.extend(calls(file));
        }
    }
    findings
}

fn of_file(file: &Source) -> Vec<String> {
    let lines = file.text.lines().count();
    let rules = [
        (file.text.starts_with("//!"), "does not open with a `//!` header", "say what the file is for"),
        (lines <= MAX_LINES, "has more than 500 lines", "find the two things in it and give each its file"),
    ];
    let broken = rules.into_iter().filter(|(is_kept, ..)| !is_kept);
    broken.map(|(_, what, todo)| finding(&file.path, what, todo)).collect()
}

fn calls(file: &Source) -> Vec<String> {
    let doors = DOORS.iter().filter(|(.., may)| !may.contains(&file.path.as_str()));
    let of_door = |(call, instead, _): &(&str, &str, &[&str])| {
        let calls = |line: &str| line.contains(call) && !line.trim_start().starts_with("//");
        lines_where(file, file.shipped(), calls, &format!("calls `{call}`"), instead)
    };
    doors.flat_map(of_door).collect()
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

/// One finding per line of the text that is `bad`.
fn lines_where(file: &Source, text: &str, bad: impl Fn(&str) -> bool, what: &str, todo: &str) -> Vec<String> {
    let lines = text.lines().enumerate().filter(|(_, line)| bad(line));
    lines.map(|(index, _)| finding(format!("{}:{}", file.path, index + 1), what, todo)).collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, check};
    use crate::tidy::tests::given;

    #[test]
    fn finds_what_each_rule_is_about() {
        let (long, too_long) = ("//! H\n".repeat(MAX_LINES), "//! H\n".repeat(MAX_LINES + 1));
        let now = "//! H\nfn now() { SystemTime::now() }\n";
        let quiet = "//! H\n// SystemTime::now\n#[cfg(test)]\nmod tests {\n    SystemTime::now();\n}\n";
        for (path, text, expected) in [
            ("shared/src/a.rs", "//! What it is for.\n", ""),
            ("shared/src/a.rs", "// What?\n", "shared/src/a.rs: does not open with a `//!` header"),
            ("a.rs", &long, ""),
            ("a.rs", &too_long, "a.rs: has more than 500 lines"),
            ("a.md", &format!("see /{}/jane/x\n", "home"), "a.md:1: names a folder of one machine"),
            ("a.md", "see src/home/x, ~/work/x, /home/user/project and /home/me/.claude\n", ""),
            ("hooks/a/src/observe.rs", now, "hooks/a/src/observe.rs:2: calls `SystemTime::now`"),
            ("shared/src/host.rs", now, ""),
            ("hooks/a/src/lib.rs", "//! H\nlet a = env::var_os(\"A\");\n", "hooks/a/src/lib.rs:2: calls"),
            ("shared/src/a.rs", quiet, ""),
            ("shared/src/a/tests.rs", now, ""),
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
